"""How Chromium is started for a test or a measurement."""

QUIETLY = (
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-gpu",
    "--disable-quic",
    "--disable-sync",
    "--no-first-run",
    # What runs the tests is often root, or a container that allows no sandbox of its own.
    "--no-sandbox",
)

"""The browsers that the page is tested in: Chromium and Firefox ESR, as Debian has them."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Browser, Playwright, sync_playwright

from tests.support.chromium import QUIETLY

DRIVER: Final = Path(__file__).with_name("firefox_driver.cjs")
DARK: Final = "layout.css.prefers-color-scheme.content-override"
PREFERENCES: Final[dict[str, str | float | bool]] = {
    # Nothing asks for the network, and the start is quick.
    "app.normandy.enabled": False,
    "browser.backup.enabled": False,
    "messaging-system.rsexperimentloader.enabled": False,
}


def program(name: str) -> str:
    """Return the path of a program; the test fails where there is none."""
    found = shutil.which(name)
    if found is None:
        pytest.fail(f"No {name} on PATH: install it (on Debian, the {name} package).")
    return found


@contextmanager
def driver(patch: pytest.MonkeyPatch) -> Iterator[Playwright]:
    """Start Playwright, with what Firefox ESR needs loaded into it."""
    with patch.context() as starting:
        starting.setenv("NODE_OPTIONS", f"--require={DRIVER}")
        manager = sync_playwright()
        playwright = manager.start()
    try:
        yield playwright
    finally:
        playwright.stop()


def launched(playwright: Playwright, name: str, scheme: str = "light") -> Browser:
    """Start a browser by its name; of Firefox ESR the colour scheme is chosen here, and cannot be changed."""
    if name == "chromium":
        return playwright.chromium.launch(executable_path=program("chromium"), args=QUIETLY)
    return playwright.firefox.launch(
        channel="moz-firefox",
        executable_path=program("firefox-esr"),
        firefox_user_prefs={**PREFERENCES, DARK: int(scheme == "light")},
    )

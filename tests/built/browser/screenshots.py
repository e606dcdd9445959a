"""Where the pictures of the page go, and whether a page fits its window."""

from pathlib import Path
from typing import Final

from playwright.sync_api import Page

SCREENSHOTS: Final = Path(__file__).parents[3] / ".local" / "screenshots"


def whole_page(page: Page, name: str) -> None:
    """Save a picture of the page in a window that is high enough for all of it, so that its bar is at its end."""
    size = page.viewport_size
    assert size is not None
    height = int(page.evaluate("document.documentElement.scrollHeight"))
    page.set_viewport_size({"width": size["width"], "height": max(size["height"], height)})
    page.screenshot(path=SCREENSHOTS / f"{name}.png")
    page.set_viewport_size(size)


def scrolls_sideways(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"))

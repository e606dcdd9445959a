"""Where the pictures of the page go, and whether a page fits its window."""

from pathlib import Path
from typing import Final

from playwright.sync_api import Page

SCREENSHOTS: Final = Path(__file__).parents[3] / ".local" / "screenshots"


def scrolls_sideways(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"))

"""Where the pictures of the page go, and whether a page fits its window."""

import re
from pathlib import Path
from typing import Final

from playwright.sync_api import Page

SCREENSHOTS: Final = Path(__file__).parents[3] / ".local" / "screenshots"
STATE: Final = re.compile("-(phone|desktop)-(light|dark)$")


def picture(page: Page, name: str) -> Path:
    """Return where a picture goes: those of Firefox have a folder of their own."""
    browser = page.context.browser
    assert browser is not None
    folder = SCREENSHOTS if browser.browser_type.name == "chromium" else SCREENSHOTS / "firefox"
    folder.mkdir(parents=True, exist_ok=True)
    return folder / f"{name}.png"


def whole_page(page: Page, name: str) -> None:
    """Save a picture of the page in a window that is high enough for all of it, so that its bar is at its end."""
    size = page.viewport_size
    assert size is not None
    height = int(page.evaluate("document.documentElement.scrollHeight"))
    page.set_viewport_size({"width": size["width"], "height": max(size["height"], height)})
    page.screenshot(path=picture(page, name))
    page.set_viewport_size(size)


def scrolls_sideways(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"))


def write_index() -> None:
    """Write a page that shows every picture, those of one state in one row."""
    states: dict[str, list[str]] = {}
    for path in sorted(SCREENSHOTS.rglob("*.png")):
        address = path.relative_to(SCREENSHOTS).as_posix()
        states.setdefault(STATE.sub("", path.stem), []).append(address)
    rows = [f"<h2>{state}</h2><div>{''.join(map(_figure, shown))}</div>" for state, shown in sorted(states.items())]
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    (SCREENSHOTS / "index.html").write_text(_PAGE + "\n".join(rows), encoding="utf-8")


def _figure(address: str) -> str:
    picture = f'<a href="{address}"><img src="{address}" loading="lazy" alt=""></a>'
    return f"<figure>{picture}<figcaption>{address}</figcaption></figure>"


_PAGE: Final = """<!doctype html><meta charset="utf-8"><title>Screenshots of the answer page</title>
<style>body{font:14px sans-serif}div{display:flex;gap:16px;overflow-x:auto;align-items:start}figure{margin:0}
img{max-height:700px;max-width:500px;border:1px solid #999}</style>
"""

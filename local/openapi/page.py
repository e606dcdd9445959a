"""The routes of the answer page, which have no bodies and no refusals of the table."""

from typing import Any, Final

_PAGES: Final = {
    "/answer": ("answer_page", "The answer page", "text/html; charset=utf-8"),
    "/answer/page.js": ("answer_page_script", "The script of the answer page", "text/javascript; charset=utf-8"),
    "/answer/page-markdown.js": (
        "answer_page_markdown_script",
        "The script that shows Markdown",
        "text/javascript; charset=utf-8",
    ),
    "/answer/logo": ("answer_page_logo", "The logo of the organisation; 404 without one", "image/*"),
}
PAGE_ROUTES: Final = frozenset(f"{method} {path}" for path in _PAGES for method in ("GET", "HEAD"))


def page_paths() -> dict[str, dict[str, Any]]:
    """Return the path of every file of the page."""
    return {
        path: {"get": _operation(name, text, {kind: {}}), "head": _operation(f"{name}_head", text, None)}
        for path, (name, text, kind) in _PAGES.items()
    }


def _operation(name: str, text: str, content: dict[str, Any] | None) -> dict[str, Any]:
    found: dict[str, Any] = {"description": "The file"} | ({"content": content} if content else {})
    responses = {"200": found, "404": {"description": "Not found"}, "429": {"description": "Too many requests"}}
    return {"operationId": name, "tags": ["answer page"], "summary": text, "security": [], "responses": responses}

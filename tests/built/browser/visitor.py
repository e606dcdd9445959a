"""Somebody with a browser, and what their browser did: nothing but talk to the page's own origin."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Dialog, Error, Page, Request, expect

PHONE = {"width": 320, "height": 640}
DESKTOP = {"width": 1280, "height": 900}
LONGEST_STEP_SECONDS = 5
FOR_A_PICTURE = "sha256-YjaKGiklmzC6wjXA513HAMmzus8VE61XCOT+SmwNZWA="
"""The style that Playwright adds for a picture, which the page's policy keeps out; Firefox reports that."""


@dataclass(kw_only=True)
class Seen:
    """What a page did that nobody asked it for, and every request it made."""

    requests: list[Request] = field(default_factory=list)
    on_their_way: list[Request] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    def watch(self, page: Page) -> None:
        page.on("request", self._request)
        page.on("requestfinished", self._replied)
        page.on("requestfailed", self._replied)
        page.on("dialog", self._dialog)
        page.on("pageerror", self._error)
        page.on("console", self._console)

    def posts(self, path: str) -> list[Request]:
        return [each for each in self.requests if each.method == "POST" and urlsplit(each.url).path == path]

    def _request(self, request: Request) -> None:
        self.requests.append(request)
        self.on_their_way.append(request)

    def _replied(self, request: Request) -> None:
        # Firefox reports some requests that it never began.
        if request in self.on_their_way:
            self.on_their_way.remove(request)

    def _dialog(self, dialog: Dialog) -> None:
        self.wrong.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _error(self, error: Error) -> None:
        if FOR_A_PICTURE not in str(error):
            self.wrong.append(f"error: {error}")

    def _console(self, message: ConsoleMessage) -> None:
        # A refusal is told in the console too; everything else that stands there is a fault of the page.
        if not message.text.startswith("Failed to load resource"):
            self.wrong.append(f"console: {message.text}")


class Visitor:
    """One browser profile of one person: its pages, and what they did."""

    def __init__(self, context: BrowserContext, origin: str) -> None:
        self.context = context
        self.seen = Seen()
        self._origin = origin
        self.page = self.tab()

    def tab(self) -> Page:
        page = self.context.new_page()
        self.seen.watch(page)
        return page

    def opens(self, link: str, heading: str | None = None) -> Page:
        """Open a link and wait until something is shown, or until a heading is."""
        self.page.goto(link)
        self.sees(heading)
        return self.page

    def goes_to(self, origin: str) -> Page:
        """Open a page that is not the product's."""
        page = self.tab()
        page.goto(f"{origin}/")
        self.seen.requests.clear()
        return page

    def sees(self, heading: str | None) -> None:
        found = self.page.get_by_role("heading", level=1)
        expect(found).to_be_visible()
        if heading is not None:
            expect(found).to_have_text(heading)

    def waits(self, seconds: int) -> None:
        """Let the page's time pass; `page.clock` must be installed.

        In steps, each until the service has replied: in one step the page would give up a request for the time that
        passes in it, before the service had a moment to reply.
        """
        while seconds > 0:
            self.page.clock.run_for(1000 * min(seconds, LONGEST_STEP_SECONDS))
            seconds -= LONGEST_STEP_SECONDS
            self.page.wait_for_timeout(20)
            while self.seen.on_their_way:
                self.page.wait_for_timeout(20)

    def sends(self, button: str = "Send answer") -> None:
        self.page.get_by_role("button", name=button, exact=True).click()

    def require_harmless(self) -> None:
        """Nothing went wrong, and nothing left for anywhere else."""
        assert self.seen.wrong == [], self.seen.wrong
        elsewhere = [each.url for each in self.seen.requests if not each.url.startswith((self._origin, "data:,"))]
        assert elsewhere == [], elsewhere


@contextmanager
def visiting(browser: Browser, origin: str, **options: Any) -> Iterator[Visitor]:
    """Give a person a browser of their own, and hold it to doing no harm."""
    given: dict[str, Any] = {"viewport": PHONE, "locale": "en-GB", "timezone_id": "Europe/Berlin", **options}
    context = browser.new_context(**given)
    context.set_default_timeout(10_000)
    try:
        visitor = Visitor(context, origin)
        yield visitor
        visitor.require_harmless()
    finally:
        context.close()

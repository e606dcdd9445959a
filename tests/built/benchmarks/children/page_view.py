"""Open an answer link in Chromium and print what that took; run with the environment of the browser tests."""

import json
import sys

from playwright.sync_api import Browser, CDPSession, sync_playwright

from tests.support import page_questions as questions
from tests.support.chromium import QUIETLY
from tests.support.page_deployment import Deployed

ASKED = {"ask_user": questions.ONE, "approval": questions.APPROVAL, "form": questions.FORM}
SLOWDOWN = 4
VIEWS = 7


def main_thread(browser: Browser, link: str) -> dict[str, float]:
    """Return milliseconds of the main thread for a first view, as on a processor of a quarter of the speed.

    They are processor time, of several views the least, and times four. Chromium's own slowdown counts by the clock, so
    that other work of the machine would count too. What a bare file of the same origin takes is not of the page.
    """
    bare = link.partition("#")[0] + "/page.js"
    views, bases = (sorted(_worked(browser, bare, each) for _ in range(VIEWS)) for each in (link, f"{bare}?again"))
    total, script, layout = views[0]
    return {"main_thread": SLOWDOWN * (total - bases[0][0]), "script": SLOWDOWN * script, "layout": SLOWDOWN * layout}


def _worked(browser: Browser, before: str, address: str) -> tuple[float, float, float]:
    """Return the milliseconds of all tasks, of script, and of layout with styles, from one address to the next."""
    context = browser.new_context(viewport={"width": 320, "height": 640})
    page = context.new_page()
    page.goto(before)
    developer = context.new_cdp_session(page)
    developer.send("Performance.enable", {"timeDomain": "threadTicks"})
    was = _metrics(developer)
    page.goto(address, wait_until="networkidle")
    took = {name: 1000 * (value - was[name]) for name, value in _metrics(developer).items()}
    context.close()
    return took["TaskDuration"], took["ScriptDuration"], took["LayoutDuration"] + took["RecalcStyleDuration"]


def _metrics(developer: CDPSession) -> dict[str, float]:
    return {each["name"]: each["value"] for each in developer.send("Performance.getMetrics")["metrics"]}


def main() -> None:
    """Print the requests of a first view, the bytes of the page's files without headers, and the main thread's work."""
    out = sys.stdout
    with Deployed() as deployed, sync_playwright() as playwright:
        link = deployed.ask("ask_user", questions.ONE).link
        browser = playwright.chromium.launch(executable_path=sys.argv[1], args=QUIETLY)
        page = browser.new_page()
        requests = []
        page.on("request", lambda request: requests.append(request))  # noqa: PLW0108  it takes no built-in
        page.goto(link, wait_until="networkidle")
        page.get_by_role("heading", level=1).wait_for()
        files = [request for request in requests if request.method == "GET"]
        sent = sum(request.sizes()["responseBodySize"] for request in files)
        whole = sum(len(response.body()) for response in (request.response() for request in files) if response)
        page.close()
        work = {name: main_thread(browser, deployed.ask(name, payload).link) for name, payload in ASKED.items()}
        browser.close()
    print(json.dumps({"requests": len(requests), "sent": sent, "whole": whole, "work": work}), file=out)


if __name__ == "__main__":
    main()

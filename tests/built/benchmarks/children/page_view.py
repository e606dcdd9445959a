"""Open an answer link in Chromium and print what that took; run with the environment of the browser tests."""

import json
import sys

from playwright.sync_api import sync_playwright

from tests.support import page_questions as questions
from tests.support.chromium import QUIETLY
from tests.support.page_deployment import Deployed


def main() -> None:
    """Print the requests of a first view, and the bytes of the page's files as they travel, headers apart."""
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
        browser.close()
    print(json.dumps({"requests": len(requests), "sent": sent, "whole": whole}), file=out)


if __name__ == "__main__":
    main()

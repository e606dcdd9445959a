"""What axe-core finds on a page; it is loaded from node_modules, and never by the page itself."""

from typing import Any, Final

from playwright.sync_api import Page

from local.emulated.cloud import ROOT

ENGINE: Final = ROOT / "node_modules" / "axe-core" / "axe.min.js"


def violations(page: Page) -> list[str]:
    """Return one line for each element that breaks a rule, best practices included; of Chromium only.

    The rules look at the document, which both browsers build alike. Firefox ESR 153 crashes after a run of axe-core.
    """
    if page.context.browser is None or page.context.browser.browser_type.name != "chromium":
        return []
    page.evaluate(ENGINE.read_text(encoding="utf-8"))
    found: list[dict[str, Any]] = page.evaluate("axe.run(document).then((result) => result.violations)")
    return [f"{rule['id']}: {node['html'][:200]} {node['failureSummary']}" for rule in found for node in rule["nodes"]]

"""One deployment and one browser for all tests of this folder; every test gets people with profiles of their own."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.chromium import QUIETLY
from tests.support.page_deployment import Deployed

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from tests.built.browser.visitor import Visitor

collect_ignore_glob = [] if find_spec("playwright") else ["test_*.py"]


@pytest.fixture(scope="session")
def deployed() -> Iterator[Deployed]:
    with Deployed() as up:
        yield up


@pytest.fixture(scope="session")
def browser() -> Iterator["Browser"]:
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.fail("No chromium on PATH: install it (on Debian, the chromium package).")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium, args=QUIETLY)
        yield started
        started.close()


@pytest.fixture
def visit(deployed: Deployed, browser: "Browser") -> Iterator[Callable[..., "Visitor"]]:
    """Return what lets somebody in; options are those of a browser profile."""
    from tests.built.browser.visitor import visiting

    with ExitStack() as people:

        def let_in(**options: Any) -> "Visitor":
            return people.enter_context(visiting(browser, deployed.url, **options))

        yield let_in


@pytest.fixture
def visitor(visit: Callable[..., "Visitor"]) -> "Visitor":
    return visit()

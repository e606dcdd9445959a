"""One deployment and both browsers for all tests of this folder; every test gets people with profiles of their own."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.page_deployment import Deployed

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Playwright

    from tests.built.browser.visitor import Visitor

BROWSERS = ("chromium", "firefox")
collect_ignore_glob = [] if find_spec("playwright") else ["test_*.py"]


@pytest.fixture(scope="session")
def deployed() -> Iterator[Deployed]:
    with Deployed() as up:
        yield up
    from tests.built.browser.screenshots import write_index

    write_index()


@pytest.fixture(scope="session")
def playwright() -> Iterator["Playwright"]:
    from tests.built.browser.browsers import driver

    with driver(pytest.MonkeyPatch()) as started:
        yield started


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Every test with a browser runs in both, but for those with the mark `only_chromium`."""
    if "browser" in metafunc.fixturenames:
        only = metafunc.definition.get_closest_marker("only_chromium")
        metafunc.parametrize("browser", BROWSERS[:1] if only else BROWSERS, indirect=True, scope="session")


@pytest.fixture(scope="session")
def browser(playwright: "Playwright", request: pytest.FixtureRequest) -> Iterator["Browser"]:
    from tests.built.browser.browsers import launched

    started = launched(playwright, request.param)
    yield started
    started.close()


@pytest.fixture(scope="module")
def dark_firefox(playwright: "Playwright") -> Iterator["Browser"]:
    from tests.built.browser.browsers import launched

    started = launched(playwright, "firefox", "dark")
    yield started
    started.close()


@pytest.fixture(autouse=True)
def nothing_left(request: pytest.FixtureRequest) -> Iterator[None]:
    """Let no pause of a test be there in the next one."""
    yield
    if "deployed" in request.fixturenames:
        request.getfixturevalue("deployed").forget()


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

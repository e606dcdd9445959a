"""Every state of the page, on a phone and on a desk, by day and by night: told right, laid out right, accessible."""

from collections.abc import Callable
from typing import Final, Literal

import pytest
from playwright.sync_api import Browser

from tests.built.browser.accessibility import violations
from tests.built.browser.screenshots import scrolls_sideways, whole_page
from tests.built.browser.states import STATES
from tests.built.browser.visitor import DESKTOP, PHONE, Visitor, visiting
from tests.support.page_deployment import Deployed

pytestmark = pytest.mark.browser

SIZES: Final = {"phone": PHONE, "desktop": DESKTOP}


def themes_of(browser: Browser) -> dict[str, Literal["light", "dark"]]:
    """Firefox ESR has the colour scheme that it was started with."""
    return {"light": "light", "dark": "dark"} if browser.browser_type.name == "chromium" else {"light": "light"}


@pytest.mark.parametrize("name", STATES)
def test_a_state_is_told_fits_a_phone_and_is_accessible(
    deployed: Deployed, browser: Browser, visit: Callable[..., Visitor], name: str
) -> None:
    visitor = visit(device_scale_factor=2)
    STATES[name].arrive(deployed, visitor)
    visitor.sees(STATES[name].heading)

    page = visitor.page
    for size, viewport in SIZES.items():
        page.set_viewport_size({"width": viewport["width"], "height": viewport["height"]})
        for theme, scheme in themes_of(browser).items():
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            whole_page(page, f"{name}-{size}-{theme}")
            assert not scrolls_sideways(page), size
            assert violations(page) == [], (size, theme)


@pytest.mark.parametrize("name", ["question", "approval-edited", "form-faulty", "thanks-for-an-approval"])
def test_at_night_firefox_draws_it_dark(deployed: Deployed, dark_firefox: Browser, name: str) -> None:
    with visiting(dark_firefox, deployed.url, device_scale_factor=2) as visitor:
        STATES[name].arrive(deployed, visitor)
        visitor.sees(STATES[name].heading)
        ground = visitor.page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert ground == "rgb(18, 22, 20)"
        assert not scrolls_sideways(visitor.page)
        whole_page(visitor.page, f"{name}-phone-dark")

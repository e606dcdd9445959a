"""Every state of the page, on a phone and on a desk, by day and by night: told right, laid out right, accessible."""

from collections.abc import Callable
from typing import Final

import pytest

from tests.built.browser.accessibility import violations
from tests.built.browser.screenshots import SCREENSHOTS, scrolls_sideways, whole_page
from tests.built.browser.states import STATES
from tests.built.browser.visitor import DESKTOP, PHONE, Visitor
from tests.support.page_deployment import Deployed

pytestmark = pytest.mark.browser

SIZES: Final = {"phone": PHONE, "desktop": DESKTOP}


@pytest.mark.parametrize("name", STATES)
def test_a_state_is_told_fits_a_phone_and_is_accessible(
    deployed: Deployed, visit: Callable[..., Visitor], name: str
) -> None:
    visitor = visit(device_scale_factor=2)
    STATES[name].arrive(deployed, visitor)
    visitor.sees(STATES[name].heading)

    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    page = visitor.page
    for size, viewport in SIZES.items():
        page.set_viewport_size({"width": viewport["width"], "height": viewport["height"]})
        for theme in ("light", "dark"):
            page.emulate_media(color_scheme="light" if theme == "light" else "dark", reduced_motion="reduce")
            whole_page(page, f"{name}-{size}-{theme}")
            assert not scrolls_sideways(page), size
            assert violations(page) == [], (size, theme)

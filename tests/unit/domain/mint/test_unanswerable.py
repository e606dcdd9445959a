"""A question that no person can answer in this deployment is known at the mint, and no other is called so."""

from typing import Any

import pytest

from askback.domain.pause.answerers import Answerers
from askback.domain.pause.assurance import Assurance

TAKES_LINKS: dict[str, Any] = {"takes_links": True}
NO_LINKS: dict[str, Any] = {"takes_links": False}
NO_SIGN_IN: dict[str, Any] = {"best_sign_in": None}
SIGNED_IN: dict[str, Any] = {"best_sign_in": Assurance.SIGNED_IN}
STEPPED_UP: dict[str, Any] = {"best_sign_in": Assurance.STEPPED_UP}


@pytest.mark.parametrize("links", [TAKES_LINKS, NO_LINKS], ids=["links", "no links"])
@pytest.mark.parametrize("people", [{}, {"approvers": ("ada",)}, {"recipients": ("ada",)}], ids=str)
def test_a_backend_can_always_answer_what_demands_nothing(people: dict[str, Any], links: dict[str, Any]) -> None:
    assert Answerers(**people).can_answer(**links, **NO_SIGN_IN)


@pytest.mark.parametrize(
    ("least", "people", "ways", "can"),
    [
        (Assurance.LINK, {}, {**TAKES_LINKS, **NO_SIGN_IN}, True),
        (Assurance.LINK, {}, {**NO_LINKS, **NO_SIGN_IN}, False),
        (Assurance.LINK, {"approvers": ("ada",)}, {**TAKES_LINKS, **NO_SIGN_IN}, False),
        (Assurance.LINK, {"approvers": ("ada",), "recipients": ("ada",)}, {**TAKES_LINKS, **NO_SIGN_IN}, True),
        (Assurance.LINK, {"approvers": ("ada",)}, {**NO_LINKS, **SIGNED_IN}, True),
        (Assurance.PERSONAL_LINK, {}, {**TAKES_LINKS, **NO_SIGN_IN}, False),
        (Assurance.PERSONAL_LINK, {"recipients": ("ada",)}, {**TAKES_LINKS, **NO_SIGN_IN}, True),
        (Assurance.PERSONAL_LINK, {"recipients": ("ada",)}, {**NO_LINKS, **NO_SIGN_IN}, False),
        (Assurance.PERSONAL_LINK, {}, {**TAKES_LINKS, **SIGNED_IN}, True),
        (Assurance.SIGNED_IN, {"recipients": ("ada",)}, {**TAKES_LINKS, **NO_SIGN_IN}, False),
        (Assurance.SIGNED_IN, {}, {**NO_LINKS, **SIGNED_IN}, True),
        (Assurance.STEPPED_UP, {}, {**TAKES_LINKS, **SIGNED_IN}, False),
        (Assurance.STEPPED_UP, {}, {**TAKES_LINKS, **STEPPED_UP}, True),
    ],
)
def test_what_is_demanded_is_compared_with_every_way_to_answer(
    least: Assurance, people: dict[str, Any], ways: dict[str, Any], can: bool
) -> None:
    assert Answerers(**people, least_assurance=least).can_answer(**ways) is can

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
    assert Answerers(**people).why_unanswerable(**links, **NO_SIGN_IN) == ""


@pytest.mark.parametrize(
    ("least", "people", "ways", "why"),
    [
        (Assurance.LINK, {}, {**TAKES_LINKS, **NO_SIGN_IN}, ""),
        (Assurance.LINK, {}, {**NO_LINKS, **NO_SIGN_IN}, "takes no answer"),
        (Assurance.LINK, {"approvers": ("ada",)}, {**TAKES_LINKS, **NO_SIGN_IN}, "no recipients"),
        (Assurance.LINK, {"approvers": ("ada",), "recipients": ("ada",)}, {**TAKES_LINKS, **NO_SIGN_IN}, ""),
        (Assurance.LINK, {"approvers": ("ada",)}, {**NO_LINKS, **SIGNED_IN}, ""),
        (Assurance.PERSONAL_LINK, {}, {**TAKES_LINKS, **NO_SIGN_IN}, "no recipients"),
        (Assurance.PERSONAL_LINK, {"recipients": ("ada",)}, {**TAKES_LINKS, **NO_SIGN_IN}, ""),
        (Assurance.PERSONAL_LINK, {"recipients": ("ada",)}, {**NO_LINKS, **NO_SIGN_IN}, "takes no answer"),
        (Assurance.PERSONAL_LINK, {}, {**TAKES_LINKS, **SIGNED_IN}, ""),
        (Assurance.SIGNED_IN, {"recipients": ("ada",)}, {**TAKES_LINKS, **NO_SIGN_IN}, "sign-in"),
        (Assurance.SIGNED_IN, {}, {**NO_LINKS, **SIGNED_IN}, ""),
        (Assurance.STEPPED_UP, {}, {**TAKES_LINKS, **SIGNED_IN}, "StepUpClaims"),
        (Assurance.STEPPED_UP, {}, {**TAKES_LINKS, **STEPPED_UP}, ""),
    ],
)
def test_what_is_demanded_is_compared_with_every_way_to_answer(
    least: Assurance, people: dict[str, Any], ways: dict[str, Any], why: str
) -> None:
    said = Answerers(**people, least_assurance=least).why_unanswerable(**ways)
    assert (bool(said), why in said) == (bool(why), True)

"""A mint that no person can answer says why in its reply, over HTTP and directly; every other reply is as before."""

from typing import Any

import pytest

from tests.functions.reply_fields import MINTED
from tests.support.adopter_interactions import REGISTRY
from tests.support.function_deployment import Deployment, Handlers
from tests.support.page_questions import INCIDENT
from tests.support.request_bodies import a_mint

NO_SIGN_IN = {"ASKBACK_SIGN_IN": "none"}
EXCLUDED = {"requester": "bob", "requester_may_answer": False}


def minted_both_ways(handlers: Handlers, **over: Any) -> list[dict[str, Any]]:
    return [handlers.post("/pauses", a_mint(**over)).document, handlers.invoke("mint", a_mint(**over))]


@pytest.mark.parametrize(
    ("environment", "asked", "why"),
    [
        (NO_SIGN_IN, {"least_assurance": "signed_in"}, "has no JwtIssuer"),
        (NO_SIGN_IN, {"least_assurance": "stepped_up", "recipients": ["ada"]}, "has no JwtIssuer"),
        ({}, {"least_assurance": "stepped_up"}, "has no StepUpClaims"),
        (NO_SIGN_IN, {"least_assurance": "personal_link"}, "has no recipients"),
        (NO_SIGN_IN, {"least_assurance": "link", "approvers": ["ada"]}, "has no recipients"),
        (NO_SIGN_IN, {"approvers": ["ada"], **EXCLUDED}, "has no recipients"),
        (
            {"ASKBACK_MINT_FLOOR": '{"*": {"least_assurance": "signed_in"}}', **NO_SIGN_IN},
            {"recipients": ["ada"]},
            "has no JwtIssuer",
        ),
    ],
    ids=str,
)
def test_the_reply_says_why(
    deployment: Deployment, environment: dict[str, str], asked: dict[str, Any], why: str
) -> None:
    for reply in minted_both_ways(deployment.load(**environment), **asked):
        assert set(reply) == MINTED | {"unanswerable"}
        assert why in reply["unanswerable"]


@pytest.mark.parametrize(
    "asked",
    [{}, {"least_assurance": "signed_in"}, {"approvers": ["ada"], **EXCLUDED}, {"recipients": ["ada"], **EXCLUDED}],
    ids=str,
)
def test_the_reply_of_every_other_mint_is_as_before(handlers: Handlers, asked: dict[str, Any]) -> None:
    for reply in minted_both_ways(handlers, **asked):
        assert set(reply) == MINTED


def test_a_repeated_mint_says_it_again(deployment: Deployment) -> None:
    handlers = deployment.load(**NO_SIGN_IN)
    request = a_mint(least_assurance="signed_in", idempotency_key="unanswerable")
    first, again = handlers.post("/pauses", request).document, handlers.post("/pauses", request).document
    assert first == again
    assert "unanswerable" in first


def test_an_interaction_that_takes_no_links_needs_a_sign_in(deployment: Deployment) -> None:
    handlers = deployment.load(registry=REGISTRY, **NO_SIGN_IN)
    asked = {"name": "signed_in_only", "payload": INCIDENT, "least_assurance": "link"}
    for reply in minted_both_ways(handlers, **asked):
        assert "takes no answer from a link" in reply["unanswerable"]

"""Attack: an agent asks so that a weak proof of the person is enough, or answers as the excluded requester."""

import dataclasses
import json
from collections.abc import Callable
from typing import Any

import pytest

from askback.domain.interactions.floor import Floor
from askback.domain.pause.assurance import Assurance
from askback.interactions import ASK_USER_REGISTRATION, REGISTRY
from tests.support.function_deployment import Answer, Deployment, Handlers
from tests.support.problems import require_problem
from tests.support.request_bodies import PERSON, Pause, a_mint

WAYS: dict[str, Callable[[Handlers, Pause], Answer]] = {
    "stated": lambda handlers, pause: handlers.post("/resume", pause.resume(answerer="bob")),
    "link": lambda handlers, pause: handlers.post("/answers", pause.answer()),
    "personal_link": lambda handlers, pause: handlers.post("/answers", pause.answer(answer_token=_link_of_bob(pause))),
    "signed_in": lambda handlers, pause: handlers.post(
        "/user/answers", pause.answer(), claims={**PERSON, "sub": "bob"}
    ),
}
"""The ways to answer as bob, from weak to strong."""


def _link_of_bob(pause: Pause) -> str:
    (link,) = pause.minted["recipients"]
    return str(link["answer_token"])


def require_floor(handlers: Handlers, least: str, **over: Any) -> None:
    """Require that each weaker way is refused and consumes nothing, and that the way itself is accepted."""
    pause = handlers.pause(recipients=["bob"], **over)
    for way, answer in WAYS.items():
        if not Assurance(way).reaches(Assurance(least)):
            require_problem(answer(handlers, pause), 403, "answerer-not-allowed")
    accepted = WAYS[least](handlers, pause)
    assert (accepted.status, accepted.document["assurance"], accepted.document["by_policy"]) == (200, least, False)


def with_floor(deployment: Deployment, **floors: object) -> Handlers:
    return deployment.load(ASKBACK_MINT_FLOOR=json.dumps(floors))


@pytest.mark.cannot("lower the assurance")
@pytest.mark.parametrize("least", WAYS)
def test_a_pause_can_demand_how_the_answerer_is_known(handlers: Handlers, least: str) -> None:
    require_floor(handlers, least, least_assurance=least)


@pytest.mark.cannot("lower the assurance")
@pytest.mark.parametrize("name", ["*", "ask_user"])
def test_a_mint_cannot_go_below_the_floor_of_the_deployment(deployment: Deployment, name: str) -> None:
    handlers = with_floor(deployment, **{name: {"least_assurance": "personal_link"}})
    for over in ({}, {"least_assurance": "stated"}):
        require_floor(handlers, "personal_link", **over)
    require_floor(handlers, "signed_in", least_assurance="signed_in")


@pytest.mark.cannot("lower the assurance")
def test_a_mint_cannot_go_below_the_floor_of_the_registration(deployment: Deployment) -> None:
    floor = Floor(least_assurance=Assurance.SIGNED_IN)
    registry = REGISTRY.extended([dataclasses.replace(ASK_USER_REGISTRATION, floor=floor)])
    require_floor(deployment.load(registry=registry), "signed_in")


@pytest.mark.parametrize(
    ("claims", "assurance"),
    [
        ({"amr": "mfa", "auth_time": "{young}"}, "stepped_up"),
        ({"amr": "[pwd mfa]", "auth_time": "{young}"}, "stepped_up"),
        ({"amr": "[pwd mfa]", "auth_time": "{old}"}, None),
        ({"amr": "[pwd mfa]", "auth_time": "soon"}, None),
        ({"amr": "pwd", "auth_time": "{young}"}, None),
        ({"amr": "mfa2 [mfa]", "auth_time": "{young}"}, None),
        ({}, None),
    ],
)
def test_a_stronger_sign_in_is_what_the_deployment_says(
    deployment: Deployment, claims: dict[str, str], assurance: str | None
) -> None:
    at = 1_790_000_000
    times = {"young": str(at - 899), "old": str(at - 900)}
    stack = deployment.load(clock=lambda: at, ASKBACK_STEP_UP_CLAIMS="amr=mfa,auth_time<900")
    pause = stack.pause(least_assurance="stepped_up")
    person = {**PERSON, **{name: value.format(**times) for name, value in claims.items()}}
    answered = stack.post("/user/answers", pause.answer(), claims=person)
    if assurance is None:
        require_problem(answered, 403, "answerer-not-allowed")
    else:
        assert answered.document["assurance"] == assurance


def test_without_a_condition_no_sign_in_is_a_stronger_one(handlers: Handlers) -> None:
    pause = handlers.pause(least_assurance="stepped_up")
    answered = handlers.post("/user/answers", pause.answer(), claims={**PERSON, "amr": "mfa"})
    require_problem(answered, 403, "answerer-not-allowed")


@pytest.mark.cannot("lower the assurance")
def test_the_floor_is_that_of_the_mint_and_not_of_today(deployment: Deployment, handlers: Handlers) -> None:
    strict = with_floor(deployment, **{"*": {"least_assurance": "signed_in"}})
    before, demanded = handlers.pause(), strict.pause()
    require_problem(handlers.post("/answers", demanded.answer()), 403, "answerer-not-allowed")
    assert strict.post("/answers", before.answer()).status == 200
    again = strict.post("/pauses", handlers.pause().request)
    assert again.status == 201


@pytest.mark.cannot("exclude the requester and leave a way")
def test_an_excluded_requester_has_neither_the_link_without_a_name_nor_a_stated_name(handlers: Handlers) -> None:
    pause = handlers.pause(requester="ada", requester_may_answer=False, recipients=["bob"])
    require_problem(handlers.post("/answers", pause.answer()), 403, "answerer-not-allowed")
    require_problem(handlers.post("/resume", pause.resume(answerer="bob")), 403, "answerer-not-allowed")
    shown = handlers.post("/questions", {"answer_token": pause.minted["answer_token"]})
    assert shown.document["link_may_answer"] is False
    assert WAYS["personal_link"](handlers, pause).document["answered_by"] == "bob"


@pytest.mark.parametrize(
    ("floor", "over", "field"),
    [
        ({"approvers_required": True}, {}, "approvers"),
        ({"ttl_min_seconds": 600}, {"ttl_seconds": 599}, "ttl_seconds"),
        ({"ttl_max_seconds": 600}, {"ttl_seconds": 601}, "ttl_seconds"),
        ({"default_answers": False}, {"on_expiry": True}, "on_expiry"),
        ({"default_answer_ttl_min_seconds": 900}, {"on_expiry": True, "ttl_seconds": 899}, "ttl_seconds"),
        ({}, {"on_expiry": True, "ttl_seconds": 299}, "ttl_seconds"),
        ({"recipients": ["*@example.com"]}, {"recipients": ["eve@example.org"]}, "recipients[0]"),
        ({"recipients": ["*@example.com"]}, {"approvers": ["a@EXAMPLE.com", "eve@example.com.org"]}, "approvers[1]"),
    ],
)
def test_a_mint_below_the_floor_is_refused(
    deployment: Deployment, floor: dict[str, Any], over: dict[str, Any], field: str
) -> None:
    handlers = with_floor(deployment, **{"*": floor})
    request = a_mint(**over)
    if "on_expiry" in over:
        request["on_expiry"] = {"policy": "default", "response": {"answers": [{"selections": ["Reject"]}]}}
    refused = handlers.post("/pauses", request)
    assert (refused.status, [error["field"] for error in refused.document["errors"]]) == (400, [field])


@pytest.mark.parametrize(
    "floor",
    [
        "no JSON", "[]", '{"*": 1}', '{"Ask": {}}', '{"*": {"colour": 1}}', '{"*": {"least_assurance": "policy"}}',
        '{"*": {"approvers_required": 1}}', '{"*": {"ttl_min_seconds": true}}', '{"*": {"recipients": []}}',
    ],
)  # fmt: skip
def test_a_floor_that_cannot_be_read_opens_nothing(deployment: Deployment, floor: str) -> None:
    handlers = deployment.load(ASKBACK_MINT_FLOOR=floor)
    require_problem(handlers.post("/pauses", a_mint()), 500, "misconfigured")

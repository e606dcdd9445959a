"""Tokens that are none, come from another clock, or are over: judged by the functions' own clock."""

import base64
import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.support.clock import SetClock
from tests.support.function_deployment import Deployment, Handlers
from tests.support.problems import require_problem
from tests.support.request_bodies import Pause

START = 1_790_000_000


WRONG_TEXTS: dict[str, Callable[[str], str]] = {
    "empty": lambda token: "",
    "one letter": lambda token: "a",
    "two parts": lambda token: "a.b",
    "four parts": lambda token: token + ".d",
    "two parts of a good one": lambda token: token.rpartition(".")[0],
    "200 KB": lambda token: "A" * 200_000,
    "200 KB in three parts": lambda token: f"{'A' * 70_000}.{'A' * 70_000}.{'A' * 60_000}",
    "a newline after it": lambda token: token + "\n",
    "a space before it": lambda token: " " + token,
    "as a header has it": lambda token: "Bearer " + token,
    "in angle brackets": lambda token: f"<{token}>",
    "in quotes": lambda token: f'"{token}"',
    "padded": lambda token: token + "==",
    "half a surrogate pair": lambda token: token + "\ud83d",
    "another alphabet": lambda token: token.replace("e", "е"),  # noqa: RUF001 - the look-alike is the point
    "its signature cut": lambda token: token[:-1],
    "its claims changed": lambda token: token.replace(".", ".e", 1),
}


@pytest.mark.parametrize("what", WRONG_TEXTS)
@pytest.mark.parametrize("path", ["/resume", "/answers", "/questions", "/user/answers"])
def test_a_text_that_is_not_the_token_is_rejected_alike(handlers: Handlers, path: str, what: str) -> None:
    """A-19: never a fault, and malformed and forged look the same."""
    pause = handlers.pause()
    token = WRONG_TEXTS[what](pause.minted["answer_token" if path == "/answers" else "pause_token"])
    body: dict[str, Any] = {"pause_token": token}
    refused = handlers.post(path, body if path == "/questions" else pause.resume(**body))
    require_problem(refused, 401, "token-rejected")
    assert refused.document == handlers.post("/questions", {"answer_token": "x.y.z"}).document
    assert handlers.redeems(pause)


@pytest.mark.parametrize("token", [None, 5, [], {}, True, ...])
def test_a_token_that_is_no_text_or_absent_is_a_bad_request(handlers: Handlers, token: object) -> None:
    """A-19: a wrong type is told from a wrong token."""
    pause = handlers.pause()
    refused = handlers.post("/resume", pause.resume(pause_token=token))
    require_problem(refused, 400, "bad-request")
    assert refused.document["errors"][0]["field"] == "pause_token"
    assert handlers.redeems(pause)


def _segment(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


@pytest.mark.parametrize(
    "header",
    [
        {"alg": "none"},
        {"alg": "HS512", "kid": "initial"},
        {"alg": "hs256", "kid": "initial"},
        {"alg": ["HS256"], "kid": "initial"},
        {"alg": "HS256", "kid": 5},
        {"alg": "HS256", "kid": ["initial"]},
        {"alg": "HS256", "kid": "nobody"},
        {"alg": "HS256", "kid": "initial", "crit": ["x"]},
        {"alg": "HS256"},
        {},
        [1],
        "x",
    ],
)
def test_a_header_of_the_callers_own_is_rejected(handlers: Handlers, header: object) -> None:
    """A-15: the one algorithm stands in the code."""
    pause = handlers.pause()
    _, claims, signature = pause.minted["pause_token"].split(".")
    for token in (f"{_segment(header)}.{claims}.{signature}", f"{_segment(header)}.{claims}."):
        require_problem(handlers.post("/resume", pause.resume(pause_token=token)), 401, "token-rejected")
    assert handlers.redeems(pause)


@pytest.mark.parametrize(
    "change",
    [{name: ...} for name in ("exp", "jti", "request_hash", "scope_hash", "iat", "aud")]
    + [{"jti": ""}, {"exp": "soon"}, {"exp": 1e12}, {"exp": True}, {"iat": -1}, {"aud": ["resume"]}, {"aud": "other"}],
)
def test_our_own_signature_under_claims_that_lack_something_is_rejected(
    handlers: Handlers, deployment: Deployment, change: dict[str, Any]
) -> None:
    """A-16: every claim is required by name."""
    pause = handlers.pause()
    claims = deployment.claims(pause.minted["pause_token"]) | change
    token = deployment.sign({name: value for name, value in claims.items() if value is not ...})
    require_problem(handlers.post("/resume", pause.resume(pause_token=token)), 401, "token-rejected")
    assert handlers.redeems(pause)


def test_a_token_is_good_to_its_last_second_and_over_in_the_next(deployment: Deployment) -> None:
    """A-12: the row stays in the table for weeks, and that does not matter."""
    clock = SetClock(START)
    handlers = deployment.load(clock=clock)
    pauses = [handlers.pause(ttl_seconds=60) for _ in range(2)]
    clock.now = START + 59
    assert handlers.redeems(pauses[0])

    row = deployment.item(deployment.row_key(pauses[1]))
    for late in (60, 61, 62, 47 * 3600):
        clock.now = START + late
        require_problem(handlers.post("/resume", pauses[1].resume()), 410, "expired")
        require_problem(handlers.post("/answers", pauses[1].answer()), 410, "expired")
        require_problem(handlers.post("/questions", {"answer_token": pauses[1].minted["answer_token"]}), 410, "expired")
    assert deployment.item(deployment.row_key(pauses[1])) == row


def test_of_the_tokens_expiry_and_the_rows_the_earlier_one_holds(deployment: Deployment) -> None:
    """A-12: a row whose expiry was moved does not lengthen the token, and one that ended early ends it."""
    clock = SetClock(START)
    handlers = deployment.load(clock=clock)
    later, earlier = (handlers.pause(ttl_seconds=600) for _ in range(2))
    for pause, exp in ((later, START + 9999), (earlier, START + 60)):
        deployment.put(deployment.item(deployment.row_key(pause)) | {"exp": {"N": str(exp)}})

    clock.now = START + 61
    require_problem(handlers.post("/resume", earlier.resume()), 410, "expired")
    clock.now = START + 601
    require_problem(handlers.post("/resume", later.resume()), 410, "expired")


@pytest.mark.parametrize(("ahead", "status"), [(2, 200), (30, 200), (60, 200), (61, 401), (600, 401)])
def test_a_minting_clock_may_run_a_minute_ahead_and_no_more(deployment: Deployment, ahead: int, status: int) -> None:
    """A-50: issued-at has a leeway of 60 seconds."""
    pause = deployment.load(clock=lambda: START + ahead).pause()
    resumed = deployment.load(clock=lambda: START).post("/resume", pause.resume())
    assert resumed.status == status
    if status == 200:
        assert resumed.document["time_to_resolve_seconds"] == 0.0


@pytest.mark.parametrize("late", [0, 2, 600])
def test_expiry_has_no_leeway(deployment: Deployment, late: int) -> None:
    """A-50: a token is not accepted two seconds after its end, let alone ten minutes."""
    clock = SetClock(START)
    handlers = deployment.load(clock=clock)
    pause = handlers.pause(ttl_seconds=30)
    clock.now = START + 30 + late
    require_problem(handlers.post("/resume", pause.resume()), 410, "expired")


def test_what_is_told_about_an_expired_token_depends_on_its_signature_first(deployment: Deployment) -> None:
    handlers = deployment.handlers
    pause: Pause = handlers.pause()
    claims = deployment.claims(pause.minted["pause_token"])
    old = deployment.sign({**claims, "exp": 10, "iat": 5})
    require_problem(handlers.post("/resume", pause.resume(pause_token=old)), 410, "expired")
    require_problem(handlers.post("/resume", pause.resume(pause_token=old[:-2])), 401, "token-rejected")


def test_the_time_to_resolve_is_from_mint_to_answer(deployment: Deployment) -> None:
    clock = SetClock(START)
    handlers = deployment.load(clock=clock)
    pause = handlers.pause()
    clock.now = START + 12
    resumed = handlers.post("/resume", pause.resume())
    clock.now = START + 600
    again = handlers.post("/resume", pause.resume())
    assert resumed.document["time_to_resolve_seconds"] == again.document["time_to_resolve_seconds"] == 12.0
    assert resumed.document["answered_at"] == again.document["answered_at"] == "2026-09-21T14:13:32Z"

"""Tokens that the legacy engine issued redeem here, once."""

import asyncio
import json
from typing import Any

import pytest

from askback.domain.errors import (
    AlreadyAnswered,
    PauseExpired,
    PayloadMissing,
    ScopeMismatch,
    TokenRejected,
    TurnMissing,
    UnknownPause,
)
from askback.domain.pause.claims import Audience, LiveClaims
from askback.domain.pause.ledger import PauseStatus
from askback.domain.pause.scope import Scope
from askback.domain.resume.eight_steps import ResumeCommand, ResumeOutcome
from askback.domain.tokens.scope_binder import Redeemer
from tests.support.memory_deployment import NOW, InMemoryDeployment
from tests.support.own_interactions import a_deployment
from tests.support.recorded_samples import VECTORS

EXPIRED = [vector for vector in VECTORS["tokens"] if "expired" in vector["label"].replace("unexpired", "")]
OPEN = [vector for vector in VECTORS["tokens"] if vector not in EXPIRED]
OLDEST = [vector for vector in OPEN if "name" not in vector["claims"]]
RING = json.dumps({"current": "k1", "key:k1": "a key that only tests use, 32 bytes+", "legacy": VECTORS["secret"]})
ACME_EU = Scope(tenant_id="acme", sub_tenant_id="eu")
BODIES = {
    **{vector["request_hash"]: vector["body"] for vector in VECTORS["ask_user"]},
    **{vector["request_hash"]: vector.get("stored_body", "") for vector in VECTORS["interrupts"]},
}


def _label(vector: dict[str, Any]) -> str:
    return str(vector["label"])


def _cut_over(vector: dict[str, Any]) -> InMemoryDeployment:
    """Return a deployment that holds the request of a legacy token where the legacy engine put it."""
    deployment, claims = a_deployment(key_ring=RING), vector["claims"]
    if claims.get("name", "ask_user") == "ask_user":
        key = f"ask_user_request:{claims['tool_call_id']}"
    else:
        key = f"interrupt_payload:{claims['interrupt_id']}"
    place = (claims["thread_id"], claims["checkpoint_id"], key)
    deployment.checkpoints.texts[place] = BODIES[claims["request_hash"]]
    return deployment


def _answer(vector: dict[str, Any], label: str = "Approve") -> Any:
    if vector["claims"].get("name", "ask_user") != "ask_user":
        return {"approved": label == "Approve"}
    return {"answers": [{"question_id": "q-000000000001", "selections": [label]}]}


def _redeem(deployment: InMemoryDeployment, vector: dict[str, Any], **over: Any) -> ResumeOutcome:
    claims = vector["claims"]
    require_turn = over.pop("require_turn", False)
    command = {
        "token": vector["token"],
        "redeemer": Redeemer(
            scope=ACME_EU,
            session_id=claims["session_id"],
            run_id=claims["run_id"],
            tool_call_id=claims["tool_call_id"],
        ),
        "response": _answer(vector),
        "answered_by": "ada",
        "at": NOW,
        "attempt_id": "attempt-1",
        **over,
    }
    return asyncio.run(deployment.resuming.resume(ResumeCommand(**command), require_turn=require_turn))


def _authenticate(deployment: InMemoryDeployment, token: str) -> LiveClaims:
    return asyncio.run(deployment.tokens.authenticate(token, at=NOW))


def test_the_vectors_are_all_there() -> None:
    assert (len(EXPIRED), len(OPEN), len(OLDEST)) == (1, 5, 1)


@pytest.mark.parametrize("vector", OPEN, ids=_label)
def test_its_claims_are_read_as_they_were_written(vector: dict[str, Any]) -> None:
    claims = _authenticate(a_deployment(key_ring=RING), vector["token"])
    expected = {"name": "ask_user", "interrupt_id": "", **vector["claims"]}
    assert {name: getattr(claims, name) for name in expected} == expected
    assert (claims.audience, claims.legacy, claims.issued_at) == (Audience.RESUME, True, None)


@pytest.mark.parametrize("vector", OPEN, ids=_label)
def test_it_redeems(vector: dict[str, Any]) -> None:
    deployment = _cut_over(vector)
    outcome = _redeem(deployment, vector)
    assert outcome.jti == vector["claims"]["jti"]
    assert outcome.payload == json.loads(BODIES[vector["claims"]["request_hash"]])
    assert (outcome.replayed, outcome.turn, outcome.time_to_resolve_seconds) == (False, None, 0.0)
    assert deployment.ledger.rows[outcome.jti].status is PauseStatus.ANSWERED


@pytest.mark.parametrize("vector", OPEN, ids=_label)
def test_it_redeems_once(vector: dict[str, Any]) -> None:
    deployment = _cut_over(vector)
    first = _redeem(deployment, vector)
    again = _redeem(deployment, vector, attempt_id="attempt-2", at=NOW + 9)
    assert again.replayed
    assert (again.answered_at, again.response) == (first.answered_at, first.response)
    for over in ({"response": _answer(vector, "Reject")}, {"answered_by": "grace"}):
        with pytest.raises(AlreadyAnswered) as refusal:
            _redeem(deployment, vector, attempt_id="attempt-3", at=NOW + 9, **over)
        assert refusal.value.answered_at == NOW


@pytest.mark.parametrize("vector", EXPIRED, ids=_label)
def test_an_expired_one_is_expired(vector: dict[str, Any]) -> None:
    deployment = _cut_over(vector)
    with pytest.raises(PauseExpired):
        _redeem(deployment, vector)
    assert not deployment.ledger.rows


@pytest.mark.parametrize("vector", OPEN, ids=_label)
def test_a_route_that_goes_on_with_the_run_refuses_it_by_name(vector: dict[str, Any]) -> None:
    deployment = _cut_over(vector)
    with pytest.raises(TurnMissing):
        _redeem(deployment, vector, require_turn=True)
    assert not _redeem(deployment, vector).replayed


@pytest.mark.parametrize("vector", OPEN, ids=_label)
def test_it_is_bound_by_its_short_scope_hash(vector: dict[str, Any]) -> None:
    deployment = _cut_over(vector)
    for scope in (Scope(tenant_id="acme"), Scope(tenant_id="acme", sub_tenant_id="us")):
        with pytest.raises(ScopeMismatch):
            _redeem(deployment, vector, redeemer=Redeemer(scope=scope))
    assert not _redeem(deployment, vector).replayed


@pytest.mark.parametrize("vector", OPEN, ids=_label)
def test_without_the_legacy_key_or_with_another_it_is_refused(vector: dict[str, Any]) -> None:
    ring = json.loads(RING)
    without = {name: value for name, value in ring.items() if name != "legacy"}
    as_ours = {"current": "k1", "key:k1": VECTORS["secret"]}
    for keys in (without, {**ring, "legacy": "another legacy key, of 32 bytes+"}, as_ours):
        with pytest.raises(TokenRejected):
            _authenticate(a_deployment(key_ring=json.dumps(keys)), vector["token"])


@pytest.mark.parametrize("vector", OPEN, ids=_label)
def test_one_whose_recorded_request_is_gone_says_so(vector: dict[str, Any]) -> None:
    deployment = a_deployment(key_ring=RING)
    with pytest.raises(PayloadMissing):
        _redeem(deployment, vector)


def test_no_token_minted_here_is_taken_for_a_legacy_one() -> None:
    deployment = a_deployment(key_ring=RING)
    minted = deployment.mint()
    legacy_head = OPEN[0]["token"].split(".")[0]
    head, body, signature = minted.tokens.pause.split(".")
    assert head != legacy_head
    with pytest.raises(TokenRejected):
        _authenticate(deployment, f"{legacy_head}.{body}.{signature}")
    assert not _authenticate(deployment, f"{head}.{body}.{signature}").legacy


@pytest.mark.parametrize("vector", OPEN, ids=_label)
def test_the_outcome_of_a_legacy_pause_can_be_read_once_it_is_answered(vector: dict[str, Any]) -> None:
    deployment, redeemer = _cut_over(vector), Redeemer(scope=ACME_EU)
    read = deployment.outcomes.read(vector["token"], redeemer, at=NOW)
    with pytest.raises(UnknownPause):
        asyncio.run(read)
    answered = _redeem(deployment, vector)
    outcome = asyncio.run(deployment.outcomes.read(vector["token"], redeemer, at=NOW + 9_999_999))
    assert (outcome.response, outcome.answered_at) == (answered.response, answered.answered_at)

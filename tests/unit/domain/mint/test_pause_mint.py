"""What must hold before a pause is minted, and what a minted pause says."""

import asyncio
import json
import uuid
from typing import Any

import pytest

from askback.domain.errors import (
    HumanInteractionError,
    InteractionConfigurationError,
    InvalidRequest,
    PayloadBindingError,
    UnknownInteraction,
)
from askback.domain.json_text import sha256_hex
from askback.domain.limits import PROMPT_MAX_BYTES
from askback.domain.pause.ledger import PauseStatus
from askback.domain.tokens.scope_binder import Redeemer
from tests.support.json_difference import difference
from tests.support.memory_deployment import NOW, REFUND, SCOPE, InMemoryDeployment, a_binding, a_mint_command
from tests.support.own_interactions import a_deployment

NAN = float("nan")


def _approve(**over: Any) -> dict[str, Any]:
    return {"name": "approval_required", "payload": {"amount": 136.0}, **over}


def _refused(error: type[HumanInteractionError], deployment: InMemoryDeployment, **over: Any) -> HumanInteractionError:
    with pytest.raises(error) as refusal:
        deployment.mint(**over)
    assert not deployment.checkpoints.texts
    assert not deployment.ledger.rows
    return refusal.value


def test_a_minted_pause_says_where_and_until_when_it_can_be_answered() -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint(binding=a_binding(pin="agent 7"))
    claims = minted.claims
    assert (claims.thread_id, claims.checkpoint_id) == ("acme:eu:sess-1", "checkpoint-1")
    assert (claims.run_id, claims.session_id, claims.tool_call_id) == ("run-1", "sess-1", "call_Cc03Ask")
    assert (claims.name, claims.interrupt_id) == ("ask_user", "")
    assert (claims.issued_at, claims.exp) == (NOW, NOW + 3600)
    assert claims.scope_hash == SCOPE.digest()
    assert (minted.status, minted.recorded, minted.resumable) == (PauseStatus.ISSUED, True, True)
    row = deployment.ledger.rows[claims.jti]
    assert (row.claims, row.status, row.pin, row.turn_recorded) == (claims, PauseStatus.ISSUED, "agent 7", True)


def test_the_recorded_text_is_the_one_the_token_was_signed_for() -> None:
    deployment = InMemoryDeployment()
    claims = deployment.mint().claims
    place = ("acme:eu:sess-1", "checkpoint-1", "ask_user_request:call_Cc03Ask", SCOPE.digest())
    text = deployment.checkpoints.texts[place]
    assert sha256_hex(text) == claims.request_hash


def test_a_payloads_numbers_keep_their_type_from_mint_to_resume() -> None:
    """A-41."""
    payload = {"amount": 136.0, "n": 1, "e": 1e21, "deep": [{"a": [0.7, 30.40, 1e-7]}]}
    deployment = a_deployment()
    minted = deployment.mint(**_approve(payload=payload))
    assert difference(minted.payload, payload) is None
    assert difference(deployment.resume(minted, response={"approved": True}).payload, payload) is None
    key = ("acme:eu:sess-1", "checkpoint-1", f"interrupt_payload:{minted.claims.interrupt_id}", SCOPE.digest())
    assert deployment.checkpoints.texts[key] == json.dumps(payload)


@pytest.mark.parametrize(
    ("over", "field"),
    [
        ({"binding": a_binding(scope=None)}, "scope"),
        ({"binding": a_binding(run_id=12345)}, "run_id"),
        ({"binding": a_binding(run_id=None)}, "run_id"),
        ({"binding": a_binding(run_id="")}, "run_id"),
        ({"binding": a_binding(run_id="r" * 257)}, "run_id"),
        ({"binding": a_binding(session_id=uuid.UUID(int=1))}, "session_id"),
        ({"binding": a_binding(session_id=None)}, "session_id"),
        ({"binding": a_binding(session_id="s" * 1500)}, "session_id"),
        ({"binding": a_binding(session_id="\x00")}, "session_id"),
        ({"binding": a_binding(root_run_id="r" * 257)}, "root_run_id"),
        ({"binding": a_binding(root_run_id="\u20ac" * 86)}, "root_run_id"),
        ({"binding": a_binding(root_run_id=5)}, "root_run_id"),
        ({"binding": a_binding(pin="p" * 257)}, "pin"),
        ({"binding": a_binding(pin="\u20ac" * 86)}, "pin"),
        ({"binding": a_binding(pin=None)}, "pin"),
        ({"binding": a_binding(thread_id="t" * 1025)}, "thread_id"),
        ({"binding": a_binding(thread_id="")}, "thread_id"),
        ({"binding": a_binding(thread_id=5)}, "thread_id"),
        ({"binding": a_binding(checkpoint_id="c" * 257)}, "checkpoint_id"),
        ({"binding": a_binding(checkpoint_id="")}, "checkpoint_id"),
        ({"binding": a_binding(checkpoint_id=7)}, "checkpoint_id"),
        ({"tool_call_id": 5}, "tool_call_id"),
        ({"tool_call_id": "c" * 513}, "tool_call_id"),
        ({"interrupt_id": "i" * 257}, "interrupt_id"),
        ({"interrupt_id": ""}, "interrupt_id"),
        ({"ttl_seconds": 29}, "ttl_seconds"),
        ({"ttl_seconds": 2_592_001}, "ttl_seconds"),
        ({"ttl_seconds": True}, "ttl_seconds"),
        ({"ttl_seconds": 60.0}, "ttl_seconds"),
        ({"name": "Ask User"}, "name"),
        ({"messages": ["x"]}, "messages[0]"),
        ({"messages": [{}, None]}, "messages[1]"),
        ({"messages": [{"a": [1, {"b": NAN}]}]}, "messages[0].a[1].b"),
        ({"messages": [{"a": -NAN}]}, "messages[0].a"),
        ({"messages": [{"a": float("inf")}]}, "messages[0].a"),
        ({"messages": [{"a": 10**5000}]}, "messages[0].a"),
        ({"prompt": "p" * (PROMPT_MAX_BYTES + 1)}, "prompt"),
        ({"prompt": "\u20ac" * (PROMPT_MAX_BYTES // 3 + 1)}, "prompt"),
        ({"prompt": "p" * (PROMPT_MAX_BYTES + 1), "messages": None, "idempotency_key": "k"}, "prompt"),
        ({"prompt": None}, "prompt"),
    ],
    ids=lambda value: str(value)[-40:] if isinstance(value, str) else "",
)
def test_what_is_wrong_is_refused_by_name_and_leaves_nothing_behind(over: dict[str, Any], field: str) -> None:
    """A-17, A-40 and A-42."""
    refusal = _refused(InvalidRequest, InMemoryDeployment(), **over)
    assert isinstance(refusal, InvalidRequest)
    assert [error.field for error in refusal.errors] == [field]


def test_texts_of_exactly_their_limit_in_bytes_are_taken() -> None:
    deployment = InMemoryDeployment()
    binding = a_binding(root_run_id="\u20ac" * 85 + "r", pin="\u20ac" * 85 + "p")
    minted = deployment.mint(binding=binding, prompt="\u20ac" * (PROMPT_MAX_BYTES // 3) + "p")
    row = deployment.ledger.rows[minted.claims.jti]
    assert (len(row.pin.encode()), minted.resumable) == (256, True)


def test_half_a_surrogate_pair_is_carried_in_a_prompt() -> None:
    """A-44."""
    deployment = InMemoryDeployment()
    turn = deployment.resume(deployment.mint(prompt="\ud83d")).turn
    assert turn is not None
    assert turn.prompt == "\ud83d"


def test_a_number_that_is_none_is_refused_in_a_payload_by_its_path() -> None:
    """A-42."""
    refusal = _refused(InvalidRequest, a_deployment(), **_approve(payload={"lines": [{"amount": NAN}]}))
    assert isinstance(refusal, InvalidRequest)
    assert [error.field for error in refusal.errors] == ["payload.lines[0].amount"]


def test_half_a_surrogate_pair_is_refused_in_a_payload_by_its_path() -> None:
    """A-44."""
    refusal = _refused(InvalidRequest, a_deployment(), **_approve(payload={"lines": ["\ud83d"]}))
    assert isinstance(refusal, InvalidRequest)
    assert [error.field for error in refusal.errors] == ["payload.lines[0]"]


@pytest.mark.parametrize(
    ("over", "error"),
    [
        ({"name": "unheard_of"}, UnknownInteraction),
        ({"tool_call_id": ""}, PayloadBindingError),
        ({"payload": {"questions": []}}, InvalidRequest),
        ({"messages": None}, InvalidRequest),
    ],
    ids=["unknown name", "no key", "invalid payload", "no checkpoint"],
)
def test_a_pause_that_could_never_be_consumed_is_not_minted(
    over: dict[str, Any], error: type[HumanInteractionError]
) -> None:
    _refused(error, InMemoryDeployment(), **over)


def test_without_a_checkpoint_port_the_caller_must_name_its_checkpoint() -> None:
    deployment = InMemoryDeployment()
    mint = deployment.minting_over(None)
    with pytest.raises(InvalidRequest, match="checkpoint_id"):
        asyncio.run(mint.mint(a_mint_command()))
    assert not deployment.ledger.rows
    minted = asyncio.run(mint.mint(a_mint_command(binding=a_binding(checkpoint_id="mine"))))
    assert (minted.claims.checkpoint_id, minted.recorded, minted.resumable) == ("mine", False, False)


@pytest.mark.parametrize(
    "ring",
    [
        "",
        "{}",
        '{"current":"k1"}',
        '{"current":"k1","key:k1":""}',
        '{"current":"k1","key:k1":"only thirty-one bytes of secret"}',
        '{"current":"k1","key:k1":"framework-default-secret-change-me"}',
        '{"current":"k2","key:k1":"a key that only tests use, 32 bytes+"}',
    ],
)
def test_without_a_usable_key_nothing_is_written(ring: str) -> None:
    refusal = _refused(InteractionConfigurationError, InMemoryDeployment(key_ring=ring))
    assert "thirty-one" not in f"{refusal.detail} {vars(refusal)}"


@pytest.mark.parametrize("ttl", [30, 2_592_000])
def test_a_pause_can_be_answered_for_exactly_its_time(ttl: int) -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint(ttl_seconds=ttl)
    assert minted.claims.exp - NOW == ttl
    assert deployment.resume(minted, at=NOW + ttl - 1).answered_at == NOW + ttl - 1


@pytest.mark.parametrize(
    "binding",
    [
        a_binding(run_id="r" * 256, session_id="s" * 256, thread_id="t" * 1024, checkpoint_id="c" * 256),
        a_binding(run_id="\u00fc" * 128, session_id="../../other/turn", checkpoint_id="a\\\"'/%2e"),
        a_binding(run_id="\U0001f600" * 64, session_id=""),
    ],
    ids=["longest", "awkward", "no session"],
)
@pytest.mark.parametrize("call", ["c" * 512, "\u2603" * 170, "call:with:colons"], ids=["longest", "wide", "colons"])
def test_every_token_that_a_mint_returns_is_good_in_the_same_build(binding: Any, call: str) -> None:
    """A-17 and A-40."""
    deployment = InMemoryDeployment()
    minted = deployment.mint(binding=binding, tool_call_id=call)
    redeemer = Redeemer(scope=SCOPE, session_id=binding.session_id, run_id=binding.run_id, tool_call_id=call)
    assert deployment.resume(minted, redeemer=redeemer).tool_call_id == call


def test_a_named_interrupts_id_is_the_callers_or_follows_from_the_call_or_is_drawn() -> None:
    deployment = a_deployment()
    place = a_binding(checkpoint_id="c1")
    given = deployment.mint(**_approve(interrupt_id="i-mine")).claims.interrupt_id
    derived = [deployment.mint(**_approve(binding=place)).claims.interrupt_id for _ in range(2)]
    drawn = deployment.mint(**_approve(tool_call_id="")).claims.interrupt_id
    assert given == "i-mine"
    assert derived[0] == derived[1]
    assert derived[0].startswith("i-")
    assert drawn == "i-000000000001"


def test_the_built_in_question_never_carries_an_interrupt_id() -> None:
    assert InMemoryDeployment().mint(interrupt_id="i-mine").claims.interrupt_id == ""


def test_two_pauses_of_one_run_have_their_own_tokens_and_records() -> None:
    """A-05: the second question of a resumed run reaches its person."""
    deployment = InMemoryDeployment()
    first = deployment.mint(tool_call_id="c1")
    outcome = deployment.resume(first)
    assert outcome.turn is not None
    answer = {"role": "tool", "tool_call_id": "c1", "content": "Approve"}
    second = deployment.mint(tool_call_id="c2", payload=REFUND, at=NOW + 100, messages=[*outcome.turn.messages, answer])
    assert second.claims.jti != first.claims.jti
    assert deployment.resume(first, at=NOW + 200, attempt_id="later").replayed
    resumed = deployment.resume(second, at=NOW + 200)
    assert not resumed.replayed
    assert resumed.turn is not None
    assert resumed.turn.messages[-1] == answer

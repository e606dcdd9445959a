"""What a paused turn leaves behind, and what is never read as one."""

import asyncio
import json
from dataclasses import FrozenInstanceError, fields, replace
from types import MappingProxyType
from typing import Any

import pytest

from askback.domain.agent.turn import ReservedCall, captured_messages
from askback.domain.errors import PauseConflict, StoreUnavailable, TurnMismatch, TurnMissing, TurnUnreadable
from askback.domain.records.turns import TURN_VERSION, TurnCheckpoint, TurnCheckpointStore, turn_key
from askback.testing.memory_ports import InMemoryCheckpoints, InMemoryText
from tests.support.failing_stores import PartlyFailingCheckpoints
from tests.support.json_difference import difference
from tests.support.own_interactions import CLAIMS

IDENTITY = {
    name: getattr(CLAIMS, name)
    for name in (
        "run_id",
        "session_id",
        "thread_id",
        "checkpoint_id",
        "scope_hash",
        "tool_call_id",
        "interrupt_id",
        "name",
    )
}
TURN = TurnCheckpoint(
    **IDENTITY, prompt="Z\u00fcrich", messages=({"role": "user", "content": None, "a": [1.0, "\ud83d"]},)
)


TURN_DIGEST = "7215c96ead2535b43d3d82e861d187e3"
"""Frozen: rows have it."""


def _decode(**over: Any) -> TurnCheckpoint:
    record = {name: value for name, value in {**json.loads(TURN.encode()), **over}.items() if value is not ...}
    return TurnCheckpoint.decode(json.dumps(record))


def test_the_encoded_turn_is_frozen_byte_for_byte() -> None:
    assert TURN.encode() == (
        '{"checkpoint_id":"checkpoint-1","interrupt_id":"i-0123456789ab",'
        '"messages":[{"a":[1.0,"\\ud83d"],"content":null,"role":"user"}],"name":"approval_required",'
        '"prompt":"Z\\u00fcrich","run_id":"run-1",'
        '"scope_hash":"abababababababababababababababababababababababababababababababab",'
        '"session_id":"sess-1","thread_id":"acme:eu:sess-1","tool_call_id":"call_Cc03Ask","version":1}'
    )


def test_equal_turns_give_equal_texts_whatever_the_order_of_their_keys() -> None:
    other = replace(TURN, messages=tuple(dict(reversed(list(message.items()))) for message in TURN.messages))
    assert other.encode() == TURN.encode()
    assert replace(TURN, messages=tuple(map(MappingProxyType, TURN.messages))).encode() == TURN.encode()


def test_a_turn_comes_back_as_it_was_from_text_and_from_bytes() -> None:
    assert TurnCheckpoint.decode(TURN.encode()) == TURN
    assert TurnCheckpoint.decode(TURN.encode().encode()) == TURN
    assert difference(TurnCheckpoint.decode(TURN.encode()).messages, TURN.messages) is None


def test_a_turn_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        TURN.run_id = "run-2"  # type: ignore[misc]
    assert isinstance(TurnCheckpoint.decode(TURN.encode()).messages, tuple)


@pytest.mark.parametrize("raw", ["", "{", "[]", "null", "1", '"{}"', "{}", b"\xff", b"\x80\x04}q\x00."])
def test_what_is_no_json_object_is_no_turn(raw: str | bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        TurnCheckpoint.decode(raw)


@pytest.mark.parametrize("version", [True, False, 1.0, "1", 2, 0, -1, None, [1], {}, ...], ids=repr)
def test_only_exactly_the_integer_of_this_build_is_its_version(version: Any) -> None:
    with pytest.raises(ValueError, match="version"):
        _decode(version=version)
    assert _decode(version=TURN_VERSION) == TURN


@pytest.mark.parametrize("name", [*IDENTITY, "prompt"])
@pytest.mark.parametrize("value", [None, ..., 1, True, [], {}], ids=repr)
def test_the_refusal_of_an_identity_that_is_not_text_has_the_field(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=name):
        _decode(**{name: value})


@pytest.mark.parametrize("messages", [None, ..., {}, "[]", 1, [None], [[]], ["x"], [{}, 1]], ids=repr)
def test_messages_that_are_no_list_of_objects_are_refused(messages: Any) -> None:
    with pytest.raises(ValueError, match="messages"):
        _decode(messages=messages)


@pytest.mark.parametrize("spoiled", ['"prompt":NaN', '"prompt":"a","prompt":"a"', '"prompt":1e999'])
def test_a_text_that_is_no_strict_json_is_refused(spoiled: str) -> None:
    raw = TURN.encode().replace('"prompt":"Z\\u00fcrich"', spoiled)
    assert raw != TURN.encode()
    with pytest.raises(ValueError, match=r"."):
        TurnCheckpoint.decode(raw)


def test_a_turn_without_messages_is_a_turn() -> None:
    assert _decode(messages=[]).messages == ()


@pytest.mark.parametrize("name", list(IDENTITY))
def test_a_turn_of_another_pause_is_refused_naming_what_differs(name: str) -> None:
    TURN.require_match(CLAIMS)
    other: dict[str, Any] = {name: "other"}
    with pytest.raises(TurnMismatch, match=f"differ in {name}$"):
        replace(TURN, **other).require_match(CLAIMS)


def test_every_identity_field_of_a_turn_stands_in_the_token_and_is_compared() -> None:
    compared = {field.name for field in fields(TurnCheckpoint)} - {"prompt", "messages", "version"}
    assert compared == set(IDENTITY)
    assert compared < {field.name for field in fields(CLAIMS)}


def test_the_turn_lies_under_its_call_or_its_interrupt() -> None:
    assert turn_key(CLAIMS) == turn_key(TURN) == "turn_state:call_Cc03Ask"
    assert turn_key(replace(CLAIMS, tool_call_id="")) == "turn_state:i-0123456789ab"


def _record(checkpoints: InMemoryCheckpoints | None, turn: TurnCheckpoint = TURN) -> str:
    return asyncio.run(TurnCheckpointStore(checkpoints).record(CLAIMS, turn))


def _load(checkpoints: InMemoryCheckpoints | None) -> TurnCheckpoint | None:
    return asyncio.run(TurnCheckpointStore(checkpoints).load(CLAIMS))


def test_a_recorded_turn_is_loaded_again() -> None:
    checkpoints = InMemoryCheckpoints()
    assert _record(checkpoints) == TURN.digest() == TURN_DIGEST
    assert _load(checkpoints) == TURN
    assert list(checkpoints.texts.values()) == [TURN.encode()]


def test_a_turn_is_recorded_only_when_the_store_said_so() -> None:
    checkpoints = InMemoryCheckpoints()
    checkpoints.down = True
    assert not _record(checkpoints)
    assert not _record(None)
    assert _load(None) is None
    assert _load(InMemoryCheckpoints()) is None


def test_a_turn_of_another_pause_is_not_recorded() -> None:
    checkpoints = InMemoryCheckpoints()
    with pytest.raises(TurnMismatch):
        _record(checkpoints, replace(TURN, run_id="run-2"))
    assert not checkpoints.texts


def test_another_turn_for_the_same_call_is_a_conflict() -> None:
    checkpoints = InMemoryCheckpoints()
    _record(checkpoints)
    with pytest.raises(PauseConflict):
        _record(checkpoints, replace(TURN, prompt="other"))
    assert _load(checkpoints) == TURN


@pytest.mark.parametrize(
    ("error", "refusal"),
    [(LookupError(), TurnMissing), (ValueError("x"), TurnUnreadable), (StoreUnavailable(), StoreUnavailable)],
)
def test_a_turn_whose_body_cannot_be_had_is_refused_by_what_is_wrong(
    error: Exception, refusal: type[Exception]
) -> None:
    checkpoints = PartlyFailingCheckpoints()
    _record(checkpoints)
    checkpoints.body_errors["turn_state"] = error
    with pytest.raises(refusal):
        _load(checkpoints)


def _recover(text: str, turn_hash: str) -> TurnCheckpoint | None:
    store = TurnCheckpointStore(None)
    return asyncio.run(store.recover(CLAIMS, InMemoryText(text), required=True, turn_hash=turn_hash))


@pytest.mark.parametrize("text", [TURN.encode(), json.dumps(json.loads(TURN.encode()), indent=1, sort_keys=False)])
def test_a_turn_is_the_one_of_its_row_also_where_the_store_wrote_its_json_anew(text: str) -> None:
    assert _recover(text, TURN_DIGEST) == TURN


@pytest.mark.parametrize("changed", [{"prompt": "other"}, {"messages": ()}, {"messages": ({"role": "user"},)}], ids=str)
def test_another_transcript_of_the_same_pause_is_refused(changed: dict[str, Any]) -> None:
    text = replace(TURN, **changed).encode()
    with pytest.raises(TurnMismatch):
        _recover(text, TURN_DIGEST)
    assert _recover(text, "") == replace(TURN, **changed)


def test_the_round_that_asked_is_built_from_the_turn_and_appended_last() -> None:
    transcript = ({"role": "user", "content": "Refund?"}, {"role": "tool", "tool_call_id": "c0", "content": "ok"})
    calls = (
        ReservedCall(call_id="c1", name="search", arguments={"q": "\u00fc", "n": 1.0}),
        ReservedCall(call_id="c2", name="ask_user", arguments=MappingProxyType({})),
    )
    assert captured_messages(transcript, "Let me ask.", calls) == (
        *transcript,
        {
            "role": "assistant",
            "content": "Let me ask.",
            "tool_calls": [
                {
                    "id": "c1",
                    "type": "function",
                    "function": {"name": "search", "arguments": '{"q": "\\u00fc", "n": 1.0}'},
                },
                {"id": "c2", "type": "function", "function": {"name": "ask_user", "arguments": "{}"}},
            ],
        },
    )


def test_a_turn_without_a_text_is_an_empty_text() -> None:
    (asking,) = captured_messages((), "", (ReservedCall(call_id="c1", name="ask_user", arguments={}),))
    assert asking["content"] == ""

"""Where a paused request lives, and that only the request that was signed for comes back."""

import asyncio
import hashlib
import json
from dataclasses import replace
from typing import Any

import pytest

from askback.domain.errors import (
    InteractionConfigurationError,
    PauseConflict,
    PayloadBindingError,
    PayloadMissing,
    PayloadUnreadable,
    StoreUnavailable,
)
from askback.domain.interactions.ask_user import AskUserRequest
from askback.domain.json_text import sha256_hex
from askback.domain.pause.claims import PauseClaims
from askback.domain.recorded_text import RecordedText, hashed_text, recorded_text
from askback.domain.records.payloads import PausePayloadStore, payload_key, require_payload_key_inputs
from askback.testing.memory_ports import InMemoryCheckpoints
from tests.support.failing_stores import PartlyFailingCheckpoints
from tests.support.memory_deployment import REFUND
from tests.support.own_interactions import CLAIMS

ASKED = AskUserRequest.model_validate({"questions": [{**REFUND["questions"][0], "id": "q-0123456789ab"}]})
PAYLOAD = {"b": 1, "a": [1.0, None], "\u00fc": "\u00e9"}
UNSORTED = json.dumps(PAYLOAD)
KEY = "interrupt_payload:i-0123456789ab"
PLACE = (CLAIMS.thread_id, CLAIMS.checkpoint_id, KEY)


def _recorded(payload: Any = PAYLOAD) -> RecordedText:
    return RecordedText(hashed_text(payload))


def _claims(payload: Any = PAYLOAD, **over: Any) -> PauseClaims:
    return replace(CLAIMS, request_hash=sha256_hex(hashed_text(payload)), **over)


def _record(checkpoints: InMemoryCheckpoints | None, payload: Any = PAYLOAD, **over: Any) -> bool:
    return asyncio.run(PausePayloadStore(checkpoints).record(_claims(payload, **over), _recorded(payload)))


def _load(checkpoints: InMemoryCheckpoints | None, **over: Any) -> dict[str, Any]:
    return asyncio.run(PausePayloadStore(checkpoints).load(_claims(**over))).payload


def _holding(text: str) -> InMemoryCheckpoints:
    checkpoints = InMemoryCheckpoints()
    checkpoints.texts[PLACE] = text
    return checkpoints


def test_the_two_keys_are_frozen_byte_for_byte() -> None:
    assert payload_key(replace(CLAIMS, name="ask_user")) == "ask_user_request:call_Cc03Ask"
    assert payload_key(CLAIMS) == "interrupt_payload:i-0123456789ab"


def test_the_key_follows_from_the_name_alone() -> None:
    assert payload_key(replace(CLAIMS, name="ask_user", interrupt_id="")) == "ask_user_request:call_Cc03Ask"
    assert payload_key(replace(CLAIMS, name="ask_user_2", tool_call_id="")) == "interrupt_payload:i-0123456789ab"


@pytest.mark.parametrize("over", [{"name": "ask_user", "tool_call_id": ""}, {"name": "other", "interrupt_id": ""}])
def test_claims_without_their_key_input_have_no_key(over: dict[str, Any]) -> None:
    claims = replace(CLAIMS, **over)
    with pytest.raises(PayloadBindingError):
        payload_key(claims)
    with pytest.raises(PayloadBindingError):
        asyncio.run(PausePayloadStore(None).record(claims, _recorded()))
    with pytest.raises(PayloadBindingError):
        asyncio.run(PausePayloadStore(InMemoryCheckpoints()).load(claims))


def test_the_half_of_a_key_that_can_be_known_early_is_checked_early() -> None:
    with pytest.raises(PayloadBindingError, match="tool_call_id"):
        require_payload_key_inputs("ask_user", tool_call_id="")
    require_payload_key_inputs("ask_user", tool_call_id="call-1")
    require_payload_key_inputs("approval_required", tool_call_id="")


def test_the_hash_is_over_the_models_own_text_or_the_sorted_mapping() -> None:
    assert hashed_text(ASKED) == ASKED.model_dump_json()
    assert hashed_text(PAYLOAD) == '{"a": [1.0, null], "b": 1, "\\u00fc": "\\u00e9"}'
    assert sha256_hex("\u00fc") == hashlib.sha256(b"\xc3\xbc").hexdigest()


def test_what_is_written_is_the_very_text_that_was_hashed() -> None:
    checkpoints = InMemoryCheckpoints()
    assert _record(checkpoints)
    assert _record(checkpoints, ASKED, name="ask_user")
    assert checkpoints.texts == {
        PLACE: hashed_text(PAYLOAD),
        (*PLACE[:2], "ask_user_request:call_Cc03Ask"): ASKED.model_dump_json(),
    }
    assert all(
        sha256_hex(text) in {_claims().request_hash, _claims(ASKED).request_hash}
        for text in (checkpoints.texts.values())
    )


def test_recording_is_best_effort_and_says_which_effort_it_made() -> None:
    checkpoints = InMemoryCheckpoints()
    assert _record(None) is False
    checkpoints.down = True
    assert _record(checkpoints) is False
    checkpoints.down = False
    assert _record(checkpoints) is True
    assert _record(checkpoints) is True


def test_a_payload_that_is_not_the_one_signed_for_is_never_swallowed() -> None:
    for checkpoints in (None, InMemoryCheckpoints()):
        with pytest.raises(PayloadBindingError):
            asyncio.run(PausePayloadStore(checkpoints).record(_claims(), _recorded({**PAYLOAD, "b": 2})))
        assert checkpoints is None or not checkpoints.texts


def test_a_binding_error_of_the_store_itself_is_never_swallowed() -> None:
    checkpoints = PartlyFailingCheckpoints()
    checkpoints.write_errors["interrupt_payload"] = PayloadBindingError("of the store")
    with pytest.raises(PayloadBindingError, match="of the store"):
        _record(checkpoints)


def test_another_request_under_the_key_is_a_conflict_and_stays() -> None:
    checkpoints = InMemoryCheckpoints()
    _record(checkpoints)
    with pytest.raises(PauseConflict):
        _record(checkpoints, {"b": 2})
    assert checkpoints.texts == {PLACE: hashed_text(PAYLOAD)}


def test_the_same_request_in_another_order_is_no_conflict_and_the_first_order_stays() -> None:
    """D-16: an earlier version recorded the names sorted, and some programs send them in any order."""
    for first in (hashed_text(PAYLOAD), UNSORTED):
        checkpoints = _holding(first)
        again = dict(reversed(PAYLOAD.items()))
        store = PausePayloadStore(checkpoints)
        assert asyncio.run(store.record(_claims(), recorded_text(again)))
        assert checkpoints.texts == {PLACE: first}
        assert list(asyncio.run(store.load(_claims())).payload) == list(json.loads(first))


def test_a_conflict_that_cannot_be_looked_at_is_not_taken_for_the_same_request() -> None:
    checkpoints = _holding("no JSON")
    with pytest.raises(PauseConflict):
        _record(checkpoints)
    assert checkpoints.texts == {PLACE: "no JSON"}


def test_loading_without_a_port_is_a_fault_of_the_deployment() -> None:
    with pytest.raises(InteractionConfigurationError):
        _load(None)


def test_loading_when_nothing_is_recorded_says_that_it_is_gone() -> None:
    with pytest.raises(PayloadMissing, match="gone"):
        _load(InMemoryCheckpoints())


def test_loading_from_a_store_that_is_down_is_not_best_effort() -> None:
    checkpoints = _holding(UNSORTED)
    checkpoints.down = True
    with pytest.raises(StoreUnavailable):
        _load(checkpoints)


@pytest.mark.parametrize("text", ["", "{", '{"b": 1', '{"b":1,"b":1}', '{"b":NaN}', "[]", "null", '"text"', "1"])
def test_a_text_that_is_no_json_object_is_refused_never_read_in_part(text: str) -> None:
    with pytest.raises(PayloadUnreadable):
        _load(_holding(text))


@pytest.mark.parametrize(("error", "refusal"), [(LookupError(), PayloadMissing), (ValueError("x"), PayloadUnreadable)])
def test_a_body_that_is_lost_or_damaged_is_told_apart(error: Exception, refusal: type[Exception]) -> None:
    checkpoints = PartlyFailingCheckpoints()
    checkpoints.body_errors["interrupt_payload"] = error
    with pytest.raises(refusal):
        _load(checkpoints)


@pytest.mark.parametrize(
    "text",
    [
        hashed_text(PAYLOAD),
        UNSORTED,
        json.dumps(PAYLOAD, separators=(",", ":"), ensure_ascii=False),
        json.dumps(dict(reversed(PAYLOAD.items())), indent=2),
    ],
    ids=["the hashed text", "as the legacy engine stored it", "packed by the store", "indented by the store"],
)
def test_the_request_comes_back_however_the_store_wrote_the_same_value(text: str) -> None:
    assert _load(_holding(text)) == PAYLOAD


def test_the_recorded_text_itself_is_hashed_first() -> None:
    """A model's text is in no canonical form, so only its own bytes can match."""
    text = ASKED.model_dump_json()
    assert sha256_hex(text) != sha256_hex(hashed_text(json.loads(text)))
    assert _load(_holding(text), payload=ASKED) == json.loads(text)


@pytest.mark.parametrize(
    "text",
    ['{"a": [1, null], "b": 1, "\u00fc": "\u00e9"}', '{"a": [1.0, null], "b": 2, "\u00fc": "\u00e9"}', "{}"],
    ids=["1.0 became 1", "another value", "emptied"],
)
def test_a_request_that_matches_in_neither_form_is_refused(text: str) -> None:
    """A-41."""
    with pytest.raises(PayloadBindingError):
        _load(_holding(text))

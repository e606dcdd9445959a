"""Messages in are messages out, for every provider's format, with their types."""

import copy
import json
from base64 import b64decode
from typing import Any

import pytest

from askback.domain.errors import InvalidRequest
from askback.domain.records.open_calls import open_tool_call_ids
from askback.domain.resume.eight_steps import ResumeOutcome
from tests.support.json_difference import difference
from tests.support.memory_deployment import InMemoryDeployment
from tests.support.recorded_samples import TRANSCRIPTS, transcript


def _paused_and_resumed(messages: Any, **over: Any) -> ResumeOutcome:
    deployment = InMemoryDeployment()
    return deployment.resume(deployment.mint(messages=messages, **over))


def _messages_of(outcome: ResumeOutcome) -> Any:
    assert outcome.turn is not None
    return outcome.turn.messages


@pytest.mark.parametrize("name", list(TRANSCRIPTS))
def test_the_messages_of_a_paused_turn_come_back_equal_with_their_types(name: str) -> None:
    sample = TRANSCRIPTS[name]
    given = copy.deepcopy(sample["messages"])
    outcome = _paused_and_resumed(sample["messages"], tool_call_id=sample["_meta"]["paused_call_id"])
    assert difference(_messages_of(outcome), given) is None
    assert difference(sample["messages"], given) is None


@pytest.mark.parametrize("name", list(TRANSCRIPTS))
def test_the_prompt_comes_back_beside_the_messages(name: str) -> None:
    prompt = "Refund\u202e?\n\ud83d \U0001f600 Cafe\u0301"
    outcome = _paused_and_resumed(TRANSCRIPTS[name]["messages"], prompt=prompt)
    assert outcome.turn is not None
    assert outcome.turn.prompt == prompt


def test_no_result_is_invented_for_the_call_that_waits_and_no_call_is_dropped() -> None:
    """A-02."""
    sample = transcript("01")
    messages = _messages_of(_paused_and_resumed(sample["messages"], tool_call_id="call_Cc03Ask"))
    assert [call["id"] for call in messages[5]["tool_calls"]] == ["call_Cc03Ask", "call_Dd04Note"]
    results = [message["tool_call_id"] for message in messages if message["role"] == "tool"]
    assert results == ["call_Aa01Order", "call_Bb02Policy", "call_Dd04Note"]
    assert open_tool_call_ids(messages, answered="call_Cc03Ask") == ()
    assert open_tool_call_ids(messages, answered="") == ("call_Cc03Ask",)
    appended = [*messages, *sample["append_on_resume"]]
    assert open_tool_call_ids(appended, answered="") == ()


@pytest.mark.parametrize("content", [None, "", [], {}, [None], [""]], ids=repr)
def test_an_empty_content_beside_a_call_is_kept_as_it_is(content: Any) -> None:
    """A-08."""
    asking = {"role": "assistant", "content": content, "tool_calls": [{"id": "call_Cc03Ask", "type": "function"}]}
    messages = [{"role": "user", "content": "?"}, asking, {}, asking]
    assert difference(_messages_of(_paused_and_resumed(messages)), messages) is None


def test_arguments_that_are_text_are_kept_byte_for_byte() -> None:
    """A-08: spaces, escapes and duplicate keys inside a string are nobody's business."""
    given = transcript("09")["messages"]
    kept = _messages_of(_paused_and_resumed(given))
    arguments = given[1]["tool_calls"][0]["function"]["arguments"]
    assert kept[1]["tool_calls"][0]["function"]["arguments"] == arguments
    assert arguments.count('"a"') == 2


def test_half_a_surrogate_pair_in_a_message_is_carried() -> None:
    """A-44: in messages it survives as the ASCII escape."""
    given = transcript("09")["messages"]
    assert "\ud83d lone" in given[0]["content"]
    assert _messages_of(_paused_and_resumed(given))[0]["content"] == given[0]["content"]


def _with_bytes(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            key: b64decode(item) if key == "bytes" and isinstance(item, str) else _with_bytes(item)
            for key, item in value.items()
        }
    return [_with_bytes(item) for item in value] if isinstance(value, list) else value


def test_bytes_in_a_message_are_refused_at_mint_by_their_path() -> None:
    """A-13: never stored as the text of a Python bytes object."""
    deployment = InMemoryDeployment()
    with pytest.raises(InvalidRequest) as refusal:
        deployment.mint(messages=_with_bytes(transcript("06")["messages"]))
    assert [error.field for error in refusal.value.errors] == ["messages[0].content[1].image.source.bytes"]
    assert "bytes" in refusal.value.errors[0].message
    assert not deployment.checkpoints.texts
    assert not deployment.ledger.rows


def test_the_messages_survive_a_store_that_keeps_only_utf8_text() -> None:
    deployment = InMemoryDeployment()
    for name, sample in TRANSCRIPTS.items():
        deployment.mint(messages=sample["messages"], tool_call_id=name)
    for text in deployment.checkpoints.texts.values():
        assert json.loads(text.encode("utf-8").decode("utf-8"))

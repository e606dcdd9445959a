"""Which tool calls of a turn still have no result."""

from typing import Any

import pytest

from askback.domain.records.open_calls import open_tool_call_ids
from tests.support.memory_deployment import InMemoryDeployment, an_answer
from tests.support.recorded_samples import TRANSCRIPTS

OPEN_BESIDES_THE_ANSWERED = {
    "01_openai_chat_parallel_tools_image": (),
    "03_anthropic_thinking_parallel_tool_use": ("toolu_01D",),
    "04_langchain_messages_to_dict": (),
    "05_langchain_dumpd_constructor": (),
    "06_bedrock_converse_image_document": (),
    "07_strands_session_messages": (),
    "09_edge_values_openai_chat": (),
}


@pytest.mark.parametrize("name", list(TRANSCRIPTS))
def test_the_open_calls_of_every_providers_transcript_are_found(name: str) -> None:
    sample = TRANSCRIPTS[name]
    messages, paused = sample["messages"], sample["_meta"]["paused_call_id"]
    others = OPEN_BESIDES_THE_ANSWERED[name]
    assert open_tool_call_ids(messages, answered=paused) == others
    assert open_tool_call_ids(messages, answered="") == (paused, *others)


@pytest.mark.parametrize("name", [name for name in TRANSCRIPTS if not name.startswith("07")])
def test_nothing_is_open_once_the_caller_has_appended_the_results(name: str) -> None:
    sample = TRANSCRIPTS[name]
    assert open_tool_call_ids([*sample["messages"], *sample["append_on_resume"]], answered="") == ()


def _openai(*calls: str) -> dict[str, Any]:
    return {"role": "assistant", "tool_calls": [{"id": call, "type": "function", "function": {}} for call in calls]}


def test_a_sibling_that_ran_keeps_its_one_result_and_one_that_did_not_is_named() -> None:
    """A-06: c1 ran, c2 asks, c3 has not run."""
    messages = [_openai("c1", "c2", "c3"), {"role": "tool", "tool_call_id": "c1", "content": "sent"}]
    deployment = InMemoryDeployment()
    minted = deployment.mint(messages=messages, tool_call_id="c2")
    outcome = deployment.resume(minted, response=an_answer(minted, "Reject"))
    assert outcome.turn is not None
    assert outcome.tool_call_id == "c2"
    assert [message for message in outcome.turn.messages if message.get("tool_call_id") == "c1"] == messages[1:]
    assert open_tool_call_ids(outcome.turn.messages, answered=outcome.tool_call_id) == ("c3",)


def test_calls_are_listed_once_in_the_order_they_were_made() -> None:
    messages = [_openai("b", "a"), _openai("c", "a"), {"role": "tool", "tool_call_id": "b"}]
    assert open_tool_call_ids(messages, answered="") == ("a", "c")


LOOKS_LIKE_A_CALL = {
    "type": "tool_use",
    "id": "inner",
    "tool_calls": [{"id": "inner"}],
    "toolUse": {"toolUseId": "inner"},
    "tool_call_id": "real",
    "toolResult": {"toolUseId": "real"},
}


@pytest.mark.parametrize(
    "message",
    [
        {"role": "assistant", "tool_calls": [{"id": "real", "function": {"arguments": LOOKS_LIKE_A_CALL}}]},
        {"role": "assistant", "tool_calls": [{"id": "real", "args": LOOKS_LIKE_A_CALL}]},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "real", "input": LOOKS_LIKE_A_CALL}]},
        {"role": "assistant", "content": [{"toolUse": {"toolUseId": "real", "input": LOOKS_LIKE_A_CALL}}]},
        {"type": "ai", "data": {"content": "", "tool_calls": [{"id": "real", "args": LOOKS_LIKE_A_CALL}]}},
    ],
    ids=["openai", "langchain", "anthropic", "bedrock", "langchain dict"],
)
def test_arguments_that_look_like_calls_are_not_entered(message: dict[str, Any]) -> None:
    assert open_tool_call_ids([message], answered="") == ("real",)


@pytest.mark.parametrize(
    "result",
    [
        {"role": "tool", "tool_call_id": "other", "content": [LOOKS_LIKE_A_CALL]},
        {"type": "tool", "data": {"tool_call_id": "other", "content": [LOOKS_LIKE_A_CALL]}},
        {"content": [{"type": "tool_result", "tool_use_id": "other", "content": [LOOKS_LIKE_A_CALL]}]},
        {"content": [{"toolResult": {"toolUseId": "other", "content": [{"json": LOOKS_LIKE_A_CALL}]}}]},
    ],
    ids=["openai", "langchain", "anthropic", "bedrock"],
)
def test_results_that_look_like_calls_are_not_entered(result: dict[str, Any]) -> None:
    assert open_tool_call_ids([_openai("real"), result], answered="") == ("real",)


@pytest.mark.parametrize(
    "message",
    [
        {},
        {"content": None},
        {"content": "tool_use"},
        {"tool_calls": None},
        {"tool_calls": "x"},
        {"tool_calls": [None, 1, {}]},
        {"tool_calls": [{"id": 5}]},
        {"toolUse": 5},
        {"toolUse": {}},
        {"type": "tool_use"},
        {"type": "tool_use", "id": ["langchain"]},
        {"id": ["langchain", "schema"], "kwargs": []},
    ],
    ids=repr,
)
def test_a_message_of_any_shape_is_read_without_a_complaint(message: dict[str, Any]) -> None:
    assert open_tool_call_ids([message], answered="") == ()

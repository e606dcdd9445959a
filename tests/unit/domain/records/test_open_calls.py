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


GEMINI_WITHOUT_IDS = "18_gemini_without_ids"


@pytest.mark.parametrize("name", [name for name in TRANSCRIPTS if name != GEMINI_WITHOUT_IDS])
def test_the_open_calls_of_every_providers_transcript_are_found(name: str) -> None:
    """D-07 to D-09: from 10 on, a released package wrote the messages, and round two uses ids of round one again."""
    sample = TRANSCRIPTS[name]
    messages, paused = sample["messages"], sample["_meta"]["paused_call_id"]
    others = OPEN_BESIDES_THE_ANSWERED[name] if name[:2] < "10" else tuple(sample["_meta"]["other_open_call_ids"])
    assert open_tool_call_ids(messages, answered=paused) == others
    assert open_tool_call_ids(messages, answered="") == (paused, *others)


@pytest.mark.parametrize("name", [name for name in TRANSCRIPTS if name[:2] not in ("07", "24")])
def test_nothing_is_open_once_the_caller_has_appended_the_results(name: str) -> None:
    sample = TRANSCRIPTS[name]
    assert open_tool_call_ids([*sample["messages"], *sample["append_on_resume"]], answered="") == ()


def test_open_calls_of_a_real_gemini_dump_without_ids_cannot_be_named() -> None:
    """D-08."""
    messages = TRANSCRIPTS[GEMINI_WITHOUT_IDS]["messages"]
    assert open_tool_call_ids(messages, answered="") is None
    assert open_tool_call_ids(messages[:3], answered="") == ()


def test_a_local_shell_call_is_known_by_both_its_ids() -> None:
    """D-07: `openai` joins its output by the `id` of the item, all others by `call_id`."""
    call = {"type": "local_shell_call", "id": "lsh_1", "call_id": "call_1"}
    output = {"type": "local_shell_call_output", "id": "lsh_1", "output": "{}"}
    assert open_tool_call_ids([call], answered="") == ("call_1",)
    assert open_tool_call_ids([call], answered="call_1") == ()
    assert open_tool_call_ids([call, output], answered="") == ()
    assert open_tool_call_ids([call, output, call], answered="") == ("call_1",)


def test_a_tool_search_is_open_where_the_caller_runs_it() -> None:
    """D-07."""
    search = {"type": "tool_search_call", "id": "ts_1", "execution": "client", "call_id": "call_1"}
    hosted = {"type": "tool_search_call", "id": "ts_2", "execution": "server", "call_id": None}
    assert open_tool_call_ids([search, hosted], answered="") == ("call_1",)


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
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "other", "content": [LOOKS_LIKE_A_CALL]}]},
        {"role": "user", "content": [{"toolResult": {"toolUseId": "other", "content": [{"json": LOOKS_LIKE_A_CALL}]}}]},
    ],
    ids=["openai", "langchain", "anthropic", "bedrock"],
)
def test_results_that_look_like_calls_are_not_entered(result: dict[str, Any]) -> None:
    assert open_tool_call_ids([_openai("real"), result], answered="") == ("real",)


@pytest.mark.parametrize(
    "message",
    [
        {"role": "assistant", "content": None},
        {"role": "assistant", "content": "tool_use"},
        {"role": "assistant", "tool_calls": None},
        {"role": "assistant", "tool_calls": "x"},
        {"role": "assistant", "tool_calls": [None, 1, {}]},
        {"role": "assistant", "tool_calls": [{"id": 5}]},
        {"role": "assistant", "content": [{"toolUse": 5}, {"toolUse": {}}, {"type": "tool_use"}, None]},
        {"role": "user", "parts": [{"functionCall": 5}, {"type": "tool-pay"}, None, {"text": "Hello"}]},
        {"lc": 1, "kwargs": {"tool_calls": {}}},
        {"type": "reasoning", "summary": []},
    ],
    ids=repr,
)
def test_a_message_of_a_known_format_without_a_whole_call_has_none(message: dict[str, Any]) -> None:
    assert open_tool_call_ids([message], answered="") == ()


@pytest.mark.parametrize(
    "message",
    [
        {},
        {"content": "tool_use"},
        {"tool_calls": [{"id": "c1"}]},
        {"type": "tool_use", "id": "c1"},
        {"id": ["langchain"], "kwargs": []},
    ],
    ids=repr,
)
def test_an_unknown_format_gives_no_answer_instead_of_an_empty_one(message: dict[str, Any]) -> None:
    """D-07: an empty list would claim that every call has its result."""
    assert open_tool_call_ids([_openai("c1"), message], answered="c1") is None


def test_an_answered_call_that_is_in_no_message_gives_no_answer() -> None:
    """The turn then misses its last round, or is of a format that only looks like a known one."""
    assert open_tool_call_ids([{"role": "user", "content": "Pay."}], answered="c1") is None


def _chat(role: str, **more: Any) -> dict[str, Any]:
    return {"role": role, "content": "", **more}


def _gemini_call(name: str, *, key: str = "functionCall", **more: Any) -> dict[str, Any]:
    return {"role": "model", "parts": [{key: {"name": name, "args": {}, **more}}]}


TWO_OPEN: dict[str, list[dict[str, Any]]] = {
    "OpenAI Responses": [
        {"role": "user", "content": "Refund it."},
        {"type": "reasoning", "summary": []},
        {"type": "function_call", "call_id": "done", "name": "lookup", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "done", "output": "ok"},
        {"type": "function_call", "call_id": "A", "name": "ask_user", "arguments": "{}"},
        {"type": "function_call", "call_id": "B", "name": "pay", "arguments": "{}"},
    ],
    "OpenAI Responses, custom tools": [
        {"type": "custom_tool_call", "call_id": "A", "name": "ask_user", "input": ""},
        {"type": "custom_tool_call", "call_id": "B", "name": "pay", "input": ""},
        {"type": "web_search_call", "id": "ws_1", "status": "completed"},
    ],
    "Gemini with ids": [
        {"role": "user", "parts": [{"text": "Refund it."}]},
        {"role": "model", "parts": [{"functionCall": {"id": i, "name": "f", "args": {}}} for i in ("done", "A", "B")]},
        {"role": "user", "parts": [{"functionResponse": {"id": "done", "name": "f", "response": {}}}]},
    ],
    "Gemini with ids, snake case": [
        {"role": "model", "parts": [{"function_call": {"id": i, "name": "f", "args": {}}} for i in ("done", "A", "B")]},
        {"role": "user", "parts": [{"function_response": {"id": "done", "name": "f", "response": {}}}]},
    ],
    "Vercel UI": [
        {"id": "m1", "role": "user", "parts": [{"type": "text", "text": "Refund it."}]},
        {
            "id": "m2",
            "role": "assistant",
            "parts": [
                {"type": "step-start"},
                {"type": "tool-lookup", "toolCallId": "done", "state": "output-available", "input": {}, "output": {}},
                {"type": "tool-ask", "toolCallId": "A", "state": "input-available", "input": {}},
                {"type": "dynamic-tool", "toolName": "pay", "toolCallId": "B", "state": "approval-requested"},
            ],
        },
    ],
    "Vercel UI before version 5": [
        {
            "id": "m2",
            "role": "assistant",
            "content": "",
            "parts": [
                {"type": "tool-invocation", "toolInvocation": {"toolCallId": "done", "state": "result", "result": 1}},
                {"type": "tool-invocation", "toolInvocation": {"toolCallId": "A", "state": "call"}},
                {"type": "tool-invocation", "toolInvocation": {"toolCallId": "B", "state": "call"}},
            ],
        }
    ],
    "Vercel model messages": [
        _chat("user"),
        {
            "role": "assistant",
            "content": [{"type": "tool-call", "toolCallId": i, "toolName": "f"} for i in ("done", "A", "B")],
        },
        {"role": "tool", "content": [{"type": "tool-result", "toolCallId": "done", "toolName": "f", "output": {}}]},
    ],
    "Pydantic AI": [
        {"kind": "request", "parts": [{"part_kind": "user-prompt", "content": "Refund it."}]},
        {
            "kind": "response",
            "parts": [
                {"part_kind": "tool-call", "tool_call_id": i, "tool_name": "f"} for i in ("done", "wrong", "A", "B")
            ],
        },
        {
            "kind": "request",
            "parts": [
                {"part_kind": "tool-return", "tool_call_id": "done", "tool_name": "f", "content": "ok"},
                {"part_kind": "retry-prompt", "tool_call_id": "wrong", "tool_name": "f", "content": "no"},
            ],
        },
    ],
    "AG-UI": [
        {"id": "1", "role": "user", "content": "Refund it."},
        {
            "id": "2",
            "role": "assistant",
            "toolCalls": [{"id": i, "type": "function", "function": {}} for i in ("done", "A", "B")],
        },
        {"id": "3", "role": "tool", "toolCallId": "done", "content": "ok"},
    ],
}
"""The call `done` has its result, `A` asks, `B` has not run."""


@pytest.mark.parametrize("name", TWO_OPEN)
def test_the_open_calls_of_each_known_format_are_found(name: str) -> None:
    """D-07, D-08."""
    assert open_tool_call_ids(TWO_OPEN[name], answered="A") == ("B",)
    assert open_tool_call_ids(TWO_OPEN[name], answered="") == ("A", "B")


def test_a_gemini_call_without_an_id_is_joined_by_its_name_and_cannot_be_named() -> None:
    """D-08."""
    response = {"role": "user", "parts": [{"functionResponse": {"name": "lookup", "response": {}}}]}
    assert open_tool_call_ids([_gemini_call("lookup"), response], answered="") == ()
    assert open_tool_call_ids([_gemini_call("lookup"), response, _gemini_call("pay")], answered="") is None
    assert open_tool_call_ids([_gemini_call("lookup", key="function_call")], answered="") is None


def test_an_id_that_a_later_round_uses_again_is_another_call() -> None:
    """D-09: a result is matched within the round that follows its call."""
    messages = [
        _openai("lookup:0", "pay:1"),
        {"role": "tool", "tool_call_id": "lookup:0"},
        {"role": "tool", "tool_call_id": "pay:1"},
        _openai("ask:0", "pay:1"),
    ]
    assert open_tool_call_ids(messages, answered="ask:0") == ("pay:1",)
    assert open_tool_call_ids([*messages, {"role": "tool", "tool_call_id": "pay:1"}], answered="ask:0") == ()

"""The open calls of messages that the installed packages write now; `tests/support/transcripts` has frozen ones."""

import pytest

from askback.domain.records.open_calls import open_tool_call_ids

pytestmark = pytest.mark.agents
CALLS = ("call_0", "call_1")


@pytest.mark.parametrize("form", ["messages_to_dict", "dumpd", "model_dump"])
def test_the_open_calls_of_langchain_messages_are_found(form: str) -> None:
    """D-07, D-09: the second round uses the ids of the first again."""
    from langchain_core.load import dumpd
    from langchain_core.messages import AIMessage, ToolMessage, messages_to_dict

    calls = AIMessage(content="", tool_calls=[{"name": "f", "args": {}, "id": call} for call in CALLS])
    first, second = (ToolMessage(content="ok", tool_call_id=call) for call in CALLS)
    messages = [calls, first, second, calls, first]
    written = {
        "messages_to_dict": messages_to_dict(messages),
        "dumpd": [dumpd(message) for message in messages],
        "model_dump": [message.model_dump(mode="json") for message in messages],
    }
    assert open_tool_call_ids(written[form], answered="") == ("call_1",)


def test_the_open_calls_of_openai_responses_items_are_found() -> None:
    """D-07, D-09."""
    from openai.types.responses import ResponseFunctionToolCall
    from openai.types.responses.response_function_tool_call_output_item import ResponseFunctionToolCallOutputItem

    calls = [
        ResponseFunctionToolCall(type="function_call", id=f"fc_{call}", call_id=call, name="f", arguments="{}")
        for call in CALLS
    ]
    first, second = (
        ResponseFunctionToolCallOutputItem(
            type="function_call_output", id=f"fo_{call}", call_id=call, output="ok", status="completed"
        )
        for call in CALLS
    )
    items = [item.model_dump(mode="json") for item in (*calls, first, second, *calls, first)]
    assert open_tool_call_ids(items, answered="") == ("call_1",)

"""The requests of docs/agents/agentcore.md fit the API of Amazon Bedrock AgentCore, as the locked botocore knows it.

Nothing here calls AWS: botocore checks the parameters against the model of the service.
"""

import importlib.util
import json
import re
import sys
from typing import Any

import botocore.session
import pytest
from botocore.validate import ParamValidator

from askback import PauseExpired
from askback.testing.deployment import InProcessDeployment
from local.emulated.cloud import ROOT

API = "https://abcdefghij.execute-api.eu-central-1.amazonaws.com"
REGION = "eu-central-1"
ROLE = "arn:aws:iam::123456789012:role/harness"
HARNESS = "arn:aws:bedrock-agentcore:eu-central-1:123456789012:harness/refunds-abcdefghij"
SESSION = "session-0000000000000000000000000000000001"
ASKED = {"question": "Refund 49.90 EUR?", "options": ["Approve", "Reject"]}


@pytest.fixture(scope="module")
def recipe() -> Any:
    path = ROOT / "docs/examples/agentcore.py"
    spec = importlib.util.spec_from_file_location("agentcore_example", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def faults(service: str, operation: str, parameters: dict[str, Any]) -> str:
    """Return what botocore says of the parameters, and which texts do not fit their pattern; empty if all is well."""
    shape = botocore.session.get_session().get_service_model(service).operation_model(operation).input_shape
    assert shape is not None
    report = ParamValidator().validate(parameters, shape).generate_report()
    return "\n".join(filter(None, [report, *unfit(parameters, shape)]))


def unfit(value: Any, shape: Any, at: str = "") -> list[str]:
    """Return the texts that do not fit the pattern or the enumeration of their shape: botocore leaves that to AWS."""
    if shape.type_name == "structure" and isinstance(value, dict) and not shape.is_document_type:
        return [each for name in value for each in unfit(value[name], shape.members[name], f"{at}.{name}")]
    if shape.type_name == "list":
        return [each for item in value for each in unfit(item, shape.member, f"{at}[]")]
    if shape.type_name != "string":
        return []
    pattern, choices = shape.metadata.get("pattern", ".*"), shape.enum or [value]
    return [] if re.fullmatch(pattern, value, re.DOTALL) and value in choices else [f"{at}: {value}"]


def test_the_harness_can_call_the_mcp_server_with_its_role(recipe: Any) -> None:
    tool = recipe.remote_mcp_tool(API, REGION)
    assert tool["config"]["remoteMcp"]["url"] == f"{API}/mcp"
    create = {"harnessName": "refunds", "executionRoleArn": ROLE, "tools": [tool]}
    assert faults("bedrock-agentcore-control", "CreateHarness", create) == ""


def test_a_gateway_can_have_the_mcp_server_as_a_target(recipe: Any) -> None:
    target = recipe.gateway_target("refunds-abcdefghij", API, REGION)
    assert faults("bedrock-agentcore-control", "CreateGatewayTarget", target) == ""


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"targetConfiguration": {"mcp": {"mcpServer": {}}}}, "endpoint"),
        ({"targetConfiguration": {"mcp": {"mcpServer": {"endpoint": "http://a.example/mcp"}}}}, "endpoint"),
        ({"credentialProviderConfigurations": [{"credentialProviderType": "IAM"}]}, "credentialProviderType"),
    ],
)
def test_the_check_refuses_what_does_not_fit(recipe: Any, change: dict[str, Any], fault: str) -> None:
    target = recipe.gateway_target("refunds-abcdefghij", API, REGION) | change
    assert fault in faults("bedrock-agentcore-control", "CreateGatewayTarget", target)


def streamed(tool: str = "ask_human", reason: str = "tool_use") -> list[dict[str, Any]]:
    """Return the events of an invocation that first calls another tool, then this one."""
    text = json.dumps(ASKED)
    block = {"contentBlockIndex": 0}
    return [
        {"messageStart": {"role": "assistant"}},
        {"contentBlockStart": {**block, "start": {"toolUse": {"toolUseId": "use_1", "name": "shell"}}}},
        {"contentBlockDelta": {**block, "delta": {"toolUse": {"input": '{"command": "ls"}'}}}},
        {"contentBlockStop": block},
        {"messageStop": {"stopReason": "tool_result"}},
        {"messageStart": {"role": "assistant"}},
        {"contentBlockDelta": {**block, "delta": {"text": "I ask a person."}}},
        {"contentBlockStop": block},
        {"contentBlockStart": {"contentBlockIndex": 1, "start": {"toolUse": {"toolUseId": "use_2", "name": tool}}}},
        {"contentBlockDelta": {"contentBlockIndex": 1, "delta": {"toolUse": {"input": text[:9]}}}},
        {"contentBlockDelta": {"contentBlockIndex": 1, "delta": {"toolUse": {"input": text[9:]}}}},
        {"contentBlockStop": {"contentBlockIndex": 1}},
        {"messageStop": {"stopReason": reason}},
        {"metadata": {"usage": {}, "metrics": {}}},
    ]


def test_an_inline_call_becomes_a_pause_and_its_answer_the_result(recipe: Any) -> None:
    invoke = {"harnessArn": HARNESS, "runtimeSessionId": SESSION, "tools": [recipe.inline_tool()]}
    first = invoke | {"messages": [{"role": "user", "content": [{"text": "Refund order A-1009."}]}]}
    assert faults("bedrock-agentcore", "InvokeHarness", first) == ""

    (call,) = recipe.asked_calls(streamed())
    assert call == {"toolUseId": "use_2", "input": ASKED}
    deployment = InProcessDeployment()
    client = deployment.client()
    fields = recipe.pause_fields(call, SESSION)
    pause = client.pause(**fields, scope="acme", ttl_seconds=86_400)
    assert client.pause(**fields, scope="acme", ttl_seconds=86_400).jti == pause.jti
    deployment.answer(pause, choice="Approve", by="ada")

    message = recipe.result_message(call["toolUseId"], client.outcome(pause.pause_token, scope="acme"))
    assert faults("bedrock-agentcore", "InvokeHarness", invoke | {"messages": [message]}) == ""
    (part,) = message["content"][0]["toolResult"]["content"]
    said = json.loads(part["text"])
    assert (said["answer"]["selections"], said["answered_by"]) == (["Approve"], "ada")


def test_an_end_without_an_answer_is_an_error_that_approves_nothing(recipe: Any) -> None:
    message = recipe.result_message("use_2", PauseExpired())
    invoke = {"harnessArn": HARNESS, "runtimeSessionId": SESSION, "messages": [message]}
    assert faults("bedrock-agentcore", "InvokeHarness", invoke) == ""
    result = message["content"][0]["toolResult"]
    assert result["status"] == "error"
    assert result["content"] == [{"text": "No answer (expired). Nothing was approved."}]


def test_a_harness_that_stopped_for_something_else_asks_nothing(recipe: Any) -> None:
    assert recipe.asked_calls(streamed(tool="shell")) == []
    assert recipe.asked_calls(streamed(reason="end_turn")) == []

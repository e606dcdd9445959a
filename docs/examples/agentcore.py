"""Ways for an agent on Amazon Bedrock AgentCore to ask a person, as requests for its API. None of them was run on AWS.

`remote_mcp_tool` and `gateway_target` let AgentCore call the deployment's MCP server itself, signed with IAM. With
`inline_tool`, AgentCore gives the call back to your program; `asked_calls`, `pause_fields` and `result_message` are the
way from the call to a pause, and from its outcome to the result.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

from askback import HumanInteractionError, ResumedPause, ask_user, question

SIGNED_SERVICE: Final = "execute-api"
"""The service that a request to an HTTP API is signed for."""
NAME: Final = "ask_human"
INPUT_SCHEMA: Final = {
    "type": "object",
    "properties": {
        "question": {"type": "string", "description": "What the person must decide, with every fact that they need."},
        "options": {"type": "array", "items": {"type": "string"}, "description": "Two to four answers to choose from."},
    },
    "required": ["question", "options"],
}
DESCRIPTION: Final = (
    "Ask a person, and wait for the answer. It can come days later. Without an answer nothing was approved."
)


# --- AgentCore calls the MCP server ---------------------------------------------------------------


def remote_mcp_tool(api: str, region: str) -> dict[str, Any]:
    """Return a tool for `tools` of CreateHarness or InvokeHarness: the harness signs with its execution role."""
    signed = {"awsIam": {"service": SIGNED_SERVICE, "region": region}}
    return {
        "type": "remote_mcp",
        "name": "askback",
        "config": {"remoteMcp": {"url": f"{api}/mcp", "outboundAuth": signed}},
    }


def gateway_target(gateway_id: str, api: str, region: str) -> dict[str, Any]:
    """Return the parameters of CreateGatewayTarget: the gateway signs with its role."""
    signer = {"iamCredentialProvider": {"service": SIGNED_SERVICE, "region": region}}
    return {
        "gatewayIdentifier": gateway_id,
        "name": "askback",
        "targetConfiguration": {"mcp": {"mcpServer": {"endpoint": f"{api}/mcp"}}},
        "credentialProviderConfigurations": [
            {"credentialProviderType": "GATEWAY_IAM_ROLE", "credentialProvider": signer}
        ],
    }


# --- AgentCore gives the call to your program -----------------------------------------------------


def inline_tool() -> dict[str, Any]:
    """Return a tool for `tools`: the harness stops with the call, and your program gives the result."""
    return {
        "type": "inline_function",
        "name": NAME,
        "config": {"inlineFunction": {"description": DESCRIPTION, "inputSchema": INPUT_SCHEMA}},
    }


def asked_calls(stream: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the calls of the inline tool in the stream of InvokeHarness; empty if the harness did not stop for one."""
    calls: list[dict[str, Any]] = []
    stopped_for_tool = False
    texts: dict[int, str] = {}
    places: dict[int, dict[str, Any]] = {}
    for event in stream:
        match event:
            case {"contentBlockStart": {"contentBlockIndex": int(index), "start": {"toolUse": {"name": name, **use}}}}:
                if name == NAME:
                    places[index], texts[index] = {"toolUseId": use["toolUseId"]}, ""
            case {"contentBlockDelta": {"contentBlockIndex": int(index), "delta": {"toolUse": {"input": part}}}}:
                if index in places:
                    texts[index] += part
            case {"contentBlockStop": {"contentBlockIndex": int(index)}} if index in places:
                # The numbers of blocks begin again with each message.
                calls.append({**places.pop(index), "input": json.loads(texts.pop(index) or "{}")})
            case {"messageStop": {"stopReason": reason}}:
                stopped_for_tool = reason == "tool_use"
    return calls if stopped_for_tool else []


def pause_fields(call: Mapping[str, Any], session_id: str) -> dict[str, Any]:
    """Return the arguments of the client's `pause` for a call; the caller adds scope and time to live."""
    given = call["input"]
    name, payload = ask_user(question(given["question"], given["options"]))
    return {
        "name": name,
        "payload": payload,
        "run_id": session_id,
        "session_id": session_id,
        "tool_call_id": call["toolUseId"],
        # The session and the call name the question, so that a repeated request asks nothing new.
        "idempotency_key": f"{session_id}/{call['toolUseId']}",
    }


def result_message(tool_use_id: str, outcome: ResumedPause | HumanInteractionError) -> dict[str, Any]:
    """Return the message for the next InvokeHarness of the same session. Without an answer it is an error."""
    if isinstance(outcome, HumanInteractionError):
        text, status = f"No answer ({outcome.code}). Nothing was approved.", "error"
    else:
        who = "the default answer; no person decided" if outcome.by_policy else outcome.answered_by
        text, status = json.dumps({"answer": outcome.response["answers"][0], "answered_by": who}), "success"
    result = {"toolUseId": tool_use_id, "content": [{"text": text}], "status": status}
    return {"role": "user", "content": [{"toolResult": result}]}

"""An agent that speaks MCP: it asks with tools, and no tool and no token of it answers."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from askback.domain.pause.scope import Scope
from tests.support.function_deployment import Deployment, Handlers
from tests.support.mcp_calls import TASKS, McpClient
from tests.support.token_issuer import AUDIENCE, Issuer, an_issuer

OTHER = "arn:aws:sts::123456789012:assumed-role/other-agent/session"
ACTION: dict[str, Any] = {"question": "Refund?", "action": {"name": "refund", "arguments": {"amount": 49.9}}}
ANSWER_AUDIENCE = "askback-app"


@pytest.fixture
def issuer() -> Iterator[Issuer]:
    with an_issuer() as up:
        yield up


def everything(agent: McpClient, jti: str) -> str:
    """Return all that an agent can be told about a question, as one text."""
    calls = [
        agent.tool("get_answer", pause=jti),
        agent.tool("list_my_open_questions"),
        agent.send("tools/list"),
        agent.send("server/discover"),
        agent.send("tasks/get", {"taskId": jti}),
        agent.tool("ask_human", **ACTION, link=True),
        agent.tool("revoke_question", pause=jti),
    ]
    return json.dumps([each.document for each in calls])


@pytest.mark.cannot("get a link or a token from a tool")
def test_no_tool_gives_what_answers(deployment: Deployment) -> None:
    """Also where the mint's own reply has the links."""
    agent = McpClient(handlers=deployment.load(ASKBACK_RETURN_LINKS="true"), capabilities=TASKS)
    plain = McpClient(handlers=agent.handlers)
    for approvers in ([], ["ada@example.com"]):
        jti = plain.tool("ask_human", **ACTION, approvers=approvers).facts["pause"]
        told = everything(agent, jti)
        assert jti in told
        assert not [piece for piece in ("eyJ", "answer_token", "answer_link", "pause_token", "#") if piece in told]


@pytest.mark.cannot("answer by a message of the protocol")
def test_what_a_client_sends_for_a_task_is_no_answer(handlers: Handlers) -> None:
    agent = McpClient(handlers=handlers, capabilities=TASKS)
    jti = agent.tool("ask_human", **ACTION).result["taskId"]
    for given in ({"answer": {"action": "accept", "content": {"decision": "approve"}}}, {"response": "approve"}):
        agent.send("tasks/update", {"taskId": jti, "inputResponses": given})
        params = {"name": "ask_human", "arguments": ACTION, "inputResponses": given, "requestState": jti}
        assert agent.send("tools/call", params).result["resultType"] == "task"
    assert agent.send("tasks/get", {"taskId": jti}).result["status"] == "working"


@pytest.mark.cannot("read, list or revoke the question of another principal")
def test_the_question_of_another_principal_is_unknown_to_every_tool(
    deployment: Deployment, handlers: Handlers, issuer: Issuer
) -> None:
    owner = McpClient(handlers=handlers, capabilities=TASKS)
    jti = owner.tool("ask_human", **ACTION).result["taskId"]
    people = deployment.load(ASKBACK_MCP_ISSUER=issuer.url)
    for thief in (
        McpClient(handlers=handlers, arn=OTHER, capabilities=TASKS),
        McpClient(handlers=people, token=issuer.token(), capabilities=TASKS),
    ):
        for tool in ("get_answer", "revoke_question"):
            assert thief.tool(tool, pause=jti).facts["error"] == "unknown-pause"
        for method in ("tasks/get", "tasks/cancel"):
            assert thief.send(method, {"taskId": jti}).error == (400, -32602)
        assert jti not in json.dumps(thief.tool("list_my_open_questions").facts)
    assert owner.send("tasks/get", {"taskId": jti}).result["status"] == "working"


@pytest.mark.cannot("choose the scope of its question")
def test_no_argument_and_no_header_is_a_scope(handlers: Handlers) -> None:
    agent = McpClient(handlers=handlers)
    for scope in ("acme", {"tenant_id": "acme"}):
        assert agent.tool("ask_human", **ACTION, scope=scope).facts["error"] == "bad-request"
    params = {"name": "ask_human", "arguments": ACTION, "scope": "acme"}
    jti = agent.send("tools/call", params, x_askback_scope="acme").result["structuredContent"]["pause"]
    row = handlers.get(f"/pauses/{jti}").document
    assert Scope.parse("mcp").matches(row["scope_hash"])


@pytest.mark.cannot("answer with the token of its person")
def test_a_token_for_the_tools_is_not_one_for_answers(deployment: Deployment, issuer: Issuer) -> None:
    """The gateway takes tokens for `JwtAudience` alone, so a token that has both audiences must end here."""
    handlers = deployment.load(ASKBACK_MCP_ISSUER=issuer.url)
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    for audience, status in ((AUDIENCE, 200), (ANSWER_AUDIENCE, 401), ([AUDIENCE, ANSWER_AUDIENCE], 401)):
        assert McpClient(handlers=handlers, token=issuer.token(aud=audience)).post(ping).status == status

"""The tools over the Model Context Protocol: an agent asks, and reads the answer when there is one."""

from typing import Any

import pytest

from tests.support.mcp_calls import McpClient
from tests.support.waiting_world import World

OTHER = "arn:aws:sts::123456789012:assumed-role/other-agent/session"
QUESTION: dict[str, Any] = {
    "question": "Refund 49.90 EUR?",
    "options": [{"label": "Approve", "description": "pay it out"}, {"label": "Reject"}],
}
ACTION: dict[str, Any] = {
    "question": "Refund 49.90 EUR?",
    "action": {"name": "refund", "arguments": {"order": "A-1009", "amount": 49.90}},
}


@pytest.fixture
def agent(world: World) -> McpClient:
    return McpClient(handlers=world.handlers)


def link_of(world: World, jti: str) -> str:
    reply = world.handlers.post(f"/pauses/{jti}/links", {})
    return str(reply.document["answer_token"])


def answer(world: World, jti: str, response: object) -> None:
    token = link_of(world, jti)
    reply = world.handlers.post("/answers", {"answer_token": token, "response": response})
    assert reply.status == 200, reply.document


def choose(world: World, jti: str, label: str) -> None:
    shown = world.handlers.post("/questions", {"answer_token": link_of(world, jti)}).document
    answer(world, jti, {"answers": [{"question_id": shown["payload"]["questions"][0]["id"], "selections": [label]}]})


class TestAskAndRead:
    def test_a_choice_is_asked_and_read_later(self, world: World, agent: McpClient) -> None:
        asked = agent.tool("ask_human", **QUESTION).facts
        assert (asked.get("status"), asked.get("next")) == ("open", "get_answer"), asked
        jti = asked["pause"]
        assert agent.tool("get_answer", pause=jti).facts["status"] == "open"
        choose(world, jti, "Approve")
        facts = agent.tool("get_answer", pause=jti).facts
        assert facts["status"] == "answered"
        assert facts["answers"] == [{"question": "Refund 49.90 EUR?", "selected": ["Approve"]}]
        assert (facts["assurance"], facts["by_policy"]) == ("link", False)

"""What the roles of the two functions that serve tools are for; the stories are the same for both."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from tests.built.deployed.needs import Story, needs
from tests.built.deployed.world import World, a_key, noise

MISCONFIGURED: Final = "misconfigured"
QUESTION: Final = {"question": "Refund 49.90 EUR?", "options": [{"label": "Approve"}, {"label": "Reject"}]}


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """One of the two functions. An agent of the account sends to the API, an agent of a person brings a token."""

    name: str

    def tool(self, world: World, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool and return the facts of its result."""
        call = {"name": tool, "arguments": arguments}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
        sent = self._signed if self.name == "Mcp" else self._with_a_token
        document = sent(world, message)
        facts: dict[str, Any] = document["result"]["structuredContent"] if "result" in document else document
        return facts

    def ask(self, world: World, **over: Any) -> dict[str, Any]:
        """Ask a question."""
        return self.tool(world, "ask_human", **{**QUESTION, **over})

    @staticmethod
    def _signed(world: World, message: Mapping[str, Any]) -> dict[str, Any]:
        return world.deployment.post("/mcp", message).document

    @staticmethod
    def _with_a_token(world: World, message: Mapping[str, Any]) -> dict[str, Any]:
        event = {
            "routeKey": "POST /user/mcp",
            "requestContext": {"http": {"method": "POST", "path": "/user/mcp"}},
            "headers": {"authorization": f"Bearer {world.deployment.issuer.token()}"},
            "body": json.dumps(message),
        }
        reply = world.deployment.invoke("UserMcpFunction", event, Qualifier="http")
        document: dict[str, Any] = json.loads(reply["body"])
        return document


def said(facts: Mapping[str, Any]) -> str:
    """Return what became of a call: the status of the question, or the code of the refusal."""
    return str(facts.get("status") or facts.get("error") or facts.get("code") or "listed")


def asked(server: Server, world: World) -> str:
    return said(server.ask(world))


def asked_where_nothing_ran_before(server: Server, world: World) -> str:
    world.deployment.start_afresh(f"{server.name}Function")
    return said(server.ask(world))


def asked_again_in_another_order(server: Server, world: World) -> str:
    key = a_key()
    for names in (("order", "amount"), ("amount", "order")):
        action = {"name": "refund", "arguments": dict.fromkeys(names, 1)}
        facts = server.tool(world, "ask_human", question="Refund?", action=action, idempotency_key=key)
    return said(facts)


def asked_at_length(server: Server, world: World) -> str:
    return said(server.tool(world, "ask_human", question="Why?", details=noise(1900)))


def revoked(server: Server, world: World) -> str:
    facts = server.ask(world)
    return said(server.tool(world, "revoke_question", pause=facts["pause"]) if "pause" in facts else facts)


def listed(server: Server, world: World) -> str:
    return said(server.tool(world, "list_my_open_questions"))


def answered_at_length(server: Server, world: World) -> str:
    return said(_answered_at_length(server, world, lambda: None))


def answered_with_what_is_gone(server: Server, world: World) -> str:
    return said(_answered_at_length(server, world, world.lose_bodies))


def _answered_at_length(server: Server, world: World, meanwhile: Callable[[], None]) -> dict[str, Any]:
    jti = server.tool(world, "ask_human", question="Why?")["pause"]
    links = world.deployment.call("POST", f"/pauses/{jti}/links").document
    token = links["recipients"][0]["answer_token"] if links["recipients"] else links["answer_token"]
    answer = {"answer_token": token, "response": {"answer": noise(3900)}}
    assert world.deployment.post("/answers", answer, signed_by=None).status == 200
    meanwhile()
    return server.tool(world, "get_answer", pause=jti)


def logged(server: Server, world: World) -> str:
    return world.logs_of(f"{server.name}LogGroup", lambda: server.ask(world))


_STORIES: Final = (
    ("RecordThePause", "dynamodb:PutItem", asked, "open", MISCONFIGURED),
    ("ReadTheSameQuestion", "dynamodb:GetItem", asked_again_in_another_order, "open", MISCONFIGURED),
    ("ReadAndRevokeThePause", "dynamodb:BatchGetItem", asked, "open", MISCONFIGURED),
    ("ReadAndRevokeThePause", "dynamodb:UpdateItem", revoked, "revoked", MISCONFIGURED),
    ("ListOpenPauses", "dynamodb:Query", listed, "listed", MISCONFIGURED),
    ("ReadLargeAnswers", "s3:GetObject", answered_at_length, "answered", MISCONFIGURED),
    ("TellMissingFromForbidden", "s3:ListBucket", answered_with_what_is_gone, "outcome-unreadable", MISCONFIGURED),
    ("StoreLargeQuestions", "s3:PutObject", asked_at_length, "open", "store-unavailable"),
    ("ReadTheKeys", "secretsmanager:GetSecretValue", asked_where_nothing_ran_before, "open", MISCONFIGURED),
    ("announce", "events:PutEvents", asked, "open", MISCONFIGURED),
    ("WriteLogs", "logs:CreateLogStream", logged, "logged", "silent"),
    ("WriteLogs", "logs:PutLogEvents", logged, "logged", "silent"),
)


def _of(server: Server, story: Callable[[Server, World], str]) -> Story:
    return lambda world: story(server, world)


for _server in (Server(name="Mcp"), Server(name="UserMcp")):
    for _statement, _action, _story, _whole, _cut in _STORIES:
        needs(f"{_server.name}Role", _statement, _action, whole=_whole, cut=_cut)(_of(_server, _story))

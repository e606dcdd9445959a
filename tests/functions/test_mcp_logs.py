"""What the functions that serve tools write and count: each line about a question names it, and none has a secret."""

import json
from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.support.aws_probe import aws_error
from tests.support.mcp_calls import META, McpClient, read
from tests.support.recorded_output import ASKED, HEARD, LABEL, Recorded
from tests.support.template_metrics import BY_CODE, OWN
from tests.support.token_issuer import Issuer, an_issuer
from tests.support.waiting_world import World

KINDS = {"mcp": "mcp", "usermcp": "user_mcp"}
PATHS = {"mcp": "/mcp", "usermcp": "/user/mcp"}
QUESTION = {"question": ASKED, "options": [{"label": LABEL}, {"label": "Nein"}]}


@pytest.fixture(scope="module")
def issuer() -> Iterator[Issuer]:
    with an_issuer() as up:
        yield up


def tell(world: World, recorded: Recorded, client: McpClient, kind: str) -> None:
    """Let everything happen that a function counts, and some of it that must not be written."""
    ask = {**QUESTION, "reason": HEARD, "idempotency_key": f"once-{kind}"}
    jti = client.tool("ask_human", **ask).facts["pause"]
    world.now += 1
    assert client.tool("ask_human", **ask).facts["pause"] == jti
    client.tool("get_answer", pause=jti)
    links = world.handlers.post(f"/pauses/{jti}/links", {}).document
    tokens = [links["answer_token"], *(each["answer_token"] for each in links["recipients"])]
    recorded.secrets += [part for token in tokens for part in (token, *token.split(".")[1:])]
    shown = world.handlers.post("/questions", {"answer_token": tokens[-1]}).document
    answer = {"answers": [{"question_id": shown["payload"]["questions"][0]["id"], "selections": [LABEL]}]}
    assert world.handlers.post("/answers", {"answer_token": tokens[-1], "response": answer}).status == 200
    assert client.tool("get_answer", pause=jti).facts["status"] == "answered"
    client.tool("list_my_open_questions")
    other = client.tool("ask_human", **QUESTION, expires_in_seconds=60).facts["pause"]
    for _ in range(2):
        client.tool("revoke_question", pause=other, reason=HEARD)
    client.tool("get_answer", pause=HEARD)
    client.send(HEARD, {f"{META}x": HEARD})
    client.post({"jsonrpc": "2.0", "id": 1, "method": "ping"}, origin="https://evil.example.com")
    with world.deployment.probe.failing(Query=RuntimeError(HEARD)):
        client.tool("list_my_open_questions")
    with world.deployment.probe.failing(PutItem=aws_error("AccessDeniedException")):
        client.tool("ask_human", **QUESTION)
    read(client.handlers.gateway(KINDS[kind], client.handlers.event(PATHS[kind], method="GET")))


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_written_names_the_question_and_has_no_secret_and_all_of_it_is_counted(
    world: World, recorded: Recorded, issuer: Issuer, kind: str
) -> None:
    floor = json.dumps({"ask_user": {"least_assurance": "stepped_up"}})
    handlers = world.load(ASKBACK_MCP_ISSUER=issuer.url)
    token = issuer.token() if kind == "usermcp" else ""
    client = McpClient(handlers=handlers, token=token)
    if token:
        recorded.secrets += [token, *token.split(".")]
    tell(world, recorded, client, kind)
    strict = replace(client, handlers=world.load(ASKBACK_MCP_ISSUER=issuer.url, ASKBACK_MINT_FLOOR=floor))
    assert "unanswerable" in strict.tool("ask_human", **QUESTION).facts
    if token:
        ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        read(handlers.gateway("user_mcp", handlers.event("/user/mcp", ping)))
        metadata = handlers.event("/.well-known/oauth-protected-resource", method="GET")
        read(handlers.gateway("user_mcp", metadata))

    entries = [entry for entry in recorded.entries() if str(entry.get("service", "")).endswith(KINDS[kind])]
    lines = [entry for entry in entries if "message" in entry]
    assert all(line["request_id"] for line in lines)
    directives = [each for entry in entries for each in entry.get("_aws", {}).get("CloudWatchMetrics", ())]
    counted = {
        (metric["Name"], tuple(by)) for each in directives for metric in each["Metrics"] for by in each["Dimensions"]
    }
    names = OWN[kind]
    assert counted == {(name, ("service",)) for name in names} | {
        (name, ("service", "code")) for name in names & BY_CODE
    }

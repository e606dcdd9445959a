"""What each role of a program outside cannot do, refused by IAM: every route, every function, every store."""

import json
from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest
from botocore.exceptions import ClientError

from local.emulated.routes import Authorizer, read_routes
from tests.built.deployed.principals import DENIED, Principal, code_of
from tests.built.deployed.role_stories import FORBIDDEN, an_outcome, over_http, said
from tests.built.deployed.world import World
from tests.support.request_bodies import Pause, a_mint
from tests.support.template import resolver

pytestmark = pytest.mark.deployed

ROUTES: Final = {
    "AgentPolicy": {
        "POST /pauses",
        "POST /pauses/{jti}/revoke",
        "POST /pauses/{jti}/clarifications",
        "POST /outcomes",
        "POST /mcp",
    },
    "BackendPolicy": {"POST /resume", "POST /outcomes"},
    "MessengerPolicy": {"POST /pauses/{jti}/links"},
    "OperatorPolicy": {
        "GET /pauses",
        "GET /pauses/{jti}",
        "DELETE /pauses/{jti}",
        "POST /pauses/{jti}/links/revoke",
        "POST /pauses/{jti}/extend",
        "POST /pauses/{jti}/reassign",
        "POST /pauses/{jti}/redrive",
        "GET /keys",
    },
    "AuditorPolicy": {"GET /pauses", "GET /pauses/{jti}", "GET /keys"},
}
FUNCTIONS: Final = {
    "AgentPolicy": {"MintFunction", "ResumeFunction:outcomes"},
    "BackendPolicy": {"ResumeFunction"},
    "MessengerPolicy": {"LinksFunction"},
    "OperatorPolicy": {"InboxFunction", "RotateFunction"},
    "AuditorPolicy": set[str](),
}
ENTRIES: Final = ("", ":http", ":outcomes", ":$LATEST")
Act = Callable[[], object]


@pytest.mark.cannot("send an answer or fetch a link under `AgentPolicy`, `OperatorPolicy`")
@pytest.mark.parametrize("policy", ROUTES)
def test_a_role_reaches_its_routes_and_no_other(world: World, policy: str) -> None:
    reached = set()
    for route in read_routes(resolver()):
        if route.authorizer is Authorizer.IAM:
            method, _, path = route.key.replace("{jti}", "0" * 32).partition(" ")
            if said(world.principals[policy].call(method, path, {} if method == "POST" else None)) != FORBIDDEN:
                reached.add(route.key)
    assert reached == ROUTES[policy]


@pytest.mark.cannot("send an answer or fetch a link under `AgentPolicy`, `OperatorPolicy`")
@pytest.mark.parametrize("policy", FUNCTIONS)
def test_a_role_reaches_its_entries_of_functions_and_no_other(world: World, policy: str) -> None:
    """An allowed function gets a request that it refuses."""
    functions = [name for name in world.deployment.of_kind["AWS::Lambda::Function"] if "Example" not in name]
    reached = set()
    for name in functions:
        arn = f"arn:aws:lambda:eu-west-1:123456789012:function:{world.deployment.resources[name]}"
        for entry in ENTRIES:
            if world.principals[policy].invoke(f"{arn}{entry}", {"action": "x"}).get("code") != DENIED:
                reached.add(f"{name}{entry}")
    assert reached == FUNCTIONS[policy]


def store_calls(world: World, principal: Principal) -> Iterator[tuple[str, Act]]:
    """Yield a name and an act for each way to a store of the stack that would read or change what is decided."""
    resources = world.deployment.resources
    table, bucket, ring = resources["Table"], resources["Bucket"], resources["KeyRing"]
    key: Any = {"pk": {"S": "pause#x"}, "sk": {"S": "ledger"}}
    dynamodb, s3, secrets = (principal.client(service) for service in ("dynamodb", "s3", "secretsmanager"))
    yield "read a row", lambda: dynamodb.get_item(TableName=table, Key=key)
    yield "write a row", lambda: dynamodb.put_item(TableName=table, Item=key)
    yield "delete a row", lambda: dynamodb.delete_item(TableName=table, Key=key)
    yield "read the table", lambda: dynamodb.scan(TableName=table)
    yield "list the bucket", lambda: s3.list_objects_v2(Bucket=bucket)
    yield "read a turn", lambda: s3.get_object(Bucket=bucket, Key="turns/x")
    yield "write a turn", lambda: s3.put_object(Bucket=bucket, Key="turns/x", Body=b"x")
    yield "read the keys", lambda: secrets.get_secret_value(SecretId=ring)
    yield "replace the keys", lambda: secrets.put_secret_value(SecretId=ring, SecretString="{}")


@pytest.mark.cannot("reach the table, the bucket or the keys")
@pytest.mark.parametrize("policy", ROUTES)
def test_no_role_reaches_a_store(world: World, policy: str) -> None:
    for what, act in store_calls(world, world.principals[policy]):
        with pytest.raises(ClientError) as refused:
            act()
        assert code_of(refused.value) == DENIED, what


def ways_to_answer(world: World, agent: Principal, pause: Pause) -> dict[str, str]:
    """Return how each way to answer a pause ended for an agent that has only what the mint gave it."""
    outputs, path = world.deployment.outputs, f"/pauses/{pause.minted['jti']}"
    token, response = pause.minted["pause_token"], pause.response()
    resume = outputs["ResumeFunctionArn"]
    as_link = {"answer_token": token, "response": response}
    forged = {"routeKey": "POST /answers", "body": json.dumps(as_link), "requestContext": {"http": {}}}

    def direct(function: str, event: dict[str, Any]) -> str:
        return str(agent.invoke(function, event).get("code", "served"))

    return {
        "POST /resume": said(agent.call("POST", "/resume", pause.resume())),
        "POST /answers": said(agent.call("POST", "/answers", as_link)),
        "the links": said(agent.call("POST", f"{path}/links")),
        "revoking": said(agent.call("DELETE", path)),
        "resume": direct(resume, pause.resume()),
        "resume, as a person": direct(resume, {"action": "answer", **pause.resume()}),
        "resume:http": direct(f"{resume}:http", forged),
        "resume:outcomes, to resume": direct(f"{resume}:outcomes", {"action": "resume", **pause.resume()}),
        "resume:outcomes, as the gateway": direct(f"{resume}:outcomes", forged),
        "links": direct(outputs["LinksFunctionArn"], {"jti": pause.minted["jti"]}),
        "inbox": direct(outputs["InboxFunctionArn"], {"action": "revoke", "jti": pause.minted["jti"]}),
    }


@pytest.mark.cannot("answer with its pause token under `AgentPolicy`")
def test_an_agent_cannot_answer_what_it_asks(world: World) -> None:
    agent = world.principals["AgentPolicy"]
    request = a_mint()
    with world.deployment.replies_without_links():
        minted = agent.call("POST", "/pauses", request)
    assert minted.status == 201, minted.document
    assert not {"answer_token", "answer_link", "recipients"} & minted.document.keys()
    pause = Pause(request=request, minted=minted.document)
    ended = ways_to_answer(world, agent, pause)
    # The open route and the entry for outcomes let the agent in, and the function refuses what it brings.
    assert ended.pop("POST /answers") == "401 token-rejected"
    assert {ended.pop(way) for way in list(ended) if way.startswith("resume:outcomes")} == {"bad-request"}
    assert set(ended.values()) == {FORBIDDEN, DENIED}
    links = world.principals["MessengerPolicy"].call("POST", f"/pauses/{minted.document['jti']}/links")
    answered = world.deployment.post(
        "/answers", {"answer_token": links.document["answer_token"], "response": pause.response()}, signed_by=None
    )
    assert (answered.status, answered.document["replayed"]) == (200, False)
    outcome = agent.call("POST", "/outcomes", an_outcome(pause))
    assert (outcome.status, outcome.document["assurance"]) == (200, "link")


@pytest.mark.cannot("read a transcript under `MessengerPolicy`")
def test_a_messenger_reads_no_transcript_and_no_outcome(world: World) -> None:
    pause = world.mint(prompt="A secret of the customer")
    messenger = world.principals["MessengerPolicy"]
    links = messenger.call("POST", f"/pauses/{pause.minted['jti']}/links")
    token = links.document["answer_token"]
    assert "pause_token" not in links.document
    question = messenger.call("POST", "/questions", {"answer_token": token})
    assert question.status == 200
    for shown in (links.document, question.document):
        assert "secret" not in json.dumps(shown)
        assert not {"turn", "messages", "prompt"} & shown.keys()
    # With the pause token too, which a messenger does not have.
    assert world.answer(pause).status == 200
    assert over_http(world, "MessengerPolicy", "POST", "/outcomes", an_outcome(pause)) == FORBIDDEN
    outputs, event = world.deployment.outputs, {"action": "outcome", **an_outcome(pause)}
    assert {messenger.invoke(outputs[name], event)["code"] for name in ("ResumeFunctionArn", "OutcomesArn")} == {DENIED}


@pytest.mark.cannot("send an answer or fetch a link under `AgentPolicy`, `OperatorPolicy`")
def test_an_operator_answers_nothing(world: World) -> None:
    pause = world.mint()
    ended = ways_to_answer(world, world.principals["OperatorPolicy"], pause)
    assert (ended.pop("revoking"), ended.pop("inbox")) == ("200", "served")
    assert ended.pop("POST /answers") == "401 token-rejected"
    assert set(ended.values()) == {FORBIDDEN, DENIED}


def test_an_auditor_changes_nothing(world: World) -> None:
    pause = world.mint()
    before = world.row(pause)
    ended = ways_to_answer(world, world.principals["AuditorPolicy"], pause)
    ended["redriving"] = over_http(world, "AuditorPolicy", "POST", f"/pauses/{pause.minted['jti']}/redrive")
    ended["asking"] = over_http(world, "AuditorPolicy", "POST", "/pauses", a_mint())
    assert ended.pop("POST /answers") == "401 token-rejected"
    assert set(ended.values()) == {FORBIDDEN, DENIED}
    # The notify function marks the row at any moment.
    assert world.row(pause) | {"announced": ...} == before | {"announced": ...}

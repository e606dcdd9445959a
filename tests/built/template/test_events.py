"""The sample events have the shapes that AWS sends, and there is one for each shape."""

import base64
import json
import re
from typing import Any
from urllib.parse import parse_qsl, unquote

import pytest

from local.emulated.routes import Authorizer, read_routes
from tests.support.template import ROOT, WITH_JWT, properties, resolver

EVENTS: dict[str, dict[str, Any]] = {
    path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted((ROOT / "events").glob("*.json"))
}
HTTP = [name for name, event in EVENTS.items() if event.get("version") == "2.0"]
ROTATIONS = [name for name, event in EVENTS.items() if "Step" in event]
QUEUED = [name for name, event in EVENTS.items() if "Records" in event]
DIRECT = [name for name, event in EVENTS.items() if "version" not in event and name not in (*ROTATIONS, *QUEUED)]
AUTHORIZERS = {route.key: route.authorizer for route in read_routes(resolver(**WITH_JWT))}
CONTEXTS = {Authorizer.IAM: {"iam"}, Authorizer.JWT: {"jwt"}, Authorizer.NONE: set()}
SCHEDULED = [name for name, event in EVENTS.items() if event.get("source") == "aws.scheduler"]
PLACEHOLDER = re.compile(r"<[a-z ]+ from (mint|links|the context object)>")


def body(event: dict[str, Any]) -> dict[str, Any]:
    if "body" not in event:
        return {}
    text = base64.b64decode(event["body"], validate=True).decode() if event["isBase64Encoded"] else event["body"]
    parsed: dict[str, Any] = json.loads(text)
    return parsed


def without_scope(request: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in request.items() if name != "scope"}


def test_every_route_and_every_action_has_a_sample() -> None:
    assert {EVENTS[name]["routeKey"] for name in HTTP} == set(AUTHORIZERS)
    assert {EVENTS[name].get("action", "mint") for name in DIRECT} == {
        "mint", "resume", "answer", "answers", "question", "outcome", "list", "show", "revoke", "redrive", "keys",
        "revoke-link", "links", "audit-due", "extend", "reassign", "ask-back", "clarify",
        "delegate",
    }  # fmt: skip


def test_the_other_wire_forms_have_a_sample() -> None:
    assert [name for name in HTTP if EVENTS[name]["isBase64Encoded"]] == ["mint-http-base64"]
    assert [name for name, event in EVENTS.items() if event.get("version") == "1.0"] == ["mint-http-payload-1.0"]
    assert SCHEDULED == ["sweep-schedule"]
    assert ROTATIONS == ["rotate-create"]
    assert QUEUED == ["ended-queue"]


@pytest.mark.parametrize("name", HTTP)
def test_an_http_sample_has_what_the_gateway_sends_and_null_for_nothing(name: str) -> None:
    event = EVENTS[name]
    context = event["requestContext"]
    # What a request does not have is absent from its event, and never null.
    optional = {
        "body": bool(body(event)),
        "pathParameters": "{" in event["routeKey"],
        "queryStringParameters": bool(event["rawQueryString"]),
    }
    assert set(event) == {
        "version", "routeKey", "rawPath", "rawQueryString", "headers", "requestContext", "isBase64Encoded",
    } | {name for name, there in optional.items() if there}  # fmt: skip
    assert event["routeKey"] == context["routeKey"]
    path = event["routeKey"].split(" ")[1].replace("+}", "}").format(**event.get("pathParameters", {}))
    assert f"{context['http']['method']} {unquote(event['rawPath'])}" == f"{event['routeKey'].split(' ')[0]} {path}"
    assert event["rawPath"] == context["http"]["path"]
    assert dict(parse_qsl(event["rawQueryString"])) == event.get("queryStringParameters", {})
    assert all(header == header.lower() for header in event["headers"])
    if optional["body"]:
        assert int(event["headers"]["content-length"]) == len(json.dumps(body(event), ensure_ascii=False).encode())


@pytest.mark.parametrize("name", HTTP)
def test_an_http_sample_was_let_in_by_its_routes_authorizer(name: str) -> None:
    event = EVENTS[name]
    expected = CONTEXTS[AUTHORIZERS[event["routeKey"]]]
    assert set(event["requestContext"].get("authorizer", {})) == expected


def test_people_bring_their_scope_in_claims_and_not_in_the_body() -> None:
    for name in HTTP:
        if AUTHORIZERS[EVENTS[name]["routeKey"]] is Authorizer.JWT:
            claims = EVENTS[name]["requestContext"]["authorizer"]["jwt"]["claims"]
            assert {"tenant_id", "sub_tenant_id", "namespace", "sub"} <= set(claims)
            assert "scope" not in body(EVENTS[name])
            assert "answerer" not in body(EVENTS[name])


@pytest.mark.parametrize("kind", ["mint", "resume", "answer", "question", "outcome"])
def test_one_request_is_the_same_request_however_it_travels(kind: str) -> None:
    direct = {key: value for key, value in EVENTS[f"{kind}-direct"].items() if key != "action"}
    over_http = [body(event) for name, event in EVENTS.items() if name.startswith(f"{kind}-http")]
    for sent in over_http:
        assert sent == {key: direct[key] for key in sent}
    # A direct caller has no authorizer that could say the scope of a person.
    assert without_scope(direct) in map(without_scope, over_http)


@pytest.mark.parametrize("what", ["list", "show", "revoke", "revoke-link", "extend", "reassign", "redrive", "keys"])
def test_an_operators_request_is_the_same_in_a_path_a_query_and_a_direct_invocation(what: str) -> None:
    over_http, direct = EVENTS[f"inbox-{what}-http"], EVENTS[f"inbox-{what}-direct"]
    said = over_http.get("queryStringParameters", {}) | over_http.get("pathParameters", {}) | body(over_http)
    # Who asks is verified over HTTP and stated otherwise; a query knows no numbers.
    stated = {name: str(value) for name, value in direct.items() if name not in ("action", "operator")}
    assert (direct["action"], stated) == (what, said)


def test_the_workflows_mint_is_what_its_task_state_sends() -> None:
    """The expressions of the definition stand where the sample has values; a field that only one has is a drift."""
    state = json.loads((ROOT / "functions/approval_flow.asl.json").read_text(encoding="utf-8"))["States"]["Ask"]
    sent, sample = state["Arguments"]["Payload"], EVENTS["mint-direct-workflow"]
    assert set(sent) <= set(sample)
    assert set(sample) - set(sent) <= {"on_expiry", "remind_after_seconds"}
    assert set(sample["waiter"]) == set(sent["waiter"])
    assert sample["payload"]["questions"][0].keys() == sent["payload"]["questions"][0].keys()


def test_the_schedule_sends_what_it_sends_when_it_is_given_no_input() -> None:
    (event,) = properties("SweepFunction")["Events"].values()
    assert event["Type"] == "ScheduleV2"
    assert "Input" not in event["Properties"]
    assert set(EVENTS["sweep-schedule"]) == {
        "version", "id", "detail-type", "source", "account", "time", "region", "resources", "detail",
    }  # fmt: skip


def test_a_rotation_sends_its_step_its_secret_and_its_version() -> None:
    assert set(EVENTS["rotate-create"]) == {"Step", "SecretId", "ClientRequestToken"}


def test_no_sample_carries_a_token_or_a_credential() -> None:
    for name, event in EVENTS.items():
        request = body(event) if name in HTTP else event
        tokens = [request.get(name) for name in ("pause_token", "answer_token")]
        for secret in (*tokens, request.get("waiter", {}).get("task_token")):
            assert secret is None or PLACEHOLDER.fullmatch(secret)
        if "authorization" in event.get("headers", {}):
            assert event["headers"]["authorization"].endswith("<removed>")

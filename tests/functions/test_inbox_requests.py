"""An operator's requests are read in one way only: paths, queries and direct invocations, and who may send them."""

import json
from typing import Any

import pytest

from tests.functions.inbox import listed
from tests.support.function_deployment import Deployment, Handlers
from tests.support.problems import require_problem
from tests.support.request_bodies import a_scope


@pytest.mark.parametrize(
    ("over", "field"),
    [
        ({"tenant_id": ""}, "scope.tenant_id"),
        ({"tenant_id": "a:b"}, "scope.tenant_id"),
        ({"namespace": ""}, "scope.namespace"),
        ({"limit": "0"}, "limit"),
        ({"limit": "101"}, "limit"),
        ({"limit": ""}, "limit"),
        ({"limit": "+5"}, "limit"),
        ({"limit": "05"}, "limit"),
        ({"limit": "5.0"}, "limit"),
        ({"limit": "\u0665"}, "limit"),
        ({"limit": "-1"}, "limit"),
        ({"next": ""}, "next"),
        ({"next": "x"}, "next"),
        ({"colour": "blue"}, "colour"),
        ({"jti": "x"}, "jti"),
    ],
)
def test_a_query_that_is_not_one_is_refused_by_the_name_of_its_field(
    handlers: Handlers, over: dict[str, str], field: str
) -> None:
    answer = listed(handlers, a_scope(), **over)
    require_problem(answer, 400, "bad-request")
    assert [error["field"] for error in answer.document["errors"]] == [field]


@pytest.mark.parametrize(
    "query",
    [
        "",
        "limit=5",
        "tenant_id=a&tenant_id=b",
        "tenant_id=a&tenant_id=a",
        "tenant_id=a&limit",
        "tenant_id=%ff",
        "tenant_id=a&&",
        "tenant_id=%00",
        "tenant_id=" + "a" * 4100,
        "&".join(f"x{number}=1" for number in range(20)),
    ],
)
def test_a_query_that_cannot_be_read_in_one_way_only_is_refused(handlers: Handlers, query: str) -> None:
    require_problem(handlers.get(f"/pauses?{query}"), 400, "bad-request")


@pytest.mark.parametrize("limit", [0, 101, True, "5", 5.0, None])
def test_a_direct_limit_is_a_number_and_no_text(handlers: Handlers, limit: object) -> None:
    refused = handlers.refused("inbox", {"action": "list", **a_scope(), "limit": limit})
    assert [error["field"] for error in refused["errors"]] == ["limit"]
    assert handlers.invoke("inbox", {"action": "list", **a_scope(), "limit": 100})["pauses"] == []


@pytest.mark.parametrize("jti", ["nobody", "a%20b", "%25", "0" * 256, "a+b", "%F0%9F%98%80"])
def test_a_pause_that_is_not_there_is_unknown_on_every_route(handlers: Handlers, jti: str) -> None:
    for answer in (handlers.get(f"/pauses/{jti}"), handlers.revoke(jti), handlers.redrive(jti)):
        require_problem(answer, 404, "unknown-pause")


@pytest.mark.parametrize("jti", ["0" * 257, "%00", "a%0Ab", "%C3%A9" * 129])
def test_an_id_that_could_never_be_one_is_refused_by_name(handlers: Handlers, jti: str) -> None:
    for answer in (handlers.get(f"/pauses/{jti}"), handlers.revoke(jti), handlers.redrive(jti)):
        require_problem(answer, 400, "bad-request")
        assert [error["field"] for error in answer.document["errors"]] == ["jti"]


def unsigned(event: dict[str, Any]) -> dict[str, Any]:
    del event["requestContext"]["authorizer"]
    return event


@pytest.mark.parametrize(
    ("method", "target"),
    [
        ("GET", "/pauses?tenant_id=a"),
        ("GET", "/pauses/j"),
        ("DELETE", "/pauses/j"),
        ("POST", "/pauses/j/redrive"),
        ("GET", "/keys"),
    ],
)
def test_only_signed_callers_are_let_in(handlers: Handlers, method: str, target: str) -> None:
    require_problem(handlers.send(unsigned(handlers.event(target, method=method))), 401, "unauthenticated")


@pytest.mark.parametrize("method", ["GET", "DELETE"])
@pytest.mark.parametrize("body", ["{}", '{"jti": "x"}', "x"])
def test_a_request_that_takes_no_body_is_refused_with_one(handlers: Handlers, method: str, body: str) -> None:
    require_problem(handlers.send(handlers.event("/pauses/j", body, method=method)), 400, "bad-request")


@pytest.mark.parametrize(
    ("target", "method", "body", "code"),
    [
        ("/pauses/j/redrive", "POST", "{}", "unknown-pause"),
        ("/pauses/j/redrive", "POST", '{"jti": "k"}', "bad-request"),
        ("/pauses/j/redrive", "POST", '{"force": true}', "bad-request"),
        ("/pauses/j/redrive", "POST", "[]", "bad-request"),
        ("/pauses/j?jti=k", "GET", ..., "bad-request"),
        ("/pauses/j?x=1", "GET", ..., "bad-request"),
        ("/keys?key_id=initial", "GET", ..., "bad-request"),
        ("/pauses/j?operator=ada", "DELETE", ..., "bad-request"),
    ],
)
def test_a_request_says_each_thing_once_and_nothing_else(
    handlers: Handlers, target: str, method: str, body: Any, code: str
) -> None:
    assert handlers.send(handlers.event(target, body, method=method)).code == code


@pytest.mark.parametrize("parameters", [..., None, {}, [], {"jti": None}, {"jti": 5}, {"id": "j"}])
def test_an_event_whose_path_names_no_pause_is_answered_and_not_a_fault(handlers: Handlers, parameters: Any) -> None:
    event = handlers.event("/pauses/j", method="GET") | {"pathParameters": parameters}
    event = {name: value for name, value in event.items() if value is not ...}
    require_problem(handlers.send(event), 400, "bad-request")


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/prod/pauses/nobody", (404, "unknown-pause")),
        ("/prod/pauses/no%20body", (404, "unknown-pause")),
        ("/prod/pauses/%ff", (400, "bad-request")),
        ("/prod/pauses/", (404, "unknown-route")),
        ("/prod/pauses/a/b", (404, "unknown-route")),
        ("/prod/pauses", (400, "bad-request")),
    ],
)
def test_a_path_behind_a_catch_all_route_is_read_the_same_way(
    deployment: Deployment, path: str, said: tuple[int, str]
) -> None:
    handlers = deployment.load()
    event = handlers.event("/pauses/j", method="GET") | {"routeKey": "$default", "rawPath": path}
    result = handlers.gateway("inbox", event)
    assert (result["statusCode"], json.loads(result["body"])["code"]) == said


@pytest.mark.parametrize("operator", ["", "a" * 257, 5, "a\nb"])
def test_who_revokes_is_a_name_when_it_is_stated(handlers: Handlers, operator: object) -> None:
    pause = handlers.pause()
    request = {"action": "revoke", "jti": pause.minted["jti"], "operator": operator}
    assert handlers.refused("inbox", request)["code"] == "bad-request"
    assert handlers.redeems(pause)
    unstated = handlers.pause().minted["jti"]
    assert handlers.invoke("inbox", {"action": "revoke", "jti": unstated})["revoked_by"] == "direct"

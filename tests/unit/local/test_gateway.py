"""What the local gateway does by itself: routes, authorizers, CORS, limits and failing functions."""

from __future__ import annotations

import base64
import http.client
import json
from collections.abc import Iterator
from typing import Any

import pytest

from local.emulated.front import REQUEST_LIMIT_BYTES, Front, PortUnavailableError
from local.emulated.gateway import Gateway
from local.emulated.http_events import Request, Response
from local.emulated.routes import Authorizer, Cors, Route

_ORIGIN = "https://app.example"
_CORS = Cors(
    origins=(_ORIGIN, "https://*.pages.example"),
    headers=("authorization", "content-type"),
    methods=("POST",),
    exposed=("retry-after",),
    max_age=600,
    credentials=False,
)
_ROUTES = tuple(
    Route(method="POST", path=path, authorizer=authorizer, function=function)
    for path, authorizer, function in (
        ("/signed", Authorizer.IAM, "echo"),
        ("/user", Authorizer.JWT, "echo"),
        ("/open", Authorizer.NONE, "echo"),
        ("/broken", Authorizer.NONE, "broken"),
        ("/nonsense", Authorizer.NONE, "nonsense"),
        ("/cors", Authorizer.NONE, "own cors"),
    )
)


def _broken(_event: Any, alias: str) -> Any:
    raise ValueError("a token that must not be shown")


def a_gateway(cors: Cors | None = _CORS) -> Gateway:
    return Gateway(
        routes=_ROUTES,
        cors=cors,
        functions={
            "echo": lambda event, alias: event,
            "broken": _broken,
            "nonsense": lambda _event, alias: {"statusCode": "soon"},
            "own cors": lambda _event, alias: {"statusCode": 200, "headers": {"Access-Control-Allow-Origin": "*"}},
        },
    )


def ask(path: str, *headers: tuple[str, str], method: str = "POST", cors: Cors | None = _CORS) -> Response:
    return a_gateway(cors).answer(Request(method=method, target=path, headers=headers))


@pytest.mark.parametrize(("method", "path"), [("POST", "/nowhere"), ("GET", "/open"), ("POST", "/open/")])
def test_what_no_route_takes_is_not_found(method: str, path: str) -> None:
    response = ask(path, method=method)

    assert (response.status, response.body) == (404, b'{"message":"Not Found"}')


def test_a_signed_route_arrives_as_the_local_user() -> None:
    event = json.loads(ask("/signed").body)

    assert event["requestContext"]["authorizer"]["iam"]["userArn"] == "arn:aws:iam::123456789012:user/local"


def test_a_user_route_carries_the_claims_of_its_token_as_text() -> None:
    claims = base64.urlsafe_b64encode(b'{"sub":"ada","groups":["a","b"],"exp":1}').decode().rstrip("=")

    event = json.loads(ask("/user", ("Authorization", f"Bearer e30.{claims}.sig")).body)

    assert event["requestContext"]["authorizer"]["jwt"] == {
        "claims": {"sub": "ada", "groups": "[a b]", "exp": "1"},
        "scopes": None,
    }


@pytest.mark.parametrize("token", ["", "Bearer", "Bearer abc", "Basic a.b.c", "Bearer e30.W10.x", "Bearer e30.!.x"])
def test_a_user_route_without_a_readable_token_is_refused(token: str) -> None:
    response = ask("/user", ("Authorization", token))

    assert (response.status, response.body) == (401, b'{"message":"Unauthorized"}')


@pytest.mark.parametrize("path", ["/broken", "/nonsense"])
def test_a_failing_function_is_a_500_that_tells_nothing(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    response = ask(path)

    assert (response.status, response.body) == (500, b'{"message":"Internal Server Error"}')
    assert "token that must not be shown" not in capsys.readouterr().err


@pytest.mark.parametrize("path", ["/signed", "/user", "/nowhere"])
def test_a_preflight_needs_no_authorisation_and_no_route(path: str) -> None:
    response = ask(path, ("Origin", _ORIGIN), ("Access-Control-Request-Method", "POST"), method="OPTIONS")

    assert (response.status, response.body) == (204, b"")
    assert response.headers == {
        "access-control-allow-origin": _ORIGIN,
        "access-control-allow-methods": "POST",
        "access-control-allow-headers": "authorization,content-type",
        "access-control-max-age": "600",
    }


@pytest.mark.parametrize("path", ["/open", "/broken", "/nowhere", "/user", "/cors"])
@pytest.mark.parametrize("origin", [_ORIGIN, "https://one.pages.example"])
def test_every_answer_carries_the_origin_that_is_allowed(path: str, origin: str) -> None:
    response = ask(path, ("Origin", origin))

    assert response.headers["access-control-allow-origin"] == origin
    assert response.headers["access-control-expose-headers"] == "retry-after"


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "https://app.example.evil.example"])
def test_an_origin_that_is_not_listed_gets_nothing(origin: str) -> None:
    preflight = ask("/open", ("Origin", origin), ("Access-Control-Request-Method", "POST"), method="OPTIONS")

    assert preflight.headers == {}
    assert not [name for name in ask("/cors", ("Origin", origin)).headers if name.startswith("access-control")]


def test_without_a_configuration_the_functions_own_headers_pass() -> None:
    assert ask("/cors", ("Origin", _ORIGIN), cors=None).headers["access-control-allow-origin"] == "*"


@pytest.fixture
def front() -> Iterator[Front]:
    with Front().lead_to(a_gateway()) as up:
        yield up


def test_a_body_over_ten_megabytes_is_refused_before_a_function_sees_it(front: Front) -> None:
    connection = _connection(front)
    connection.request("POST", "/open", b"x" * (REQUEST_LIMIT_BYTES + 1))
    response = connection.getresponse()
    body = response.read()
    connection.close()

    assert (response.status, body) == (413, b'{"message":"Request Entity Too Large"}')


def test_one_connection_takes_several_requests(front: Front) -> None:
    connection = _connection(front)
    for number in ("1", "2"):
        connection.request("POST", f"/open?n={number}", b"{}", {"Content-Type": "application/json"})
        event = json.loads(connection.getresponse().read())
        assert (event["queryStringParameters"], event["body"]) == ({"n": number}, "{}")
    connection.close()


def test_two_fronts_cannot_have_one_port(front: Front) -> None:
    port = int(front.url.rpartition(":")[2])

    with pytest.raises(PortUnavailableError, match=str(port)):
        Front(port)


def _connection(front: Front) -> http.client.HTTPConnection:
    return http.client.HTTPConnection(front.url.removeprefix("http://"))

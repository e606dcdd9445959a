"""HTTP to Lambda event and Lambda result to HTTP, as payload format 2.0 has them."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from local.emulated.http_events import FunctionResponseError, Request, build_event, read_result
from local.emulated.routes import Authorizer, Route

_ROUTE = Route(method="POST", path="/pauses/{jti}", authorizer=Authorizer.NONE, function="mint")


def an_event(*headers: tuple[str, str], target: str = "/pauses/1", body: bytes = b"", **over: Any) -> dict[str, Any]:
    request = Request(method="POST", target=target, headers=headers, body=body)
    given: dict[str, Any] = {"path_parameters": {}, "authorizer": None} | over
    return build_event(request, _ROUTE, **given)


def test_an_event_without_anything_optional_has_no_key_for_it() -> None:
    event = an_event()

    assert set(event) == {
        "version",
        "routeKey",
        "rawPath",
        "rawQueryString",
        "headers",
        "requestContext",
        "isBase64Encoded",
    }
    assert (event["version"], event["routeKey"], event["rawPath"]) == ("2.0", "POST /pauses/{jti}", "/pauses/1")
    assert event["requestContext"]["http"]["method"] == "POST"
    assert "authorizer" not in event["requestContext"]


def test_header_names_are_lower_case_and_repeated_ones_are_joined() -> None:
    event = an_event(("X-Trace", "a"), ("x-trace", "b"))

    assert event["headers"] == {"x-trace": "a,b"}


def test_cookies_leave_the_headers_for_a_list() -> None:
    event = an_event(("Cookie", "a=1; b=2,3"), ("Cookie", "c=4"))

    assert event["cookies"] == ["a=1", "b=2,3", "c=4"]
    assert event["headers"] == {}


def test_a_query_is_kept_raw_and_decoded_once_beside_it() -> None:
    event = an_event(target="/pauses/1?q=C%2B%2B+%2526&q=2&empty=")

    assert event["rawPath"] == "/pauses/1"
    assert event["rawQueryString"] == "q=C%2B%2B+%2526&q=2&empty="
    assert event["queryStringParameters"] == {"q": "C++ %26,2", "empty": ""}


@pytest.mark.parametrize(
    "kind", ["application/json", "Application/JSON; charset=utf-8", "text/plain", "application/xml"]
)
def test_a_body_of_a_text_type_arrives_as_text(kind: str) -> None:
    event = an_event(("content-type", kind), body='{"a":"é"}'.encode())

    assert (event["body"], event["isBase64Encoded"]) == ('{"a":"é"}', False)


@pytest.mark.parametrize("headers", [(), (("content-type", "application/x-www-form-urlencoded"),)])
def test_a_body_of_any_other_type_or_of_none_arrives_encoded(headers: tuple[tuple[str, str], ...]) -> None:
    event = an_event(*headers, body=b"{}")

    assert (base64.b64decode(event["body"]), event["isBase64Encoded"]) == (b"{}", True)


def test_a_result_without_a_status_is_the_body_of_a_200() -> None:
    response = read_result({"a": 1})

    assert (response.status, response.headers) == (200, {"content-type": "application/json"})
    assert json.loads(response.body) == {"a": 1}


def test_a_text_result_is_the_body_as_it_is() -> None:
    assert read_result("hello").body == b"hello"


def test_a_full_result_says_everything_itself() -> None:
    response = read_result(
        {
            "statusCode": 409,
            "headers": {"Content-Type": "application/problem+json", "Retry-After": 3},
            "cookies": ["a=1", "b=2"],
            "body": base64.b64encode(b"\x00\x01").decode(),
            "isBase64Encoded": True,
        }
    )

    assert response.status == 409
    assert response.headers == {"content-type": "application/problem+json", "retry-after": "3"}
    assert response.cookies == ("a=1", "b=2")
    assert response.body == b"\x00\x01"


def test_a_full_result_without_a_type_is_plain_text_and_without_a_body_is_empty() -> None:
    response = read_result({"statusCode": "204"})

    assert (response.status, response.headers["content-type"]) == (204, "text/plain;charset=UTF-8")
    assert response.body == b""


@pytest.mark.parametrize(
    "result",
    [
        {"statusCode": "soon"},
        {"statusCode": 42},
        {"statusCode": None},
        {"statusCode": 200, "body": {"not": "text"}},
        {"statusCode": 200, "body": "no base64!", "isBase64Encoded": True},
    ],
)
def test_a_result_the_gateway_can_make_nothing_of_is_refused(result: dict[str, Any]) -> None:
    with pytest.raises(FunctionResponseError):
        read_result(result)

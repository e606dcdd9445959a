"""A page on another origin (A-30): its preflight passes, and it can read every answer, refusals too."""

from __future__ import annotations

import http.client
import json
import os
from collections.abc import Iterator
from typing import Any

import boto3
import pytest

from askback.adapters.dynamodb.keys import ledger_key
from local.demo.story import Transcript
from local.emulated.stack import Stack

_ORIGIN = "https://app.example"
_ROUTES = ("/pauses", "/resume", "/answers", "/questions")


@pytest.fixture(scope="module")
def stack() -> Iterator[Stack]:
    with Stack(parameters={"AllowedOrigins": f"{_ORIGIN},https://other.example", "ReturnLinks": "true"}) as up:
        yield up


@pytest.fixture
def pause(stack: Stack) -> dict[str, Any]:
    status, _, document = _send(stack, "POST", "/pauses", Transcript.refund().mint_request())
    assert status == 201
    return document


@pytest.mark.parametrize("path", _ROUTES)
def test_a_preflight_needs_no_authorisation(stack: Stack, path: str) -> None:
    status, headers, _ = _send(
        stack,
        "OPTIONS",
        path,
        None,
        **{"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type"},
    )

    assert 200 <= status < 300
    assert headers["access-control-allow-origin"] == _ORIGIN
    assert "POST" in headers["access-control-allow-methods"]
    assert "content-type" in headers["access-control-allow-headers"]
    assert "access-control-allow-credentials" not in headers


def test_the_page_can_read_an_accepted_answer(stack: Stack, pause: dict[str, Any]) -> None:
    _expect_readable(_send(stack, "POST", "/answers", _answer(pause, "Approve")), 200)


def test_the_page_can_read_that_its_request_was_not_json(stack: Stack) -> None:
    _expect_readable(_send(stack, "POST", "/answers", None), 400, "bad-request")


def test_the_page_can_read_that_its_token_is_not_accepted(stack: Stack, pause: dict[str, Any]) -> None:
    forged = pause | {"answer_token": pause["answer_token"][:-4] + "AAAA"}

    _expect_readable(_send(stack, "POST", "/answers", _answer(forged, "Approve")), 401, "token-rejected")


def test_the_page_can_read_that_the_pause_is_over(stack: Stack, pause: dict[str, Any]) -> None:
    table: Any = boto3.client("dynamodb")
    table.update_item(
        TableName=os.environ["ASKBACK_TABLE_NAME"],
        Key=ledger_key(pause["jti"]),
        UpdateExpression="SET #status = :revoked",
        ExpressionAttributeNames={"#status": "status"},
        ExpressionAttributeValues={":revoked": {"S": "revoked"}},
    )

    _expect_readable(_send(stack, "POST", "/answers", _answer(pause, "Approve")), 410, "revoked")


def test_a_page_on_an_origin_that_is_not_listed_can_read_nothing(stack: Stack, pause: dict[str, Any]) -> None:
    _, headers, _ = _send(stack, "POST", "/answers", _answer(pause, "Approve"), Origin="https://evil.example")

    assert "access-control-allow-origin" not in headers


def _answer(pause: dict[str, Any], label: str) -> dict[str, Any]:
    question = pause["payload"]["questions"][0]["id"]
    return {
        "answer_token": pause["answer_token"],
        "response": {"answers": [{"question_id": question, "selections": [label]}]},
    }


def _expect_readable(answer: tuple[int, dict[str, str], dict[str, Any]], status: int, code: str | None = None) -> None:
    came, headers, document = answer
    assert (came, document.get("code")) == (status, code)
    assert headers["access-control-allow-origin"] == _ORIGIN


def _send(
    stack: Stack, method: str, path: str, body: dict[str, Any] | None, **headers: str
) -> tuple[int, dict[str, str], dict[str, Any]]:
    """Status, headers and document of a page's request; no body stands for text that is not JSON."""
    connection = http.client.HTTPConnection(stack.url.removeprefix("http://"))
    try:
        text = "not json" if body is None else json.dumps(body)
        connection.request(method, path, text, {"Origin": _ORIGIN, "Content-Type": "application/json"} | headers)
        response = connection.getresponse()
        raw = response.read()
        return response.status, {k.lower(): v for k, v in response.getheaders()}, json.loads(raw) if raw else {}
    finally:
        connection.close()

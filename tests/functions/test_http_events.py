"""The ways a request travels: encodings, stages, headers, bodies that are none, and events of another kind."""

import base64
import json
from typing import Any

import pytest

from tests.support.function_deployment import Handlers
from tests.support.request_bodies import a_question


@pytest.mark.parametrize("flag", [True, "true", "True"])
@pytest.mark.parametrize("kind", [None, "application/octet-stream", "application/json"])
def test_an_encoded_body_is_the_same_request_whatever_its_content_type(
    handlers: Handlers, flag: object, kind: str | None
) -> None:
    """A-26: the gateway encodes what is not text by its content type."""
    pause = handlers.pause()
    event = handlers.event("/resume", pause.resume())
    event |= {"body": base64.b64encode(event["body"].encode()).decode(), "isBase64Encoded": flag}
    event["headers"] = {"content-type": kind} if kind else {}
    assert handlers.send(event).status == 200


@pytest.mark.parametrize("flag", [..., None, False, "false", ""])
def test_a_body_without_the_flag_is_not_encoded(handlers: Handlers, flag: object) -> None:
    """A-26: an absent flag means not encoded."""
    pause = handlers.pause()
    event = handlers.event("/resume", pause.resume())
    event["isBase64Encoded"] = flag
    assert handlers.send({name: value for name, value in event.items() if value is not ...}).status == 200


@pytest.mark.parametrize("body", ["{}", "a", "no base64!", "ä", "\ud83d"])
def test_a_body_that_is_marked_as_base64_and_is_not_is_a_bad_request(handlers: Handlers, body: str) -> None:
    event = handlers.event("/resume", "{}") | {"body": body, "isBase64Encoded": True}
    assert handlers.send(event).said == (400, "bad-request")


@pytest.mark.parametrize(
    ("stage", "path", "key"),
    [
        ("$default", "/resume", "POST /resume"),
        ("prod", "/prod/resume", "POST /resume"),
        ("resume", "/resume/resume", "POST /resume"),
        ("$default", "/hitl/resume", "POST /resume"),
        ("prod", "/prod/resume", "$default"),
        ("resume", "/resume/resume", "$default"),
        ("$default", "/hitl/resume", "ANY /{proxy+}"),
    ],
)
def test_a_stage_or_a_base_path_before_the_route_changes_nothing(
    handlers: Handlers, stage: str, path: str, key: str
) -> None:
    """A-27: also behind a catch-all route, whose key does not name the path."""
    pause = handlers.pause()
    event = handlers.event("/resume", pause.resume()) | {"routeKey": key, "rawPath": path}
    event["requestContext"] |= {"stage": stage, "routeKey": key}
    assert handlers.send(event).status == 200


@pytest.mark.parametrize("path", ["/resume/", "/resumes", "/xresume", "/", ""])
def test_a_path_that_is_not_the_routes_is_an_unknown_route(handlers: Handlers, path: str) -> None:
    """A-27: a trailing slash is another path, as it is to the gateway."""
    event = handlers.event("/resume", handlers.pause().resume())
    assert handlers.send(event | {"routeKey": "$default", "rawPath": path}).said == (404, "unknown-route")


def test_a_path_behind_a_catch_all_is_held_to_its_own_routes_callers(handlers: Handlers) -> None:
    event = handlers.event("/resume", handlers.pause().resume())
    event |= {"routeKey": "$default", "rawPath": "/user/resume"}
    assert handlers.send(event).said == (401, "unauthenticated")


@pytest.mark.parametrize(
    "headers",
    [
        None,
        {},
        {"X-Tenant-Id": "globex"},
        {"x-tenant-id": "globex", "X-TENANT-ID": "acme"},
        {"x-tenant-id": "acme,globex"},
        {"Authorization": "Bearer other"},
    ],
)
@pytest.mark.parametrize("path", ["/resume", "/user/resume"])
def test_no_header_says_who_calls(handlers: Handlers, path: str, headers: dict[str, str] | None) -> None:
    """A-28: the authorizer and the body do; headers in any case, doubled or null change nothing."""
    pause = handlers.pause()
    assert handlers.send(handlers.event(path, pause.resume()) | {"headers": headers}).status == 200


@pytest.mark.parametrize(
    "text", ["C++ & 100% sure", "%2B+%26", "a\u00e9\U0001f600 \u202e x", 'say "hi"\n\\n', "=HYPERLINK(1)"]
)
def test_the_text_of_an_answer_arrives_unchanged(handlers: Handlers, text: str) -> None:
    """A-31: decoded once, whatever looks like an encoding."""
    pause = handlers.pause(payload={"questions": [a_question(allow_other=True)]})
    resumed = handlers.post("/resume", pause.resume(response=pause.response(selections=[], other=text)))
    assert resumed.status == 200
    assert resumed.document["response"]["answers"][0]["other"] == text


@pytest.mark.parametrize("encoded", [True, False])
def test_a_form_post_is_a_bad_request(handlers: Handlers, encoded: bool) -> None:
    """A-31: the routes take JSON and nothing else."""
    form = "pause_token=abc&other=C%2B%2B+%26+100%25"
    body = base64.b64encode(form.encode()).decode() if encoded else form
    event = handlers.event("/answers", form) | {"body": body, "isBase64Encoded": encoded}
    event["headers"] = {"content-type": "application/x-www-form-urlencoded"}
    assert handlers.send(event).said == (400, "bad-request")


def test_payload_format_1_is_a_bad_request_that_names_the_setting(handlers: Handlers) -> None:
    """A-32: such an event is answered and never read as format 2.0."""
    pause = handlers.pause()
    event = {
        "version": "1.0",
        "resource": "/resume",
        "path": "/resume",
        "httpMethod": "POST",
        "headers": None,
        "requestContext": {
            "stage": "prod",
            "resourcePath": "/resume",
            "identity": {"userArn": "arn:aws:iam::1:user/a"},
        },
        "body": json.dumps(pause.resume()),
        "isBase64Encoded": False,
    }
    refused = handlers.send(event)
    assert refused.said == (400, "bad-request")
    assert "payload format" in refused.document["detail"]
    assert handlers.redeems(pause)


OTHER_EVENTS: dict[str, Any] = {
    "nothing": {},
    "null": None,
    "a list": [],
    "a text": "resume",
    "a number": 5,
    "a queue": {"Records": [{"messageId": "1", "body": "{}", "eventSource": "aws:sqs"}]},
    "a schedule": {"version": "0", "detail-type": "Scheduled Event", "source": "aws.events", "detail": {}},
    "a REST API without a context": {"httpMethod": "POST", "path": "/resume", "body": "{}"},
    "an unknown action": {"action": "delete"},
    "an action that is a list": {"action": ["resume"]},
    "an action that is null": {"action": None},
    "an action that is an object": {"action": {}},
}


@pytest.mark.parametrize("kind", ["mint", "resume", "inbox"])
@pytest.mark.parametrize("what", OTHER_EVENTS)
def test_an_event_of_another_kind_is_a_bad_request(handlers: Handlers, kind: str, what: str) -> None:
    """A-32: a clean error, whatever invokes the function."""
    assert handlers.refused(kind, OTHER_EVENTS[what])["code"] == "bad-request"


@pytest.mark.parametrize(
    "change",
    [
        {"routeKey": None},
        {"routeKey": ["POST /resume"]},
        {"routeKey": {}},
        {"rawPath": 5},
        {"rawPath": None},
        {"requestContext": {}},
        {"requestContext": {"http": None}},
        {"requestContext": {"http": {}}},
        {"requestContext": {"http": {"method": 5}}},
        {"requestContext": {"elb": {"targetGroupArn": "arn"}}},
    ],
)
def test_an_http_event_of_an_odd_shape_is_answered_and_not_a_fault(handlers: Handlers, change: dict[str, Any]) -> None:
    event = handlers.event("/questions", {"answer_token": "a.b.c"}) | {"rawPath": "/elsewhere", **change}
    if "routeKey" not in change:
        event["routeKey"] = "$default"
    assert handlers.send(event).status in (400, 404)

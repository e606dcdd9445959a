"""Each function takes an event of any shape: it refuses it in its own way, and nothing unforeseen happens."""

import itertools
import json
from typing import Any

import pytest

from askback.domain.errors import HumanInteractionError
from askback.domain.keys.rotation import RotationError
from tests.support.function_deployment import Deployment, Handlers

SCALARS: list[Any] = [None, True, 0, 1.5, "", "text", "\ud83d", [], [1], ["a", {}], {}, {"": None}, {"a": {"b": []}}]
HTTP: dict[str, Any] = {
    "version": "2.0",
    "routeKey": "POST /resume",
    "rawPath": "/resume",
    "rawQueryString": "",
    "headers": {},
    "pathParameters": {},
    "requestContext": {"http": {"method": "POST", "path": "/resume"}, "authorizer": {"iam": {"userArn": "arn"}}},
    "body": "{}",
    "isBase64Encoded": False,
}
KEYS = [
    "POST /resume", "POST /answers", "POST /user/answers", "POST /questions", "POST /user/questions",
    "POST /outcomes", "POST /pauses", "POST /answers/batch", "POST /user/answers/batch",
    "GET /pauses", "GET /pauses/{jti}", "DELETE /pauses/{jti}", "POST /pauses/{jti}/redrive",
    "POST /pauses/{jti}/links/revoke", "POST /pauses/{jti}/revoke", "POST /pauses/{jti}/extend",
    "POST /pauses/{jti}/reassign", "GET /keys", "POST /pauses/{jti}/clarifications",
    "POST /clarifications", "POST /user/clarifications", "POST /delegations", "POST /user/delegations",
    "GET /answer", "HEAD /answer/page.js", "$default",
]  # fmt: skip


def shapes() -> list[Any]:
    """Return events: each JSON value alone, and HTTP events with one part replaced by each JSON value."""
    bare = [*SCALARS, {"Records": []}, {"detail-type": []}, {"detail-type": "PauseIssued", "detail": 1}]
    bare += [{"action": value} for value in SCALARS] + [{"Step": value, "SecretId": value} for value in SCALARS]
    bare += [{"Records": [value]} for value in SCALARS]
    bare += [{"Records": [{"messageId": "1", "body": value}]} for value in (*SCALARS, *map(json.dumps, SCALARS))]
    bare += [
        {"detail-type": "PauseIssued", "detail": {"jti": value, "name": "x", "scope_hash": "y"}} for value in SCALARS
    ]
    parts = [{**HTTP, part: value} for part, value in itertools.product(HTTP, SCALARS)]
    context = [
        {**HTTP, "requestContext": {**HTTP["requestContext"], part: value}}
        for part, value in itertools.product(("http", "authorizer"), SCALARS)
    ]
    inner = [
        {**HTTP, "requestContext": {**HTTP["requestContext"], "authorizer": {kind: value}}}
        for kind, value in itertools.product(("iam", "jwt"), SCALARS)
    ]
    return bare + parts + context + inner


@pytest.mark.parametrize("kind", ["mint", "resume", "inbox", "page", "sweep", "ended", "notify", "rotate"])
def test_an_event_of_any_shape_is_refused_in_the_functions_own_way(deployment: Deployment, kind: str) -> None:
    """D-57: the page function failed at `headers` that are no object."""
    handlers = deployment.load(only=frozenset({kind}))
    events = shapes()
    if kind in ("mint", "resume", "inbox", "page"):
        events += [{**event, "routeKey": key} for event in events if isinstance(event, dict) for key in KEYS]
    start = len(deployment.output.getvalue())
    for event in events:
        answered(handlers, kind, event)
    assert '"unforeseen"' not in deployment.output.getvalue()[start:]


def answered(handlers: Handlers, kind: str, event: Any) -> None:
    raised: Exception | None = None
    reply: Any = {}
    try:
        reply = handlers.gateway(kind, event)
    except Exception as error:  # noqa: BLE001 - the kinds that may be raised are told apart below
        raised = error
    if isinstance(raised, HumanInteractionError | RotationError):
        return
    if raised is not None:
        assert type(raised).__name__.startswith("Askback."), (event, raised)
        reply = {"statusCode": json.loads(str(raised))["status"]}
    assert reply.get("statusCode", 200) < 500, event

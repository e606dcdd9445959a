"""Bodies that are no JSON object, or that two readers could read differently."""

import base64
import json

import pytest

from tests.support.function_deployment import Handlers
from tests.support.request_bodies import Pause, a_question

LONE = "\\ud83d"
"""Half a surrogate pair, escaped as JSON does."""

NO_OBJECTS: dict[str, object] = {
    "absent": ...,
    "null": None,
    "empty": "",
    "a number": 5,
    "an object instead of text": {"pause_token": "a"},
    "JSON null": "null",
    "JSON list": "[]",
    "JSON text": '"x"',
    "cut off": "{",
    "a byte order mark": "\ufeff{}",
    "two values": "{}{}",
    "deep": "[" * 100_000,
    "a long number": '{"a":' + "1" * 5000 + "}",
    "NaN": '{"a":NaN}',
    "Infinity": '{"a":-Infinity}',
    "a number out of range": '{"a":1e400}',
    "single quotes": "{'a': 1}",
    "half a surrogate pair, raw": "\ud83d",
}


@pytest.mark.parametrize("what", NO_OBJECTS)
@pytest.mark.parametrize("path", ["/pauses", "/resume", "/answers", "/questions", "/user/answers", "/answers/batch"])
def test_a_body_that_is_no_json_object_is_a_bad_request(handlers: Handlers, path: str, what: str) -> None:
    """A-34, A-42: empty, null, cut off, or not JSON at all."""
    event = handlers.event(path, "{}") | {"body": NO_OBJECTS[what]}
    refused = handlers.send({name: value for name, value in event.items() if value is not ...})
    assert refused.said == (400, "bad-request")


@pytest.mark.parametrize("raw", [b"\xff\xfe{}", b"\xef\xbb\xbf{}", '{"a":"ü"}'.encode("latin-1")])
def test_a_body_that_is_not_utf_8_is_a_bad_request(handlers: Handlers, raw: bytes) -> None:
    event = handlers.event("/resume", "{}") | {"body": base64.b64encode(raw).decode(), "isBase64Encoded": True}
    assert handlers.send(event).said == (400, "bad-request")


def _doubled(pause: Pause) -> dict[str, str]:
    body = json.dumps(pause.resume())
    return {
        "the token": body.replace('{"pause_token"', '{"pause_token": "a.b.c", "pause_token"', 1),
        "the selections": body.replace('"selections"', '"selections": ["Reject"], "selections"', 1),
        "the tenant": body.replace('"tenant_id"', '"tenant_id": "globex", "tenant_id"', 1),
    }


@pytest.mark.parametrize("what", ["the token", "the selections", "the tenant"])
def test_a_key_that_is_there_twice_is_a_bad_request_at_every_depth(handlers: Handlers, what: str) -> None:
    """A-43: no reader of the body may see another value than we do."""
    pause = handlers.pause()
    refused = handlers.post("/resume", _doubled(pause)[what])
    assert refused.said == (400, "bad-request")
    assert "twice" in refused.document["detail"]
    assert handlers.redeems(pause)


def test_half_a_surrogate_pair_is_refused_by_name_and_a_whole_one_is_the_character(handlers: Handlers) -> None:
    """A-44: the escaped pair and the raw character are one and the same answer."""
    pause = handlers.pause(payload={"questions": [a_question(allow_other=True)]})
    body = json.dumps(pause.resume(response=pause.response(selections=[], other="?")))
    lone = handlers.post("/resume", body.replace('"?"', f'"{LONE}"'))
    assert lone.said == (422, "answer-invalid")
    assert lone.document["errors"][0]["field"] == "response.answers[0].other"
    pair = handlers.post("/resume", body.replace('"?"', f'"{LONE}\\ude00"'))
    raw = handlers.post("/resume", body.replace('"?"', '"\U0001f600"'))
    assert (pair.status, raw.status, raw.document["replayed"]) == (200, 200, True)
    assert raw.document["response"]["answers"][0]["other"] == "\U0001f600"


def test_half_a_surrogate_pair_inside_a_message_is_carried_as_it_is(handlers: Handlers) -> None:
    """A-44: messages are carried and never interpreted."""
    messages = [{"role": "user", "content": "\ud83d", "\ude00": [1.0, None, "e\u0301"]}]
    pause = handlers.pause(messages=messages)
    resumed = handlers.post("/resume", pause.resume())
    assert json.dumps(resumed.document["turn"]["messages"], sort_keys=True) == json.dumps(messages, sort_keys=True)

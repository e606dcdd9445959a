"""Whatever is sent, it is answered: never a fault of ours, and the token stays good.

The examples are drawn the same way in every run.
"""

import base64
import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from local.emulated.gateway import LOCAL_USER
from tests.support.function_deployment import Answer, Deployment, Handlers, read_answer
from tests.support.request_bodies import PERSON, Pause, a_mint, a_question

ROUTES = ["/pauses", "/resume", "/answers", "/questions", "/user/resume", "/user/answers", "/answers/batch"]
PATIENT = settings(
    max_examples=150,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)

# Surrogates included: they pass as JSON escapes.
TEXTS = st.text(st.characters(codec=None, exclude_categories=()), max_size=20)
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.just(10**400)
    | st.floats()
    | TEXTS
    | st.sampled_from(["ask_user", "Approve", "q-0123456789ab", "_", ":", "\x00", "\ud83d", "a\ude00", "a" * 300])
)
JSON = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3), max_leaves=8
)
FINITE = JSON.filter(lambda value: "NaN" not in json.dumps(value) and "Infinity" not in json.dumps(value))

Path = tuple[str | int, ...]


class Subject:
    """A pause that is shot at, replaced when a shot was a legal answer."""

    def __init__(self, handlers: Handlers) -> None:
        self.handlers = handlers
        self.pause = self.fresh()

    def fresh(self) -> Pause:
        return self.handlers.pause(payload={"questions": [a_question(allow_other=True, multi_select=True)]})

    def hit(self, answer: Answer) -> None:
        """Judge the answer to a shot."""
        assert answer.status in (200, 201, 400, 401, 403, 404, 409, 413, 422), answer.document
        if answer.status == 200:
            self.pause = self.fresh()


@pytest.fixture(scope="module")
def subject(deployment: Deployment) -> Iterator[Subject]:
    shot_at = Subject(deployment.handlers)
    yield shot_at
    assert deployment.handlers.redeems(shot_at.pause)


@pytest.fixture(autouse=True)
def _still_redeems(subject: Subject) -> Iterator[None]:
    yield
    assert subject.handlers.redeems(subject.pause)
    subject.pause = subject.fresh()


def paths(document: Any, at: Path = ()) -> list[Path]:
    """Return the path of every value inside a JSON document."""
    inner: list[tuple[str | int, Any]] = []
    if isinstance(document, dict):
        inner = list(document.items())
    elif isinstance(document, list):
        inner = list(enumerate(document))
    return [path for name, value in inner for path in ((*at, name), *paths(value, (*at, name)))]


def replaced(document: Any, path: Path, value: Any) -> Any:
    """Return a copy with the value at the path replaced, or left out when it is `...`."""
    changed = copy.deepcopy(document)
    inside = changed
    for part in path[:-1]:
        inside = inside[part]
    if value is ...:
        del inside[path[-1]]
    else:
        inside[path[-1]] = value
    return changed


def body_of(subject: Subject, route: str) -> dict[str, Any]:
    match route:
        case "/pauses":
            return a_mint()
        case "/questions":
            return {"answer_token": subject.pause.minted["answer_token"]}
        case "/answers":
            return subject.pause.answer()
        case _:
            return subject.pause.resume(answerer="ada", tool_call_id=subject.pause.minted["tool_call_id"])


def invoked(handlers: Handlers, kind: str, event: Any) -> Answer:
    """Return what a function makes of any event: a response, an object, or an exception named after its code."""
    try:
        result = handlers.gateway(kind, event)
    except Exception as error:
        if not type(error).__name__.startswith("Askback."):
            raise
        document = json.loads(str(error))
        return Answer(status=document["status"], headers={}, document=document)
    if isinstance(result, dict) and "statusCode" in result:
        return read_answer(result)
    return Answer(status=201 if kind == "mint" else 200, headers={}, document=result)


@PATIENT
@given(route=st.sampled_from(ROUTES), body=FINITE)
def test_any_json_for_a_body(subject: Subject, route: str, body: Any) -> None:
    subject.hit(subject.handlers.post(route, json.dumps(body)))


@PATIENT
@given(route=st.sampled_from(ROUTES), data=st.data())
def test_any_json_in_place_of_any_part_of_a_good_body(subject: Subject, route: str, data: st.DataObject) -> None:
    body = body_of(subject, route)
    path = data.draw(st.sampled_from(paths(body)))
    subject.hit(subject.handlers.post(route, replaced(body, path, data.draw(st.just(...) | FINITE))))


@PATIENT
@given(kind=st.sampled_from(["mint", "resume", "inbox"]), data=st.data())
def test_any_json_in_place_of_any_part_of_a_direct_request(subject: Subject, kind: str, data: st.DataObject) -> None:
    action = data.draw(st.sampled_from(["resume", "answer", "question"]))
    if kind == "mint":
        body = a_mint()
    elif action == "question":
        body = {"action": action, "pause_token": subject.pause.minted["pause_token"]}
    else:
        body = {"action": action, **body_of(subject, "/resume")}
    path = data.draw(st.sampled_from(paths(body)))
    subject.hit(invoked(subject.handlers, kind, replaced(body, path, data.draw(st.just(...) | JSON))))


@PATIENT
@given(kind=st.sampled_from(["mint", "resume", "inbox"]), event=JSON)
def test_any_json_for_an_event(subject: Subject, kind: str, event: Any) -> None:
    subject.hit(invoked(subject.handlers, kind, event))


@PATIENT
@given(route=st.sampled_from(ROUTES), data=st.data())
def test_any_json_in_place_of_any_part_of_an_event(subject: Subject, route: str, data: st.DataObject) -> None:
    event = subject.handlers.event(route, body_of(subject, route))
    path = data.draw(st.sampled_from(paths(event)))
    changed = replaced(event, path, data.draw(st.just(...) | JSON))
    subject.hit(invoked(subject.handlers, "mint" if route == "/pauses" else "resume", changed))


@PATIENT
@given(
    route=st.sampled_from(["/pauses", "/resume", "/user/resume", "/user/answers"]),
    authorizer=st.fixed_dictionaries({}, optional={
        "iam": JSON | st.builds(lambda arn: {**LOCAL_USER, "userArn": arn}, JSON),
        "jwt": JSON | st.builds(
            lambda name, value: {"claims": {**PERSON, name: value}},
            st.sampled_from(["tenant_id", "sub_tenant_id", "namespace", "sub"]), JSON,
        ),
    }),
)  # fmt: skip
def test_anything_an_authorizer_could_leave(subject: Subject, route: str, authorizer: Any) -> None:
    event = subject.handlers.event(route, body_of(subject, route))
    event["requestContext"]["authorizer"] = authorizer
    subject.hit(subject.handlers.send(event))


@PATIENT
@given(route=st.sampled_from(ROUTES), share=st.floats(0, 0.999), noise=st.binary(max_size=4), encoded=st.booleans())
def test_a_body_that_was_cut_off_or_disturbed(
    subject: Subject, route: str, share: float, noise: bytes, encoded: bool
) -> None:
    whole = json.dumps(body_of(subject, route)).encode()
    cut = int(len(whole) * share)
    raw = whole[:cut] + noise + (whole[cut + len(noise) :] if encoded else b"")
    body = base64.b64encode(raw).decode() if encoded else raw.decode(errors="surrogateescape")
    event = subject.handlers.event(route, "{}") | {"body": body, "isBase64Encoded": encoded}
    subject.hit(subject.handlers.send(event))

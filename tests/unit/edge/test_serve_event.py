"""Event functions: what they log, count and raise, so that the platform repeats what failed."""

import io
import itertools
import json
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from typing import Any

import pytest
from aws_lambda_powertools.logging import Logger
from aws_lambda_powertools.metrics import Metrics

from askback.domain.errors import (
    CodedError,
    HumanInteractionError,
    InteractionConfigurationError,
    InvalidRequest,
    StoreUnavailable,
)
from askback.edge.serve_event import EventReply, serve_event

SECRET = "https://answers.example.com/a#a-token"

_numbers = itertools.count(1)


class Concealed(Exception):
    """What is raised in place of an unforeseen error."""


class StepFailed(CodedError):
    code = "step-failed"


class Context:
    aws_request_id = "request-1"


@dataclass
class Scene:
    """One event function whose work is a value to return or an exception to raise."""

    work: EventReply | Exception = field(default_factory=lambda: EventReply(body={"done": 1}))
    configured: bool = True
    lines: io.StringIO = field(default_factory=io.StringIO)
    counted: io.StringIO = field(default_factory=io.StringIO)

    def handle(self, event: Any = "an event", **policy: Any) -> Any:
        # A logger of a name that another test used in this process would write to that test's stream. The id of this
        # object is no such name: a later object may have it again.
        logger = Logger(service=f"test-serve-event-{next(_numbers)}", stream=self.lines)
        metrics = Metrics(namespace="askback", service="test")
        handler = serve_event(
            self._build, task="work", read=self._read, act=self._act, logger=logger, metrics=metrics, **policy
        )
        with redirect_stdout(self.counted):
            return handler(event, Context())

    @property
    def logged(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.lines.getvalue().splitlines()]

    def _build(self, logger: Logger) -> str:
        if not self.configured:
            raise InteractionConfigurationError("not configured", reason="a variable is not set")
        return "services"

    def _read(self, event: Any) -> str:
        if event is None:
            raise InvalidRequest("the event is none of ours")
        return f"read {event}"

    async def _act(self, asked: str, services: str, context: Any) -> EventReply:
        assert (asked, services, context.aws_request_id) == ("read an event", "services", "request-1")
        if isinstance(self.work, Exception):
            raise self.work
        return self.work


@pytest.fixture
def scene() -> Iterator[Scene]:
    scene = Scene()
    yield scene
    assert SECRET not in scene.lines.getvalue() + scene.counted.getvalue()


def refusal(scene: Scene, error: type[Exception], **policy: Any) -> tuple[str, str, str]:
    """Return message, code and reason of the one line that says why the event was refused."""
    with pytest.raises(error) as raised:
        scene.handle(**policy)
    assert type(raised.value) is error
    assert scene.counted.getvalue() == ""
    (line,) = scene.logged
    assert (line["level"], line["request_id"]) == ("ERROR", "request-1")
    return line["message"], line["code"], line["reason"]


def test_the_reply_is_returned_and_its_metrics_are_written(scene: Scene) -> None:
    scene.work = EventReply(body={"done": 2}, counts=[("Done", 2)], seconds=[("Lag", 3), ("Lag", 4)])
    assert scene.handle() == {"done": 2}
    (metrics,) = [json.loads(line) for line in scene.counted.getvalue().splitlines()]
    assert (metrics["Done"], metrics["Lag"]) == ([2.0], [3.0, 4.0])


def test_a_function_that_counts_nothing_writes_no_metrics(scene: Scene) -> None:
    assert scene.handle() == {"done": 1}
    assert scene.counted.getvalue() == ""


def test_a_refusal_is_logged_with_code_and_reason_and_raised(scene: Scene) -> None:
    scene.work = StoreUnavailable(reason="throttled")
    assert refusal(scene, StoreUnavailable) == ("could not work", "store-unavailable", "throttled")


def test_a_refusal_without_a_reason_is_logged_with_its_text(scene: Scene) -> None:
    scene.work = InvalidRequest("a field is wrong")
    assert refusal(scene, InvalidRequest) == ("could not work", "bad-request", "a field is wrong")


def test_an_error_with_a_code_that_is_no_refusal_is_logged_like_one(scene: Scene) -> None:
    scene.work = StepFailed("the version is unknown")
    assert refusal(scene, StepFailed) == ("could not work", "step-failed", "the version is unknown")


def test_a_misconfigured_function_refuses_every_event_with_the_reason_in_the_log(scene: Scene) -> None:
    scene.configured = False
    said = refusal(scene, InteractionConfigurationError)
    assert said == ("could not work", "misconfigured", "a variable is not set")


def test_a_foreign_event_is_refused_as_such_by_a_misconfigured_function_too(scene: Scene) -> None:
    scene.configured = False
    with pytest.raises(HumanInteractionError) as raised:
        scene.handle(event=None)
    assert type(raised.value) is InvalidRequest


def test_an_unforeseen_error_is_logged_by_class_and_frames_and_raised_as_it_is(scene: Scene) -> None:
    scene.work = LookupError(SECRET)
    with pytest.raises(LookupError) as raised:
        scene.handle()
    assert raised.value is scene.work
    _require_unforeseen(scene)


def test_a_function_whose_errors_may_carry_a_link_raises_another_in_their_place(scene: Scene) -> None:
    scene.work = LookupError(SECRET)
    with pytest.raises(Concealed, match=r"^LookupError$") as raised:
        scene.handle(unforeseen=Concealed)
    assert raised.value.__suppress_context__
    _require_unforeseen(scene)


def test_a_failure_is_raised_once_everything_is_counted_and_is_not_logged_again(scene: Scene) -> None:
    scene.work = EventReply(body={}, counts=[("Failed", 1)], failure=Concealed("1 of 2 messages failed"))
    with pytest.raises(Concealed, match=r"^1 of 2 messages failed$"):
        scene.handle(unforeseen=Concealed)
    assert json.loads(scene.counted.getvalue())["Failed"] == [1.0]
    assert scene.logged == []


def _require_unforeseen(scene: Scene) -> None:
    (line,) = scene.logged
    assert (line["message"], line["code"], line["error"]) == ("could not work", "internal", "LookupError")
    assert any("_act" in frame for frame in line["frames"])

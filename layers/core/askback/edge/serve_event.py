"""The Lambda handler of a function that an event starts. No caller reads its reply.

After an exception, Scheduler, EventBridge and Secrets Manager repeat the event, as their settings say. So every error
is raised, and the log has the reason. As in `serve`, no line contains a token, an answer, a payload or the text of an
unexpected exception.
"""

from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from aws_lambda_powertools.logging import Logger
from aws_lambda_powertools.metrics import Metrics

from askback.domain.errors import CodedError
from askback.edge.handler import Build, Handler
from askback.edge.log import begin, log_unforeseen
from askback.edge.metrics import count, flush
from askback.edge.no_event_loop import run_straight_through

S = TypeVar("S")
E = TypeVar("E")


@dataclass(frozen=True, slots=True, kw_only=True)
class EventReply:
    """The result of an event function."""

    body: dict[str, Any]
    counts: Sequence[tuple[str, int]] = ()
    """Counts: pairs of a metric and its value."""
    seconds: Sequence[tuple[str, int]] = ()
    """Durations: pairs of a metric and its value; a metric can occur more than once."""
    failure: Exception | None = None
    """The exception to raise after the metrics are written, if a part of the work failed."""


def time_left(context: Any, *, spare_milliseconds: int) -> Callable[[], bool]:
    """Return what says whether the invocation has more time than this left."""
    return lambda: context.get_remaining_time_in_millis() > spare_milliseconds


def serve_event(
    build: Build[S],
    *,
    task: str,
    read: Callable[[Any], E],
    act: Callable[[E, S, Any], Coroutine[Any, Any, EventReply]],
    logger: Logger,
    metrics: Metrics,
    unforeseen: type[Exception] | None = None,
) -> Handler[S]:
    """Return the Lambda handler of an event function.

    `read` reads the event before the services are built, so an event of another kind is refused first. `act` gets the
    result of `read`, the services and Lambda's context.

    `task` is the verb of the log line: "could not sweep". `unforeseen` is raised instead of an unexpected error, with
    the class of that error as its text. It is for functions whose errors may contain a link, because Lambda stores the
    exception. Without it, the error itself is raised.
    """
    failed = f"could not {task}"

    def answer(event: Any, context: Any, built: Callable[[], S]) -> dict[str, Any]:
        begin(logger, request_id=context.aws_request_id)
        try:
            asked = read(event)
            reply = run_straight_through(act(asked, built(), context))
        except CodedError as error:
            reason = error.reason or str(error)
            logger.error(failed, extra={"code": error.code, "reason": reason})  # noqa: TRY400 - the code says it
            raise
        except Exception as error:
            log_unforeseen(logger, failed, error, code="internal")
            if unforeseen is None:
                raise
            raise unforeseen(type(error).__name__) from None
        if reply.counts or reply.seconds:
            count(metrics, reply.counts, reply.seconds)
            flush(metrics)
        if reply.failure is not None:
            raise reply.failure
        return reply.body

    return Handler(build, answer, logger=logger)

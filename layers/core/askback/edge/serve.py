"""The Lambda handler of a function that answers requests over HTTP and direct invocations.

A caller over HTTP always gets a response; a refusal is a problem document (RFC 9457). A direct caller gets the reply
object. It gets a refusal as an exception whose type is made from the code, because Step Functions can catch that.

Log lines have ids, codes and counts, and the pause as soon as it is known. They never contain a token, an answer, a
payload or the text of an unexpected exception.
"""

import json
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from aws_lambda_powertools.logging import Logger
from aws_lambda_powertools.metrics import Metrics, MetricUnit

from askback.domain.errors import ERRORS_SHOWN, HumanInteractionError, StoreUnavailable
from askback.domain.field_errors import NAME_MAX_CHARACTERS, cut
from askback.edge.handler import Build, Handler
from askback.edge.lambda_events import CallerAuth, RouteRequest, is_http, read_direct, read_http
from askback.edge.log import begin, flush, log_unforeseen
from askback.edge.no_event_loop import run_straight_through
from askback.settings import Settings

_TITLES = {
    400: "Bad request",
    401: "Not accepted",
    403: "Not allowed",
    404: "Not found",
    409: "Conflict",
    410: "No longer open",
    413: "Too large",
    422: "Not valid",
    424: "Paused state unusable",
    500: "Server error",
    503: "Temporarily unavailable",
}
_RETRY_AFTER_SECONDS = 1
PROBLEM_MAX_BYTES = 32 * 1024
_TEXT_MAX_CHARACTERS = 900
"""Of a detail or a message. With a name, one error fits however its characters are escaped: 14 bytes each at most."""
_ROOM_FOR_MORE = 64
_SECURITY_HEADERS = {"cache-control": "no-store", "x-content-type-options": "nosniff"}


@dataclass(frozen=True, slots=True, kw_only=True)
class RouteReply:
    """The reply of a route: the HTTP status, the object, the metric to count, and further fields of the log line."""

    status: int
    body: dict[str, Any]
    metric: str
    log: Mapping[str, str] = field(default_factory=dict)
    also_count: tuple[str, ...] = ()
    """Further metrics; each counts one."""
    seconds: Mapping[str, float] = field(default_factory=dict)
    """Metrics that are durations."""


class HasSettings(Protocol):
    """The services of a function: the parts that its routes need, and the settings of the deployment."""

    @property
    def settings(self) -> Settings:
        """The settings that the services were built from."""
        ...


S = TypeVar("S", bound=HasSettings)
Route = Callable[[RouteRequest, S], Coroutine[Any, Any, RouteReply]]


def problem(error: HumanInteractionError) -> dict[str, Any]:
    """Return the problem document of a refusal, of at most `PROBLEM_MAX_BYTES` in the function's reply.

    Its texts can have names that the caller has chosen, so they are cut; errors that find no room are counted.
    """
    document = {
        "type": f"urn:askback:problem:{error.code}",
        "title": _TITLES[error.status],
        "status": error.status,
        "detail": cut(error.detail, _TEXT_MAX_CHARACTERS),
        "code": error.code,
        "retryable": error.retryable,
        **error.members(),
    }
    errors = [
        {"field": cut(item.field, NAME_MAX_CHARACTERS), "message": cut(item.message, _TEXT_MAX_CHARACTERS)}
        for item in error.errors[:ERRORS_SHOWN]
    ]
    if errors:
        document["errors"] = errors
    while len(errors) > 1 and _bytes_in_reply(document) > PROBLEM_MAX_BYTES - _ROOM_FOR_MORE:
        errors.pop()
    more = error.more_errors + len(error.errors) - len(errors)
    if errors and more:
        document["detail"] += f" ({more} more errors are not shown)"
    return document


def _bytes_in_reply(document: Mapping[str, Any]) -> int:
    # The document is JSON text inside the function's JSON reply.
    return len(json.dumps(json.dumps(document)))


def serve(
    build: Build[S],
    *,
    http: Mapping[str, tuple[CallerAuth, Route[S]]],
    direct: Mapping[str, Route[S]],
    default_action: str,
    logger: Logger,
    metrics: Metrics,
) -> Handler[S]:
    """Return the Lambda handler of a function with HTTP routes and direct actions.

    `build` returns the services that each route gets together with the request. `http` has the routes and how their
    callers are authenticated; `direct` has the actions of a direct invocation.
    """
    auths = {name: auth for name, (auth, _) in http.items()}
    actions = frozenset(direct)

    def answer(event: Any, context: Any, built: Callable[[], S]) -> Any:
        begin(logger, request_id=getattr(context, "aws_request_id", ""))
        over_http = is_http(event)
        try:
            # Before the request is read: a misconfigured function refuses every request with `misconfigured`.
            services = built()
            if over_http:
                request = read_http(event, auths, trust_unsigned=services.settings.trust_unsigned_routes)
                route = http[request.route][1]
            else:
                request = read_direct(event, actions, default=default_action)
                route = direct[request.route]
            reply = run_straight_through(route(request, services))
            logger.info(reply.metric, extra=dict(reply.log))
            _count(metrics, reply)
            flush(metrics)
            return _response(reply.status, reply.body) if over_http else reply.body
        except HumanInteractionError as error:
            document = problem(error)
            _log_refusal(logger, error, document["status"])
            _count_refusal(metrics, error, raised=not over_http and document["status"] < 500)
        except Exception as error:  # noqa: BLE001 - after every unexpected error the caller gets a reply, without the error's text
            log_unforeseen(logger, "unforeseen", error)
            metrics.add_metric(name="Unforeseen", unit=MetricUnit.Count, value=1)
            document = _internal_problem()
        flush(metrics)
        if over_http:
            return _response(document["status"], document)
        raise direct_error(document) from None

    return Handler(build, answer, logger=logger)


def direct_error(document: Mapping[str, Any]) -> Exception:
    """Return the exception of a problem: its type is `Askback.` and the code in camel case, its text the document."""
    name = "Askback." + "".join(part.capitalize() for part in str(document["code"]).split("-"))
    return type(name, (Exception,), {})(json.dumps(document))  # type: ignore[no-any-return]


def _response(status: int, body: Mapping[str, Any]) -> dict[str, Any]:
    kind = "application/json" if status < 400 else "application/problem+json"
    headers = {"content-type": kind, **_SECURITY_HEADERS}
    if status == StoreUnavailable.status:
        headers["retry-after"] = str(_RETRY_AFTER_SECONDS)
    return {"statusCode": status, "headers": headers, "body": json.dumps(body, allow_nan=False)}


def _count(metrics: Metrics, reply: RouteReply) -> None:
    for name in (reply.metric, *reply.also_count):
        metrics.add_metric(name=name, unit=MetricUnit.Count, value=1)
    for name, seconds in reply.seconds.items():
        metrics.add_metric(name=name, unit=MetricUnit.Seconds, value=seconds)


def _count_refusal(metrics: Metrics, error: HumanInteractionError, *, raised: bool) -> None:
    """Count a refusal for its function, and again for its code, because CloudWatch does not add up dimensions.

    Lambda counts every exception to a direct caller as an error of the function. `raised` counts the refusals that are
    caused by the caller, so that the alarm can subtract them. It does not count refusals that need an operator.
    """
    metrics.add_dimensions(service=metrics.service, code=error.code)
    metrics.add_metric(name="Refused", unit=MetricUnit.Count, value=1)
    if raised:
        metrics.add_metric(name="RefusalRaised", unit=MetricUnit.Count, value=1)


def _log_refusal(logger: Logger, error: HumanInteractionError, status: int) -> None:
    line = logger.error if status >= 500 else logger.info
    line("refused", extra={"code": error.code, **({"reason": error.reason} if error.reason else {})})


def _internal_problem() -> dict[str, Any]:
    return {
        "type": "urn:askback:problem:internal",
        "title": _TITLES[500],
        "status": 500,
        "detail": "an unexpected error happened; an operator must look at the log",
        "code": "internal",
        "retryable": True,
    }

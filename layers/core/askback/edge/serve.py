"""The Lambda handler of a function that answers requests over HTTP and direct invocations.

Only the gateway can send an HTTP event: it invokes the alias `http`. Every other invocation is a direct one, whatever
its event looks like. A further alias can serve one of the direct actions alone: a policy that names this alias allows
this action and no other.

A caller over HTTP always gets a response; a refusal is a problem document (RFC 9457). A direct caller gets the reply
object. It gets a refusal as an exception whose type is made from the code, because Step Functions can catch that. The
text of this exception has nothing of the payload, because Lambda writes it to the log.

Log lines have ids, codes and counts, and the pause as soon as it is known. They never contain a token, an answer, a
payload or the text of an unexpected exception.
"""

import functools
import json
import math
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeVar

from aws_lambda_powertools.logging import Logger
from aws_lambda_powertools.metrics import Metrics

from askback.domain.errors import HumanInteractionError, StoreUnavailable
from askback.domain.written_numbers import has_digits, written_text
from askback.edge.handler import Build, Handler
from askback.edge.lambda_events import (
    HTTP_ALIAS,
    CallerAuth,
    RouteRequest,
    invoked_alias,
    is_http,
    read_direct,
    read_http,
)
from askback.edge.log import begin, forget_pause, log_unforeseen
from askback.edge.metrics import count, count_refusal, flush
from askback.edge.no_event_loop import run_straight_through
from askback.edge.problems import direct_error, internal_problem, problem
from askback.settings import Settings

_RETRY_AFTER_SECONDS = 1
# A reply is data: a browser must not keep it, guess its type, show it in a frame, or run anything in it.
_SECURITY_HEADERS = {
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "referrer-policy": "no-referrer",
    "strict-transport-security": "max-age=31536000",
    "x-content-type-options": "nosniff",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RouteReply:
    """The reply of a route: the HTTP status, the object, the metric to count, and further fields of the log line.

    With an empty object, there is no body. `headers` replace those that every reply has.
    """

    status: int
    body: dict[str, Any]
    metric: str
    log: Mapping[str, str] = field(default_factory=dict)
    also_count: tuple[str, ...] = ()
    """Further metrics; each counts one."""
    seconds: Mapping[str, float] = field(default_factory=dict)
    """Metrics that are durations."""
    headers: Mapping[str, str] = field(default_factory=dict)


class HasSettings(Protocol):
    """The services of a function: the parts that its routes need, and the settings of the deployment."""

    @property
    def settings(self) -> Settings:
        """The settings that the services were built from."""
        ...


S = TypeVar("S", bound=HasSettings)
Route = Callable[[RouteRequest, S], Coroutine[Any, Any, RouteReply]]


def serve(
    build: Build[S],
    *,
    http: Mapping[str, tuple[CallerAuth, Route[S]]],
    direct: Mapping[str, Route[S]],
    default_action: str,
    aliases: Mapping[str, str] | None = None,
    logger: Logger,
    metrics: Metrics,
) -> Handler[S]:
    """Return the Lambda handler of a function with HTTP routes and direct actions.

    `build` returns the services that each route gets together with the request. `http` has the routes and how their
    callers are authenticated; `direct` has the actions of a direct invocation. `aliases` has the action of each alias
    that serves this action alone; every other action is refused there.
    """
    auths = {name: auth for name, (auth, _) in http.items()}
    every_action = frozenset(direct)
    only_action = {alias: frozenset({action}) for alias, action in (aliases or {}).items()}

    def answer(event: Any, context: Any, built: Callable[[], S]) -> Any:
        begin(logger, request_id=getattr(context, "aws_request_id", ""))
        alias = invoked_alias(context)
        over_http = is_http(event) and alias == HTTP_ALIAS
        try:
            # Before the request is read: a misconfigured function refuses every request with `misconfigured`.
            services = built()
            # `sam local start-api` knows no aliases. Its variable is in no deployed function.
            over_http = over_http or (is_http(event) and services.settings.trust_unsigned_routes)
            if over_http:
                request = read_http(event, auths, trust_unsigned=services.settings.trust_unsigned_routes)
                route = http[request.route][1]
            else:
                actions = only_action.get(alias, every_action)
                request = read_direct(event, actions, default=default_action)
                route = direct[request.route]
            request = replace(request, seconds_left=functools.partial(_seconds_left, context))
            reply = run_straight_through(route(request, services))
            note_reply(logger, metrics, reply)
            flush(metrics)
            return _response(reply.status, reply.body, reply.headers) if over_http else reply.body
        except HumanInteractionError as error:
            document = problem(error, bare=not over_http)
            _log_refusal(logger, error, document["status"])
            count_refusal(metrics, error, raised=not over_http and document["status"] < 500)
        except Exception as error:  # noqa: BLE001 - after every unexpected error the caller gets a reply, without the error's text
            log_unforeseen(logger, "unforeseen", error)
            count(metrics, [("Unforeseen", 1)])
            document = internal_problem()
        flush(metrics)
        if over_http:
            return _response(document["status"], document)
        raise direct_error(document) from None

    return Handler(build, answer, logger=logger)


def note_reply(logger: Logger, metrics: Metrics, reply: RouteReply) -> None:
    """Log and count what a route has done."""
    logger.info(reply.metric, extra=dict(reply.log))
    count(metrics, [(name, 1) for name in (reply.metric, *reply.also_count)], list(reply.seconds.items()))


def note_item(logger: Logger, metrics: Metrics, failure: Exception | None) -> None:
    """End the lines and metrics of one item of a batch; a refusal counts as in a request of its own."""
    if isinstance(failure, HumanInteractionError):
        _log_refusal(logger, failure, failure.status)
        count_refusal(metrics, failure, raised=False)
    elif failure is not None:
        log_unforeseen(logger, "unforeseen", failure)
        count(metrics, [("Unforeseen", 1)])
    # The dimension of a code holds for all that is counted with it, so each item is written apart.
    flush(metrics)
    forget_pause(logger)


def _response(status: int, body: Mapping[str, Any], own_headers: Mapping[str, str] | None = None) -> dict[str, Any]:
    kind = "application/json" if status < 400 else "application/problem+json"
    headers = {**({"content-type": kind} if body else {}), **_SECURITY_HEADERS, **(own_headers or {})}
    if status == StoreUnavailable.status:
        headers["retry-after"] = str(_RETRY_AFTER_SECONDS)
    return {"statusCode": status, "headers": headers, "body": _body(body) if body else ""}


def _body(body: Mapping[str, Any]) -> str:
    # Only an answer has written numbers, and a turn is long: the whole of it is not searched for them. The result of a
    # tool can be an answer.
    answered = any(has_digits(body.get(name)) for name in ("response", "items", "result"))
    return written_text(body, spaced=True) if answered else json.dumps(body, allow_nan=False)


def _seconds_left(context: Any) -> float:
    # A program that calls a handler itself, such as `local/`, may give a context without a clock.
    remaining = getattr(context, "get_remaining_time_in_millis", None)
    return math.inf if remaining is None else remaining() / 1000


def _log_refusal(logger: Logger, error: HumanInteractionError, status: int) -> None:
    line = logger.error if status >= 500 else logger.info
    line("refused", extra={"code": error.code, **({"reason": error.reason} if error.reason else {})})

"""A batch: several answers in one request. Each item has its own checks, its own result, lines and metrics.

There is no all or nothing: an answer that was accepted stands, whatever happens to the items after it. The items are
worked on one after another, in their order. A batch that is sent again gets the same receipts, as replays.

A batch is no cheaper way to try tokens: it ends at the third token that is not authentic, and each of them counts as it
does in a request of its own.
"""

import json
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import replace
from typing import Any

from askback.domain.errors import (
    DuplicatePause,
    HumanInteractionError,
    InvalidRequest,
    NotTried,
    RequestTooLarge,
    TokenRejected,
)
from askback.domain.limits import BODY_MAX_BYTES
from askback.domain.pause.claims import PauseClaims
from askback.edge.body import Body, read_body
from askback.edge.lambda_events import CallerAuth, RouteRequest
from askback.edge.problems import internal_problem, problem

BATCH_MAX = 25
"""How many pauses one request answers, at most."""
SPARE_SECONDS = 15.0
"""A batch begins no further item with less time left: an item may need stores and a waiter that answer slowly."""
REJECTED_MAX = 3
"""At how many rejected tokens a batch ends."""

Admit = Callable[[PauseClaims], None]
Act = Callable[[RouteRequest, Admit], Coroutine[Any, Any, tuple[int, dict[str, Any]]]]
"""Answers one item and returns its status and its receipt; `Admit` is for the command of the answer."""
Note = Callable[[Exception | None], None]
"""Is called after each item, with its refusal or its unexpected error, if there was one."""


class BatchBody(Body):
    """The body of a batch; each item is the body of one answer."""

    items: Any


def batch_items(request: RouteRequest) -> list[RouteRequest]:
    """Return a request for each item, from the caller of the batch.

    The fields of an item are not read yet: what is wrong in one item is a refusal of this item alone.

    Raises:
        InvalidRequest: `items` is not a list of 1 to 25 objects.
        RequestTooLarge: a direct caller sent more than an HTTP body may have; so many receipts would find no room.
    """
    items = read_body(BatchBody, request).items
    if not isinstance(items, list) or not 1 <= len(items) <= BATCH_MAX or not all(isinstance(i, dict) for i in items):
        raise InvalidRequest.of_field("items", f"must be a list of 1 to {BATCH_MAX} objects")
    if request.caller.auth is CallerAuth.DIRECT and _size(items) > BODY_MAX_BYTES:
        raise RequestTooLarge(f"the items must be at most {BODY_MAX_BYTES} bytes together")
    return [replace(request, body=item) for item in items]


async def each_item(items: Sequence[RouteRequest], act: Act, *, note: Note) -> list[dict[str, Any]]:
    """Answer one item after another and return their results in the same order; it raises no refusal of an item."""
    results: list[dict[str, Any]] = []
    seen: set[str] = set()
    rejected = 0

    def admit(claims: PauseClaims) -> None:
        if claims.jti in seen:
            raise DuplicatePause
        seen.add(claims.jti)

    for item in items:
        failure: Exception | None = None
        try:
            _require_turn(item, rejected)
            status, receipt = await act(item, admit)
            results.append({"status": status, "receipt": receipt})
        except HumanInteractionError as error:
            failure = error
            rejected += isinstance(error, TokenRejected)
            document = problem(error, bare=item.caller.auth is CallerAuth.DIRECT)
            results.append({"status": document["status"], "problem": document})
        except Exception as error:  # noqa: BLE001 - the other items must be worked on, and their receipts returned
            failure = error
            results.append({"status": 500, "problem": internal_problem()})
        note(failure)
    return results


def _require_turn(item: RouteRequest, rejected: int) -> None:
    """Raise NotTried if the batch has ended before this item."""
    if rejected == REJECTED_MAX or item.seconds_left() < SPARE_SECONDS:
        raise NotTried


def _size(items: list[Any]) -> int:
    return len(json.dumps(items, ensure_ascii=False).encode(errors="surrogatepass"))

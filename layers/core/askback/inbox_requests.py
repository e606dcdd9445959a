"""An operator's requests, read strictly: the same fields in a path, in a query, or in a direct invocation."""

from dataclasses import dataclass
from typing import Any

from askback.bodies import Body, read_body
from askback.domain.errors import InvalidRequest
from askback.domain.limits import IDENTIFIER_MAX_BYTES, require_identifier
from askback.domain.pause.listing import LIST_DEFAULT, LIST_MAX, ListPlace
from askback.domain.pause.scope import Scope
from askback.events import Request, Via


class NoBody(Body):
    """What `GET /keys` takes."""


class PauseListBody(Body):
    """What `GET /pauses` takes."""

    tenant_id: str
    sub_tenant_id: str | None = None
    namespace: str | None = None
    limit: Any = LIST_DEFAULT
    next: str | None = None


class PauseBody(Body):
    """What a route about one pause takes."""

    jti: str


class RevocationBody(PauseBody):
    """What `DELETE /pauses/{jti}` takes; only a direct caller says who is asking."""

    operator: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ListRequest:
    """Which page of which scope's list is asked for."""

    scope: Scope
    limit: int
    after: ListPlace | None


def list_request(request: Request) -> ListRequest:
    """Return the checked request; raises InvalidRequest naming what is wrong."""
    body = read_body(PauseListBody, request)
    return ListRequest(
        scope=Scope(tenant_id=body.tenant_id, sub_tenant_id=body.sub_tenant_id, namespace=body.namespace),
        limit=_limit(body.limit, as_text=request.caller.via is not Via.DIRECT),
        after=None if body.next is None else ListPlace.of_cursor(body.next),
    )


def keys_request(request: Request) -> None:
    """Check a request that says nothing; raises InvalidRequest when it does."""
    read_body(NoBody, request)


def pause_request(request: Request) -> str:
    """Return the id of the pause that the request is about; raises InvalidRequest."""
    return _jti(read_body(PauseBody, request))


def revocation_request(request: Request) -> tuple[str, str]:
    """Return the id of the pause to withdraw, and who withdraws it; raises InvalidRequest.

    Over HTTP that is the principal that the gateway has verified. A direct caller may state it; Lambda does not tell.
    """
    if request.caller.via is not Via.DIRECT:
        # An ARN may be longer than what a row keeps.
        return pause_request(request), request.caller.arn[:IDENTIFIER_MAX_BYTES] or request.caller.via.value
    body = read_body(RevocationBody, request)
    operator = request.caller.via.value if body.operator is None else body.operator
    return _jti(body), require_identifier(operator, field="operator")


def _jti(body: PauseBody) -> str:
    return require_identifier(body.jti, field="jti")


def _limit(value: object, *, as_text: bool) -> int:
    """Return the limit; in a query it is text, and only the plain spelling of a number is one."""
    if as_text and isinstance(value, str) and value in _SPELT:
        return _SPELT[value]
    if isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= LIST_MAX:
        return value
    raise InvalidRequest.of_field("limit", f"must be a whole number from 1 to {LIST_MAX}")


_SPELT = {str(number): number for number in range(1, LIST_MAX + 1)}

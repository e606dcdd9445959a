"""The request and the reply of the operators' list.

A query has texts, and a direct invocation has JSON values; both have the same fields. A line has ids, states, times and
names, and the title of its question only if the deployment shows titles and the request asks for them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from askback.domain.errors import InvalidRequest
from askback.domain.limits import TTL_MAX_SECONDS, require_identifier, require_name
from askback.domain.pause.ledger import PauseStatus
from askback.domain.pause.list_filter import STATUSES, ListFilter
from askback.domain.pause.listing import (
    LIST_DEFAULT,
    LIST_MAX,
    ListedPause,
    ListPlace,
    OpenPage,
    OpenPlace,
    PausePage,
)
from askback.domain.pause.person_names import require_person
from askback.domain.pause.scope import Scope
from askback.domain.timestamps import rfc3339, stated_time
from askback.edge.body import Body, read_body
from askback.edge.lambda_events import CallerAuth, RouteRequest
from askback.edge.votes import quorum_members

TITLES_MAX = 25
"""How many pauses one page with titles has, at most and by default: each title is a read of a whole question."""
_FLAGS = {"true": True, "false": False}


class PauseListBody(Body):
    """The fields of `GET /pauses`."""

    tenant_id: str
    sub_tenant_id: str | None = None
    namespace: str | None = None
    whole: Any = False
    status: str | None = None
    name: str | None = None
    run_id: str | None = None
    requester: str | None = None
    recipient: str | None = None
    older_than_seconds: Any = None
    expires_before: str | None = None
    titles: Any = False
    limit: Any = LIST_DEFAULT
    next: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ListRequest:
    """A request for one page: of a scope, or of the open pauses of a scope as a `whole`, with every narrower one."""

    scope: Scope
    whole: bool
    filter: ListFilter
    titles: bool
    limit: int
    after: ListPlace | None = None
    after_open: OpenPlace | None = None


def list_request(request: RouteRequest, *, at: int, may_show_titles: bool) -> ListRequest:
    """Return the checked request; raises InvalidRequest with the wrong fields."""
    body = read_body(PauseListBody, request)
    as_text = request.caller.auth is not CallerAuth.DIRECT
    scope = Scope(tenant_id=body.tenant_id, sub_tenant_id=body.sub_tenant_id, namespace=body.namespace)
    whole, titles = (_flag(getattr(body, name), field=name, as_text=as_text) for name in ("whole", "titles"))
    if whole and scope.namespace is not None:
        raise InvalidRequest.of_field("whole", "a namespace has no narrower scope; leave one of the two out")
    if titles and not may_show_titles:
        raise InvalidRequest.of_field("titles", "this deployment shows no titles; its parameter ListTitles says so")
    most = TITLES_MAX if titles else LIST_MAX
    limit = body.limit if "limit" in body.model_fields_set or not titles else TITLES_MAX
    return ListRequest(
        scope=scope,
        whole=whole,
        filter=_filter(body, whole=whole, at=at, as_text=as_text),
        titles=titles,
        limit=whole_number(limit, field="limit", most=most, as_text=as_text),
        after=None if body.next is None or whole else ListPlace.of_cursor(body.next),
        after_open=OpenPlace.of_cursor(body.next) if body.next is not None and whole else None,
    )


def _filter(body: PauseListBody, *, whole: bool, at: int, as_text: bool) -> ListFilter:
    if body.status is not None and body.status not in STATUSES:
        raise InvalidRequest.of_field("status", f"must be one of {', '.join(STATUSES)}")
    if whole and body.status not in (None, PauseStatus.ISSUED.value):
        raise InvalidRequest.of_field("status", "must be issued: only open pauses are listed for a scope as a whole")
    age = body.older_than_seconds
    if age is not None:
        age = whole_number(age, field="older_than_seconds", most=TTL_MAX_SECONDS, as_text=as_text)
    return ListFilter(
        status=body.status,
        name=None if body.name is None else require_name(body.name),
        run_id=None if body.run_id is None else require_identifier(body.run_id, field="run_id"),
        requester=None if body.requester is None else require_person(body.requester, field="requester"),
        recipient=None if body.recipient is None else require_person(body.recipient, field="recipient"),
        issued_before=None if age is None else at - age,
        expires_before=None if body.expires_before is None else _time(body.expires_before),
    )


def _time(text: str) -> int:
    time = stated_time(text)
    if time is None:
        raise InvalidRequest.of_field("expires_before", "must be a time such as 2026-11-30T00:00:00Z")
    return time


def _flag(value: object, *, field: str, as_text: bool) -> bool:
    found = _FLAGS.get(value) if as_text and isinstance(value, str) else value
    if not isinstance(found, bool):
        raise InvalidRequest.of_field(field, "must be true or false")
    return found


def whole_number(value: object, *, field: str, most: int, as_text: bool = False) -> int:
    """Return a number from 1 to `most`; in a query it is a text of digits without sign or leading zero."""
    # Not `isdigit`, which other alphabets have too.
    if as_text and isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= len(str(most)):
        value = int(value) if value[0] != "0" else value
    if isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= most:
        return value
    raise InvalidRequest.of_field(field, f"must be a whole number from 1 to {most}")


def pause_list_reply(page: PausePage | OpenPage, *, at: int, titles: Mapping[str, str] | None) -> dict[str, Any]:
    """Return one page of a list; with its `next`, the caller gets the next page. `at` is the time, for the ages."""
    return {
        "pauses": [_line(listed, at=at, titles=titles) for listed in page.pauses],
        "next": None if page.next is None else page.next.cursor(),
        "looked_at": page.looked_at,
    }


def _line(listed: ListedPause, *, at: int, titles: Mapping[str, str] | None) -> dict[str, Any]:
    row = listed.row
    return {
        "jti": listed.jti,
        "name": listed.name,
        "status": listed.status,
        "scope_label": listed.scope_label or None,
        "run_id": None if row is None else row.claims.run_id,
        "requester": (row.answerers.requester or None) if row else None,
        "recipients": list(row.people.linked()) if row else None,
        "issued_at": rfc3339(listed.issued_at),
        "expires_at": rfc3339(listed.expires_at),
        "age_seconds": None if listed.issued_at is None else max(0, at - listed.issued_at),
        **quorum_members(row),
        **({} if titles is None else {"title": titles.get(listed.jti)}),
    }

"""The requests of the operators' routes that change an open pause which goes on."""

from dataclasses import dataclass

from pydantic import Field

from askback.domain.errors import InvalidRequest
from askback.domain.limits import TTL_MAX_SECONDS, require_identifier
from askback.domain.pause.person_names import require_person
from askback.domain.timestamps import stated_time
from askback.edge.inbox import PauseBody
from askback.edge.lambda_events import RouteRequest
from askback.edge.operator import OperatorBody, operator_of, read_with_operator


class ExtensionBody(PauseBody):
    """The fields of `POST /pauses/{jti}/extend`."""

    expires_at: str | None = None
    extend_seconds: int | None = None


class DirectExtensionBody(ExtensionBody, OperatorBody):
    """The fields of the direct action `extend`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Extension:
    """A request to move the deadline to `until` (epoch seconds); `field` is the field that said so."""

    jti: str
    until: int
    field: str
    operator: str


class ReassignmentBody(PauseBody):
    """The fields of `POST /pauses/{jti}/reassign`."""

    leaving: str = Field(alias="from")
    to: str


class DirectReassignmentBody(ReassignmentBody, OperatorBody):
    """The fields of the direct action `reassign`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reassignment:
    """A request to ask the person `to` instead of the person `leaving`."""

    jti: str
    leaving: str
    to: str
    operator: str


def reassignment_request(request: RouteRequest) -> Reassignment:
    """Return the checked request; raises InvalidRequest with the wrong fields."""
    body, stated = read_with_operator(ReassignmentBody, DirectReassignmentBody, request)
    return Reassignment(
        jti=require_identifier(body.jti, field="jti"),
        leaving=require_identifier(body.leaving, field="from"),
        to=require_person(body.to, field="to"),
        operator=operator_of(request.caller, stated),
    )


def extension_request(request: RouteRequest, *, at: int) -> Extension:
    """Return the checked request at `at` (epoch seconds); raises InvalidRequest with the wrong fields."""
    body, stated = read_with_operator(ExtensionBody, DirectExtensionBody, request)
    if (body.expires_at is None) == (body.extend_seconds is None):
        raise InvalidRequest.of_field("expires_at", "must be given, or extend_seconds instead of it")
    return Extension(
        jti=require_identifier(body.jti, field="jti"),
        until=_until(body, at),
        field="extend_seconds" if body.expires_at is None else "expires_at",
        operator=operator_of(request.caller, stated),
    )


def _until(body: ExtensionBody, at: int) -> int:
    if body.expires_at is None:
        seconds = body.extend_seconds or 0
        if not 1 <= seconds <= TTL_MAX_SECONDS:
            raise InvalidRequest.of_field(
                "extend_seconds", f"must be a whole number of seconds from 1 to {TTL_MAX_SECONDS}"
            )
        return at + seconds
    until = stated_time(body.expires_at)
    if until is None:
        raise InvalidRequest.of_field(
            "expires_at", "must be an RFC 3339 time with an offset, such as 2026-12-01T09:30:00Z"
        )
    return until

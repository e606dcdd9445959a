"""The request and the reply of `POST /pauses/{jti}/links`, and the links of a reply."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import Field

from askback.domain.errors import InvalidRequest
from askback.domain.limits import require_identifier
from askback.domain.pause.answerers import PEOPLE_MAX, answer_link
from askback.domain.timestamps import rfc3339
from askback.edge.body import Body, Names
from askback.edge.lambda_events import RouteRequest
from askback.edge.operator import OperatorBody, operator_of, read_with_operator

if TYPE_CHECKING:
    from askback.domain.people.answer_links import IssuedLinks


class LinksBody(Body):
    """The fields of the request."""

    jti: str
    recipients: Names = Field(default_factory=list)


class DirectLinksBody(LinksBody, OperatorBody):
    """The fields of a direct invocation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LinksRequest:
    """A checked request; `recipients` of None means all, and `operator` is for the log."""

    jti: str
    recipients: tuple[str, ...] | None
    operator: str


def links_request(request: RouteRequest) -> LinksRequest:
    """Return the checked request; raises InvalidRequest with the wrong fields."""
    body, stated = read_with_operator(LinksBody, DirectLinksBody, request)
    given = "recipients" in body.model_fields_set
    if given and not 0 < len(body.recipients) <= PEOPLE_MAX:
        raise InvalidRequest.of_field("recipients", f"must be 1 to {PEOPLE_MAX} names; leave it out for all links")
    return LinksRequest(
        jti=require_identifier(body.jti, field="jti"),
        recipients=tuple(body.recipients) if given else None,
        operator=operator_of(request.caller, stated or None),
    )


def links_reply(issued: "IssuedLinks", *, answer_url: str) -> dict[str, Any]:
    """Return the links of an open pause. The two fields without a recipient are null if only recipients were named."""
    claims, tokens = issued.row.claims, issued.tokens
    shared = tokens.answer if issued.shared else None
    return {
        "jti": claims.jti,
        "status": issued.row.status.value,
        "expires_at": rfc3339(issued.row.expires_at),
        **link_fields(shared, tokens.links, answer_url=answer_url),
    }


def link_fields(shared: str | None, recipients: Mapping[str, str], *, answer_url: str) -> dict[str, Any]:
    """Return the fields with tokens and links; without an answer page each link is null.

    The answer token is in the fragment of the link. Browsers do not send the fragment, so it is in no server's log.
    """
    return {
        "answer_token": shared,
        "answer_link": _link(shared, answer_url),
        "recipients": [
            {"recipient": recipient, "answer_token": token, "answer_link": _link(token, answer_url)}
            for recipient, token in recipients.items()
        ],
    }


def _link(token: str | None, answer_url: str) -> str | None:
    return answer_link(answer_url, token) if token and answer_url else None

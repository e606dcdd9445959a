"""The requests and the reply of `POST /delegations` and `POST /user/delegations`: a member passes a pause on."""

from typing import Any

from askback.domain.pause.person_names import require_person
from askback.domain.resume.admission import PersonRequest
from askback.domain.resume.delegating import DelegatedPause
from askback.edge.answer import LinkedBody, SignedInBody, person_request
from askback.edge.lambda_events import RouteRequest
from askback.settings import ClaimNames


class DelegationBody(LinkedBody):
    """The body of `POST /delegations`."""

    to: str


class UserDelegationBody(SignedInBody):
    """The body of `POST /user/delegations`."""

    to: str


def delegation_request(request: RouteRequest, *, claim_names: ClaimNames, at: int) -> tuple[PersonRequest, str]:
    """Return who passes the pause on, and to whom; raises as `person_request` does."""
    person, body = person_request(request, DelegationBody, UserDelegationBody, claim_names=claim_names, at=at)
    return person, require_person(body.to, field="to")


def delegation_reply(delegated: DelegatedPause) -> dict[str, Any]:
    """Return the receipt of a delegation."""
    return {
        "jti": delegated.row.claims.jti,
        "from": delegated.by,
        "to": delegated.to,
        "replayed": delegated.replayed,
        "status": delegated.row.status.value,
    }

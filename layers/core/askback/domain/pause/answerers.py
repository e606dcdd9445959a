"""The people of a pause: who may answer it, and who gets a link.

They are stored in the ledger row of the pause. A request that answers the pause cannot change them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from askback.domain.errors import AnswererNotAllowed, InvalidRequest
from askback.domain.limits import require_identifier

PEOPLE_MAX = 20
"""The most approvers, and the most recipients, of one pause."""


class AnsweredVia(StrEnum):
    """How the identity of the person who answered is known.

    JWT: the person had signed in. LINK: the person had a link, made for them or without a recipient. IAM, DIRECT: a
    backend states it.
    """

    DIRECT = "direct"
    IAM = "iam"
    JWT = "jwt"
    LINK = "link"


LINK_HOLDER = "link"
"""The recorded answerer when the link has no recipient."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answerers:
    """The people of one pause. Each name is the one that is recorded when this person answers.

    Only `approvers` may answer. Without approvers, every person may answer whom the interaction allows. The question is
    asked for the `requester`; `requester_may_answer` says if this person may answer it. Each of `recipients` gets a
    separate link.
    """

    approvers: tuple[str, ...] = ()
    requester: str = ""
    requester_may_answer: bool = True
    recipients: tuple[str, ...] = ()

    def admit(self, answered_by: str) -> bool:
        """Return whether this person may answer."""
        return self._objection(answered_by) is None

    def require(self, answered_by: str) -> None:
        """Raise AnswererNotAllowed unless this person may answer."""
        if objection := self._objection(answered_by):
            raise AnswererNotAllowed(objection)

    def _objection(self, answered_by: str) -> str | None:
        if self.approvers and answered_by not in self.approvers:
            return "only the approvers of this question may answer it"
        if self.requester and not self.requester_may_answer and answered_by == self.requester:
            return "the requester of this question may not answer it"
        return None

    def check(self) -> None:
        """Require that at least one person can answer, and that each recipient may answer.

        Raises:
            InvalidRequest: with the wrong field.
        """
        _require_people(self.approvers, "approvers")
        _require_people(self.recipients, "recipients")
        require_identifier(self.requester, field="requester", empty=True)
        if not self.requester_may_answer and not self.requester:
            raise InvalidRequest.of_field("requester", "must be given when the requester may not answer")
        if not self.requester_may_answer and set(self.approvers) == {self.requester}:
            raise InvalidRequest.of_field("approvers", "must have a person besides the requester, who may not answer")
        if not all(map(self.admit, self.recipients)):
            raise InvalidRequest.of_field("recipients", "must be people who may answer")


NO_RESTRICTION = Answerers()
"""The value for a pause without approvers, requester and recipients."""


def answer_link(answer_url: str, token: str) -> str:
    """Return the link with an answer token.

    The token is in the fragment. Browsers do not send the fragment to a server, so it is in no server's log.
    """
    return f"{answer_url}#{token}"


def _require_people(people: Sequence[str], field: str) -> None:
    if len(people) > PEOPLE_MAX:
        raise InvalidRequest.of_field(field, f"must be at most {PEOPLE_MAX}")
    for index, person in enumerate(people):
        require_identifier(person, field=f"{field}[{index}]")
    if len(set(people)) != len(people):
        raise InvalidRequest.of_field(field, "must not have the same person twice")

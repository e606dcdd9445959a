"""Whom a pause is for, and who may answer it.

These are facts of the pause and stand in its ledger row: nobody can change them by what they send with an answer.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from askback.domain.errors import AnswererNotAllowed, InvalidRequest
from askback.domain.limits import require_identifier

PEOPLE_MAX = 20
"""Approvers, or recipients, of one pause."""


class AnsweredVia(StrEnum):
    """How it is known who answered.

    JWT: they had signed in. LINK: they held the link that was made for them, or for nobody in particular. IAM, DIRECT:
    a backend says so.
    """

    DIRECT = "direct"
    IAM = "iam"
    JWT = "jwt"
    LINK = "link"


LINK_HOLDER = "link"
"""Who answered through a link that was made for nobody in particular."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answerers:
    """The people of one pause, each by the name under which an answer of theirs is recorded.

    `approvers` alone may answer; without any, everybody may whom the interaction lets. `requester` is for whom the
    question is asked, and may be kept from answering it. Each of `recipients` gets a link of their own.
    """

    approvers: tuple[str, ...] = ()
    requester: str = ""
    requester_may_answer: bool = True
    recipients: tuple[str, ...] = ()

    def admit(self, answered_by: str) -> bool:
        """Tell whether this person may answer."""
        return self._objection(answered_by) is None

    def require(self, answered_by: str) -> None:
        """Raise AnswererNotAllowed unless this person may answer."""
        if objection := self._objection(answered_by):
            raise AnswererNotAllowed(objection)

    def _objection(self, answered_by: str) -> str | None:
        if self.approvers and answered_by not in self.approvers:
            return "this question is for other people to answer"
        if self.requester and not self.requester_may_answer and answered_by == self.requester:
            return "whoever asks for something may not be the one to allow it"
        return None

    def check(self) -> None:
        """Require that somebody can answer, and that no link would be useless.

        Raises:
            InvalidRequest: naming the field that is wrong.
        """
        _require_people(self.approvers, "approvers")
        _require_people(self.recipients, "recipients")
        require_identifier(self.requester, field="requester", empty=True)
        if not self.requester_may_answer and not self.requester:
            raise InvalidRequest.of_field("requester", "must be given when the requester may not answer")
        if not self.requester_may_answer and set(self.approvers) == {self.requester}:
            raise InvalidRequest.of_field("approvers", "must name somebody besides the requester, who may not answer")
        if not all(map(self.admit, self.recipients)):
            raise InvalidRequest.of_field("recipients", "must be people who may answer")


ANYBODY = Answerers()
"""A pause that says nothing about people."""


def answer_link(answer_url: str, token: str) -> str:
    """Return the link that an answer token is given out as.

    The token stands in the fragment, which no server, no log and no mail scanner ever sees.
    """
    return f"{answer_url}#{token}"


def _require_people(people: Sequence[str], field: str) -> None:
    if len(people) > PEOPLE_MAX:
        raise InvalidRequest.of_field(field, f"must be at most {PEOPLE_MAX}")
    for index, person in enumerate(people):
        require_identifier(person, field=f"{field}[{index}]")
    if len(set(people)) != len(people):
        raise InvalidRequest.of_field(field, "must not name anybody twice")

"""The people of a pause: who may answer it, and who gets a link.

They are stored in the ledger row of the pause. A request that answers the pause cannot change them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from askback.domain.errors import AnswererNotAllowed, InvalidRequest
from askback.domain.pause.assurance import Assurance, strongest
from askback.domain.pause.person_names import is_among, person_key, require_person, same_person

PEOPLE_MAX = 20
"""The most approvers, and the most recipients, of one pause."""


LINK_HOLDER = "link"
"""The recorded answerer when the link has no recipient."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answerers:
    """The people of one pause. A person is compared without the spelling of the name (`person_names`).

    Only `approvers` may answer. Without approvers, every person may answer whom the interaction allows. The question is
    asked for the `requester`; `requester_may_answer` says if this person may answer it. Each of `recipients` gets a
    separate link. An answerer must be known as well as `least_assurance` says, or better. `member_floors` has a demand
    of their own for some approvers; of the two demands, the stronger one holds.
    """

    approvers: tuple[str, ...] = ()
    requester: str = ""
    requester_may_answer: bool = True
    recipients: tuple[str, ...] = ()
    least_assurance: Assurance = Assurance.STATED
    member_floors: tuple[tuple[str, Assurance], ...] = ()

    def least_of(self, person: str) -> Assurance:
        """Return how well this person must be known at least, to answer."""
        own = (floor for name, floor in self.member_floors if same_person(name, person))
        return strongest((self.least_assurance, *own))

    def admit(self, answered_by: str, assurance: Assurance) -> bool:
        """Return whether this person, known in this way, may answer."""
        return self._objection(answered_by) is None and assurance.reaches(self.least_of(answered_by))

    def require(self, answered_by: str, assurance: Assurance) -> None:
        """Raise AnswererNotAllowed unless this person, known in this way, may answer."""
        if objection := self._objection(answered_by):
            raise AnswererNotAllowed(objection)
        least = self.least_of(answered_by)
        if not assurance.reaches(least):
            raise AnswererNotAllowed(f"this question needs an answerer who is known as {least}")

    def why_unanswerable(self, *, takes_links: bool, best_sign_in: Assurance | None) -> str:
        """Return why no way to answer is known as well as the question needs; empty if there is one.

        `takes_links` says whether the interaction takes an answer from a link. `best_sign_in` is how well a person who
        signs in can be known; None without sign-in. A backend can always state who answers.
        """
        if takes_links and self._objection(LINK_HOLDER) is None and Assurance.LINK.reaches(self.least_assurance):
            return ""
        people = [each for each in self.approvers or self.recipients or ("",) if not self.exclusion(each)]
        if any(self.can_answer(each, takes_links=takes_links, best_sign_in=best_sign_in) for each in people):
            return ""
        if best_sign_in is not None:
            return "the question needs a stronger sign-in, and this deployment has no StepUpClaims"
        if all(self.least_of(each).reaches(Assurance.SIGNED_IN) for each in people):
            return "the question needs a sign-in, and this deployment has no JwtIssuer"
        if not takes_links:
            return "the interaction takes no answer from a link, and this deployment has no JwtIssuer"
        return "only the link of a recipient can answer, and the question has no recipients"

    def can_answer(self, person: str, *, takes_links: bool, best_sign_in: Assurance | None) -> bool:
        """Return whether some way of `why_unanswerable` is known as well as the question needs of this person."""
        ways = [Assurance.STATED]
        if takes_links and is_among(person, self.recipients):
            ways.append(Assurance.PERSONAL_LINK)
        if best_sign_in is not None:
            ways.append(best_sign_in)
        return any(way.reaches(self.least_of(person)) for way in ways)

    def recipient_named(self, person: str, *, field: str) -> str:
        """Return the recipient with this name, as it is recorded; another spelling of the name is the same person.

        Raises:
            InvalidRequest: with the field, if the pause has no such recipient.
        """
        for recipient in self.recipients:
            if same_person(person, recipient):
                return recipient
        raise InvalidRequest.of_field(field, "is not a recipient of this pause")

    def exclusion(self, person: str) -> str:
        """Return why this person may not answer, whoever the approvers are; empty if nothing is against it."""
        excluded = self.requester and not self.requester_may_answer and same_person(person, self.requester)
        return "the requester of this question may not answer it" if excluded else ""

    def _objection(self, answered_by: str) -> str | None:
        if self.approvers and not is_among(answered_by, self.approvers):
            return "only the approvers of this question may answer it"
        return self.exclusion(answered_by) or None

    def check(self) -> None:
        """Require that at least one person can answer, and that each recipient may answer.

        Raises:
            InvalidRequest: with the wrong field.
        """
        _require_people(self.approvers, "approvers")
        _require_people(self.recipients, "recipients")
        require_person(self.requester, field="requester", empty=True)
        if not all(is_among(name, self.approvers) for name, _ in self.member_floors):
            raise InvalidRequest.of_field("approvers", "must have each person who has a demand of their own")
        if not self.requester_may_answer and not self.requester:
            raise InvalidRequest.of_field("requester", "must be given when the requester may not answer")
        if not self.requester_may_answer and set(map(person_key, self.approvers)) == {person_key(self.requester)}:
            raise InvalidRequest.of_field("approvers", "must have a person besides the requester, who may not answer")
        if any(map(self._objection, self.recipients)):
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
        require_person(person, field=f"{field}[{index}]")
    if len(set(map(person_key, people))) != len(people):
        raise InvalidRequest.of_field(field, "must not have the same person twice")

"""Whether a member may pass a pause on, and to whom: the rules of a delegation.

The mint says to whom members may pass a pause on; without that, no member may. The person who comes in the place of a
member has the same right to decide, and must be known as well as the member: passing on must not make a decision
weaker.
"""

from collections.abc import Sequence
from dataclasses import replace

from askback.domain.errors import InvalidRequest
from askback.domain.pause.answerers import Answerers
from askback.domain.pause.changes import DELEGATIONS_MAX, ChangeKind, passed_on_by
from askback.domain.pause.ledger import LedgerRow, PauseStatus
from askback.domain.pause.person_names import is_among, matches, require_person, same_person
from askback.domain.pause.quorum import Vote, standing
from askback.domain.pause.roster import PLACES_MAX, EscalationStep, People, StepMode

DELEGATES_MAX = 20
"""The most names and patterns of one mint."""
NOT_PASSED_ON = "cannot be asked: this question cannot be passed on"
CHAIN_MAX = 3
"""How often a pause is passed on from one member to the person who decides."""


def check_delegates(delegates: Sequence[str], answerers: Answerers) -> None:
    """Require that each name or pattern can mean people, and that there are members; raises InvalidRequest."""
    if len(delegates) > DELEGATES_MAX:
        raise InvalidRequest.of_field("delegates", f"must be at most {DELEGATES_MAX}")
    for index, each in enumerate(delegates):
        require_person(each, field=f"delegates[{index}]")
    if delegates and not answerers.approvers:
        raise InvalidRequest.of_field("delegates", "needs approvers: without them, every person can answer")


def why_not_new(row: LedgerRow, person: str) -> str:
    """Return why this person cannot be asked as one more; empty if the person can."""
    if is_among(person, row.people.asked()):
        return "is asked in this pause already"
    if is_among(person, row.revoked_links):
        return "is a person whose link was revoked"
    if why := row.answerers.exclusion(person):
        return f"cannot be asked: {why}"
    if len(row.answerers.recipients) >= PLACES_MAX:
        return f"cannot be asked: the pause has had {PLACES_MAX} recipients"
    return ""


def vote_of(row: LedgerRow, person: str) -> Vote | None:
    """Return the vote of this person that counts, if there is one."""
    return next(
        (vote for vote in standing(row.votes, row.answerers, void=row.void_votes) if same_person(vote.by, person)), None
    )


def may_pass_on(row: LedgerRow, member: str) -> bool:
    """Return whether this member, who may answer, may pass the pause on to some person."""
    return row.status is PauseStatus.ISSUED and vote_of(row, member) is None and not _why_not(row, member)


def require_delegate(row: LedgerRow, member: str, to: str) -> None:
    """Require that this member may pass the pause on to `to`; raises InvalidRequest of this field."""
    if why := _why_not(row, member) or _why_not_to(row, to):
        raise InvalidRequest.of_field("to", why)


def people_after(row: LedgerRow, member: str, to: str) -> People:
    """Return the people with `to` in the place of the member, and with the member's demand."""
    people = row.people.with_added([to]).without([member])
    least = row.answerers.least_of(member)
    if least is row.answerers.least_assurance:
        return people
    floors = (*people.answerers.member_floors, (to, least))
    return replace(people, answerers=replace(people.answerers, member_floors=floors))


def step_now(row: LedgerRow, step: EscalationStep) -> EscalationStep:
    """Return a step of the escalation without the members who have left since the mint: others decide for them.

    If only such members are in it, it asks no further person, and no person leaves.
    """
    members = [each for change in row.changes for each in change.approvers]
    to = tuple(each for each in step.to if not is_among(each, members) or is_among(each, row.answerers.approvers))
    return replace(step, to=to, mode=step.mode if to else StepMode.ADD)


def _why_not(row: LedgerRow, member: str) -> str:
    if not row.delegates:
        return NOT_PASSED_ON
    if len(passed_on_by(row.changes, row.answerers.recipients, member)) >= CHAIN_MAX:
        return f"cannot be asked: a question is passed on at most {CHAIN_MAX} times from one person to the next"
    if sum(change.kind is ChangeKind.DELEGATED for change in row.changes) >= DELEGATIONS_MAX:
        return f"cannot be asked: members pass a question on at most {DELEGATIONS_MAX} times"
    if len(row.answerers.recipients) >= PLACES_MAX:
        return f"cannot be asked: the pause has had {PLACES_MAX} recipients"
    return ""


def _why_not_to(row: LedgerRow, to: str) -> str:
    if not matches(to, row.delegates):
        return "is not a person to whom this question may be passed on"
    if why := why_not_new(row, to):
        return why
    left = any(is_among(to, change.approvers) for change in row.changes)
    return "is a person who decides no more in this pause" if left else ""

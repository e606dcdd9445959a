"""Who is asked, as time passes: the people of a pause, and the steps of an escalation.

A person keeps the place in the list of recipients, because the link of this person has the number of the place. So new
people are added at the end, and a person who leaves stays in the list, with a revoked link.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from askback.domain.errors import InvalidRequest
from askback.domain.limits import REMIND_MIN_SECONDS
from askback.domain.pause.answerers import PEOPLE_MAX, Answerers
from askback.domain.pause.changes import STEPS_MAX
from askback.domain.pause.person_names import is_among, person_key, require_person
from askback.domain.pause.quorum import Quorum, Vote, members, tally_of

PLACES_MAX = 2 * PEOPLE_MAX
"""The most places in the list of recipients, with those of people who have left."""


class StepMode(StrEnum):
    """Whether the people of a step are asked too, or instead of all others."""

    ADD = "add"
    REPLACE = "replace"


@dataclass(frozen=True, slots=True, kw_only=True)
class EscalationStep:
    """Whom to ask when there is no answer `after_seconds` after the mint."""

    after_seconds: int
    to: tuple[str, ...]
    mode: StepMode = StepMode.ADD


@dataclass(frozen=True, slots=True, kw_only=True)
class People:
    """The people of a pause: who may answer and gets a link, and the recipients whose links are revoked."""

    answerers: Answerers
    revoked_links: tuple[str, ...] = ()

    def asked(self) -> tuple[str, ...]:
        """Return who is asked now: the approvers, and the recipients who have not left."""
        return (*self.answerers.approvers, *_new(self.linked(), self.answerers.approvers))

    def linked(self) -> tuple[str, ...]:
        """Return the recipients with a good link."""
        left = set(map(person_key, self.revoked_links))
        return tuple(each for each in self.answerers.recipients if person_key(each) not in left)

    def with_added(self, people: Sequence[str]) -> "People":
        """Return these people and some more. Where there are approvers, the new ones may answer too."""
        now = self.answerers
        approvers = (*now.approvers, *_new(people, now.approvers)) if now.approvers else ()
        recipients = (*now.recipients, *_new(people, now.recipients))
        return replace(self, answerers=replace(now, approvers=approvers, recipients=recipients))

    def without(self, people: Sequence[str]) -> "People":
        """Return the people without some, whose links are then void."""
        now = self.answerers
        approvers = tuple(each for each in now.approvers if not is_among(each, people))
        if now.approvers and not approvers:
            # Without approvers, every person could answer.
            raise ValueError("a pause with approvers cannot lose all of them")
        left = [each for each in now.recipients if is_among(each, people)]
        revoked = (*self.revoked_links, *_new(left, self.revoked_links))
        return People(answerers=replace(now, approvers=approvers), revoked_links=revoked)

    def after(self, step: EscalationStep) -> "People":
        """Return the people after a step of the escalation."""
        added = self.with_added(step.to)
        if step.mode is StepMode.ADD:
            return added
        return added.without([each for each in added.asked() if not is_among(each, step.to)])

    def can_decide(self, quorum: Quorum | None, votes: Sequence[Vote], *, void: int = 0) -> bool:
        """Return whether a recipient has a good link, and enough yeses are possible with the votes that count."""
        if not self.linked():
            return False
        if quorum is None:
            return True
        tally = tally_of(quorum, self.answerers, votes, void=void)
        return tally.members - tally.rejected >= tally.needed


def check_escalation(
    steps: Sequence[EscalationStep], *, answerers: Answerers, quorum: Quorum | None, before_seconds: int
) -> None:
    """Require that every step comes in its order before `before_seconds`, and leaves people who can decide.

    Raises:
        InvalidRequest: with the wrong field.
    """
    if len(steps) > STEPS_MAX:
        raise InvalidRequest.of_field("escalation", f"must be at most {STEPS_MAX}")
    people, left, earliest = People(answerers=answerers), set[str](), REMIND_MIN_SECONDS
    for index, step in enumerate(steps):
        field = f"escalation[{index}]"
        if not earliest <= step.after_seconds < before_seconds:
            raise InvalidRequest.of_field(
                f"{field}.after_seconds", f"must be at least {earliest} and less than the time to answer"
            )
        earliest = step.after_seconds + 1
        _require_people(step.to, f"{field}.to")
        for number, person in enumerate(step.to):
            if person_key(person) in left:
                raise InvalidRequest.of_field(f"{field}.to[{number}]", "is a person whom an earlier step has replaced")
            if why := answerers.exclusion(person):
                raise InvalidRequest.of_field(f"{field}.to[{number}]", f"cannot be asked: {why}")
        if step.mode is StepMode.REPLACE and not people.asked():
            raise InvalidRequest.of_field(f"{field}.mode", "replace needs approvers or recipients")
        after = people.after(step)
        left |= {person_key(each) for each in people.asked()} - {person_key(each) for each in after.asked()}
        people = after
        if quorum is not None and len(members(people.answerers)) < quorum.needed:
            raise InvalidRequest.of_field(f"{field}.to", "leaves fewer people than the quorum needs")
        if len(people.answerers.approvers) > PEOPLE_MAX or len(people.answerers.recipients) > PLACES_MAX:
            raise InvalidRequest.of_field(f"{field}.to", f"makes more than {PEOPLE_MAX} people")


def escalation_text(steps: Sequence[EscalationStep]) -> str:
    """Return the steps as one line of JSON, for the row."""
    return _text([[step.after_seconds, step.mode, list(step.to)] for step in steps])


def read_escalation(text: str) -> tuple[EscalationStep, ...]:
    """Return the steps of a row; raises ValueError or TypeError for anything else."""
    return tuple(
        EscalationStep(after_seconds=after, mode=StepMode(mode), to=tuple(to)) for after, mode, to in json.loads(text)
    )


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _new(people: Sequence[str], known: Sequence[str]) -> tuple[str, ...]:
    return tuple(each for each in people if not is_among(each, known))


def _require_people(people: Sequence[str], field: str) -> None:
    if not 1 <= len(people) <= PEOPLE_MAX:
        raise InvalidRequest.of_field(field, f"must be from 1 to {PEOPLE_MAX}")
    for index, person in enumerate(people):
        require_person(person, field=f"{field}[{index}]")
    if len(set(map(person_key, people))) != len(people):
        raise InvalidRequest.of_field(field, "must not have the same person twice")

"""What has changed in an open pause since its mint: its people, and what they know about the question.

All changes are in one list of the row. Every write that depends on the people or on the question needs that list as it
was read, and each change is announced once. So an answer never meets people, or a question, that it has not seen.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from askback.domain.json_text import canonical_text, sha256_hex
from askback.domain.pause.person_names import is_among

STEPS_MAX = 5
"""The most steps of an escalation."""
REASSIGNMENTS_MAX = 5
DELEGATIONS_MAX = 5
QUESTIONS_MAX = 5
"""How often people can ask back in one pause."""
CHANGES_MAX = STEPS_MAX + REASSIGNMENTS_MAX + DELEGATIONS_MAX + 2 * QUESTIONS_MAX
"""The most changes of one pause; each has a mark of its own in the row, which the notify function may write."""


class ChangeKind(StrEnum):
    """What changed: the people, by a step, an operator or a member; or what is known, by a question or its reply."""

    ESCALATED = "escalated"
    REASSIGNED = "reassigned"
    DELEGATED = "delegated"
    QUESTIONED = "questioned"
    CLARIFIED = "clarified"

    @property
    def has_text(self) -> bool:
        """Whether the change is what a person asked, or what the asker replied."""
        return self in (ChangeKind.QUESTIONED, ChangeKind.CLARIFIED)


@dataclass(frozen=True, slots=True, kw_only=True)
class PauseChange:
    """One change of an open pause, at `at` (epoch seconds).

    `approvers` are those before it, and `places` is how many recipients there were: the ones behind them are new. `by`
    is the operator who made the change, the member who has passed the pause on, or the person who asked back; it is
    empty for a step of the escalation.
    """

    kind: ChangeKind
    at: int
    approvers: tuple[str, ...]
    places: int
    by: str = ""
    text: str | None = ""
    """What was asked or replied; None after the content of the pause was erased, and empty for other changes."""
    text_hash: str = ""
    """The SHA-256 of the text; it stays when the text is erased."""
    number: int = 0
    """Of a reply: the number of the question that it replies to, from 1."""
    votes: int = 0
    """Of a reply: how many votes were given before it. They count no more."""

    def erased(self) -> "PauseChange":
        """Return the change without its text."""
        return replace(self, text=None) if self.kind.has_text else self


def without_texts(changes: Sequence[PauseChange]) -> tuple[PauseChange, ...]:
    """Return the changes as an erasure leaves them."""
    return tuple(change.erased() for change in changes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Clarification:
    """A question that a person asked back, with its number from 1, and the reply of the asker, or None."""

    number: int
    asked: PauseChange
    reply: PauseChange | None


def clarifications(changes: Sequence[PauseChange]) -> tuple[Clarification, ...]:
    """Return the questions back in their order, each with its reply."""
    asked = [change for change in changes if change.kind is ChangeKind.QUESTIONED]
    replies = {change.number: change for change in changes if change.kind is ChangeKind.CLARIFIED}
    return tuple(
        Clarification(number=number, asked=change, reply=replies.get(number))
        for number, change in enumerate(asked, start=1)
    )


def known_hash(request_hash: str, changes: Sequence[PauseChange]) -> str:
    """Return the hash of what people know when they answer: of the request, and of every reply with its question.

    It is the hash of the request until there is a reply.
    """
    said = [[each.asked.text_hash, each.reply.text_hash] for each in clarifications(changes) if each.reply]
    return sha256_hex(canonical_text([request_hash, said])) if said else request_hash


def void_votes(changes: Sequence[PauseChange]) -> int:
    """Return how many votes, from the first, were given before the last reply of the asker: they count no more."""
    return max((change.votes for change in changes), default=0)


def steps_done(changes: Sequence[PauseChange]) -> int:
    """Return how many steps of the escalation were done."""
    return sum(change.kind is ChangeKind.ESCALATED for change in changes)


def new_places(changes: Sequence[PauseChange], number: int, recipients: Sequence[str]) -> tuple[str, ...]:
    """Return the recipients that the change with this number, from 1, has added; of number 0, those of the mint."""
    bounds = [0, *(change.places for change in changes), len(recipients)]
    return tuple(recipients[bounds[number] : bounds[number + 1]])


def passed_on_by(changes: Sequence[PauseChange], recipients: Sequence[str], person: str) -> tuple[str, ...]:
    """Return the members through whom the pause has come to this person, the first of them first."""
    chain: tuple[str, ...] = ()
    for number in range(len(changes), 0, -1):
        change = changes[number - 1]
        if change.kind is ChangeKind.DELEGATED and is_among(person, new_places(changes, number, recipients)):
            chain, person = (change.by, *chain), change.by
    return chain


def changes_text(changes: Sequence[PauseChange]) -> str:
    """Return the changes as one line of JSON, for the row."""
    return json.dumps([_written(each) for each in changes], ensure_ascii=False, separators=(",", ":"))


def read_changes(text: str) -> tuple[PauseChange, ...]:
    """Return the changes of a row; raises ValueError or TypeError for anything else."""
    return tuple(_read(*each) for each in json.loads(text))


def _written(change: PauseChange) -> list[Any]:
    people = [change.kind, change.at, change.places, list(change.approvers), change.by]
    return [*people, change.text, change.text_hash, change.number, change.votes] if change.kind.has_text else people


def _read(kind: str, at: int, places: int, approvers: list[str], by: str, *said: Any) -> PauseChange:
    change = PauseChange(kind=ChangeKind(kind), at=at, places=places, approvers=tuple(approvers), by=by)
    if not change.kind.has_text:
        if said:
            raise ValueError("a change of the people has a text")
        return change
    text, text_hash, number, votes = said
    return replace(change, text=text, text_hash=text_hash, number=number, votes=votes)

"""The escalation of a pause and its changes since the mint as attributes of its row; an ordinary row has none."""

from typing import Any

from askback.domain.pause.changes import PauseChange, changes_text, read_changes, without_texts
from askback.domain.pause.roster import EscalationStep, escalation_text, read_escalation

ESCALATION = "escalation"
"""The steps as one JSON text; the hash of the terms covers it."""
CHANGES = "changes"
"""The changes as one JSON text. A write that depends on the people or the question needs it as it was read."""
TO_ANNOUNCE = "to_announce"
"""The number of the first change that is not announced; only in a row with such a change."""

Attributes = dict[str, Any]


def announced_change(number: int) -> str:
    """Return the name of the mark of the event that announces a change; the notify function writes it."""
    return f"announced_{number}"


def escalation_attributes(steps: tuple[EscalationStep, ...]) -> Attributes:
    """Return the attribute of an escalation; none without one."""
    return {ESCALATION: {"S": escalation_text(steps)}} if steps else {}


def changes_attributes(changes: tuple[PauseChange, ...], to_announce: int | None) -> Attributes:
    """Return the attributes of the changes."""
    announced: Attributes = {} if to_announce is None else {TO_ANNOUNCE: {"N": str(to_announce)}}
    return {CHANGES: {"S": changes_text(changes)}, **announced} if changes else {}


def changes_erased(changes: tuple[PauseChange, ...]) -> Attributes:
    """Return the changes without what people wrote; nothing if there is no such text."""
    left = without_texts(changes)
    return {} if left == changes else changes_attributes(left, None)


def terms_said(steps: tuple[EscalationStep, ...], changes: tuple[PauseChange, ...]) -> list[Any]:
    """Return what the hash of the terms covers of both; nothing for an ordinary row."""
    if not steps and not changes:
        return []
    return [{"escalation": escalation_text(steps), "changes": changes_text(changes)}]


def read_steps(item: Attributes) -> tuple[EscalationStep, ...]:
    """Return the escalation of an item."""
    return read_escalation(item[ESCALATION]["S"]) if ESCALATION in item else ()


def read_roster_changes(item: Attributes) -> tuple[PauseChange, ...]:
    """Return the changes of an item."""
    return read_changes(item[CHANGES]["S"]) if CHANGES in item else ()

"""The write of a change of an open pause, and its announcement.

They are two steps. If the process dies between them, the row is due soon, and the sweep announces the change.
"""

from contextlib import suppress
from typing import Any

from askback.domain.delivery.delivery import Delivery
from askback.domain.errors import InteractionConfigurationError, StoreUnavailable
from askback.domain.pause.changes import ChangeKind
from askback.domain.pause.ledger import LedgerRow
from askback.domain.pause.roster import People
from askback.domain.ports import IssuanceLedger


class OpenChanges:
    """Changes the people of open pauses, or what these people know. `open_alarm_seconds` is that of the sweep."""

    def __init__(self, *, ledger: IssuanceLedger, delivery: Delivery, open_alarm_seconds: int = 0) -> None:
        self._ledger = ledger
        self._delivery = delivery
        self._open_alarm_seconds = open_alarm_seconds

    async def write(
        self, row: LedgerRow, kind: ChangeKind, *, at: int, by: str, people: People | None = None, **said: Any
    ) -> LedgerRow | None:
        """Return the row after the change at `at` (epoch seconds); None if the row has changed since it was read.

        Without `people`, they stay as they are. `said` are the further fields of the `PauseChange`.

        Raises:
            StoreUnavailable: the change was not written, or this is not known.
        """
        people = people or row.people
        change = row.changed(people, kind, at=at, alarm_seconds=self._open_alarm_seconds, by=by, **said)
        if not await self._ledger.advance(row, change):
            return None
        changed = change.applied_to(row)
        with suppress(StoreUnavailable, InteractionConfigurationError):
            await self._delivery.announce_changes(changed, at=at, alarm_seconds=self._open_alarm_seconds)
        return changed

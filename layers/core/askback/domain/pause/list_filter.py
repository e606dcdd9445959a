"""What an operator asks a list for. A row that cannot be read is on every list: what it would say is not known."""

from dataclasses import dataclass

from askback.domain.pause.ledger import PauseStatus
from askback.domain.pause.listing import UNREADABLE, ListedPause
from askback.domain.pause.person_names import is_among, same_person

STATUSES = (*(status.value for status in PauseStatus), UNREADABLE)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListFilter:
    """The facts that a pause must have to be listed; a fact of None is not asked for. Times are epoch seconds."""

    status: str | None = None
    name: str | None = None
    run_id: str | None = None
    requester: str | None = None
    recipient: str | None = None
    issued_before: int | None = None
    expires_before: int | None = None

    @property
    def open_only(self) -> bool | None:
        """Whether only open pauses can fit, or only ended ones; None for both."""
        return None if self.status in (None, UNREADABLE) else self.status == PauseStatus.ISSUED.value

    def fits(self, listed: ListedPause) -> bool:
        """Return whether the line is to be listed."""
        row = listed.row
        if listed.status == UNREADABLE:
            return True
        if self.status not in (None, listed.status) or self.name not in (None, listed.name):
            return False
        if self.expires_before is not None and not (listed.expires_at or 0) < self.expires_before:
            return False
        if self.issued_before is not None and not (listed.issued_at or 0) < self.issued_before:
            return False
        if self.run_id is None and self.requester is None and self.recipient is None:
            return True
        return row is not None and self._of_these(row.claims.run_id, row.answerers.requester, row.people.linked())

    def _of_these(self, run_id: str, requester: str, recipients: tuple[str, ...]) -> bool:
        return (
            self.run_id in (None, run_id)
            and (self.requester is None or (bool(requester) and same_person(self.requester, requester)))
            and (self.recipient is None or is_among(self.recipient, recipients))
        )

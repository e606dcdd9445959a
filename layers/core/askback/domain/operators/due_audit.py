"""The audit of the due marks: finds rows that the sweep should work on, and that its index cannot show.

The sweep sees only rows with good due marks. A row whose marks are damaged is never worked on, and no alarm is raised
for it: its pause does not expire, and its outcome does not arrive. Only a walk over all rows can find it.

A row that is only late is never reported: the index shows it, so it is the sweep's normal work.
"""

from dataclasses import dataclass

from askback.domain.pause.ledger import PauseStatus
from askback.domain.ports import DueMarks, MarkedRow

_MAY_BE_SETTLED = (PauseStatus.EXPIRED, PauseStatus.REVOKED, PauseStatus.SUPERSEDED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unseen:
    """A row that the sweep cannot see, and whether this audit made it due."""

    marked: MarkedRow
    repaired: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditPage:
    """The rows of one page that the sweep cannot see; `next` is the cursor of the next page, None after the last."""

    scanned: int
    unseen: tuple[Unseen, ...]
    next: str | None


class DueAudit:
    """Walks over the rows, page by page."""

    def __init__(self, *, marks: DueMarks) -> None:
        self._marks = marks

    async def page(self, *, at: int, limit: int, after: str | None, repair: bool) -> AuditPage:
        """Return what is wrong on the page after the cursor `after`; with `repair`, also make those rows due at `at`.

        A row that another process changes between the read and the write stays as that process wrote it.

        Raises:
            InvalidRequest: `after` is no cursor.
            StoreUnavailable, InteractionConfigurationError: the page could not be read, or a row could not be repaired.
        """
        page = await self._marks.page(at=at, limit=limit, after=after)
        unseen = []
        for marked in page.rows:
            if marked.damage and should_be_due(marked, at=at):
                repaired = repair and await self._marks.repair(marked, due_at=at)
                unseen.append(Unseen(marked=marked, repaired=repaired))
        return AuditPage(scanned=page.scanned, unseen=tuple(unseen), next=page.next)


def should_be_due(marked: MarkedRow, *, at: int) -> bool:
    """Return whether the sweep has something to do for a row.

    When the outcome of a pause that ended without an answer has arrived, both marks are removed and the status stays.
    So without any mark, such a row counts only if no attempt was begun. A superseded pause whose waiter went over to
    the newer one has no outcome to deliver. A row that this build cannot read counts if it is open or has a mark: the
    sweep then names it.
    """
    row = marked.row
    if row is None:
        return marked.has_a_mark or marked.status == PauseStatus.ISSUED.value
    if row.status is PauseStatus.ISSUED:
        return row.expires_at <= at
    if row.waiter is None or (row.superseded is not None and row.superseded.waiter_moved):
        return False
    if row.status in _MAY_BE_SETTLED:
        return not row.given_up and (marked.has_a_mark or row.attempts == 0)
    return row.status is PauseStatus.ANSWERED

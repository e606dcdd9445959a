"""The issuance ledger in memory; a lock makes each write conditional."""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace

from askback.domain.errors import StoreUnavailable, UnknownPause
from askback.domain.pause.claims import PauseClaims, PauseIdentity
from askback.domain.pause.ledger import (
    AcceptedAnswer,
    LedgerRow,
    PauseStatus,
    Receipt,
    Revocation,
    RowChange,
    VoteWrite,
    settle_refused_claim,
)
from askback.domain.pause.listing import LOOK_MAX, ListedPause, ListPlace, OpenPage, OpenPlace, PausePage, Wanted
from askback.domain.pause.quorum import Counted
from askback.domain.pause.waiters import Waiter
from askback.domain.ports import DueRows, KeyUse


class InMemoryLedger:
    """The issuance ledger with a dict of rows; it also lists a scope's pauses and counts the open ones by key."""

    def __init__(self) -> None:
        self.rows: dict[str, LedgerRow] = {}
        self.announced: dict[tuple[str, bool, int], tuple[str, str]] = {}
        self._lock = threading.Lock()

    async def issue(self, row: LedgerRow) -> LedgerRow:
        with self._lock:
            return self.rows.setdefault(row.claims.jti, row)

    async def supersede(self, row: LedgerRow, seen: LedgerRow, change: RowChange) -> LedgerRow | None:
        with self._lock:
            if row.claims.jti in self.rows:
                return self.rows[row.claims.jti]
            current = self.rows.get(seen.claims.jti)
            if current is None or seen.due_at is None or _moving(current) != _moving(seen):
                return None
            self.rows[seen.claims.jti] = change.applied_to(current)
            self.rows[row.claims.jti] = row
            return row

    async def claim(
        self,
        claims: PauseClaims,
        answer: AcceptedAnswer,
        *,
        redeliver_at: int | None = None,
        waiter: Waiter | None = None,
        seen: LedgerRow | None = None,
    ) -> Receipt:
        with self._lock:
            row = self.rows.get(claims.jti)
            if row is None and claims.legacy:
                row = LedgerRow(claims=claims, status=PauseStatus.ISSUED)
            if row is None or row.status is not PauseStatus.ISSUED or row.expires_at <= answer.answered_at:
                return settle_refused_claim(row, answer)
            row.require_link(claims)
            if row.quorum is not None:
                raise StoreUnavailable(reason="the pause needs votes")
            if (row.waiter is not None) != (redeliver_at is not None) or waiter not in (None, row.waiter):
                raise StoreUnavailable(reason="the waiter changed")
            if seen is not None and seen.changes != row.changes:
                raise StoreUnavailable(reason="the people changed")
            claimed = _answered(row, answer, redeliver_at)
            self.rows[claims.jti] = claimed
        return Receipt(answer=answer, replayed=False, row=claimed)

    async def vote(
        self,
        seen: LedgerRow,
        claims: PauseClaims,
        counted: Counted,
        answer: AcceptedAnswer | None,
        *,
        redeliver_at: int | None = None,
        waiter: Waiter | None = None,
    ) -> VoteWrite:
        with self._lock:
            row = self.rows.get(claims.jti)
            if row is None:
                raise UnknownPause
            changed = (row.votes, _terms(row)) != (seen.votes, _terms(seen))
            revoked = claims.recipient and claims.recipient in row.revoked_links
            over = row.status is not PauseStatus.ISSUED or row.expires_at <= counted.vote.at
            elsewhere = answer is not None and (row.waiter is not None) != (redeliver_at is not None)
            if changed or revoked or over or elsewhere or (answer is not None and waiter not in (None, row.waiter)):
                return VoteWrite(row=row, written=False)
            voted = replace(row, votes=counted.votes)
            if answer is not None:
                voted = _answered(voted, answer, redeliver_at)
            self.rows[claims.jti] = voted
            return VoteWrite(row=voted, written=True)

    async def find(self, jti: str) -> LedgerRow | None:
        return self.rows.get(jti)

    async def response_text_of(self, row: LedgerRow) -> str:
        answer = self.rows[row.claims.jti].answer
        if answer is None or answer.response_text is None:
            raise LookupError("the pause has no answer")
        return answer.response_text

    async def replace_waiter(self, row: LedgerRow, waiter: Waiter) -> bool:
        with self._lock:
            current = self.rows.get(row.claims.jti)
            if current is None or current.status is not PauseStatus.ISSUED or current.waiter != row.waiter:
                return False
            if (current.revoked_links, current.changes) != (row.revoked_links, row.changes):
                return False
            self.rows[row.claims.jti] = replace(current, waiter=waiter)
            return True

    async def replace_key(self, row: LedgerRow, key_id: str) -> bool:
        with self._lock:
            current = self.rows.get(row.claims.jti)
            if current is None or current.status is not PauseStatus.ISSUED or current.key_id != row.key_id:
                return False
            self.rows[row.claims.jti] = replace(current, key_id=key_id)
            return True

    async def note_turn(self, row: LedgerRow, turn_hash: str) -> bool:
        with self._lock:
            current = self.rows.get(row.claims.jti)
            if current is None or current.status is not PauseStatus.ISSUED or current.turn_recorded:
                return False
            if current.claims.request_hash != row.claims.request_hash:
                return False
            self.rows[row.claims.jti] = replace(current, turn_recorded=True, turn_hash=turn_hash)
            return True

    async def revoke_links(self, row: LedgerRow, recipients: Sequence[str]) -> bool:
        with self._lock:
            current = self.rows.get(row.claims.jti)
            if current is None or current.status is not PauseStatus.ISSUED or current.waiter != row.waiter:
                return False
            if (current.revoked_links, current.changes) != (row.revoked_links, row.changes):
                return False
            self.rows[row.claims.jti] = replace(current, revoked_links=tuple(recipients))
            return True

    async def mark_announced(self, row: LedgerRow, *, event_id: str, reminder: bool = False, change: int = 0) -> bool:
        with self._lock:
            place, mark = (row.claims.jti, reminder, change), (row.key_id, event_id)
            if row.claims.jti not in self.rows:
                return False
            seen = self.announced.get(place)
            if seen is not None and seen != mark and seen[0] == row.key_id:
                return False
            self.announced[place] = mark
            return True

    async def outstanding_by_key(self, *, at: int) -> Mapping[str, KeyUse]:
        found: dict[str, list[int]] = {}
        for row in self.rows.values():
            if row.status is PauseStatus.ISSUED and row.expires_at > at:
                found.setdefault(row.key_id, []).append(row.expires_at)
        return {
            key_id: KeyUse(key_id=key_id, outstanding=len(expiries), latest_expiry=max(expiries))
            for key_id, expiries in found.items()
        }

    async def advance(self, seen: LedgerRow, change: RowChange) -> bool:
        with self._lock:
            current = self.rows.get(seen.claims.jti)
            if current is None or seen.due_at is None or _moving(current) != _moving(seen):
                return False
            if change.people is not None and _covered(current) != _covered(seen):
                return False
            self.rows[seen.claims.jti] = change.applied_to(current)
            return True

    async def redrive(self, seen: LedgerRow, *, at: int) -> bool:
        with self._lock:
            current = self.rows.get(seen.claims.jti)
            if current is None or not current.redrivable:
                return False
            self.rows[seen.claims.jti] = current.redriven(at=at)
            return True

    async def of_scope(
        self,
        scope_hash: str,
        *,
        limit: int,
        after: ListPlace | None,
        wanted: Wanted | None = None,
        open_only: bool | None = None,
    ) -> PausePage:
        rows = [(_place(row), row) for row in self.rows.values() if row.claims.scope_hash == scope_hash]
        behind = sorted(
            ((place, _listed(place, row)) for place, row in rows if open_only in (None, place.is_open)),
            key=lambda each: each[0].text(),
        )
        behind = [each for each in behind if not after or each[0].text() > after.text()]
        lines, looked = _page([line for _, line in behind], wanted, limit)
        more = looked < len(behind)
        return PausePage(pauses=lines, next=behind[looked - 1][0] if more else None, looked_at=looked)

    async def open_pauses(
        self, *, limit: int, after: OpenPlace | None, wanted: Wanted, expires_before: int | None, due_before: int | None
    ) -> OpenPage:
        rows = [
            row
            for row in self.rows.values()
            if row.status is PauseStatus.ISSUED
            and row.due_at is not None
            and (due_before is None or row.due_at < due_before)
            and (expires_before is None or row.expires_at < expires_before)
        ]
        behind = sorted((row.due_at or 0, row.claims.jti) for row in rows)
        behind = [each for each in behind if after is None or each > (int(after.due_at), after.jti)]
        found = [self.rows[jti] for _, jti in behind]
        lines, looked = _page([_listed(_place(row), row) for row in found], wanted, limit)
        last = None if looked == len(behind) else behind[looked - 1]
        place = None if last is None else OpenPlace(part=0, due_at=str(last[0]), jti=last[1])
        return OpenPage(pauses=lines, next=place, looked_at=looked)

    async def due(self, *, at: int, limit: int) -> DueRows:
        due = [row for row in self.rows.values() if row.due_at is not None and row.due_at <= at]
        return DueRows(rows=sorted(due, key=lambda row: row.due_at or 0)[:limit])

    async def put_off(self, pause: PauseIdentity, *, at: int, until: int) -> bool:
        with self._lock:
            current = self.rows.get(pause.jti)
            if current is None or current.due_at is None or current.due_at > at:
                return False
            self.rows[pause.jti] = replace(current, due_at=until)
            return True

    def revoke(self, jti: str) -> None:
        """Revoke a pause, as an operator does."""
        row = self.rows[jti]
        self.rows[jti] = replace(
            row, status=PauseStatus.REVOKED, revocation=Revocation(by="olga", at=row.expires_at - 9)
        )


def _answered(row: LedgerRow, answer: AcceptedAnswer, redeliver_at: int | None) -> LedgerRow:
    """Return the row with the accepted answer; with a time to deliver again, its first delivery has begun."""
    change = RowChange(status=PauseStatus.ANSWERED, answer=answer, due_at=redeliver_at)
    if redeliver_at is not None:
        change = replace(change, attempts=1, may_have_landed=True)
    return change.applied_to(row)


def _moving(row: LedgerRow) -> tuple[object, ...]:
    return row.status, row.expires_at, row.due_at, row.waiter, row.changes


def _covered(row: LedgerRow) -> tuple[object, ...]:
    return row.revoked_links, row.votes


def _terms(row: LedgerRow) -> tuple[object, ...]:
    """Return what the hash of the terms covers in the table."""
    people = (row.answerers, row.quorum, row.revoked_links, row.changes)
    return *people, row.default_response_text, row.waiter is None


def _place(row: LedgerRow) -> ListPlace:
    claims = row.claims
    return ListPlace(is_open=row.status is PauseStatus.ISSUED, issued_at=claims.issued_at or 0, jti=claims.jti)


def _listed(place: ListPlace, row: LedgerRow) -> ListedPause:
    return ListedPause(
        jti=place.jti,
        name=row.claims.name,
        status=row.status.value,
        issued_at=place.issued_at,
        expires_at=row.expires_at,
        scope_hash=row.claims.scope_hash,
        scope_label=row.scope_label,
        row=row,
    )


def _page(lines: Sequence[ListedPause], wanted: Wanted | None, limit: int) -> tuple[tuple[ListedPause, ...], int]:
    """Return the wanted lines of a page, and how many lines were looked through for it."""
    found: list[ListedPause] = []
    for place, line in enumerate(lines[:LOOK_MAX], start=1):
        if wanted is None or wanted(line):
            found.append(line)
        if len(found) == limit:
            return tuple(found), place
    return tuple(found), len(lines[:LOOK_MAX])

"""The open pauses in memory, over the rows of the ledger in memory."""

import threading

from askback.domain.pause.ledger import PauseStatus
from askback.domain.ports import ENTRY_WITHOUT_ROW_SECONDS, Place
from askback.testing.memory_ledger import InMemoryLedger


class InMemoryOpenPauses:
    """The lists are a dict: for each person, when each pause was entered. A lock makes each change whole."""

    def __init__(self, ledger: InMemoryLedger) -> None:
        self.lists: dict[str, dict[str, int]] = {}
        self._ledger = ledger
        self._lock = threading.Lock()

    async def count(self, scope_hash: str, *, at: int, most: int) -> int:
        rows = list(self._ledger.rows.values())
        return min(most, sum(row.claims.scope_hash == scope_hash and self._is_open(row.claims.jti, at) for row in rows))

    async def enter(self, jti: str, *, person: str, at: int, most: int) -> Place:
        with self._lock:
            entered = self.lists.setdefault(person, {})
            if jti in entered:
                return Place.KNOWN
            if len(entered) >= most:
                if jti in self._ledger.rows:
                    return Place.KNOWN
                for each in [each for each, since in entered.items() if not self._counts(each, since, at)]:
                    del entered[each]
            if len(entered) >= most:
                return Place.FULL
            entered[jti] = at
            return Place.ENTERED

    async def leave(self, jti: str, *, person: str) -> None:
        with self._lock:
            self.lists.get(person, {}).pop(jti, None)

    def _counts(self, jti: str, since: int, at: int) -> bool:
        if jti not in self._ledger.rows:
            return at < since + ENTRY_WITHOUT_ROW_SECONDS
        return self._is_open(jti, at)

    def _is_open(self, jti: str, at: int) -> bool:
        row = self._ledger.rows[jti]
        return row.status is PauseStatus.ISSUED and at < row.expires_at

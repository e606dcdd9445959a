"""Steps of a ledger, for the contract suites: a complete row by default, with what a test is about replaced."""

import asyncio
from dataclasses import replace
from typing import Any

from askback.domain.pause.ledger import AcceptedAnswer, LedgerRow, Receipt, RowChange
from askback.domain.pause.waiters import Waiter, WaiterKind
from askback.domain.ports import IssuanceLedger
from tests.support.domain_values import an_acceptance, an_issued_row, some_claims
from tests.support.memory_deployment import NOW

END = NOW + 3600
TASK = Waiter(kind=WaiterKind.STEP_FUNCTIONS, address="AAAAKgAAAAIAAA+/x/y==" + "z" * 2000)
NEXT_TASK = replace(TASK, address="AAAAKgAAAAIAAA+/z/z==")
EVENT = Waiter(kind=WaiterKind.EVENT)


def a_row(jti: str = "0123456789abcdef0123456789abcdef", **over: Any) -> LedgerRow:
    """Return the row of an open pause that is due at its expiry."""
    return an_issued_row(some_claims(jti=jti), **{"due_at": END, **over})


def issued(ledger: IssuanceLedger, **over: Any) -> LedgerRow:
    """Write a row and return it."""
    return asyncio.run(ledger.issue(a_row(**over)))


def find(ledger: IssuanceLedger, row: LedgerRow) -> LedgerRow:
    """Return the row as it is now."""
    found = asyncio.run(ledger.find(row.claims.jti))
    assert found is not None
    return found


def claim(
    ledger: IssuanceLedger, row: LedgerRow, answer: AcceptedAnswer | None = None, redeliver_at: int | None = None
) -> Receipt:
    """Claim the row's pause."""
    return asyncio.run(ledger.claim(row.claims, answer or an_acceptance(), redeliver_at=redeliver_at))


def advance(ledger: IssuanceLedger, seen: LedgerRow, **change: Any) -> bool:
    """Change a row as it was seen; return whether that was applied."""
    return asyncio.run(ledger.advance(seen, RowChange(**change)))


def due(ledger: IssuanceLedger, *, at: int, limit: int = 500) -> list[LedgerRow]:
    """Return what is due."""
    rows = asyncio.run(ledger.due(at=at, limit=limit)).rows
    read = [row for row in rows if isinstance(row, LedgerRow)]
    assert len(read) == len(rows)
    return read

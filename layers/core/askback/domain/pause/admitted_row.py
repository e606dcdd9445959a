"""The row of a pause that a caller names by its id."""

from collections.abc import Callable

from askback.domain.errors import UnknownPause
from askback.domain.pause.claims import PauseClaims
from askback.domain.pause.ledger import LedgerRow
from askback.domain.pause.principal_scopes import Admit
from askback.domain.ports import IssuanceLedger


async def admitted_row(
    ledger: IssuanceLedger, jti: str, *, admit: Admit, known: Callable[[PauseClaims], None] = lambda _: None
) -> LedgerRow:
    """Return the row of a pause to a caller whom `admit` does not refuse.

    `known` is called with the claims as soon as they are read, so that a refusal is logged with its pause.

    Raises:
        UnknownPause: there is no such pause. A pause of the legacy engine has no row before it is answered.
        Exception: what `admit` raises.
    """
    row = await ledger.find(jti)
    if row is None:
        raise UnknownPause
    known(row.claims)
    admit(row)
    return row

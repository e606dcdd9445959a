"""What the tools act on: the services, who asks in one request, and the state of a question."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from askback.domain.delivery.revoking import Revoking
from askback.domain.errors import HumanInteractionError, UnknownPause
from askback.domain.mint.pause_mint import PauseMint
from askback.domain.pause.admitted_row import admitted_row
from askback.domain.pause.claims import PauseClaims
from askback.domain.pause.ledger import LedgerRow, PauseStatus
from askback.domain.pause.minter import require_minter
from askback.domain.ports import IssuanceLedger, PauseDirectory
from askback.domain.resume.outcome_reader import OutcomeReader
from askback.edge.lambda_events import RouteRequest
from askback.edge.mcp.asking import Asker
from askback.edge.mcp.results import NO_ANSWER, answered_facts, ended_facts, open_facts

POLL_SECONDS = 1
"""How often a waiting call reads the row: one read unit each."""


class Titles(Protocol):
    """Reads the titles of recorded questions."""

    async def of(self, pauses: Sequence[PauseClaims]) -> Mapping[str, str]:
        """Return by id the title of each question that can be read."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolServices:
    """The services of the tools. `clock` returns epoch seconds, `sleep` waits some seconds.

    `new_key` returns a name that no question has. `known` gets the pause as soon as its row is read, for the log.
    """

    mint: PauseMint
    revoking: Revoking
    outcomes: OutcomeReader
    ledger: IssuanceLedger
    pauses: PauseDirectory
    titles: Titles
    sign_in_url: str
    retention_seconds: int
    clock: Callable[[], int]
    sleep: Callable[[float], None]
    new_key: Callable[[], str]
    known: Callable[[PauseClaims], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class McpContext:
    """The request of one asker. `refused` gets what a tool refuses; `done` gathers the metrics of what it has done."""

    services: ToolServices
    request: RouteRequest
    asker: Asker
    refused: Callable[[HumanInteractionError], None]
    done: list[str] = field(default_factory=list)

    def admit(self, row: LedgerRow) -> None:
        """Raise UnknownPause unless the asker has asked this question, in the scope that it has now."""
        require_minter(self.asker.principal, row.minter)
        if not self.asker.scope.matches(row.claims.scope_hash):
            raise UnknownPause

    async def row(self, jti: str) -> LedgerRow:
        """Return the row of a question of the asker."""
        return await admitted_row(self.services.ledger, jti, admit=self.admit, known=self.services.known)

    async def facts(self, row: LedgerRow, *, wait_seconds: int = 0) -> dict[str, Any]:
        """Return the state of a question, after up to `wait_seconds`, or less when the request has less time."""
        for _ in range(wait_seconds):
            # A reply needs some time too.
            if row.status is not PauseStatus.ISSUED or self.request.seconds_left() < POLL_SECONDS * 3:
                break
            self.services.sleep(POLL_SECONDS)
            row = await self.row(row.claims.jti)
        if row.status is PauseStatus.ISSUED:
            return open_facts(row, sign_in_url=self.services.sign_in_url)
        if row.status in NO_ANSWER:
            return ended_facts(row)
        return answered_facts(await self.services.outcomes.read_without_turn(row.claims))

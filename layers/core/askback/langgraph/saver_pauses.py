"""The domain's services for pauses whose request is recorded in the graph's own saver.

The ledger keeps the row of each pause: single use, expiry, answer, delivery. The saver keeps the request beside the
graph's state. So a lost checkpoint is detected before an answer is accepted. Answers must go through a process that has
the saver; the deployed functions do not have it.
"""

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from askback.domain.delivery.delivery import Delivery
from askback.domain.interactions.registry import InteractionRegistry
from askback.domain.mint.pause_mint import PauseMint
from askback.domain.pause import ids
from askback.domain.ports import AuditTrail, EventSink, IssuanceLedger
from askback.domain.records.payloads import PausePayloadStore
from askback.domain.records.separate_reads import SeparateReads
from askback.domain.records.turns import TurnCheckpointStore
from askback.domain.resume.eight_steps import ResumeService
from askback.domain.resume.outcome_reader import OutcomeReader
from askback.domain.tokens.service import PauseTokenService
from askback.langgraph.saver_checkpoints import LangGraphCheckpoints, Saver


class Wired(Protocol):
    """The services shared with pauses in the deployed stores; `askback.wiring.in_process.build` returns them."""

    @property
    def registry(self) -> InteractionRegistry:
        """The registered interactions."""
        ...

    @property
    def tokens(self) -> PauseTokenService:
        """The token service, over the ledger."""
        ...

    @property
    def ledger(self) -> IssuanceLedger:
        """The rows of all pauses."""
        ...

    @property
    def delivery(self) -> Delivery:
        """Delivers outcomes to waiters."""
        ...

    @property
    def events(self) -> EventSink:
        """Publishes events."""
        ...

    @property
    def open_alarm_seconds(self) -> int:
        """After this time the sweep counts a pause that is still open; 0 for never."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class SaverPauses:
    """The services that mint and resume pauses over a saver."""

    registry: InteractionRegistry
    checkpoints: LangGraphCheckpoints
    mint: PauseMint
    resume: ResumeService
    outcomes: OutcomeReader


def new_interrupt_id() -> str:
    """Return an id for an interrupt that its caller did not name."""
    return ids.random_interrupt_id(secrets.token_hex)


def over_saver(
    saver: Saver, wired: Wired, *, audit: AuditTrail, new_interrupt_id: Callable[[], str] = new_interrupt_id
) -> SaverPauses:
    """Return the services over a saver."""
    checkpoints = LangGraphCheckpoints(saver)
    registry, tokens = wired.registry, wired.tokens
    payloads, turns = PausePayloadStore(checkpoints), TurnCheckpointStore(checkpoints)
    states = SeparateReads(checkpoints=checkpoints, ledger=wired.ledger)
    return SaverPauses(
        registry=registry,
        checkpoints=checkpoints,
        mint=PauseMint(
            registry=registry,
            tokens=tokens,
            payloads=payloads,
            turns=turns,
            checkpoints=checkpoints,
            ledger=wired.ledger,
            delivery=wired.delivery,
            events=wired.events,
            new_interrupt_id=new_interrupt_id,
            open_alarm_seconds=wired.open_alarm_seconds,
        ),
        resume=ResumeService(
            registry=registry,
            tokens=tokens,
            payloads=payloads,
            turns=turns,
            states=states,
            audit=audit,
            delivery=wired.delivery,
        ),
        outcomes=OutcomeReader(
            registry=registry,
            tokens=tokens,
            payloads=payloads,
            turns=turns,
            states=states,
            ledger=wired.ledger,
        ),
    )

"""The services of a whole deployment over ports in memory: the real domain and the real token codec."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field

from askback.adapters.jwt_codec import JwtTokenCodec
from askback.adapters.secrets.key_ring import FixedKeyRing
from askback.domain.delivery.delivery import Delivery
from askback.domain.delivery.ended import EndedRuns
from askback.domain.delivery.open_changes import OpenChanges
from askback.domain.delivery.revoking import Revoking
from askback.domain.delivery.sweep import Sweep
from askback.domain.interactions.registry import InteractionRegistry
from askback.domain.mint.clarifying import Clarifying
from askback.domain.mint.pause_mint import PauseMint
from askback.domain.mint.quota import Quota
from askback.domain.operators.amendments import Amendments
from askback.domain.operators.inbox import Inbox
from askback.domain.overlap import Overlap, in_the_event_loop
from askback.domain.people.answer_links import AnswerLinks
from askback.domain.ports import CheckpointPort
from askback.domain.records.payloads import PausePayloadStore
from askback.domain.records.separate_reads import SeparateReads
from askback.domain.records.turns import TurnCheckpointStore
from askback.domain.resume.asking_back import AskingBack
from askback.domain.resume.delegating import Delegating
from askback.domain.resume.eight_steps import ResumeService
from askback.domain.resume.outcome_reader import OutcomeReader
from askback.domain.tokens.service import PauseTokenService
from askback.interactions import REGISTRY
from askback.testing.memory_ledger import InMemoryLedger
from askback.testing.memory_open_pauses import InMemoryOpenPauses
from askback.testing.memory_ports import InMemoryAuditTrail, InMemoryCheckpoints, InMemoryWaitingTasks
from askback.testing.memory_waiters import InMemoryEvents, InMemoryWaiters


def new_key_ring() -> str:
    """Return a ring with one new random key."""
    return f'{{"current":"k1","key:k1":"{secrets.token_hex(32)}"}}'


@dataclass
class InMemoryServices:
    """The services over ports whose contents a test can read."""

    registry: InteractionRegistry = REGISTRY
    key_ring: str = field(default_factory=new_key_ring, repr=False)
    checkpoints: InMemoryCheckpoints = field(default_factory=InMemoryCheckpoints)
    ledger: InMemoryLedger = field(default_factory=InMemoryLedger)
    audit: InMemoryAuditTrail = field(default_factory=InMemoryAuditTrail)
    waiters: InMemoryWaiters = field(default_factory=InMemoryWaiters)
    events: InMemoryEvents = field(default_factory=InMemoryEvents)
    open_pauses: InMemoryOpenPauses = field(init=False)
    waiting_tasks: InMemoryWaitingTasks = field(default_factory=InMemoryWaitingTasks)
    new_interrupt_id: Callable[[], str] = lambda: f"i-{secrets.token_hex(6)}"
    jitter: float = 1.0
    monotonic: Callable[[], float] = lambda: 0.0
    overlap: Overlap = in_the_event_loop
    open_alarm_seconds: int = 0
    return_links: bool = False

    def __post_init__(self) -> None:
        self.open_pauses = InMemoryOpenPauses(self.ledger)

    @property
    def tokens(self) -> PauseTokenService:
        """Return the token service."""
        return PauseTokenService(codec=JwtTokenCodec(FixedKeyRing(self.key_ring)), ledger=self.ledger)

    @property
    def minting(self) -> PauseMint:
        """Return the mint."""
        return self.minting_over(self.checkpoints)

    def minting_over(self, checkpoints: CheckpointPort | None) -> PauseMint:
        """Return the mint with another checkpoint port, or with none."""
        return PauseMint(
            registry=self.registry,
            tokens=self.tokens,
            payloads=PausePayloadStore(checkpoints),
            turns=TurnCheckpointStore(checkpoints),
            checkpoints=checkpoints,
            ledger=self.ledger,
            delivery=self.delivery,
            events=self.events,
            new_interrupt_id=self.new_interrupt_id,
            quota=Quota(pauses=self.open_pauses, ledger=self.ledger),
            waiting_tasks=self.waiting_tasks,
            overlap=self.overlap,
            open_alarm_seconds=self.open_alarm_seconds,
            return_links=self.return_links,
        )

    @property
    def links(self) -> AnswerLinks:
        """Return what issues the answer links of an open pause."""
        return AnswerLinks(ledger=self.ledger, tokens=self.tokens)

    @property
    def delivery(self) -> Delivery:
        """Return the delivery of outcomes."""
        return Delivery(ledger=self.ledger, port=self.waiters, events=self.events, jitter=lambda: self.jitter)

    @property
    def sweeping(self) -> Sweep:
        """Return the sweep."""
        return Sweep(
            ledger=self.ledger,
            delivery=self.delivery,
            monotonic=self.monotonic,
            open_alarm_seconds=self.open_alarm_seconds,
        )

    @property
    def inbox(self) -> Inbox:
        """Return the operators' inbox."""
        return Inbox(ledger=self.ledger, pauses=self.ledger, delivery=self.delivery)

    @property
    def revoking(self) -> Revoking:
        """Return what revokes pauses for the program that asked."""
        return Revoking(ledger=self.ledger, delivery=self.delivery)

    @property
    def ended_runs(self) -> EndedRuns:
        """Return what revokes the open pauses of executions that have ended."""
        return EndedRuns(tasks=self.waiting_tasks, ledger=self.ledger, delivery=self.delivery, revoking=self.revoking)

    @property
    def amendments(self) -> Amendments:
        """Return what changes open pauses for operators."""
        return Amendments(
            inbox=self.inbox, ledger=self.ledger, delivery=self.delivery, open_alarm_seconds=self.open_alarm_seconds
        )

    @property
    def open_changes(self) -> OpenChanges:
        """Return what changes open pauses."""
        return OpenChanges(ledger=self.ledger, delivery=self.delivery, open_alarm_seconds=self.open_alarm_seconds)

    @property
    def clarifying(self) -> Clarifying:
        """Return what the program that asked replies with."""
        return Clarifying(ledger=self.ledger, changes=self.open_changes)

    @property
    def asking_back(self) -> AskingBack:
        """Return what takes the questions of people."""
        return AskingBack(admission=self.resuming.admission, changes=self.open_changes)

    @property
    def delegating(self) -> Delegating:
        """Return what passes pauses on for their members."""
        return Delegating(admission=self.resuming.admission, ledger=self.ledger, changes=self.open_changes)

    @property
    def resuming(self) -> ResumeService:
        """Return the resume service."""
        return ResumeService(
            registry=self.registry,
            tokens=self.tokens,
            payloads=PausePayloadStore(self.checkpoints),
            turns=TurnCheckpointStore(self.checkpoints),
            states=SeparateReads(checkpoints=self.checkpoints, ledger=self.ledger),
            audit=self.audit,
            delivery=self.delivery,
        )

    @property
    def outcomes(self) -> OutcomeReader:
        """Return the reader of outcomes."""
        return OutcomeReader(
            registry=self.registry,
            tokens=self.tokens,
            payloads=PausePayloadStore(self.checkpoints),
            turns=TurnCheckpointStore(self.checkpoints),
            states=SeparateReads(checkpoints=self.checkpoints, ledger=self.ledger),
            ledger=self.ledger,
        )

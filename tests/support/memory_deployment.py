"""A whole deployment in memory: the real domain and the real codec over the fake ports."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from askback.adapters.jwt_codec import JwtTokenCodec
from askback.adapters.secrets.key_ring import FixedKeyRing
from askback.domain.delivery.delivery import Delivery
from askback.domain.delivery.sweep import Sweep, SweepReport
from askback.domain.interactions.registry import InteractionRegistry
from askback.domain.mint.command import MintCommand
from askback.domain.mint.pause_mint import MintedPause, PauseMint
from askback.domain.operators.inbox import Inbox
from askback.domain.pause.binding import PauseBinding
from askback.domain.pause.scope import Scope
from askback.domain.ports import CheckpointPort, TokenCodec
from askback.domain.records.payloads import PausePayloadStore
from askback.domain.records.separate_reads import SeparateReads
from askback.domain.records.turns import TurnCheckpointStore
from askback.domain.resume.eight_steps import ResumeCommand, ResumeOutcome, ResumeService
from askback.domain.resume.outcome_reader import OutcomeReader
from askback.domain.tokens.service import PauseTokenService, Redeemer
from askback.interactions import REGISTRY
from tests.support.memory_ledger import InMemoryLedger
from tests.support.memory_ports import InMemoryAuditTrail, InMemoryCheckpoints
from tests.support.memory_waiters import InMemoryEvents, InMemoryWaiters

NOW = 1_790_000_000
KEY_RING = (
    '{"current":"k1","key:k1":"a key that only tests use, 32 bytes+","legacy":"a legacy key that only tests use, 32+"}'
)
SCOPE = Scope(tenant_id="acme", sub_tenant_id="eu", namespace="billing")
REFUND = {
    "questions": [
        {
            "question": "Refund 49.90 EUR?",
            "header": "Refund",
            "options": [
                {"label": "Approve", "description": "pay it out"},
                {"label": "Reject", "description": "do nothing"},
            ],
        }
    ]
}
MESSAGES = ({"role": "user", "content": "Refund order A-1009"}, {"role": "assistant", "content": None})


def a_binding(**over: Any) -> PauseBinding:
    """Return the binding of a run in the test scope."""
    return PauseBinding(**{"scope": SCOPE, "run_id": "run-1", "session_id": "sess-1", **over})


def a_mint_command(**over: Any) -> MintCommand:
    """Return a mint command for the refund question."""
    return MintCommand(
        **{
            "name": "ask_user",
            "payload": REFUND,
            "binding": a_binding(),
            "ttl_seconds": 3600,
            "at": NOW,
            "tool_call_id": "call_Cc03Ask",
            "messages": MESSAGES,
            **over,
        }
    )


def an_answer(minted: MintedPause, *selections: str) -> dict[str, Any]:
    """Return the answer to the first question of a minted `ask_user`."""
    question = minted.payload["questions"][0]["id"]
    return {"answers": [{"question_id": question, "selections": list(selections or ("Approve",))}]}


def a_resume_command(minted: MintedPause, **over: Any) -> ResumeCommand:
    """Return the command that answers a minted pause from its own place."""
    return ResumeCommand(
        **{
            "pause_token": minted.tokens.resume,
            "redeemer": Redeemer(scope=SCOPE, session_id="sess-1", run_id="run-1"),
            "response": an_answer(minted) if minted.claims.name == "ask_user" else None,
            "answered_by": "ada",
            "at": NOW + 60,
            "attempt_id": "attempt-1",
            **over,
        }
    )


def signed(codec: TokenCodec, claims: Mapping[str, Any]) -> str:
    """Return a token over any claims, signed with the key that signs new pauses."""

    async def sign() -> str:
        return await codec.sign(claims, key_id=await codec.current_key_id())

    return asyncio.run(sign())


@dataclass
class InMemoryDeployment:
    """The services over fakes that a test can look into."""

    registry: InteractionRegistry = REGISTRY
    key_ring: str = KEY_RING
    checkpoints: InMemoryCheckpoints = field(default_factory=InMemoryCheckpoints)
    ledger: InMemoryLedger = field(default_factory=InMemoryLedger)
    audit: InMemoryAuditTrail = field(default_factory=InMemoryAuditTrail)
    waiters: InMemoryWaiters = field(default_factory=InMemoryWaiters)
    events: InMemoryEvents = field(default_factory=InMemoryEvents)
    new_interrupt_id: Callable[[], str] = lambda: "i-000000000001"
    jitter: float = 1.0

    @property
    def tokens(self) -> PauseTokenService:
        return PauseTokenService(codec=JwtTokenCodec(FixedKeyRing(self.key_ring)), ledger=self.ledger)

    @property
    def minting(self) -> PauseMint:
        return self.minting_over(self.checkpoints)

    def minting_over(self, checkpoints: CheckpointPort | None) -> PauseMint:
        """Return the mint over another checkpoint port, or over none."""
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
        )

    @property
    def delivery(self) -> Delivery:
        return Delivery(ledger=self.ledger, port=self.waiters, events=self.events, jitter=lambda: self.jitter)

    @property
    def sweeping(self) -> Sweep:
        return Sweep(ledger=self.ledger, delivery=self.delivery)

    @property
    def inbox(self) -> Inbox:
        return Inbox(ledger=self.ledger, pauses=self.ledger, delivery=self.delivery)

    @property
    def resuming(self) -> ResumeService:
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
        return OutcomeReader(
            registry=self.registry,
            tokens=self.tokens,
            payloads=PausePayloadStore(self.checkpoints),
            turns=TurnCheckpointStore(self.checkpoints),
            states=SeparateReads(checkpoints=self.checkpoints, ledger=self.ledger),
            ledger=self.ledger,
        )

    def mint(self, **over: Any) -> MintedPause:
        """Mint the refund question, with parts of the command replaced."""
        return asyncio.run(self.minting.mint(a_mint_command(**over)))

    def resume(self, minted: MintedPause, *, require_turn: bool = True, **over: Any) -> ResumeOutcome:
        """Answer a minted pause, with parts of the command replaced."""
        return asyncio.run(self.resuming.resume(a_resume_command(minted, **over), require_turn=require_turn))

    def outcome(self, minted: MintedPause, *, at: int = NOW + 120, **redeemer: Any) -> ResumeOutcome:
        """Read how a minted pause ended, from its own scope unless the redeemer says otherwise."""
        return asyncio.run(self.outcomes.read(minted.tokens.resume, Redeemer(**{"scope": SCOPE, **redeemer}), at=at))

    def sweep(self, *, at: int, may_go_on: Callable[[], bool] = lambda: True) -> SweepReport:
        """Do everything that is due at a time."""
        return asyncio.run(self.sweeping.run(at=at, attempt_id="sweep-1", may_go_on=may_go_on))

    def sign(self, claims: Mapping[str, Any]) -> str:
        """Return a token of this deployment's own key over any claims."""
        return signed(JwtTokenCodec(FixedKeyRing(self.key_ring)), claims)

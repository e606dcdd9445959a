"""A whole deployment over the template's stores on moto: the real domain over the real adapters."""

import asyncio
from dataclasses import dataclass
from typing import Any

from askback.adapters.jwt_codec import JwtTokenCodec
from askback.adapters.secrets.key_ring import FixedKeyRing
from askback.domain.delivery.delivery import Delivery
from askback.domain.mint.pause_mint import MintedPause, PauseMint
from askback.domain.records.payloads import PausePayloadStore
from askback.domain.records.turns import TurnCheckpointStore
from askback.domain.resume.eight_steps import ResumeOutcome, ResumeService
from askback.domain.tokens.service import PauseTokenService
from askback.interactions import REGISTRY
from askback.testing.memory_ports import InMemoryAuditTrail
from askback.testing.memory_waiters import InMemoryEvents, InMemoryWaiters
from tests.support.aws_stores import INLINE_LIMIT, Aws
from tests.support.memory_deployment import KEY_RING, a_mint_command, a_resume_command


@dataclass(frozen=True)
class AwsDeployment:
    """Mints and resumes as the functions do, through the clients of `aws`."""

    aws: Aws
    inline_limit: int = INLINE_LIMIT

    def mint(self, **over: Any) -> MintedPause:
        """Mint the refund question, with parts of the command replaced."""
        checkpoints = self.aws.checkpoints(inline_limit=self.inline_limit)
        minting = PauseMint(
            registry=REGISTRY,
            tokens=self._tokens(),
            payloads=PausePayloadStore(checkpoints),
            turns=TurnCheckpointStore(checkpoints),
            checkpoints=checkpoints,
            ledger=self.aws.ledger(),
            delivery=self._delivery(),
            events=InMemoryEvents(),
            new_interrupt_id=lambda: "i-000000000001",
            return_links=True,
        )
        return asyncio.run(minting.mint(a_mint_command(**over)))

    def resume(self, minted: MintedPause, **over: Any) -> ResumeOutcome:
        """Answer a minted pause, with parts of the command replaced."""
        checkpoints = self.aws.checkpoints(inline_limit=self.inline_limit)
        resuming = ResumeService(
            registry=REGISTRY,
            tokens=self._tokens(),
            payloads=PausePayloadStore(checkpoints),
            turns=TurnCheckpointStore(checkpoints),
            states=self.aws.states(),
            audit=InMemoryAuditTrail(),
            delivery=self._delivery(),
        )
        return asyncio.run(resuming.resume(a_resume_command(minted, **over), require_turn=True))

    def _delivery(self) -> Delivery:
        return Delivery(ledger=self.aws.ledger(), port=InMemoryWaiters(), events=InMemoryEvents(), jitter=lambda: 1.0)

    def _tokens(self) -> PauseTokenService:
        return PauseTokenService(codec=JwtTokenCodec(FixedKeyRing(KEY_RING)), ledger=self.aws.ledger())

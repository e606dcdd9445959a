"""A whole deployment in memory: the real domain and the real codec over the fake ports."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from askback.adapters.jwt_codec import JwtTokenCodec
from askback.adapters.secrets.key_ring import FixedKeyRing
from askback.domain.delivery.sweep import SweepReport
from askback.domain.mint.command import MintCommand
from askback.domain.mint.pause_mint import MintedPause
from askback.domain.pause.binding import PauseBinding
from askback.domain.pause.scope import Scope
from askback.domain.ports import TokenCodec
from askback.domain.resume.eight_steps import ResumeCommand, ResumeOutcome
from askback.domain.tokens.scope_binder import Redeemer
from askback.testing.services import InMemoryServices

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
            "token": minted.tokens.pause,
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
class InMemoryDeployment(InMemoryServices):
    """The services, and their calls with everything a test is not about filled in."""

    key_ring: str = KEY_RING
    new_interrupt_id: Callable[[], str] = lambda: "i-000000000001"
    return_links: bool = True

    def mint(self, **over: Any) -> MintedPause:
        """Mint the refund question, with parts of the command replaced."""
        return asyncio.run(self.minting.mint(a_mint_command(**over)))

    def resume(self, minted: MintedPause, *, require_turn: bool = True, **over: Any) -> ResumeOutcome:
        """Answer a minted pause, with parts of the command replaced."""
        return asyncio.run(self.resuming.resume(a_resume_command(minted, **over), require_turn=require_turn))

    def outcome(self, minted: MintedPause, *, at: int = NOW + 120, **redeemer: Any) -> ResumeOutcome:
        """Read how a minted pause ended, from its own scope unless the redeemer says otherwise."""
        return asyncio.run(self.outcomes.read(minted.tokens.pause, Redeemer(**{"scope": SCOPE, **redeemer}), at=at))

    def sweep(self, *, at: int, may_go_on: Callable[[], bool] = lambda: True) -> SweepReport:
        """Do everything that is due at a time."""
        return asyncio.run(self.sweeping.run(at=at, attempt_id="sweep-1", may_go_on=may_go_on))

    def sign(self, claims: Mapping[str, Any]) -> str:
        """Return a token of this deployment's own key over any claims."""
        return signed(JwtTokenCodec(FixedKeyRing(self.key_ring)), claims)

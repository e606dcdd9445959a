"""One attempt to answer, and every way in which it can be wrong, by the step that finds out.

Faults can be combined, which is how the order of the steps is shown.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel

from askback.domain.errors import (
    AnswererNotAllowed,
    AnswerInvalid,
    CallMismatch,
    HumanInteractionError,
    PauseExpired,
    PauseRevoked,
    PayloadBindingError,
    PayloadMissing,
    PayloadUnreadable,
    RunMismatch,
    ScopeMismatch,
    SessionMismatch,
    StoreUnavailable,
    TokenRejected,
    TurnMismatch,
    TurnMissing,
    TurnUnreadable,
    UnknownInteraction,
)
from askback.domain.interactions.registry import InteractionRegistry
from askback.domain.mint.pause_mint import MintedPause
from askback.domain.pause.scope import Scope
from askback.domain.resume.eight_steps import ResumeCommand, ResumeOutcome
from askback.domain.tokens.scope_binder import Redeemer
from askback.testing.memory_ports import text_place
from tests.support.domain_values import claims_mapping
from tests.support.failing_stores import PartlyFailingCheckpoints
from tests.support.memory_deployment import KEY_RING, NOW, SCOPE, InMemoryDeployment
from tests.support.own_interactions import a_registry, approval

OTHER_RING = '{"current":"k1","key:k1":"the key of quite another deployment"}'
NO_LINK = approval()


class Stricter(BaseModel):
    """A schema of a later release, which older requests do not fit."""

    amount: float
    reason: str


@dataclass
class Scene:
    """A minted pause, and one attempt to answer it that is honest until a fault is put into it."""

    checkpoints: PartlyFailingCheckpoints
    deployment: InMemoryDeployment
    minted: MintedPause
    registry: InteractionRegistry = field(default_factory=a_registry)
    ring: str = KEY_RING
    claims: dict[str, Any] = field(default_factory=dict)
    redeemer: dict[str, Any] = field(default_factory=dict)
    response: Any = field(default_factory=lambda: {"approved": True})
    at: int = NOW + 60
    require_turn: bool = True

    @classmethod
    def of_an_approval(cls) -> "Scene":
        """Return the scene of a minted `approval_required` with its turn."""
        checkpoints = PartlyFailingCheckpoints()
        deployment = InMemoryDeployment(registry=a_registry(NO_LINK), checkpoints=checkpoints)
        return cls(checkpoints, deployment, deployment.mint(name="approval_required", payload={"amount": 136.0}))

    @property
    def text_key(self) -> tuple[str, ...]:
        """Return where the request is recorded."""
        claims = self.minted.claims
        return text_place(**claims.record_place, key=f"interrupt_payload:{claims.interrupt_id}")

    @property
    def turn_key(self) -> tuple[str, ...]:
        """Return where the turn is recorded."""
        claims = self.minted.claims
        return text_place(**claims.record_place, key=f"turn_state:{claims.tool_call_id}")

    def token(self) -> str:
        """Return the token of this attempt."""
        signer = InMemoryDeployment(key_ring=self.ring)
        return signer.sign(claims_mapping(self.minted.claims, **self.claims))

    def attempt(self) -> ResumeOutcome:
        """Make the attempt with its faults."""
        service = InMemoryDeployment(
            registry=self.registry,
            checkpoints=self.checkpoints,
            ledger=self.deployment.ledger,
            audit=self.deployment.audit,
        ).resuming
        place = {"scope": SCOPE, "session_id": "sess-1", "run_id": "run-1", "tool_call_id": "call_Cc03Ask"}
        command = ResumeCommand(
            token=self.token(),
            redeemer=Redeemer(**{**place, **self.redeemer}),
            response=self.response,
            answered_by="ada",
            at=self.at,
            attempt_id="a faulty attempt",
        )
        return asyncio.run(service.resume(command, require_turn=self.require_turn))


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong: the step that finds it, how it comes about, and how it is told."""

    step: str
    label: str
    error: type[HumanInteractionError]
    put_into: Callable[[Scene], None]


def _set(scene: object, **values: Any) -> None:
    for name, value in values.items():
        setattr(scene, name, value)


def _lose(scene: Scene, kind: str, error: Exception) -> None:
    scene.checkpoints.body_errors[kind] = error


def _elsewhere(axis: str, value: Any) -> Callable[[Scene], None]:
    return lambda scene: scene.redeemer.update({axis: value})


def _request_becomes(text: str) -> Callable[[Scene], None]:
    return lambda scene: scene.checkpoints.texts.update({scene.text_key: text})


def _turn_becomes(old: str, new: str) -> Callable[[Scene], None]:
    def spoil(scene: Scene) -> None:
        text = scene.checkpoints.texts[scene.turn_key]
        assert old in text
        scene.checkpoints.texts[scene.turn_key] = text.replace(old, new)

    return spoil


STRICTER = a_registry(approval(payload_schema=Stricter))
ELSEWHERE = Scope(tenant_id="mallory")

FAULTS = (
    Fault("1", "forged", TokenRejected, lambda scene: _set(scene, ring=OTHER_RING)),
    Fault("2", "no jti", TokenRejected, lambda scene: scene.claims.update(jti=...)),
    Fault("2", "no exp", TokenRejected, lambda scene: scene.claims.update(exp=...)),
    Fault("3", "expired", PauseExpired, lambda scene: _set(scene, at=NOW + 3600)),
    Fault("3b", "not for this route", TokenRejected, lambda scene: scene.claims.update(aud="answer")),
    Fault("4a", "unregistered", UnknownInteraction, lambda scene: _set(scene, registry=InteractionRegistry([]))),
    Fault("4b", "nobody signed in", AnswererNotAllowed, _elsewhere("scope", None)),
    Fault("4c", "another scope", ScopeMismatch, _elsewhere("scope", ELSEWHERE)),
    Fault("4d", "another session", SessionMismatch, _elsewhere("session_id", "sess-2")),
    Fault("4e", "another run", RunMismatch, _elsewhere("run_id", "run-2")),
    Fault("4f", "another call", CallMismatch, _elsewhere("tool_call_id", "call_2")),
    Fault("5a", "store down", StoreUnavailable, lambda scene: _set(scene.checkpoints, down=True)),
    Fault("5b", "request gone", PayloadMissing, lambda scene: _set(scene.checkpoints, texts={})),
    Fault("5b", "its body gone", PayloadMissing, lambda scene: _lose(scene, "interrupt_payload", LookupError())),
    Fault("5b", "its body late", StoreUnavailable, lambda scene: _lose(scene, "interrupt_payload", StoreUnavailable())),
    Fault("5b", "request unreadable", PayloadUnreadable, _request_becomes('{"amount":')),
    Fault("5b", "request changed", PayloadBindingError, _request_becomes('{"amount": 136}')),
    Fault("5c", "request of an older schema", PayloadUnreadable, lambda scene: _set(scene, registry=STRICTER)),
    Fault("6a", "answer of no form", AnswerInvalid, lambda scene: _set(scene, response="wait, what?")),
    Fault("6a", "answer coerced", AnswerInvalid, lambda scene: _set(scene, response={"approved": "yes"})),
    Fault("7", "turn gone", TurnMissing, lambda scene: _set(scene.checkpoints, texts=_without_turn(scene))),
    Fault("7", "its body lost", TurnMissing, lambda scene: _lose(scene, "turn_state", LookupError())),
    Fault("7", "its bytes changed", TurnUnreadable, lambda scene: _lose(scene, "turn_state", ValueError("x"))),
    Fault("7", "its body comes late", StoreUnavailable, lambda scene: _lose(scene, "turn_state", StoreUnavailable())),
    Fault("7", "turn of a later build", TurnUnreadable, _turn_becomes('"version":1', '"version":2')),
    Fault("7", "turn of another run", TurnMismatch, _turn_becomes('"run_id":"run-1"', '"run_id":"run-2"')),
)
REVOKED = Fault("8", "revoked", PauseRevoked, lambda scene: scene.deployment.ledger.revoke(scene.minted.claims.jti))


def _without_turn(scene: Scene) -> dict[tuple[str, ...], str]:
    return {key: text for key, text in scene.checkpoints.texts.items() if key != scene.turn_key}

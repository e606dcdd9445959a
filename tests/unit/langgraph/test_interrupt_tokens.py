"""Tokens of named interrupts over a saver: minting, recording, redeeming, and what is left when the saver forgot."""

import asyncio
import re
from dataclasses import dataclass, field
from typing import Any

import pytest

from askback.domain.agent.turn import InterruptEvent
from askback.domain.errors import (
    AlreadyAnswered,
    AnswerInvalid,
    InvalidRequest,
    PayloadBindingError,
    PayloadMissing,
    PayloadUnreadable,
    UnknownInteraction,
)
from askback.domain.pause.claims import PauseClaims
from askback.domain.pause.ledger import PauseStatus
from askback.domain.resume.eight_steps import ResumeCommand, ResumeOutcome
from askback.domain.tokens.scope_binder import Redeemer
from askback.langgraph.interrupt_tokens import load_original_payload, mint_interrupt_token
from askback.langgraph.saver_pauses import SaverPauses, over_saver
from tests.support.answer_kinds import ANSWER_KINDS
from tests.support.memory_deployment import NOW, SCOPE, InMemoryDeployment, a_binding, a_mint_command
from tests.support.memory_saver import InMemorySaver
from tests.support.memory_wiring import Wired

THREAD = "acme:eu:sess-1"


@dataclass
class Scene:
    """A saver with one checkpoint, and the services over it."""

    saver: InMemorySaver = field(default_factory=InMemorySaver)
    deployment: InMemoryDeployment = field(default_factory=lambda: InMemoryDeployment(registry=ANSWER_KINDS))

    def __post_init__(self) -> None:
        self.saver.save(THREAD, "cp-1")

    @property
    def pauses(self) -> SaverPauses:
        return over_saver(self.saver, Wired(self.deployment), audit=self.deployment.audit)

    def mint(self, **over: Any) -> InterruptEvent | None:
        asked = {"name": "free_text", "payload": {"text": "Why?"}, "tool_call_id": "", "messages": None}
        return asyncio.run(mint_interrupt_token(self.pauses, a_mint_command(**{**asked, **over})))

    def minted(self, **over: Any) -> InterruptEvent:
        event = self.mint(**over)
        assert event is not None
        return event

    def resume(self, event: InterruptEvent, response: Any) -> ResumeOutcome:
        command = ResumeCommand(
            token=event.pause_token,
            redeemer=Redeemer(scope=SCOPE),
            response=response,
            answered_by="ada",
            at=NOW + 60,
            attempt_id=f"attempt-{response}",
        )
        return asyncio.run(self.pauses.resume.resume(command))

    def claims(self, event: InterruptEvent) -> PauseClaims:
        return asyncio.run(self.deployment.tokens.authenticate(event.pause_token, at=NOW))

    def payload(self, event: InterruptEvent) -> Any:
        return asyncio.run(load_original_payload(self.saver, self.claims(event)))

    def record(self, text: str) -> None:
        """Change what is recorded, behind everybody's back."""
        for kept in self.saver.writes.values():
            for filed, (channel, _) in kept.items():
                kept[filed] = (channel, text)


@pytest.fixture
def scene() -> Scene:
    return Scene()


def test_an_event_says_what_a_stream_of_events_needs(scene: Scene) -> None:
    event = scene.minted()
    assert (event.name, event.payload, event.run_id, event.session_id) == (
        "free_text",
        {"text": "Why?"},
        "run-1",
        "sess-1",
    )
    assert re.fullmatch("i-[0-9a-f]{12}", event.interrupt_id)
    assert event.expires_at == NOW + 3600


def test_a_token_is_bound_to_the_latest_checkpoint_of_its_thread(scene: Scene) -> None:
    scene.saver.save(THREAD, "cp-2")
    claims = scene.claims(scene.minted())
    assert (claims.thread_id, claims.checkpoint_id) == (THREAD, "cp-2")


def test_the_payload_is_recorded_under_the_frozen_key_and_loaded_again(scene: Scene) -> None:
    event = scene.minted()
    ((key, text),) = [write for kept in scene.saver.writes.values() for write in kept.values()]
    assert (key, text) == (f"interrupt_payload:{event.interrupt_id}", '{"text": "Why?"}')
    assert scene.payload(event) == {"text": "Why?"}


def test_two_open_at_once_are_answered_in_any_order_by_their_own_ids(scene: Scene) -> None:
    """A-01: each outcome names its own interrupt; neither spends the other."""
    left = scene.minted(interrupt_id="i-000000000001", payload={"text": "left"})
    right = scene.minted(interrupt_id="i-000000000002", payload={"text": "right"})
    answered = [scene.resume(right, "R"), scene.resume(left, "L")]
    assert [(outcome.interrupt_id, outcome.response) for outcome in answered] == [
        ("i-000000000002", "R"),
        ("i-000000000001", "L"),
    ]


@pytest.mark.parametrize("payload", [{}, {"text": 1}, {"txt": "Why?"}, {"text": float("nan")}, {"text": b"Why?"}])
def test_a_payload_that_does_not_fit_gets_no_token_and_leaves_nothing(scene: Scene, payload: dict[str, Any]) -> None:
    assert scene.mint(payload=payload) is None
    assert scene.saver.writes == {}
    assert scene.deployment.ledger.rows == {}


def test_a_thread_without_a_checkpoint_gets_no_token(scene: Scene) -> None:
    assert scene.mint(binding=a_binding(session_id="another")) is None
    assert scene.deployment.ledger.rows == {}


def test_a_command_that_is_wrong_itself_is_refused_and_not_called_a_payload_that_does_not_fit(scene: Scene) -> None:
    with pytest.raises(UnknownInteraction):
        scene.mint(name="nothing")
    with pytest.raises(InvalidRequest, match="scope"):
        scene.mint(binding=a_binding(scope=None))
    with pytest.raises(InvalidRequest, match="ttl_seconds"):
        scene.mint(ttl_seconds=1)


def test_a_saver_that_keeps_no_writes_gets_its_token_and_the_answer_a_424(scene: Scene) -> None:
    scene.saver.drops = True
    event = scene.minted()
    assert scene.payload(event) is None
    with pytest.raises(PayloadMissing):
        scene.resume(event, "because")


def test_a_lost_checkpoint_refuses_the_answer_and_keeps_the_token(scene: Scene) -> None:
    event = scene.minted()
    kept, scene.saver.threads = scene.saver.threads, {}
    assert scene.payload(event) is None
    with pytest.raises(PayloadMissing):
        scene.resume(event, "because")
    assert {row.status for row in scene.deployment.ledger.rows.values()} == {PauseStatus.ISSUED}
    scene.saver.threads = kept
    assert scene.resume(event, "because").response == "because"


def test_a_wrong_answer_keeps_the_token_and_a_second_one_is_too_late(scene: Scene) -> None:
    event = scene.minted()
    with pytest.raises(AnswerInvalid):
        scene.resume(event, 5)
    assert scene.resume(event, "because").response == "because"
    with pytest.raises(AlreadyAnswered):
        scene.resume(event, "or not")


def test_a_payload_that_was_changed_is_refused(scene: Scene) -> None:
    event = scene.minted()
    scene.record('{"text": "Why not?"}')
    with pytest.raises(PayloadBindingError):
        scene.payload(event)
    scene.record('{"text": "Wh')
    with pytest.raises(PayloadUnreadable):
        scene.payload(event)


def test_a_saver_that_normalises_what_it_is_given_is_understood(scene: Scene) -> None:
    event = scene.minted()
    scene.record('{"text":"Why?"}')
    assert scene.payload(event) == {"text": "Why?"}

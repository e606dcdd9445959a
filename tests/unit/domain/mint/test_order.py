"""Bodies before the row, the row before the token: a crash never leaves a token that points at nothing."""

from typing import Any

import pytest

from askback.domain.errors import (
    HumanInteractionError,
    InteractionConfigurationError,
    PauseConflict,
    PayloadBindingError,
    PayloadMissing,
    StoreUnavailable,
    TurnMissing,
)
from askback.domain.mint.pause_mint import MintedPause
from askback.domain.pause.ledger import LedgerRow, PauseStatus
from askback.domain.pause.scope import Scope
from askback.testing.memory_ledger import InMemoryLedger
from tests.support.domain_values import an_acceptance
from tests.support.failing_stores import (
    Journal,
    JournaledCheckpoints,
    JournaledLedger,
    KilledError,
    PartlyFailingCheckpoints,
)
from tests.support.memory_deployment import MESSAGES, NOW, REFUND, InMemoryDeployment, a_binding
from tests.support.own_interactions import a_deployment

HERE = a_binding(checkpoint_id="c1")
BODIES = ("ask_user_request", "turn_state")


def _journaled(**over: Any) -> tuple[InMemoryDeployment, Journal]:
    journal = Journal(**over)
    return InMemoryDeployment(checkpoints=JournaledCheckpoints(journal), ledger=JournaledLedger(journal)), journal


def test_both_bodies_are_written_before_the_row() -> None:
    deployment, journal = _journaled()
    deployment.mint()
    assert set(journal.written[:2]) == set(BODIES)
    assert journal.written[2:] == ["row"]


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("kind", [*BODIES, "row"])
def test_a_process_killed_around_any_write_leaves_a_pause_that_a_retry_completes(kind: str, after: bool) -> None:
    deployment, journal = _journaled(kill_at=kind, after=after)
    with pytest.raises(KilledError):
        deployment.mint(binding=HERE)
    if deployment.ledger.rows:
        assert set(BODIES) <= set(journal.written)
    assert bool(deployment.ledger.rows) == (kind == "row" and after)
    journal.kill_at = ""
    minted = deployment.mint(binding=HERE, at=NOW + 5)
    assert (minted.recorded, minted.resumable) == (True, True)
    assert minted.claims.issued_at == (NOW if kind == "row" and after else NOW + 5)
    assert not deployment.resume(minted).replayed


def test_a_retried_mint_gives_the_same_pause_and_the_same_tokens() -> None:
    deployment = InMemoryDeployment()
    first = deployment.mint(binding=HERE)
    again = deployment.mint(binding=HERE, at=NOW + 600, ttl_seconds=7200)
    assert again == first
    assert again.claims.exp == NOW + 3600
    assert len(deployment.ledger.rows) == 1
    assert len(deployment.checkpoints.texts) == 2


def test_a_retried_mint_of_a_named_interrupt_gives_the_same_pause() -> None:
    deployment = a_deployment()
    over = {"name": "approval_required", "payload": {"amount": 136.0}, "binding": HERE}
    assert deployment.mint(**over) == deployment.mint(**over, at=NOW + 600)


def test_a_retry_after_the_answer_says_that_it_was_answered() -> None:
    deployment = InMemoryDeployment()
    deployment.resume(deployment.mint(binding=HERE))
    assert deployment.mint(binding=HERE).status is PauseStatus.ANSWERED


@pytest.mark.parametrize(
    "over",
    [
        {"payload": {"questions": [{**REFUND["questions"][0], "question": "Refund 4990 EUR?"}]}},
        {"messages": (*MESSAGES, {"role": "user", "content": "and now?"})},
        {"prompt": "another"},
        {"binding": a_binding(checkpoint_id="c1", run_id="run-2")},
        {"binding": a_binding(checkpoint_id="c1", session_id="sess-2", thread_id="acme:eu:sess-1")},
    ],
    ids=["payload", "messages", "prompt", "run", "session"],
)
def test_another_request_or_turn_for_the_same_call_is_a_conflict_and_the_first_stands(over: dict[str, Any]) -> None:
    deployment = InMemoryDeployment()
    first = deployment.mint(binding=HERE)
    before = dict(deployment.checkpoints.texts), dict(deployment.ledger.rows)
    with pytest.raises(PauseConflict):
        deployment.mint(**{"binding": HERE, **over})
    assert (deployment.checkpoints.texts, deployment.ledger.rows) == before
    assert not deployment.resume(first).replayed


def test_another_request_is_a_conflict_even_while_the_store_of_the_bodies_is_down() -> None:
    deployment = InMemoryDeployment()
    first = deployment.mint(binding=HERE)
    deployment.checkpoints.down = True
    with pytest.raises(PauseConflict):
        deployment.mint(binding=HERE, payload={"questions": [{**REFUND["questions"][0], "question": "Other?"}]})
    assert deployment.mint(binding=HERE).tokens == first.tokens


def test_the_same_ids_in_another_scope_are_another_pause() -> None:
    deployment = InMemoryDeployment()
    elsewhere = a_binding(scope=Scope(tenant_id="mallory"), thread_id="acme:eu:sess-1", checkpoint_id="c1")
    there = deployment.mint(binding=elsewhere, messages=None)
    here = deployment.mint(binding=HERE, messages=None)
    assert there.claims.jti != here.claims.jti
    assert len(deployment.checkpoints.texts) == len(deployment.ledger.rows) == 2


@pytest.mark.parametrize(
    ("kinds", "recorded", "resumable", "refusal"),
    [
        (BODIES, False, False, PayloadMissing),
        (("ask_user_request",), False, True, PayloadMissing),
        (("turn_state",), True, False, TurnMissing),
    ],
    ids=["neither", "the turn only", "the request only"],
)
def test_a_body_that_could_not_be_written_is_told_and_never_announced(
    kinds: tuple[str, ...], recorded: bool, resumable: bool, refusal: type[HumanInteractionError]
) -> None:
    checkpoints = PartlyFailingCheckpoints()
    checkpoints.write_errors = {kind: StoreUnavailable() for kind in kinds}
    deployment = InMemoryDeployment(checkpoints=checkpoints)
    minted = deployment.mint(binding=HERE)
    assert (minted.recorded, minted.resumable) == (recorded, resumable)
    assert deployment.ledger.rows[minted.claims.jti].turn_recorded is resumable
    with pytest.raises(refusal):
        deployment.resume(minted)
    checkpoints.write_errors.clear()
    again = deployment.mint(binding=HERE)
    assert (again.recorded, again.resumable, again.tokens) == (True, True, minted.tokens)
    assert not deployment.resume(again).replayed


def _with_a_lost_turn() -> tuple[InMemoryDeployment, PartlyFailingCheckpoints, MintedPause]:
    checkpoints = PartlyFailingCheckpoints()
    checkpoints.write_errors["turn_state"] = StoreUnavailable()
    deployment = InMemoryDeployment(checkpoints=checkpoints)
    minted = deployment.mint(binding=HERE)
    checkpoints.write_errors.clear()
    return deployment, checkpoints, minted


def test_a_retry_that_records_the_lost_turn_repairs_the_mark_of_the_row_too() -> None:
    """D-36: from then on no route answers without the turn."""
    deployment, checkpoints, minted = _with_a_lost_turn()
    deployment.mint(binding=HERE)
    assert deployment.ledger.rows[minted.claims.jti].turn_recorded
    texts = dict(checkpoints.texts)
    for place in [place for place in texts if place[2].startswith("turn_state:")]:
        del checkpoints.texts[place]
    with pytest.raises(TurnMissing):
        deployment.resume(minted, require_turn=False)
    checkpoints.texts = texts
    assert deployment.resume(minted, require_turn=False).turn is not None


def test_a_retry_whose_own_write_fails_still_says_that_the_turn_is_recorded() -> None:
    """D-36: what an earlier mint has recorded is not lost."""
    deployment = InMemoryDeployment()
    deployment.mint(binding=HERE)
    deployment.checkpoints.down = True
    assert deployment.mint(binding=HERE).resumable


@pytest.mark.parametrize("down", [True, False], ids=["while the store is down", "after the record was deleted"])
def test_a_retry_with_another_turn_is_a_conflict_also_where_the_store_cannot_say_so(down: bool) -> None:
    deployment = InMemoryDeployment()
    first = deployment.mint(binding=HERE)
    before = dict(deployment.checkpoints.texts)
    deployment.checkpoints.down = down
    deployment.checkpoints.texts.clear()
    with pytest.raises(PauseConflict, match="another turn"):
        deployment.mint(binding=HERE, prompt="another")
    deployment.checkpoints.down = False
    deployment.checkpoints.texts = before
    assert deployment.mint(binding=HERE) == first


def test_a_retry_with_another_turn_takes_the_place_of_one_that_was_lost() -> None:
    deployment, _, minted = _with_a_lost_turn()
    deployment.mint(binding=HERE, prompt="another")
    turn = deployment.resume(minted).turn
    assert turn is not None
    assert turn.prompt == "another"


def test_a_pause_that_has_ended_keeps_what_its_row_says() -> None:
    deployment, _, minted = _with_a_lost_turn()
    deployment.resume(minted, require_turn=False)
    before = deployment.ledger.rows[minted.claims.jti]
    deployment.mint(binding=HERE)
    assert deployment.ledger.rows[minted.claims.jti] == before


def test_an_answer_between_the_two_steps_of_a_repair_is_what_the_retry_returns() -> None:
    class Overtaken(InMemoryLedger):
        async def note_turn(self, row: LedgerRow, turn_hash: str) -> bool:
            await self.claim(row.claims, an_acceptance(answered_at=NOW + 1))
            return await super().note_turn(row, turn_hash)

    checkpoints = PartlyFailingCheckpoints()
    checkpoints.write_errors["turn_state"] = StoreUnavailable()
    deployment = InMemoryDeployment(checkpoints=checkpoints, ledger=Overtaken())
    minted = deployment.mint(binding=HERE)
    checkpoints.write_errors.clear()
    again = deployment.mint(binding=HERE)
    assert again.status is PauseStatus.ANSWERED
    assert not deployment.ledger.rows[minted.claims.jti].turn_recorded


def test_a_store_that_may_not_be_written_does_not_keep_the_pause_from_being_issued() -> None:
    checkpoints = PartlyFailingCheckpoints()
    checkpoints.write_errors = {kind: InteractionConfigurationError("no permission") for kind in BODIES}
    minted = InMemoryDeployment(checkpoints=checkpoints).mint()
    assert (minted.recorded, minted.resumable) == (False, False)


@pytest.mark.parametrize("kind", BODIES)
@pytest.mark.parametrize("error", [PayloadBindingError("x"), PauseConflict("x"), RuntimeError("a bug")], ids=repr)
def test_any_other_failure_of_a_body_leaves_no_row(kind: str, error: Exception) -> None:
    checkpoints = PartlyFailingCheckpoints()
    checkpoints.write_errors[kind] = error
    deployment = InMemoryDeployment(checkpoints=checkpoints)
    with pytest.raises(type(error)):
        deployment.mint()
    assert not deployment.ledger.rows


def test_a_pause_without_messages_is_issued_and_not_announced_as_resumable() -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint(binding=HERE, messages=None)
    assert (minted.recorded, minted.resumable) == (True, False)
    assert deployment.resume(minted, require_turn=False).turn is None


def test_a_pause_without_any_messages_yet_is_still_a_turn() -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint(messages=[])
    outcome = deployment.resume(minted)
    assert minted.resumable
    assert outcome.turn is not None
    assert outcome.turn.messages == ()

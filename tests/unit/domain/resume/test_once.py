"""Used once: the same answer again is the same receipt, another one is told what happened."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from askback.domain.errors import AlreadyAnswered, PauseExpired, PauseRevoked, ScopeMismatch, UnknownPause
from askback.domain.interactions.default_answer import DefaultAnswer
from askback.domain.mint.pause_mint import MintedPause
from askback.domain.pause.ledger import AcceptedAnswer, LedgerRow, PauseStatus, Receipt, settle_refused_claim
from askback.domain.resume.eight_steps import ResumeOutcome
from askback.domain.tokens.scope_binder import Redeemer
from tests.support.memory_deployment import NOW, SCOPE, InMemoryDeployment, a_resume_command, an_answer
from tests.support.own_interactions import CLAIMS


def _answered() -> tuple[InMemoryDeployment, MintedPause, ResumeOutcome]:
    deployment = InMemoryDeployment()
    minted = deployment.mint()
    return deployment, minted, deployment.resume(minted)


def _accepted(**over: Any) -> AcceptedAnswer:
    return AcceptedAnswer(
        **{
            "response_text": '{"approved":true}',
            "response_hash": "a" * 64,
            "answered_by": "ada",
            "answered_at": NOW,
            "attempt_id": "attempt-1",
            "redeemed_scope_hash": "b" * 64,
            **over,
        }
    )


def test_the_same_answer_by_the_same_person_gives_the_original_receipt() -> None:
    deployment, minted, first = _answered()
    again = deployment.resume(minted, attempt_id="attempt-2", at=NOW + 600)
    assert again.replayed
    assert (again.answered_at, again.answered_by, again.response) == (NOW + 60, "ada", first.response)
    assert again.time_to_resolve_seconds == first.time_to_resolve_seconds == 60.0
    assert again.payload == first.payload


def test_the_same_answer_written_differently_is_the_same_answer() -> None:
    deployment, minted, _ = _answered()
    (answer,) = an_answer(minted)["answers"]
    reordered = {"answers": [{"other": None, **dict(reversed(list(answer.items())))}]}
    assert deployment.resume(minted, attempt_id="attempt-2", response=reordered).replayed


def test_the_refusal_of_another_answer_says_when_the_first_was_accepted() -> None:
    deployment, minted, _ = _answered()
    with pytest.raises(AlreadyAnswered) as refusal:
        deployment.resume(minted, attempt_id="attempt-2", response=an_answer(minted, "Reject"), at=NOW + 600)
    assert refusal.value.answered_at == NOW + 60
    assert deployment.resume(minted, attempt_id="attempt-3").replayed


def test_the_same_answer_by_another_person_is_no_replay() -> None:
    deployment, minted, _ = _answered()
    with pytest.raises(AlreadyAnswered) as refusal:
        deployment.resume(minted, attempt_id="attempt-2", answered_by="grace")
    assert refusal.value.answered_at == NOW + 60


def test_an_attempt_whose_reply_was_lost_has_won_and_is_no_replay() -> None:
    deployment, minted, first = _answered()
    assert deployment.resume(minted, at=NOW + 61) == first


@pytest.mark.parametrize("late", [3600, 3601, 90_000])
def test_the_same_answer_again_after_the_expiry_is_the_first_receipt(late: int) -> None:
    """D-62: it was accepted in the last second, and the reply to it was lost."""
    deployment, minted, first = _answered()
    assert deployment.resume(minted, attempt_id="attempt-2", at=NOW + late) == replace(
        first, replayed=True, settled=False
    )


@pytest.mark.parametrize(
    "over",
    [{"answered_by": "grace"}, {"response": {"answers": []}}, {"redeemer": None}],
    ids=["another person", "another answer", "another place"],
)
def test_an_answered_pause_is_expired_after_its_time_for_everything_else(over: dict[str, Any]) -> None:
    """D-62: only the answer that stands, from the person who gave it, from where the pause belongs."""
    deployment, minted, _ = _answered()
    if "response" in over:
        over = {"response": an_answer(minted, "Reject")}
    if "redeemer" in over:
        over = {"redeemer": Redeemer(scope=replace(SCOPE, tenant_id="globex"), session_id="sess-1", run_id="run-1")}
    with pytest.raises(ScopeMismatch if "redeemer" in over else PauseExpired):
        deployment.resume(minted, attempt_id="attempt-2", at=NOW + 3600, **over)


@pytest.mark.parametrize("by_policy", [False, True], ids=["another person's", "the default answer"])
def test_past_the_expiry_an_answer_that_cannot_be_the_one_that_stands_is_not_even_read(by_policy: bool) -> None:
    """D-62: else the refusal would say what is wrong with it, and invite another one."""
    deployment = InMemoryDeployment()
    default = DefaultAnswer(response={"answers": [{"selections": ["Approve"]}]}) if by_policy else None
    minted = deployment.mint(**({"on_expiry": default} if default else {}))
    if by_policy:
        deployment.sweep(at=NOW + 3600)
    else:
        deployment.resume(minted)
    with pytest.raises(PauseExpired):
        deployment.resume(minted, at=NOW + 3601, answered_by="policy" if by_policy else "grace", response="wrong")


def test_a_default_answer_is_no_receipt_for_the_person_who_would_have_given_it() -> None:
    """D-62."""
    deployment = InMemoryDeployment()
    minted = deployment.mint(on_expiry=DefaultAnswer(response={"answers": [{"selections": ["Approve"]}]}))
    deployment.sweep(at=NOW + 3600)
    for person in ("ada", "policy"):
        with pytest.raises(PauseExpired):
            deployment.resume(minted, at=NOW + 3601, answered_by=person)


@pytest.mark.parametrize("same", [True, False], ids=["the same answer", "different answers"])
def test_of_many_attempts_at_once_exactly_one_is_accepted(same: bool) -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint()

    async def all_at_once() -> list[ResumeOutcome | BaseException]:
        return await asyncio.gather(
            *(
                deployment.resuming.resume(
                    a_resume_command(minted, attempt_id=f"attempt-{n}", answered_by="ada" if same else f"person {n}"),
                    require_turn=True,
                )
                for n in range(8)
            ),
            return_exceptions=True,
        )

    results = asyncio.run(all_at_once())
    accepted = [result for result in results if isinstance(result, ResumeOutcome)]
    assert [result.replayed for result in accepted].count(False) == 1
    assert len(accepted) == (8 if same else 1)
    assert all(isinstance(result, (ResumeOutcome, AlreadyAnswered)) for result in results)


@pytest.mark.parametrize(
    ("status", "error"),
    [(PauseStatus.REVOKED, PauseRevoked), (PauseStatus.EXPIRED, PauseExpired), (PauseStatus.ISSUED, PauseExpired)],
)
def test_a_row_without_an_answer_says_by_name_why_it_takes_none(status: PauseStatus, error: type[Exception]) -> None:
    with pytest.raises(error):
        settle_refused_claim(LedgerRow(claims=CLAIMS, status=status), _accepted())


def test_no_row_at_all_is_an_unknown_pause() -> None:
    with pytest.raises(UnknownPause):
        settle_refused_claim(None, _accepted())


@pytest.mark.parametrize(
    ("attempt", "replayed"),
    [
        (_accepted(), False),
        (_accepted(response_hash="c" * 64, answered_by="grace"), False),
        (_accepted(attempt_id="attempt-2", answered_at=NOW + 9), True),
        (_accepted(attempt_id="attempt-2", redeemed_scope_hash="d" * 64), True),
    ],
    ids=["our own", "our own whatever it says", "the same later", "the same from elsewhere"],
)
def test_an_answered_row_gives_the_original_receipt(attempt: AcceptedAnswer, replayed: bool) -> None:
    row = LedgerRow(claims=CLAIMS, status=PauseStatus.ANSWERED, answer=_accepted())
    assert settle_refused_claim(row, attempt) == Receipt(answer=_accepted(), replayed=replayed, row=row)


@pytest.mark.parametrize("over", [{"response_hash": "c" * 64}, {"answered_by": "grace"}, {"answered_by": ""}])
def test_an_answered_row_refuses_any_other_answer(over: dict[str, Any]) -> None:
    row = LedgerRow(claims=CLAIMS, status=PauseStatus.ANSWERED, answer=_accepted())
    with pytest.raises(AlreadyAnswered) as refusal:
        settle_refused_claim(row, _accepted(attempt_id="attempt-2", **over))
    assert refusal.value.answered_at == NOW

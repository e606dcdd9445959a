"""What every issuance ledger promises about waiters and answers, in memory and on DynamoDB alike."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from askback.domain.errors import AlreadyAnswered, PauseExpired, StoreUnavailable
from askback.domain.pause.ledger import LedgerRow, PauseStatus, RowChange
from askback.domain.pause.waiters import Waiter, WaiterKind
from askback.domain.ports import IssuanceLedger
from askback.testing.memory_ledger import InMemoryLedger
from tests.support.aws_stores import INLINE_LIMIT, Aws
from tests.support.domain_values import an_acceptance, incompressible
from tests.support.ledger_steps import END, EVENT, NEXT_TASK, TASK, a_row, advance, claim, due, find, issued
from tests.support.memory_deployment import NOW

WAITERS = [
    TASK,
    Waiter(kind=WaiterKind.LAMBDA_DURABLE, address="callback"),
    Waiter(kind=WaiterKind.LAMBDA, address="arn:aws:lambda:eu-west-1:123456789012:function:f"),
    EVENT,
]
LATE_TASK = Waiter(kind=WaiterKind.STEP_FUNCTIONS, address="late")
LARGE = '"' + incompressible(300_000) + '"'


class LedgerDeliveryContract:
    """Subclasses say which ledger."""

    @pytest.fixture
    def ledger(self) -> IssuanceLedger:
        raise NotImplementedError

    @pytest.mark.parametrize("waiter", WAITERS, ids=lambda waiter: waiter.kind.value)
    def test_a_row_comes_back_with_who_waits_what_stands_in_and_when_it_is_due(
        self, ledger: IssuanceLedger, waiter: Waiter
    ) -> None:
        row = a_row(waiter=waiter, default_response_text='{"a":1.0}', remind_at=NOW + 60, due_at=NOW + 60)
        assert asyncio.run(ledger.issue(row)) == row
        assert find(ledger, row) == row

    def test_issuing_again_does_not_replace_the_waiter(self, ledger: IssuanceLedger) -> None:
        row = issued(ledger, waiter=TASK)
        assert asyncio.run(ledger.issue(replace(row, waiter=NEXT_TASK, default_response_text="1"))) == row

    def test_a_claim_with_a_waiter_is_due_again_and_has_begun_the_first_delivery(self, ledger: IssuanceLedger) -> None:
        row = issued(ledger, waiter=TASK)
        receipt = claim(ledger, row, redeliver_at=NOW + 120)
        claimed = replace(
            row, status=PauseStatus.ANSWERED, answer=an_acceptance(), attempts=1, may_have_landed=True, due_at=NOW + 120
        )
        assert (receipt.row, receipt.replayed) == (claimed, False)
        assert find(ledger, row) == claimed

    def test_a_claim_without_a_waiter_is_due_no_more(self, ledger: IssuanceLedger) -> None:
        row = issued(ledger)
        receipt = claim(ledger, row)
        assert receipt.row == replace(row, status=PauseStatus.ANSWERED, answer=an_acceptance(), due_at=None)
        assert find(ledger, row) == receipt.row

    @pytest.mark.parametrize(("waiter", "redeliver_at"), [(TASK, None), (None, NOW + 120)], ids=["gained", "has none"])
    def test_a_claim_that_saw_another_waiter_state_than_there_is_spends_nothing(
        self, ledger: IssuanceLedger, waiter: Waiter | None, redeliver_at: int | None
    ) -> None:
        row = issued(ledger, waiter=waiter)
        with pytest.raises(StoreUnavailable):
            claim(ledger, row, redeliver_at=redeliver_at)
        assert find(ledger, row) == row

    def test_such_a_claim_of_an_expired_or_answered_pause_says_what_became_of_it(self, ledger: IssuanceLedger) -> None:
        row = issued(ledger, waiter=TASK)
        with pytest.raises(PauseExpired):
            claim(ledger, row, an_acceptance(answered_at=END))
        claim(ledger, row, redeliver_at=NOW + 120)
        with pytest.raises(AlreadyAnswered):
            claim(ledger, row, an_acceptance('"Reject"', attempt_id="attempt-2"))

    def test_a_replay_brings_the_row_as_it_is_now(self, ledger: IssuanceLedger) -> None:
        row = issued(ledger, waiter=TASK)
        claimed = claim(ledger, row, redeliver_at=NOW + 120).row
        assert advance(ledger, claimed, due_at=NOW + 300, attempts=2)
        replay = claim(ledger, row, an_acceptance(attempt_id="attempt-2"), redeliver_at=NOW + 999)
        assert replay.replayed
        assert (replay.row.attempts, replay.row.due_at) == (2, NOW + 300)

    def test_a_waiter_is_replaced_while_the_pause_is_open_and_nothing_else_changes(
        self, ledger: IssuanceLedger
    ) -> None:
        for row in (issued(ledger, waiter=TASK), issued(ledger, jti="other")):
            assert asyncio.run(ledger.replace_waiter(row, NEXT_TASK))
            assert find(ledger, row) == replace(row, waiter=NEXT_TASK)

    @pytest.mark.parametrize("status", [s for s in PauseStatus if s is not PauseStatus.ISSUED])
    def test_a_waiter_is_not_replaced_once_the_pause_has_ended(
        self, ledger: IssuanceLedger, status: PauseStatus
    ) -> None:
        row = issued(ledger, waiter=TASK)
        assert advance(ledger, row, due_at=None, status=status)
        assert not asyncio.run(ledger.replace_waiter(row, NEXT_TASK))
        assert find(ledger, row).waiter == TASK

    def test_a_waiter_of_a_row_that_is_gone_is_not_replaced_and_no_row_appears(self, ledger: IssuanceLedger) -> None:
        row = a_row()
        assert not asyncio.run(ledger.replace_waiter(row, TASK))
        assert asyncio.run(ledger.find(row.claims.jti)) is None

    def test_a_waiter_that_another_mint_has_replaced_is_not_replaced(self, ledger: IssuanceLedger) -> None:
        """D-48: the write of an older mint that arrives late."""
        for seen in (issued(ledger, waiter=TASK), issued(ledger, jti="other")):
            assert asyncio.run(ledger.replace_waiter(seen, NEXT_TASK))
            assert not asyncio.run(ledger.replace_waiter(seen, LATE_TASK))
            assert find(ledger, seen).waiter == NEXT_TASK

    def test_one_event_announces_a_pause_and_a_later_one_only_under_another_key(self, ledger: IssuanceLedger) -> None:
        """D-06."""
        row = issued(ledger, key_id="k1")

        def marks(event_id: str, key_id: str = "k1") -> bool:
            return asyncio.run(ledger.mark_announced(replace(row, key_id=key_id), event_id=event_id))

        assert [marks("event-1"), marks("event-2"), marks("event-1")] == [True, False, True]
        assert [marks("event-3", "k"), marks("event-4", "k"), marks("event-4")] == [True, False, True]
        assert find(ledger, row) == row

    def test_a_reminder_has_a_mark_of_its_own(self, ledger: IssuanceLedger) -> None:
        row = issued(ledger, key_id="k1")
        marks = [
            asyncio.run(ledger.mark_announced(row, event_id=event_id, reminder=reminder))
            for event_id, reminder in [("event-1", False), ("event-2", True), ("event-3", True), ("event-2", True)]
        ]
        assert marks == [True, True, False, True]
        assert find(ledger, row) == row

    def test_no_row_appears_by_an_announcement(self, ledger: IssuanceLedger) -> None:
        row = a_row()
        assert not asyncio.run(ledger.mark_announced(row, event_id="event-1"))
        assert asyncio.run(ledger.find(row.claims.jti)) is None

    def test_an_undeliverable_pause_is_put_back_to_be_delivered_as_the_row_says(self, ledger: IssuanceLedger) -> None:
        for number, (attempts, may_have_landed) in enumerate([(16, True), (2, False), (1, True)]):
            seen = undeliverable(ledger, jti=f"pause-{number}", attempts=attempts, may_have_landed=may_have_landed)
            assert seen.may_have_landed is may_have_landed
            assert asyncio.run(ledger.redrive(seen, at=END + 5))
            assert find(ledger, seen) == seen.redriven(at=END + 5)
        assert len(due(ledger, at=END + 5)) == 3

    @pytest.mark.parametrize("status", [PauseStatus.EXPIRED, PauseStatus.REVOKED])
    def test_an_end_that_was_given_up_is_noted_and_put_back_once(
        self, ledger: IssuanceLedger, status: PauseStatus
    ) -> None:
        """D-50."""
        row = issued(ledger, waiter=TASK)
        assert advance(ledger, row, due_at=None, status=status, attempts=16, given_up=True)
        seen = find(ledger, row)
        assert (seen.status, seen.given_up, seen.redrivable) == (status, True, True)
        assert asyncio.run(ledger.redrive(seen, at=END + 5))
        assert find(ledger, row) == seen.redriven(at=END + 5)
        assert find(ledger, row).status is status
        assert not asyncio.run(ledger.redrive(seen, at=END + 6))

    def test_a_redriven_pause_stays_among_the_ended_and_keeps_its_answer(self, ledger: IssuanceLedger) -> None:
        seen = undeliverable(ledger)
        assert asyncio.run(ledger.redrive(seen, at=END))
        with pytest.raises(AlreadyAnswered):
            claim(ledger, seen, an_acceptance('"Reject"', attempt_id="attempt-2"), redeliver_at=END)

    @pytest.mark.parametrize("status", [s for s in PauseStatus if s is not PauseStatus.UNDELIVERABLE])
    def test_only_an_undeliverable_pause_is_put_back(self, ledger: IssuanceLedger, status: PauseStatus) -> None:
        row = issued(ledger, waiter=TASK)
        assert advance(ledger, row, due_at=None, status=status, attempts=16)
        seen = replace(find(ledger, row), status=PauseStatus.UNDELIVERABLE)
        assert not asyncio.run(ledger.redrive(seen, at=END))
        assert find(ledger, row).status is status

    def test_what_may_have_landed_since_it_was_seen_is_not_forgotten(self, ledger: IssuanceLedger) -> None:
        row = undeliverable(ledger, may_have_landed=False)
        assert asyncio.run(ledger.redrive(row, at=END))
        begun = RowChange(due_at=END + 1, attempts=1, may_have_landed=True)
        assert asyncio.run(ledger.advance(find(ledger, row), begun))
        assert advance(ledger, find(ledger, row), due_at=None, status=PauseStatus.UNDELIVERABLE)
        assert asyncio.run(ledger.redrive(row, at=END + 2))
        assert find(ledger, row) == replace(row.redriven(at=END + 2), may_have_landed=True)

    def test_what_may_have_landed_is_known_over_redrives_and_attempts_that_did_nothing(
        self, ledger: IssuanceLedger
    ) -> None:
        row = undeliverable(ledger, may_have_landed=True)
        for at in (END, END + 9):
            assert asyncio.run(ledger.redrive(find(ledger, row), at=at))
            assert (find(ledger, row).attempts, find(ledger, row).may_have_landed) == (0, True)
            assert advance(ledger, find(ledger, row), due_at=at + 1, attempts=1, may_have_landed=True)
            assert advance(ledger, find(ledger, row), due_at=None, status=PauseStatus.UNDELIVERABLE)
            assert find(ledger, row).may_have_landed

    def test_a_pause_that_is_gone_is_not_put_back_and_does_not_come_back(self, ledger: IssuanceLedger) -> None:
        gone = replace(a_row(waiter=TASK), status=PauseStatus.UNDELIVERABLE, due_at=None)
        assert not asyncio.run(ledger.redrive(gone, at=END))
        assert asyncio.run(ledger.find(gone.claims.jti)) is None

    @pytest.mark.parametrize("response", ['"Approve"', "null", '"' + "a" * INLINE_LIMIT + '"', LARGE], ids=len)
    def test_the_text_of_an_answer_is_found_wherever_it_is_kept(self, ledger: IssuanceLedger, response: str) -> None:
        row = issued(ledger, waiter=TASK)
        receipt = claim(ledger, row, an_acceptance(response), redeliver_at=NOW + 120)
        assert receipt.answer.response_text == response
        for seen in (receipt.row, find(ledger, row)):
            assert asyncio.run(ledger.response_text_of(seen)) == response

    def test_a_large_answer_again_is_its_own_replay_and_another_is_refused(self, ledger: IssuanceLedger) -> None:
        row = issued(ledger)
        claim(ledger, row, an_acceptance(LARGE))
        again = claim(ledger, row, an_acceptance(LARGE, attempt_id="attempt-2"))
        assert (again.replayed, again.answer.response_text) == (True, LARGE)
        with pytest.raises(AlreadyAnswered):
            claim(ledger, row, an_acceptance(LARGE + " ", attempt_id="attempt-3"))

    def test_an_open_pause_has_no_answer_to_read(self, ledger: IssuanceLedger) -> None:
        with pytest.raises(LookupError):
            asyncio.run(ledger.response_text_of(issued(ledger)))


def undeliverable(
    ledger: IssuanceLedger, *, attempts: int = 16, may_have_landed: bool = True, **over: Any
) -> LedgerRow:
    """Return the row of an answer whose delivery was given up."""
    claimed = claim(ledger, issued(ledger, waiter=TASK, **over), redeliver_at=END).row
    given_up = {"status": PauseStatus.UNDELIVERABLE, "attempts": attempts, "may_have_landed": may_have_landed}
    assert advance(ledger, claimed, due_at=None, **given_up)
    return find(ledger, claimed)


class TestInMemoryLedger(LedgerDeliveryContract):
    @pytest.fixture
    def ledger(self) -> InMemoryLedger:
        return InMemoryLedger()


class TestDynamoLedger(LedgerDeliveryContract):
    @pytest.fixture
    def ledger(self, aws: Aws) -> IssuanceLedger:
        return aws.ledger()

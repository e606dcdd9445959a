"""What every issuance ledger promises, in memory and on DynamoDB alike."""

import asyncio
from collections.abc import Callable
from dataclasses import replace

import pytest

from askback.domain.errors import AlreadyAnswered, PauseExpired, PauseRevoked, UnknownPause
from askback.domain.pause.claims import PauseClaims
from askback.domain.pause.ledger import AcceptedAnswer, LedgerRow, PauseStatus, Receipt
from askback.domain.ports import IssuanceLedger
from askback.testing.memory_ledger import InMemoryLedger
from tests.support.aws_stores import Aws
from tests.support.domain_values import an_acceptance, an_issued_row, some_claims, some_legacy_claims
from tests.support.memory_deployment import NOW

TURN_HASH = "ab" * 16
Close = Callable[[str, PauseStatus], None]


class IssuanceLedgerContract:
    """Subclasses say which ledger, and how a row of it is closed by somebody else."""

    @pytest.fixture
    def ledger(self) -> IssuanceLedger:
        raise NotImplementedError

    @pytest.fixture
    def close(self) -> Close:
        raise NotImplementedError

    def test_a_pause_that_was_never_issued_is_not_found(self, ledger: IssuanceLedger) -> None:
        assert find(ledger, "nobody") is None

    def test_an_issued_row_is_returned_and_found_as_it_was_given(self, ledger: IssuanceLedger) -> None:
        row = an_issued_row()
        assert issue(ledger, row) == row
        assert find(ledger, row.claims.jti) == row

    @pytest.mark.parametrize(
        "row",
        [
            an_issued_row(some_claims(session_id="", tool_call_id="", name="approval", interrupt_id="i-0123456789ab")),
            an_issued_row(some_claims(run_id="läuft-😀", thread_id="a#b:c#d", checkpoint_id="#", jti="pause#1")),
            an_issued_row(some_claims(thread_id="t" * 1024, tool_call_id="c" * 512, jti="j" * 256)),
            an_issued_row(pin="", turn_recorded=False),
            an_issued_row(turn_hash=TURN_HASH),
        ],
        ids=["empty texts", "separators and emoji", "longest ids", "nothing optional", "a turn with its hash"],
    )
    def test_every_field_of_a_row_comes_back_with_its_value(self, ledger: IssuanceLedger, row: LedgerRow) -> None:
        issue(ledger, row)
        assert find(ledger, row.claims.jti) == row

    def test_issuing_again_returns_the_earlier_row_and_changes_nothing(self, ledger: IssuanceLedger) -> None:
        first = an_issued_row()
        issue(ledger, first)
        later = an_issued_row(some_claims(exp=NOW + 9999, issued_at=NOW + 50), pin="v8", turn_recorded=False)
        assert issue(ledger, later) == first
        assert find(ledger, first.claims.jti) == first

    def test_issuing_again_after_the_answer_returns_the_answered_row(self, ledger: IssuanceLedger) -> None:
        claims = issued(ledger)
        claim(ledger, claims, an_acceptance())
        again = issue(ledger, an_issued_row(claims))
        assert again.status is PauseStatus.ANSWERED
        assert again.answer == an_acceptance()

    def test_two_pauses_do_not_share_a_row(self, ledger: IssuanceLedger) -> None:
        one, other = issued(ledger, jti="one"), issued(ledger, jti="other")
        claim(ledger, one, an_acceptance())
        assert status(ledger, other) is PauseStatus.ISSUED

    def test_the_first_claim_is_accepted_and_is_durable(self, ledger: IssuanceLedger) -> None:
        claims = issued(ledger)
        assert told(claim(ledger, claims, an_acceptance())) == (an_acceptance(), False)
        assert find(ledger, claims.jti) == an_issued_row(claims, status=PauseStatus.ANSWERED, answer=an_acceptance())

    @pytest.mark.parametrize("response", ["{}", "false", "0", '""', "null", '{"a":1.0,"b":"\\ud83d"}'])
    def test_an_accepted_answer_keeps_its_text(self, ledger: IssuanceLedger, response: str) -> None:
        claims = issued(ledger)
        claim(ledger, claims, an_acceptance(response))
        row = find(ledger, claims.jti)
        assert row is not None
        assert row.answer == an_acceptance(response)

    def test_the_same_answer_by_the_same_person_gets_the_original_receipt(self, ledger: IssuanceLedger) -> None:
        claims = issued(ledger)
        claim(ledger, claims, an_acceptance())
        again = an_acceptance(attempt_id="attempt-2", answered_at=NOW + 99, redeemed_scope_hash="cd" * 32)
        assert told(claim(ledger, claims, again)) == (an_acceptance(), True)

    def test_the_same_attempt_has_won_already_and_is_no_replay(self, ledger: IssuanceLedger) -> None:
        """A-35: the store applied the claim, its reply was lost, and the client sent it again."""
        claims = issued(ledger)
        claim(ledger, claims, an_acceptance())
        assert told(claim(ledger, claims, an_acceptance())) == (an_acceptance(), False)

    @pytest.mark.parametrize(
        "other",
        [
            an_acceptance('"Reject"', attempt_id="attempt-2", answered_at=NOW + 99),
            an_acceptance(answered_by="bob", attempt_id="attempt-2", answered_at=NOW + 99),
        ],
        ids=["another answer", "another person"],
    )
    def test_anything_but_that_is_told_when_it_was_answered(
        self, ledger: IssuanceLedger, other: AcceptedAnswer
    ) -> None:
        claims = issued(ledger)
        claim(ledger, claims, an_acceptance())
        with pytest.raises(AlreadyAnswered) as refused:
            claim(ledger, claims, other)
        assert refused.value.answered_at == NOW + 60
        row = find(ledger, claims.jti)
        assert row is not None
        assert row.answer == an_acceptance()

    def test_a_replay_after_the_expiry_still_gets_its_receipt(self, ledger: IssuanceLedger) -> None:
        claims = issued(ledger)
        claim(ledger, claims, an_acceptance())
        late = an_acceptance(attempt_id="attempt-2", answered_at=claims.exp + 1)
        assert claim(ledger, claims, late).replayed

    def test_the_last_second_before_the_expiry_is_in_time(self, ledger: IssuanceLedger) -> None:
        claims = issued(ledger)
        assert not claim(ledger, claims, an_acceptance(answered_at=claims.exp - 1)).replayed

    @pytest.mark.parametrize("late_by", [0, 1, 47 * 3600])
    def test_the_row_s_own_expiry_refuses_whatever_the_token_says(self, ledger: IssuanceLedger, late_by: int) -> None:
        """A-12: the row stays readable after its time, and the token may say another time than the row."""
        claims = issued(ledger)
        longer = replace(claims, exp=claims.exp + 999_999)
        with pytest.raises(PauseExpired):
            claim(ledger, longer, an_acceptance(answered_at=claims.exp + late_by))
        assert find(ledger, claims.jti) == an_issued_row(claims)

    def test_an_unknown_pause_is_refused_and_no_row_appears(self, ledger: IssuanceLedger) -> None:
        """A-37: an update of a row that TTL removed must not create half a row."""
        with pytest.raises(UnknownPause):
            claim(ledger, some_claims(), an_acceptance())
        assert find(ledger, some_claims().jti) is None

    @pytest.mark.parametrize(
        ("closed", "refusal"), [(PauseStatus.REVOKED, PauseRevoked), (PauseStatus.EXPIRED, PauseExpired)]
    )
    def test_a_closed_pause_says_how_it_was_closed(
        self, ledger: IssuanceLedger, close: Close, closed: PauseStatus, refusal: type[Exception]
    ) -> None:
        claims = issued(ledger)
        close(claims.jti, closed)
        with pytest.raises(refusal):
            claim(ledger, claims, an_acceptance())
        assert status(ledger, claims) is closed

    def test_another_key_is_noted_while_the_pause_is_open(self, ledger: IssuanceLedger) -> None:
        row = issue(ledger, an_issued_row())
        assert replace_key(ledger, row, "k2")
        assert find(ledger, row.claims.jti) == replace(row, key_id="k2")

    def test_of_two_who_note_another_key_the_second_changes_nothing(self, ledger: IssuanceLedger) -> None:
        row = issue(ledger, an_issued_row())
        assert replace_key(ledger, row, "k2")
        assert not replace_key(ledger, row, "k3")
        assert find(ledger, row.claims.jti) == replace(row, key_id="k2")

    def test_a_pause_that_names_no_key_can_be_given_one(self, ledger: IssuanceLedger) -> None:
        row = issue(ledger, an_issued_row(key_id=""))
        assert replace_key(ledger, row, "k2")
        assert not replace_key(ledger, row, "k3")

    def test_a_pause_that_has_ended_keeps_its_key(self, ledger: IssuanceLedger) -> None:
        claims = issued(ledger)
        claim(ledger, claims, an_acceptance())
        assert not replace_key(ledger, an_issued_row(claims), "k2")
        assert not replace_key(ledger, an_issued_row(some_claims(jti="nobody")), "k2")
        assert find(ledger, "nobody") is None

    def test_a_turn_that_was_recorded_later_is_noted_once_while_the_pause_is_open(self, ledger: IssuanceLedger) -> None:
        """D-36."""
        row = issue(ledger, an_issued_row(turn_recorded=False))
        assert note_turn(ledger, row)
        assert not note_turn(ledger, row, "cd" * 16)
        assert find(ledger, row.claims.jti) == replace(row, turn_recorded=True, turn_hash=TURN_HASH)

    def test_a_turn_is_noted_for_the_same_request_of_an_open_pause_only(self, ledger: IssuanceLedger) -> None:
        row = issue(ledger, an_issued_row(turn_recorded=False))
        other = replace(row, claims=replace(row.claims, request_hash="cd" * 32))
        assert not note_turn(ledger, other)
        assert not note_turn(ledger, an_issued_row(some_claims(jti="unknown"), turn_recorded=False))
        assert find(ledger, "unknown") is None
        claim(ledger, row.claims, an_acceptance())
        assert not note_turn(ledger, row)
        ended = find(ledger, row.claims.jti)
        assert ended is not None
        assert not ended.turn_recorded

    def test_a_legacy_pause_is_claimed_by_writing_its_row(self, ledger: IssuanceLedger) -> None:
        claims = some_legacy_claims()
        assert told(claim(ledger, claims, an_acceptance())) == (an_acceptance(), False)
        assert find(ledger, claims.jti) == LedgerRow(claims=claims, status=PauseStatus.ANSWERED, answer=an_acceptance())

    def test_a_legacy_pause_is_claimed_once(self, ledger: IssuanceLedger) -> None:
        claims = some_legacy_claims()
        claim(ledger, claims, an_acceptance())
        assert not claim(ledger, claims, an_acceptance()).replayed
        assert claim(ledger, claims, an_acceptance(attempt_id="attempt-2")).replayed
        with pytest.raises(AlreadyAnswered):
            claim(ledger, claims, an_acceptance('"Reject"', attempt_id="attempt-3"))


class TestInMemoryLedger(IssuanceLedgerContract):
    @pytest.fixture
    def ledger(self) -> InMemoryLedger:
        return InMemoryLedger()

    @pytest.fixture
    def close(self, ledger: InMemoryLedger) -> Close:
        def close(jti: str, status: PauseStatus) -> None:
            ledger.rows[jti] = replace(ledger.rows[jti], status=status)

        return close


class TestDynamoLedger(IssuanceLedgerContract):
    @pytest.fixture
    def ledger(self, aws: Aws) -> IssuanceLedger:
        return aws.ledger()

    @pytest.fixture
    def close(self, aws: Aws) -> Close:
        def close(jti: str, status: PauseStatus) -> None:
            row = aws.row(jti)
            assert row is not None
            aws.edit(row, status={"S": status.value})

        return close


def issue(ledger: IssuanceLedger, row: LedgerRow) -> LedgerRow:
    return asyncio.run(ledger.issue(row))


def replace_key(ledger: IssuanceLedger, row: LedgerRow, key_id: str) -> bool:
    return asyncio.run(ledger.replace_key(row, key_id))


def note_turn(ledger: IssuanceLedger, row: LedgerRow, turn_hash: str = TURN_HASH) -> bool:
    return asyncio.run(ledger.note_turn(row, turn_hash))


def issued(ledger: IssuanceLedger, **over: object) -> PauseClaims:
    return issue(ledger, an_issued_row(some_claims(**over))).claims


def claim(ledger: IssuanceLedger, claims: PauseClaims, answer: AcceptedAnswer) -> Receipt:
    return asyncio.run(ledger.claim(claims, answer))


def find(ledger: IssuanceLedger, jti: str) -> LedgerRow | None:
    return asyncio.run(ledger.find(jti))


def status(ledger: IssuanceLedger, claims: PauseClaims) -> PauseStatus:
    row = find(ledger, claims.jti)
    assert row is not None
    return row.status


def told(receipt: Receipt) -> tuple[AcceptedAnswer, bool]:
    return receipt.answer, receipt.replayed

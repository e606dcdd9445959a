"""What counting the open pauses by key promises, in memory and over the index alike."""

import asyncio
from collections.abc import Callable, Mapping

import pytest

from askback.domain.pause.ledger import LedgerRow, PauseStatus
from askback.domain.ports import IssuanceLedger, KeyUse, OutstandingPauses
from askback.testing.memory_ledger import InMemoryLedger
from tests.support.aws_stores import Aws
from tests.support.domain_values import an_issued_row, some_claims, some_legacy_claims
from tests.support.ledger_steps import EVENT, a_row, advance, claim
from tests.support.memory_deployment import NOW

Counted = tuple[IssuanceLedger, OutstandingPauses]


class OutstandingPausesContract:
    """Subclasses give a ledger, and what counts its open pauses."""

    @pytest.fixture
    def counted(self) -> Counted:
        raise NotImplementedError

    @pytest.fixture
    def mint(self, counted: Counted) -> Callable[..., LedgerRow]:
        ledger, _ = counted

        def mint(jti: str, *, key_id: str = "k1", ttl: int = 3600, **over: object) -> LedgerRow:
            exp = NOW + ttl
            row = an_issued_row(some_claims(jti=jti, exp=exp), **{"key_id": key_id, "due_at": exp, **over})
            return asyncio.run(ledger.issue(row))

        return mint

    def test_without_pauses_no_key_is_in_use(self, counted: Counted) -> None:
        assert count(counted) == {}

    def test_pauses_are_counted_by_the_key_that_signed_them(
        self, counted: Counted, mint: Callable[..., LedgerRow]
    ) -> None:
        for number, ttl in enumerate((3600, 7200, 60)):
            mint(f"old-{number}", key_id="k1", ttl=ttl)
        mint("new", key_id="k2")
        assert count(counted) == {
            "k1": KeyUse(key_id="k1", outstanding=3, latest_expiry=NOW + 7200),
            "k2": KeyUse(key_id="k2", outstanding=1, latest_expiry=NOW + 3600),
        }

    def test_a_pause_whose_time_is_up_is_not_outstanding_although_nobody_swept(
        self, counted: Counted, mint: Callable[..., LedgerRow]
    ) -> None:
        mint("short", ttl=60)
        mint("long", ttl=7200)
        assert uses(counted, at=NOW + 59) == {"k1": 2}
        assert uses(counted, at=NOW + 60) == {"k1": 1}
        assert uses(counted, at=NOW + 7200) == {}

    def test_a_reminder_that_is_overdue_leaves_a_pause_outstanding(
        self, counted: Counted, mint: Callable[..., LedgerRow]
    ) -> None:
        mint("reminded", remind_at=NOW + 60, due_at=NOW + 60)
        assert uses(counted, at=NOW + 600) == {"k1": 1}

    def test_an_answered_pause_is_not_outstanding_even_while_its_delivery_is_due(
        self, counted: Counted, mint: Callable[..., LedgerRow]
    ) -> None:
        ledger, _ = counted
        claim(ledger, mint("answered"))
        claim(ledger, mint("waited for", waiter=EVENT), redeliver_at=NOW + 120)
        assert uses(counted) == {}

    @pytest.mark.parametrize("ended", [PauseStatus.EXPIRED, PauseStatus.REVOKED, PauseStatus.UNDELIVERABLE])
    def test_an_ended_pause_is_not_outstanding_whatever_is_still_due(
        self, counted: Counted, mint: Callable[..., LedgerRow], ended: PauseStatus
    ) -> None:
        assert advance(counted[0], mint("ended"), status=ended, due_at=NOW + 600)
        assert uses(counted) == {}

    def test_a_pause_that_another_key_signs_from_now_on_counts_there(
        self, counted: Counted, mint: Callable[..., LedgerRow]
    ) -> None:
        assert asyncio.run(counted[0].replace_key(mint("moved"), "k2"))
        assert uses(counted) == {"k2": 1}

    def test_a_pause_that_names_no_key_hides_behind_none(
        self, counted: Counted, mint: Callable[..., LedgerRow]
    ) -> None:
        mint("nameless", key_id="")
        assert uses(counted) == {"": 1}

    def test_a_legacy_pause_has_no_row_before_its_answer_and_is_never_counted(self, counted: Counted) -> None:
        claim(counted[0], an_issued_row(some_legacy_claims()))
        assert uses(counted) == {}


class TestInMemory(OutstandingPausesContract):
    @pytest.fixture
    def counted(self) -> Counted:
        ledger = InMemoryLedger()
        return ledger, ledger


class TestDynamoOutstandingPauses(OutstandingPausesContract):
    @pytest.fixture
    def counted(self, aws: Aws) -> Counted:
        return aws.ledger(), aws.outstanding()


def test_a_row_of_the_ledger_steps_is_counted_too() -> None:
    """The builder that other suites share makes rows that are due, as every open pause is."""
    assert a_row().due_at is not None


def count(counted: Counted, *, at: int = NOW) -> Mapping[str, KeyUse]:
    return asyncio.run(counted[1].outstanding_by_key(at=at))


def uses(counted: Counted, *, at: int = NOW) -> dict[str, int]:
    return {key_id: use.outstanding for key_id, use in count(counted, at=at).items()}

"""How the open pauses of a scope and of a person are counted, in memory and on DynamoDB alike."""

import asyncio
import re
from collections import Counter
from dataclasses import dataclass
from typing import Any

import pytest

from askback.domain.pause.ledger import LedgerRow, PauseStatus
from askback.domain.ports import ENTRY_WITHOUT_ROW_SECONDS, IssuanceLedger, OpenPauses, Place
from askback.testing.memory_ledger import InMemoryLedger
from askback.testing.memory_open_pauses import InMemoryOpenPauses
from tests.support.aws_faults import Calls
from tests.support.aws_stores import Aws
from tests.support.ledger_steps import END, advance, claim, issued
from tests.support.memory_deployment import NOW, SCOPE
from tests.support.racing import CALLERS, race

OURS = SCOPE.digest()
MOST = 3


@dataclass(frozen=True)
class Counted:
    """A ledger, and what counts its open pauses."""

    ledger: IssuanceLedger
    pauses: OpenPauses

    def enter(self, jti: str, *, person: str = "ada", at: int = NOW, most: int = MOST) -> Place:
        return asyncio.run(self.pauses.enter(jti, person=person, at=at, most=most))

    def mint(self, jti: str, **over: Any) -> tuple[Place, LedgerRow | None]:
        """Enter a pause and write its row, as a mint does."""
        place = self.enter(jti, **over)
        return place, None if place is Place.FULL else issued(self.ledger, jti=jti)

    def fill(self) -> list[LedgerRow]:
        return [row for number in range(MOST) if (row := self.mint(f"open-{number}")[1])]

    def count(self, *, at: int = NOW, most: int = 9, scope_hash: str = OURS) -> int:
        return asyncio.run(self.pauses.count(scope_hash, at=at, most=most))


class OpenPausesContract:
    """Subclasses give a ledger, and what counts its open pauses."""

    @pytest.fixture
    def counted(self) -> Counted:
        raise NotImplementedError

    def test_as_many_pauses_are_entered_as_the_limit_says(self, counted: Counted) -> None:
        places = [counted.mint(f"open-{number}")[0] for number in range(MOST + 2)]
        assert places == [Place.ENTERED] * MOST + [Place.FULL] * 2

    def test_another_person_has_a_list_of_their_own(self, counted: Counted) -> None:
        counted.fill()
        assert counted.enter("another", person="bob") is Place.ENTERED

    def test_a_pause_that_was_entered_is_known_and_counts_once(self, counted: Counted) -> None:
        assert [counted.enter("one") for _ in range(3)] == [Place.ENTERED, Place.KNOWN, Place.KNOWN]
        assert [counted.mint(f"open-{number}")[0] for number in range(MOST)].count(Place.ENTERED) == MOST - 1
        assert counted.enter("one") is Place.KNOWN

    def test_a_pause_with_a_row_is_known_at_the_limit(self, counted: Counted) -> None:
        """It was minted by a version that did not count, or has ended and left the list."""
        issued(counted.ledger, jti="earlier")
        counted.fill()
        assert counted.enter("earlier") is Place.KNOWN

    @pytest.mark.parametrize("end", ["answered", "expired", "revoked"])
    def test_an_ended_pause_makes_room_for_one(self, counted: Counted, end: str) -> None:
        first = counted.fill()[0]
        if end == "answered":
            claim(counted.ledger, first)
        if end == "revoked":
            assert advance(counted.ledger, first, due_at=None, status=PauseStatus.REVOKED)
        if end == "expired":
            assert advance(counted.ledger, first, due_at=None, status=PauseStatus.EXPIRED)
        assert [counted.mint(jti)[0] for jti in ("next", "last")] == [Place.ENTERED, Place.FULL]

    def test_a_pause_whose_time_is_over_does_not_count_before_the_sweep(self, counted: Counted) -> None:
        counted.fill()
        assert counted.enter("next", at=END - 1) is Place.FULL
        assert counted.enter("next", at=END) is Place.ENTERED

    def test_a_mint_that_ended_before_its_row_counts_for_some_minutes(self, counted: Counted) -> None:
        for number in range(MOST):
            assert counted.enter(f"no-row-{number}") is Place.ENTERED
        after = NOW + ENTRY_WITHOUT_ROW_SECONDS
        assert counted.enter("next", at=after - 1) is Place.FULL
        assert [counted.mint(f"next-{number}", at=after)[0] for number in range(MOST)] == [Place.ENTERED] * MOST

    def test_a_lower_limit_holds_for_pauses_of_before(self, counted: Counted) -> None:
        rows = counted.fill()
        assert counted.enter("next", most=1) is Place.FULL
        claim(counted.ledger, rows[0])
        claim(counted.ledger, rows[1])
        assert counted.enter("next", most=1) is Place.FULL
        claim(counted.ledger, rows[2])
        assert counted.enter("next", most=1) is Place.ENTERED

    def test_a_pause_that_leaves_makes_room(self, counted: Counted) -> None:
        counted.fill()
        asyncio.run(counted.pauses.leave("open-1", person="ada"))
        asyncio.run(counted.pauses.leave("open-1", person="ada"))
        asyncio.run(counted.pauses.leave("never", person="ada"))
        assert [counted.mint(jti)[0] for jti in ("next", "last")] == [Place.ENTERED, Place.FULL]

    def test_of_many_mints_at_once_no_more_are_entered_than_fit(self, counted: Counted) -> None:
        for ended in (0, 2):
            person = f"person-{ended}"
            for number in range(10):
                assert counted.mint(f"{person}-{number}", person=person, most=10)[0] is Place.ENTERED
            for number in range(ended):
                claim(counted.ledger, issued(counted.ledger, jti=f"{person}-{number}"))

            def enter(caller: int, person: str = person) -> str:
                return counted.enter(f"{person}-racer-{caller}", person=person, most=12)

            entered = 2 + ended
            assert Counter(race(enter)) == {Place.ENTERED: entered, Place.FULL: CALLERS - entered}

    def test_the_open_pauses_of_a_scope_are_counted_up_to_a_number(self, counted: Counted) -> None:
        rows = [issued(counted.ledger, jti=f"pause-{number}") for number in range(5)]
        claim(counted.ledger, rows[0])
        assert [counted.count(most=most) for most in (1, 4, 9)] == [1, 4, 4]
        assert (counted.count(at=END - 1), counted.count(at=END)) == (4, 0)
        assert counted.count(scope_hash="ab" * 32) == 0


class TestInMemory(OpenPausesContract):
    @pytest.fixture
    def counted(self) -> Counted:
        ledger = InMemoryLedger()
        return Counted(ledger, InMemoryOpenPauses(ledger))


class TestDynamoOpenPauses(OpenPausesContract):
    @pytest.fixture
    def counted(self, aws: Aws) -> Counted:
        return Counted(aws.ledger(), aws.open_pauses())

    def test_one_write_removes_as_many_ended_pauses_as_a_list_can_have(self, counted: Counted, aws: Aws) -> None:
        """DynamoDB takes expressions of up to 4 KB with up to 300 operators and functions; moto takes any."""
        for number in range(100):
            counted.enter(f"{number:032x}", most=100)
        calls = Calls.of(aws.dynamodb)
        assert counted.enter("f" * 32, at=NOW + ENTRY_WITHOUT_ROW_SECONDS, most=100) is Place.ENTERED
        assert calls.operations == ["UpdateItem", "BatchGetItem", "BatchGetItem", "UpdateItem"]
        _, write = calls.made[-1]
        for name in ("ConditionExpression", "UpdateExpression"):
            assert len(write[name]) < 4096
            assert len(re.findall(r"\(#|AND|OR|<", write[name])) < 300
        (item,) = aws.items()
        assert item["count"] == {"N": "1"}
        assert len(item) == 5

    def test_what_is_stored_has_no_name_and_goes_by_itself(self, counted: Counted, aws: Aws) -> None:
        counted.enter("0" * 32, person="f" * 64)
        (item,) = aws.items()
        assert item == {
            "pk": {"S": "person#" + "f" * 64},
            "sk": {"S": "open"},
            "count": {"N": "1"},
            "ttl": {"N": str(NOW + 30 * 24 * 3600)},
            "_" + "0" * 32: {"N": str(NOW)},
        }

"""How every pause directory lists a scope's pauses, in memory and on DynamoDB alike."""

import asyncio
from typing import Any

import pytest

from askback.adapters.dynamodb.open_list import DynamoPauseDirectory
from askback.domain.pause.ledger import PauseStatus
from askback.domain.pause.listing import ListedPause, ListPlace, OpenPlace, Wanted
from askback.domain.ports import IssuanceLedger, PauseDirectory
from askback.testing.memory_ledger import InMemoryLedger
from tests.support.aws_stores import Aws
from tests.support.domain_values import an_acceptance, an_issued_row, some_claims, some_legacy_claims
from tests.support.ledger_steps import END, advance, claim, issued
from tests.support.memory_deployment import NOW, SCOPE

OURS = SCOPE.digest()


class PauseDirectoryContract:
    """Subclasses say which ledger, and which directory of it."""

    @pytest.fixture
    def ledger(self) -> IssuanceLedger:
        raise NotImplementedError

    @pytest.fixture
    def directory(self, ledger: IssuanceLedger) -> PauseDirectory:
        raise NotImplementedError

    def test_a_scope_without_pauses_has_an_empty_list(self, directory: PauseDirectory) -> None:
        assert listed(directory) == []

    def test_a_line_says_which_pause_what_it_asks_how_it_stands_and_when(
        self, ledger: IssuanceLedger, directory: PauseDirectory
    ) -> None:
        row = issued(ledger)
        line = ListedPause(
            jti=row.claims.jti,
            name="ask_user",
            status="issued",
            issued_at=NOW,
            expires_at=END,
            scope_hash=OURS,
            scope_label=row.scope_label,
            row=row,
        )
        page = asyncio.run(directory.of_scope(OURS, limit=1, after=None))
        assert (page.pauses, page.next) == ((line,), None)

    def test_open_pauses_come_first_and_then_those_that_ended_each_by_time_of_issue(
        self, ledger: IssuanceLedger, directory: PauseDirectory
    ) -> None:
        for jti, issued_at in (("late", NOW + 2), ("early", NOW), ("answered", NOW - 9), ("revoked", NOW - 99)):
            asyncio.run(ledger.issue(an_issued_row(some_claims(jti=jti, issued_at=issued_at), due_at=END)))
        row = asyncio.run(ledger.find("answered"))
        assert row is not None
        claim(ledger, row)
        revoked = asyncio.run(ledger.find("revoked"))
        assert revoked is not None
        assert advance(ledger, revoked, due_at=None, status=PauseStatus.REVOKED)
        assert [(line.jti, line.status) for line in listed(directory)] == [
            ("early", "issued"),
            ("late", "issued"),
            ("revoked", "revoked"),
            ("answered", "answered"),
        ]

    def test_another_scopes_pauses_are_not_there(self, ledger: IssuanceLedger, directory: PauseDirectory) -> None:
        asyncio.run(ledger.issue(an_issued_row(some_claims(jti="theirs", scope_hash="ab" * 32), due_at=END)))
        asyncio.run(ledger.claim(some_legacy_claims(), an_acceptance()))
        assert listed(directory) == []

    @pytest.mark.parametrize("limit", [1, 2, 3, 7, 8])
    def test_the_pages_together_are_the_list_and_the_last_one_says_that_it_is(
        self, ledger: IssuanceLedger, directory: PauseDirectory, limit: int
    ) -> None:
        for number in range(7):
            issued(ledger, jti=f"pause-{number}")
        pages = paged(directory, limit=limit)
        assert [line.jti for page in pages for line in page] == [f"pause-{number}" for number in range(7)]
        assert [len(page) for page in pages] == [limit] * (7 // limit) + ([7 % limit] if 7 % limit else [])

    def test_a_pause_that_ends_between_two_pages_is_not_left_out(
        self, ledger: IssuanceLedger, directory: PauseDirectory
    ) -> None:
        rows = [issued(ledger, jti=f"pause-{number}") for number in range(4)]
        first = asyncio.run(directory.of_scope(OURS, limit=2, after=None))
        for ended in (rows[1], rows[2]):
            claim(ledger, ended)
        rest = asyncio.run(directory.of_scope(OURS, limit=9, after=first.next))
        assert [line.jti for line in first.pauses] == ["pause-0", "pause-1"]
        assert [line.jti for line in rest.pauses] == ["pause-3", "pause-1", "pause-2"]

    def test_a_place_that_nobody_has_is_only_a_place(self, ledger: IssuanceLedger, directory: PauseDirectory) -> None:
        issued(ledger, jti="b")
        for jti, expected in (("a", ["b"]), ("c", [])):
            place = ListPlace(is_open=True, issued_at=NOW, jti=jti)
            page = asyncio.run(directory.of_scope(OURS, limit=9, after=place))
            assert [line.jti for line in page.pauses] == expected

    def test_a_scopes_list_can_have_the_wanted_ones_alone_and_the_open_or_the_ended_ones(
        self, ledger: IssuanceLedger, directory: PauseDirectory
    ) -> None:
        rows = [issued(ledger, jti=f"pause-{number}") for number in range(5)]
        claim(ledger, rows[1])

        def page(**over: Any) -> list[str]:
            found = asyncio.run(directory.of_scope(OURS, limit=9, after=None, **over))
            assert found.next is None
            return [line.jti for line in found.pauses]

        assert page(wanted=lambda line: line.jti in ("pause-1", "pause-3")) == ["pause-3", "pause-1"]
        assert page(open_only=True) == ["pause-0", "pause-2", "pause-3", "pause-4"]
        assert page(open_only=False) == ["pause-1"]

    @pytest.mark.parametrize("limit", [1, 2, 3, 9])
    def test_the_pages_of_open_pauses_have_each_wanted_one_once(
        self, ledger: IssuanceLedger, directory: PauseDirectory, limit: int
    ) -> None:
        for number in range(9):
            issued(ledger, jti=f"pause-{number}")
        asyncio.run(ledger.issue(an_issued_row(some_claims(jti="theirs", scope_hash="ab" * 32), due_at=END)))
        ended = asyncio.run(ledger.find("pause-4"))
        assert ended is not None
        claim(ledger, ended)
        found = opened(directory, limit=limit, wanted=lambda line: line.scope_hash == OURS)
        assert sorted(line.jti for line in found) == [f"pause-{number}" for number in range(9) if number != 4]
        assert {(line.status, line.row is not None, line.issued_at) for line in found} == {("issued", True, NOW)}
        assert "theirs" in {line.jti for line in opened(directory, limit=limit, wanted=lambda _: True)}

    def test_pauses_that_end_later_or_have_nothing_due_so_soon_are_left_out(
        self, ledger: IssuanceLedger, directory: PauseDirectory
    ) -> None:
        asyncio.run(ledger.issue(an_issued_row(some_claims(jti="soon", exp=END - 100), due_at=END - 100)))
        asyncio.run(ledger.issue(an_issued_row(some_claims(jti="late", exp=END), due_at=NOW + 60)))

        def within(expires_before: int, due_before: int | None = None) -> list[str]:
            found = opened(
                directory,
                limit=9,
                wanted=lambda _: True,
                expires_before=expires_before,
                due_before=due_before,
            )
            return sorted(line.jti for line in found)

        assert within(END - 99) == ["soon"]
        assert within(END - 100) == []
        assert within(END + 1) == ["late", "soon"]
        assert within(END + 1, due_before=NOW + 61) == ["late"]


class TestInMemoryLedger(PauseDirectoryContract):
    @pytest.fixture
    def ledger(self) -> InMemoryLedger:
        return InMemoryLedger()

    @pytest.fixture
    def directory(self, ledger: Any) -> PauseDirectory:
        directory: PauseDirectory = ledger
        return directory


class TestScopeIndex(PauseDirectoryContract):
    @pytest.fixture
    def ledger(self, aws: Aws) -> IssuanceLedger:
        return aws.ledger()

    @pytest.fixture
    def directory(self, aws: Aws) -> PauseDirectory:
        return DynamoPauseDirectory(client=aws.dynamodb, table=aws.stores.table)


def opened(
    directory: PauseDirectory,
    *,
    limit: int,
    wanted: Wanted,
    expires_before: int | None = None,
    due_before: int | None = None,
) -> list[ListedPause]:
    """Return the lines of all pages of open pauses."""
    found: list[ListedPause] = []
    place = None
    while True:
        page = asyncio.run(
            directory.open_pauses(
                limit=limit, after=place, wanted=wanted, expires_before=expires_before, due_before=due_before
            )
        )
        assert len(page.pauses) <= limit
        found += page.pauses
        place = None if page.next is None else OpenPlace.of_cursor(page.next.cursor())
        if place is None:
            return found


def listed(directory: PauseDirectory) -> list[ListedPause]:
    return [line for page in paged(directory, limit=100) for line in page]


def paged(directory: PauseDirectory, *, limit: int) -> list[tuple[ListedPause, ...]]:
    """Return every page of the scope."""
    pages, place = [], None
    while True:
        page = asyncio.run(directory.of_scope(OURS, limit=limit, after=place))
        if page.pauses:
            pages.append(page.pauses)
        place = page.next
        if place is None:
            return pages

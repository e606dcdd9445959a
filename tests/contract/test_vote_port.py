"""How every issuance ledger records votes, in memory and on DynamoDB alike."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from askback.domain.errors import StoreUnavailable, UnknownPause
from askback.domain.pause.claims import Audience, PauseClaims
from askback.domain.pause.ledger import AcceptedAnswer, LedgerRow, PauseStatus, RowChange, VoteWrite
from askback.domain.pause.quorum import Counted, Vote, counted
from askback.domain.ports import IssuanceLedger
from askback.testing.memory_ledger import InMemoryLedger
from tests.support.aws_stores import Aws
from tests.support.domain_values import an_acceptance
from tests.support.ledger_steps import EVENT, TASK
from tests.support.memory_deployment import NOW
from tests.support.voting import FIVE, ROSTER, a_row_to_vote_on, a_vote, answer_of


def link_of(row: LedgerRow, person: str) -> PauseClaims:
    return replace(row.claims, audience=Audience.ANSWER, recipient=person)


def issued(ledger: IssuanceLedger, **over: Any) -> LedgerRow:
    return asyncio.run(ledger.issue(a_row_to_vote_on(**over)))


def found(ledger: IssuanceLedger, row: LedgerRow) -> LedgerRow:
    now = asyncio.run(ledger.find(row.claims.jti))
    assert now is not None
    return now


def count(row: LedgerRow, vote: Vote) -> Counted:
    assert row.quorum is not None
    return counted(row.quorum, row.answerers, row.votes, vote)


def cast(ledger: IssuanceLedger, seen: LedgerRow, vote: Vote, **over: Any) -> VoteWrite:
    """Write a vote as it counts on the row that was seen."""
    counts = count(seen, vote)
    answer: AcceptedAnswer | None = None if counts.approved is None else answer_of(counts.vote)
    return asyncio.run(ledger.vote(seen, link_of(seen, vote.by), counts, answer, **over))


class VoteContract:
    """Subclasses say which ledger."""

    @pytest.fixture
    def ledger(self) -> IssuanceLedger:
        raise NotImplementedError

    def test_a_quorum_comes_back_as_it_was_given_without_votes(self, ledger: IssuanceLedger) -> None:
        row = issued(ledger)
        assert found(ledger, row) == row
        assert row.votes == ()

    def test_a_vote_leaves_the_pause_open_with_the_vote_in_it(self, ledger: IssuanceLedger) -> None:
        row = issued(ledger)
        written = cast(ledger, row, a_vote("ada"))
        assert written == VoteWrite(row=replace(row, votes=(a_vote("ada"),)), written=True)
        assert found(ledger, row) == written.row

    def test_a_vote_of_a_person_to_whom_the_pause_was_passed_on_names_both(self, ledger: IssuanceLedger) -> None:
        row = cast(ledger, issued(ledger), a_vote("ada", False, delegated_for="zoë")).row
        assert found(ledger, row).votes == (a_vote("ada", False, delegated_for="zoë"),)

    def test_the_vote_that_completes_the_quorum_writes_the_answer_too(self, ledger: IssuanceLedger) -> None:
        row = cast(ledger, issued(ledger), a_vote("ada")).row
        written = cast(ledger, row, a_vote("bob"))
        answer = answer_of(a_vote("bob"))
        ended = replace(row, status=PauseStatus.ANSWERED, votes=(a_vote("ada"), a_vote("bob")), answer=answer)
        assert written == VoteWrite(row=ended, written=True)
        assert found(ledger, row) == ended

    @pytest.mark.parametrize("waiter", [TASK, EVENT], ids=["task", "event"])
    def test_the_vote_that_completes_it_begins_the_delivery(self, ledger: IssuanceLedger, waiter: Any) -> None:
        row = cast(ledger, issued(ledger, waiter=waiter, due_at=NOW + 3600), a_vote("ada")).row
        assert row.due_at == NOW + 3600
        ended = cast(ledger, row, a_vote("bob"), redeliver_at=NOW + 120, waiter=waiter).row
        assert (ended.due_at, ended.attempts, ended.may_have_landed) == (NOW + 120, 1, True)

    def test_a_vote_that_another_one_came_before_is_not_written(self, ledger: IssuanceLedger) -> None:
        row = issued(ledger)
        first = cast(ledger, row, a_vote("ada")).row
        assert cast(ledger, row, a_vote("bob")) == VoteWrite(row=first, written=False)
        assert found(ledger, row) == first

    def test_a_vote_on_a_pause_that_has_ended_is_not_written(self, ledger: IssuanceLedger) -> None:
        row = cast(ledger, issued(ledger), a_vote("ada")).row
        ended = cast(ledger, row, a_vote("bob")).row
        assert cast(ledger, row, a_vote("cyd")) == VoteWrite(row=ended, written=False)

    def test_a_vote_is_not_written_at_the_deadline(self, ledger: IssuanceLedger) -> None:
        row = issued(ledger)
        assert not cast(ledger, row, a_vote("ada", at=row.expires_at)).written
        assert cast(ledger, row, a_vote("ada", at=row.expires_at - 1)).written

    def test_the_deadline_counts_and_not_the_end_of_the_tokens(self, ledger: IssuanceLedger) -> None:
        row = issued(ledger, deadline=NOW + 100)
        assert found(ledger, row).expires_at == NOW + 100
        assert not cast(ledger, row, a_vote("ada", at=NOW + 100)).written
        assert cast(ledger, row, a_vote("ada", at=NOW + 99)).written

    def test_a_vote_through_a_revoked_link_is_not_written(self, ledger: IssuanceLedger) -> None:
        row = issued(ledger)
        assert asyncio.run(ledger.revoke_links(row, ["ada"]))
        now = found(ledger, row)
        assert cast(ledger, row, a_vote("ada")) == VoteWrite(row=now, written=False)
        assert cast(ledger, now, a_vote("ada")) == VoteWrite(row=now, written=False)
        assert cast(ledger, now, a_vote("bob")).written

    def test_a_vote_that_was_counted_with_another_roster_is_not_written(self, ledger: IssuanceLedger) -> None:
        row = issued(ledger)
        alone = replace(row, answerers=replace(ROSTER, approvers=FIVE[:2]))
        assert not cast(ledger, alone, a_vote("ada")).written
        fewer = replace(row, quorum=replace(row.quorum, needed=1))  # type: ignore[type-var]
        assert not cast(ledger, fewer, a_vote("ada")).written
        assert found(ledger, row) == row

    def test_the_last_vote_is_written_only_for_the_waiter_that_was_seen(self, ledger: IssuanceLedger) -> None:
        row = cast(ledger, issued(ledger, waiter=TASK, due_at=NOW + 3600), a_vote("ada")).row
        other = replace(TASK, address="another task")
        assert asyncio.run(ledger.replace_waiter(row, other))
        assert not cast(ledger, row, a_vote("bob"), redeliver_at=NOW + 120, waiter=TASK).written
        assert cast(ledger, row, a_vote("bob"), redeliver_at=NOW + 120, waiter=other).written

    def test_the_last_vote_is_not_written_without_a_delivery_for_its_waiter(self, ledger: IssuanceLedger) -> None:
        row = cast(ledger, issued(ledger, waiter=TASK, due_at=NOW + 3600), a_vote("ada")).row
        assert not cast(ledger, row, a_vote("bob")).written
        assert found(ledger, row) == row

    def test_a_vote_and_a_replaced_key_do_not_undo_each_other(self, ledger: IssuanceLedger) -> None:
        row = issued(ledger)
        assert asyncio.run(ledger.replace_key(row, "k2"))
        assert cast(ledger, row, a_vote("ada")).written
        assert (found(ledger, row).key_id, len(found(ledger, row).votes)) == ("k2", 1)
        assert asyncio.run(ledger.replace_key(found(ledger, row), "k3"))
        assert (found(ledger, row).key_id, len(found(ledger, row).votes)) == ("k3", 1)

    def test_no_answer_alone_ends_a_pause_with_a_quorum(self, ledger: IssuanceLedger) -> None:
        row = issued(ledger)
        with pytest.raises(StoreUnavailable):
            asyncio.run(ledger.claim(row.claims, an_acceptance()))
        assert found(ledger, row) == row

    def test_the_end_of_the_time_keeps_every_vote(self, ledger: IssuanceLedger) -> None:
        row = cast(ledger, issued(ledger, due_at=NOW + 3600), a_vote("ada")).row
        assert asyncio.run(ledger.advance(row, RowChange(due_at=None, status=PauseStatus.EXPIRED)))
        assert found(ledger, row).votes == (a_vote("ada"),)

    def test_a_pause_that_is_gone_is_unknown(self, ledger: IssuanceLedger) -> None:
        with pytest.raises(UnknownPause):
            cast(ledger, a_row_to_vote_on("never issued"), a_vote("ada"))

    def test_every_part_of_a_vote_comes_back(self, ledger: IssuanceLedger) -> None:
        row = issued(ledger)
        vote = a_vote("ada", runs='läuft "\\ 😀', response_text='"\\u00e4 \\" \\\\"')
        assert cast(ledger, row, vote).row.votes == (vote,)
        assert found(ledger, row).votes == (vote,)


class TestInMemory(VoteContract):
    @pytest.fixture
    def ledger(self) -> IssuanceLedger:
        return InMemoryLedger()


class TestDynamo(VoteContract):
    @pytest.fixture
    def ledger(self, aws: Aws) -> IssuanceLedger:
        return aws.ledger()

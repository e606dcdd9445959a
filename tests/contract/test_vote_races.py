"""Of many votes that come together, the pause ends exactly once: at the vote that completes the quorum.

64 requests of 20 people, on the ledger in memory and on DynamoDB made atomic: a few rounds, and 50 where all tests are
run. The votes are recorded as the service records them, which counts a vote anew when another one came first.
"""

import asyncio
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from askback.domain.delivery.delivery import Delivery
from askback.domain.delivery.open_changes import OpenChanges
from askback.domain.errors import AlreadyAnswered, HumanInteractionError, LinkRevoked, PauseExpired, PauseRevoked
from askback.domain.mint.clarifying import Clarifying
from askback.domain.operators.inbox import Inbox
from askback.domain.pause.answerers import Answerers
from askback.domain.pause.changes import ChangeKind
from askback.domain.pause.claims import Audience, AuthenticClaims, LiveClaims
from askback.domain.pause.ledger import LedgerRow, PauseStatus, RowChange
from askback.domain.pause.principal_scopes import every_row
from askback.domain.pause.quorum import Quorum, Vote, standing
from askback.domain.ports import IssuanceLedger
from askback.domain.tokens.service import PauseTokenService
from askback.testing.memory_ledger import InMemoryLedger
from askback.testing.memory_waiters import InMemoryEvents, InMemoryWaiters
from tests.support.ledger_steps import EVENT
from tests.support.memory_deployment import NOW, InMemoryDeployment
from tests.support.racing import race
from tests.support.voting import a_row_to_vote_on, a_vote, answer_of

PEOPLE = tuple(f"person-{number}" for number in range(20))
ROSTER = Answerers(approvers=PEOPLE, recipients=PEOPLE)
NEEDED = 12


def issued(ledger: IssuanceLedger, number: int, **over: Any) -> LedgerRow:
    over = {"answerers": ROSTER, "quorum": Quorum(needed=NEEDED), **over}
    return asyncio.run(ledger.issue(a_row_to_vote_on(f"pause-{number}", **over)))


def found(ledger: IssuanceLedger, row: LedgerRow) -> LedgerRow:
    now = asyncio.run(ledger.find(row.claims.jti))
    assert now is not None
    return now


def voting(ledger: IssuanceLedger, row: LedgerRow, vote_of: Callable[[int], Vote]) -> Callable[[int], str]:
    """Return what one caller does: it votes, and says what came of it."""
    codec = InMemoryDeployment().tokens._codec  # noqa: SLF001 - no token is read here
    tokens = PauseTokenService(codec=codec, ledger=ledger)

    def act(caller: int) -> str:
        vote = vote_of(caller)
        linked = replace(row.claims, audience=Audience.ANSWER, recipient=vote.by)
        claims = LiveClaims(AuthenticClaims(linked))
        try:
            receipt = asyncio.run(tokens.vote(claims, row, vote, answer_of(vote), waiter=row.waiter))
        except HumanInteractionError as refused:
            return refused.code
        if receipt.replayed:
            return "replayed"
        return "recorded" if receipt.row.status is PauseStatus.ISSUED else "ended it"

    return act


def a_yes(caller: int) -> Vote:
    return a_vote(PEOPLE[caller % len(PEOPLE)], attempt_id=f"attempt-{caller}")


def test_of_many_yeses_one_ends_the_pause_and_exactly_as_many_count_as_are_needed(
    ledger: IssuanceLedger, rounds: int
) -> None:
    for number in range(rounds):
        row = issued(ledger, number, waiter=EVENT, due_at=NOW + 3600)
        outcomes = Counter(race(voting(ledger, row, a_yes)))
        ended = found(ledger, row)
        assert outcomes["ended it"] == 1
        assert outcomes["recorded"] == NEEDED - 1
        assert set(outcomes) <= {"ended it", "recorded", "replayed", AlreadyAnswered.code}
        assert (ended.status, len(ended.votes), ended.attempts) == (PauseStatus.ANSWERED, NEEDED, 1)
        assert len({vote.by for vote in ended.votes}) == NEEDED
        assert ended.answer is not None
        assert ended.answer.attempt_id == ended.votes[-1].attempt_id


def test_of_yeses_and_a_veto_one_ends_the_pause_and_its_answer_says_what_it_says(
    ledger: IssuanceLedger, rounds: int
) -> None:
    for number in range(rounds):
        row = issued(ledger, number)

        def vote_of(caller: int) -> Vote:
            return a_yes(caller) if caller % 20 else a_vote(PEOPLE[0], False, attempt_id=f"attempt-{caller}")

        outcomes = Counter(race(voting(ledger, row, vote_of)))
        ended = found(ledger, row)
        assert outcomes["ended it"] == 1
        assert ended.answer is not None
        last = ended.votes[-1]
        assert (ended.answer.attempt_id, ended.answer.response_text) == (last.attempt_id, last.response_text)
        assert [vote.approves for vote in ended.votes[:-1]] == [True] * (len(ended.votes) - 1)
        assert len(ended.votes) == NEEDED if last.approves else len(ended.votes) <= NEEDED


def test_yeses_to_other_values_never_add_up(ledger: IssuanceLedger, rounds: int) -> None:
    for number in range(rounds):
        row = issued(ledger, number)

        def vote_of(caller: int) -> Vote:
            return a_vote(PEOPLE[caller % 20], runs=str(caller % 3), attempt_id=f"attempt-{caller}")

        outcomes = Counter(race(voting(ledger, row, vote_of)))
        now = found(ledger, row)
        yeses = standing(now.votes, ROSTER)
        assert len({vote.runs for vote in yeses}) == 1
        assert outcomes["ended it"] == (now.status is PauseStatus.ANSWERED) == (len(yeses) == NEEDED)


def test_between_votes_and_a_reply_of_the_asker_no_vote_counts_that_did_not_see_it(
    ledger: IssuanceLedger, rounds: int
) -> None:
    """A vote of before the reply is void, and one that the reply has overtaken is refused."""
    delivery = Delivery(ledger=ledger, port=InMemoryWaiters(), events=InMemoryEvents(), jitter=lambda: 1.0)
    clarifying = Clarifying(ledger=ledger, changes=OpenChanges(ledger=ledger, delivery=delivery))
    for number in range(rounds):
        row = issued(ledger, number, due_at=NOW + 3600)
        asked = row.changed(
            row.people, ChangeKind.QUESTIONED, at=NOW, alarm_seconds=0, by=PEOPLE[0], text="Why?", text_hash="?"
        )
        assert asyncio.run(ledger.advance(row, asked))
        vote = voting(ledger, found(ledger, row), a_yes)

        def act(caller: int, row: LedgerRow = row, vote: Callable[[int], str] = vote) -> str:
            if caller % 8:
                return vote(caller)
            replying = clarifying.reply(row.claims.jti, number=1, text="So.", at=NOW + 60, admit=every_row)
            try:
                return "replied before" if asyncio.run(replying).replayed else "replied"
            except HumanInteractionError as refused:
                return f"not replied: {refused.code}"

        outcomes = Counter(race(act))
        now = found(ledger, row)
        assert outcomes["ended it"] + outcomes["replied"] == 1, outcomes
        if outcomes["replied"]:
            assert (now.status, now.void_votes) == (PauseStatus.ISSUED, len(now.votes))
            assert standing(now.votes, ROSTER, void=now.void_votes) == ()
            assert outcomes["recorded"] == len(now.votes)
        else:
            assert (now.status, now.void_votes) == (PauseStatus.ANSWERED, 0)


def test_between_the_last_vote_and_a_revocation_one_wins(ledger: IssuanceLedger, rounds: int) -> None:
    delivery = Delivery(ledger=ledger, port=InMemoryWaiters(), events=InMemoryEvents(), jitter=lambda: 1.0)
    inbox = Inbox(ledger=ledger, pauses=InMemoryLedger(), delivery=delivery)
    for number in range(rounds):
        row = issued(ledger, number, due_at=NOW + 3600)
        vote = voting(ledger, row, a_yes)

        def act(caller: int, row: LedgerRow = row, vote: Callable[[int], str] = vote) -> str:
            if caller % 8:
                return vote(caller)
            try:
                revocation = asyncio.run(inbox.revoke(row.claims.jti, by=f"operator-{caller}", at=NOW + 60))
            except HumanInteractionError as refused:
                return f"not revoked: {refused.code}"
            return "revoked before" if revocation.replayed else "revoked it"

        outcomes = Counter(race(act))
        now = found(ledger, row)
        assert outcomes["ended it"] + outcomes["revoked it"] == 1
        if outcomes["revoked it"]:
            assert (now.status, now.answer) == (PauseStatus.REVOKED, None)
            assert len(now.votes) == outcomes["recorded"] < NEEDED
            assert outcomes[PauseRevoked.code] > 0
        else:
            assert (now.status, len(now.votes)) == (PauseStatus.ANSWERED, NEEDED)


def test_between_votes_and_the_end_of_the_time_one_wins(ledger: IssuanceLedger, rounds: int) -> None:
    for number in range(rounds):
        row = issued(ledger, number, due_at=NOW + 3600)
        vote = voting(ledger, row, a_yes)

        def act(caller: int, row: LedgerRow = row, vote: Callable[[int], str] = vote) -> str:
            if caller % 8:
                return vote(caller)
            return str(asyncio.run(ledger.advance(row, RowChange(due_at=None, status=PauseStatus.EXPIRED))))

        outcomes = Counter(race(act))
        now = found(ledger, row)
        assert outcomes["ended it"] + outcomes["True"] == 1
        if outcomes["True"]:
            assert (now.status, now.answer, len(now.votes)) == (PauseStatus.EXPIRED, None, outcomes["recorded"])
            assert outcomes[PauseExpired.code] > 0


def test_a_link_that_is_revoked_among_votes_votes_before_or_not_at_all(ledger: IssuanceLedger, rounds: int) -> None:
    delivery = Delivery(ledger=ledger, port=InMemoryWaiters(), events=InMemoryEvents(), jitter=lambda: 1.0)
    inbox = Inbox(ledger=ledger, pauses=InMemoryLedger(), delivery=delivery)
    for number in range(rounds):
        row = issued(ledger, number, quorum=Quorum(needed=20))
        vote = voting(ledger, row, a_yes)

        def act(caller: int, row: LedgerRow = row, vote: Callable[[int], str] = vote) -> str:
            if caller % 16:
                return vote(caller)
            try:
                asyncio.run(inbox.revoke_link(row.claims.jti, "person-1", at=NOW + 60))
            except HumanInteractionError as refused:
                return f"not revoked: {refused.code}"
            return "revoked"

        outcomes = Counter(race(act))
        now = found(ledger, row)
        given = Counter(vote.by for vote in now.votes)
        assert max(given.values()) == 1
        assert sum(given.values()) == outcomes["recorded"] + outcomes["ended it"]
        if now.revoked_links and "person-1" not in given:
            assert outcomes[LinkRevoked.code] > 0

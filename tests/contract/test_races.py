"""Of many claims of one token exactly one wins, however the threads are switched.

64 callers, on the ledger in memory and on DynamoDB made atomic (stock moto lets two callers win): a few rounds, and up
to 50 of them where all tests are run.
"""

import asyncio
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from askback.domain.delivery.delivery import Delivery
from askback.domain.delivery.ended import EndedRuns
from askback.domain.delivery.revoking import Revoking
from askback.domain.errors import (
    AlreadyAnswered,
    HumanInteractionError,
    LinkRevoked,
    PauseConflict,
    PauseRevoked,
    PauseSuperseded,
)
from askback.domain.mint.replacing import Replacing
from askback.domain.operators.amendments import Amendments
from askback.domain.operators.inbox import Inbox
from askback.domain.pause.answerers import Answerers
from askback.domain.pause.changes import ChangeKind
from askback.domain.pause.claims import Audience, PauseClaims
from askback.domain.pause.executions import WaitingTask
from askback.domain.pause.ledger import AcceptedAnswer, LedgerRow, PauseStatus, RowChange
from askback.domain.pause.minter import minter_hash
from askback.domain.pause.roster import EscalationStep, StepMode
from askback.domain.ports import CheckpointPort, IssuanceLedger
from askback.testing.memory_ledger import InMemoryLedger
from askback.testing.memory_ports import InMemoryCheckpoints, InMemoryWaitingTasks
from askback.testing.memory_waiters import InMemoryEvents, InMemoryWaiters
from tests.support.aws_stores import Aws
from tests.support.domain_values import an_acceptance, an_issued_row, some_claims, some_legacy_claims
from tests.support.ledger_steps import EVENT, NEXT_TASK, TASK
from tests.support.memory_deployment import NOW

CALLERS, FEWER_ROUNDS = 64, 15
AcceptedBy = Callable[[int], AcceptedAnswer]


@pytest.fixture(scope="module")
def callers() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(CALLERS) as pool:
        yield pool


@pytest.fixture(autouse=True)
def eager_switching() -> Iterator[None]:
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(usual)


@pytest.fixture
def fewer_rounds(rounds: int) -> int:
    """Return the rounds of a test that is about the same condition as another."""
    return min(rounds, FEWER_ROUNDS)


@pytest.fixture(params=["in memory", "dynamodb"])
def checkpoints(request: pytest.FixtureRequest) -> CheckpointPort:
    if request.param == "in memory":
        return InMemoryCheckpoints()
    aws: Aws = request.getfixturevalue("aws")
    return aws.checkpoints()


def test_of_many_different_answers_one_is_accepted(
    ledger: IssuanceLedger, callers: ThreadPoolExecutor, rounds: int
) -> None:
    for turn in range(rounds):
        claims = issued(ledger, f"pause-{turn}")
        outcomes = race(callers, claimed_by_all(ledger, claims, different_answers))
        assert Counter(outcomes) == {"accepted": 1, AlreadyAnswered.code: CALLERS - 1}


def test_of_many_tries_of_one_answer_one_is_accepted_and_the_others_are_its_replays(
    ledger: IssuanceLedger, callers: ThreadPoolExecutor, fewer_rounds: int
) -> None:
    for turn in range(fewer_rounds):
        claims = issued(ledger, f"pause-{turn}")
        outcomes = race(callers, claimed_by_all(ledger, claims, one_answer))
        assert Counter(outcomes) == {"accepted": 1, "replayed": CALLERS - 1}


def test_a_legacy_pause_has_one_winner_too(
    ledger: IssuanceLedger, callers: ThreadPoolExecutor, fewer_rounds: int
) -> None:
    for turn in range(fewer_rounds):
        claims = some_legacy_claims(jti=f"pause-{turn}")
        outcomes = race(callers, claimed_by_all(ledger, claims, different_answers))
        assert Counter(outcomes) == {"accepted": 1, AlreadyAnswered.code: CALLERS - 1}


def test_the_row_keeps_the_answer_of_the_one_who_was_told_so(
    ledger: IssuanceLedger, callers: ThreadPoolExecutor
) -> None:
    winners: list[AcceptedAnswer] = []

    def claim(caller: int) -> str:
        receipt = asyncio.run(ledger.claim(claims, different_answers(caller)))
        winners.append(receipt.answer)
        return "accepted"

    claims = issued(ledger, "pause")
    race(callers, claim)
    row = asyncio.run(ledger.find("pause"))
    assert row is not None
    assert winners == [row.answer]


def test_of_many_sweeps_that_work_on_one_row_one_begins_the_step(
    ledger: IssuanceLedger, callers: ThreadPoolExecutor, fewer_rounds: int
) -> None:
    for turn in range(fewer_rounds):
        row = asyncio.run(ledger.issue(an_issued_row(some_claims(jti=f"pause-{turn}"), waiter=EVENT, due_at=1)))

        def begin(caller: int, row: LedgerRow = row) -> str:
            change = RowChange(due_at=2 + caller, attempts=row.attempts + 1)
            return "begun" if asyncio.run(ledger.advance(row, change)) else "left to another"

        assert Counter(race(callers, begin)) == {"begun": 1, "left to another": CALLERS - 1}
        left = asyncio.run(ledger.find(row.claims.jti))
        assert left is not None
        assert left.attempts == 1


def test_between_an_answer_and_the_end_of_a_pause_one_wins(
    ledger: IssuanceLedger, callers: ThreadPoolExecutor, fewer_rounds: int
) -> None:
    for turn in range(fewer_rounds):
        claims = some_claims(jti=f"pause-{turn}")
        row = asyncio.run(ledger.issue(an_issued_row(claims, due_at=1)))
        answer = claimed_by_all(ledger, claims, different_answers)

        def act(caller: int, row: LedgerRow = row, answer: Callable[[int], str] = answer) -> str:
            if caller % 2:
                return answer(caller)
            return str(asyncio.run(ledger.advance(row, RowChange(due_at=None, status=PauseStatus.EXPIRED))))

        outcomes = Counter(race(callers, act))
        assert outcomes["accepted"] + outcomes["True"] == 1


def test_between_an_answer_and_a_revocation_one_wins(
    ledger: IssuanceLedger, callers: ThreadPoolExecutor, fewer_rounds: int
) -> None:
    """Every caller is told which: the one that came first, by name."""
    delivery = Delivery(ledger=ledger, port=InMemoryWaiters(), events=InMemoryEvents(), jitter=lambda: 1.0)
    inbox = Inbox(ledger=ledger, pauses=InMemoryLedger(), delivery=delivery)
    for turn in range(fewer_rounds):
        claims = some_claims(jti=f"pause-{turn}")
        asyncio.run(ledger.issue(an_issued_row(claims, due_at=claims.exp)))
        answer = claimed_by_all(ledger, claims, different_answers)

        def act(caller: int, jti: str = claims.jti, answer: Callable[[int], str] = answer) -> str:
            if caller % 2:
                return answer(caller)
            revocation = asyncio.run(inbox.revoke(jti, by=f"operator-{caller}", at=NOW + 60))
            return "done before" if revocation.replayed else "done"

        outcomes = Counter(race(callers, act))
        if outcomes["accepted"]:
            assert outcomes == {"accepted": 1, AlreadyAnswered.code: CALLERS - 1}
        else:
            told_so = {"done before": CALLERS // 2 - 1, PauseRevoked.code: CALLERS // 2}
            assert outcomes == {"done": 1, **told_so}


def test_between_an_answer_the_end_of_the_run_and_another_run_one_wins(
    ledger: IssuanceLedger, callers: ThreadPoolExecutor, rounds: int
) -> None:
    """The answers and the ended function have asked for the task before it ended, and after."""
    waiters, tasks = InMemoryWaiters(), InMemoryWaitingTasks()
    delivery = Delivery(ledger=ledger, port=waiters, events=InMemoryEvents(), jitter=lambda: 1.0)
    revoking = Revoking(ledger=ledger, delivery=delivery)
    runs = EndedRuns(tasks=tasks, ledger=ledger, delivery=delivery, revoking=revoking)
    waiters.closed.add(TASK.address)
    for turn in range(rounds):
        claims = some_claims(jti=f"pause-{turn}")
        row = asyncio.run(ledger.issue(an_issued_row(claims, waiter=TASK, due_at=claims.exp)))
        asyncio.run(tasks.enter(f"execution-{turn}", WaitingTask.of(claims.jti, TASK), expires_at=claims.exp))

        def act(caller: int, row: LedgerRow = row, execution: str = f"execution-{turn}") -> str:
            if caller % 3 == 0:
                claimed = ledger.claim(row.claims, different_answers(caller), redeliver_at=NOW + 120, waiter=TASK)
                return "replayed" if asyncio.run(claimed).replayed else "accepted"
            if caller % 3 == 1:
                return "taken over" if asyncio.run(ledger.replace_waiter(row, NEXT_TASK)) else "left to another"
            run = asyncio.run(runs.end(execution, at=NOW + 60, may_go_on=lambda: True))
            assert run.is_done
            return "ended now" if run.revoked else "left to another"

        outcomes = Counter(race(callers, act))
        won = {each: outcomes[each] for each in ("accepted", "taken over", "ended now")}
        assert sum(won.values()) == 1, outcomes
        left = asyncio.run(ledger.find(claims.jti))
        assert left is not None
        ends = {"accepted": PauseStatus.ANSWERED, "taken over": PauseStatus.ISSUED, "ended now": PauseStatus.REVOKED}
        assert [left.status] == [ends[each] for each in won if won[each]]


def test_between_an_answer_and_a_newer_question_one_wins(
    ledger: IssuanceLedger, callers: ThreadPoolExecutor, rounds: int
) -> None:
    """There is never an answer to the old question and a newer one, nor neither, nor two newer ones."""
    delivery = Delivery(ledger=ledger, port=InMemoryWaiters(), events=InMemoryEvents(), jitter=lambda: 1.0)
    replacing = Replacing(ledger=ledger, delivery=delivery)
    for turn in range(rounds):
        claims = some_claims(jti=f"pause-{turn}")
        asyncio.run(ledger.issue(an_issued_row(claims, due_at=claims.exp, minter=minter_hash("agent"))))
        answer = claimed_by_all(ledger, claims, different_answers)

        def act(caller: int, old: PauseClaims = claims, answer: Callable[[int], str] = answer) -> str:
            if caller % 2:
                return answer(caller)
            new = an_issued_row(some_claims(jti=f"{old.jti}-{caller % 4}"), due_at=old.exp, supersedes=old.jti)
            seen = asyncio.run(replacing.replaced(old.jti, new.claims, principal="agent", at=NOW + 60))
            return asyncio.run(replacing.issue(new, seen, principal="agent", at=NOW + 60)).claims.jti

        outcomes = Counter(race(callers, act))
        newer = [jti for jti in (f"{claims.jti}-{number}" for number in (0, 2)) if asyncio.run(ledger.find(jti))]
        old = asyncio.run(ledger.find(claims.jti))
        assert old is not None
        if outcomes["accepted"]:
            assert (outcomes, newer) == ({"accepted": 1, AlreadyAnswered.code: CALLERS - 1}, [])
        else:
            # All that asked the question that was first have it, and no one else has another.
            assert len(newer) == 1
            assert outcomes == {newer[0]: CALLERS // 4, PauseSuperseded.code: 3 * CALLERS // 4}
            assert old.superseded is not None
            assert old.superseded.by == newer[0]


def test_between_an_answer_by_a_link_and_the_revocation_of_this_link_one_wins(
    ledger: IssuanceLedger, callers: ThreadPoolExecutor, fewer_rounds: int
) -> None:
    """Every caller gets the reason: the answer that was first, or the revoked link."""
    delivery = Delivery(ledger=ledger, port=InMemoryWaiters(), events=InMemoryEvents(), jitter=lambda: 1.0)
    inbox = Inbox(ledger=ledger, pauses=InMemoryLedger(), delivery=delivery)
    for turn in range(fewer_rounds):
        claims = some_claims(jti=f"pause-{turn}")
        asyncio.run(ledger.issue(an_issued_row(claims, answerers=Answerers(recipients=("ada", "bob")))))
        answer = claimed_by_all(ledger, replace(claims, audience=Audience.ANSWER, recipient="ada"), different_answers)

        def act(caller: int, jti: str = claims.jti, answer: Callable[[int], str] = answer) -> str:
            if caller % 2:
                return answer(caller)
            revocation = asyncio.run(inbox.revoke_link(jti, "ada", at=NOW + 60))
            return "done before" if revocation.replayed else "done"

        outcomes = Counter(race(callers, act))
        if outcomes["accepted"]:
            assert outcomes == {"accepted": 1, AlreadyAnswered.code: CALLERS - 1}
        else:
            refused = {"done before": CALLERS // 2 - 1, LinkRevoked.code: CALLERS // 2}
            assert outcomes == {"done": 1, **refused}


def test_between_an_answer_the_expiry_and_a_later_deadline_one_is_first(
    ledger: IssuanceLedger, callers: ThreadPoolExecutor, rounds: int
) -> None:
    """The pause ends once. The deadline moves once at most, and then no sweep that read the old one ends it."""
    amendments = amending(ledger)
    for turn in range(rounds):
        claims = some_claims(jti=f"pause-{turn}", exp=NOW + 7200)
        row = asyncio.run(ledger.issue(an_issued_row(claims, deadline=NOW + 3600, due_at=NOW + 3600)))
        answer = claimed_by_all(ledger, claims, different_answers)

        def act(caller: int, row: LedgerRow = row, answer: Callable[[int], str] = answer) -> str:
            if caller % 3 == 0:
                return answer(caller)
            if caller % 3 == 1:
                ended = asyncio.run(ledger.advance(row, RowChange(due_at=None, status=PauseStatus.EXPIRED)))
                return "expired now" if ended else "left to another"
            extended = asyncio.run(amendments.extend(row.claims.jti, at=NOW + 60, until=NOW + 7000))
            return "done before" if extended.replayed else "extended"

        outcomes = Counter(race(callers, act))
        ended = {each: outcomes[each] for each in ("accepted", "expired now")}
        assert sum(ended.values()) == 1
        assert outcomes["extended"] <= 1
        # The sweep writes only over the row that it has read.
        assert not (outcomes["extended"] and outcomes["expired now"])
        left = asyncio.run(ledger.find(claims.jti))
        assert left is not None
        assert left.expires_at == (NOW + 7000 if outcomes["extended"] else NOW + 3600)


def test_between_an_answer_and_a_change_of_the_people_one_is_first(
    ledger: IssuanceLedger, callers: ThreadPoolExecutor, rounds: int
) -> None:
    """A person who has left is not the one who answered: the answer came first, or it was refused."""
    amendments = amending(ledger)
    people = Answerers(approvers=("ada", "bob"), recipients=("ada", "bob"))
    for turn in range(rounds):
        claims = some_claims(jti=f"pause-{turn}")
        row = asyncio.run(ledger.issue(an_issued_row(claims, answerers=people, due_at=claims.exp)))
        personal = replace(claims, audience=Audience.ANSWER, recipient="ada")

        def act(caller: int, row: LedgerRow = row, personal: PauseClaims = personal) -> str:
            if caller % 2:
                # Half of the answers come by the link, the others by a sign-in.
                token = personal if caller % 4 == 1 else row.claims
                receipt = asyncio.run(ledger.claim(token, different_answers(caller), seen=row))
                return "replayed" if receipt.replayed else "accepted"
            changing = amendments.reassign(row.claims.jti, leaving="ada", to="eve", by="olga", at=NOW + 60)
            return "done before" if asyncio.run(changing).replayed else "done"

        outcomes = Counter(race(callers, act))
        assert outcomes["accepted"] + outcomes["done"] == 1, outcomes
        left = asyncio.run(ledger.find(claims.jti))
        assert left is not None
        assert (left.status is PauseStatus.ANSWERED) is bool(outcomes["accepted"])
        assert len(left.changes) == outcomes["done"]
        assert ("eve" in left.people.asked()) is bool(outcomes["done"])


def test_of_many_sweeps_one_does_a_step_of_the_escalation_or_an_answer_comes_first(
    ledger: IssuanceLedger, callers: ThreadPoolExecutor, fewer_rounds: int
) -> None:
    step = EscalationStep(after_seconds=600, to=("cfo",), mode=StepMode.REPLACE)
    people = Answerers(recipients=("ada",))
    for turn in range(fewer_rounds):
        claims = some_claims(jti=f"pause-{turn}")
        issued_row = an_issued_row(claims, answerers=people, escalation=(step,), due_at=NOW + 600)
        row = asyncio.run(ledger.issue(issued_row))
        personal = replace(claims, audience=Audience.ANSWER, recipient="ada")

        def act(caller: int, row: LedgerRow = row, personal: PauseClaims = personal) -> str:
            if caller % 2:
                receipt = asyncio.run(ledger.claim(personal, different_answers(caller), seen=row))
                return "replayed" if receipt.replayed else "accepted"
            change = row.changed(row.people.after(step), ChangeKind.ESCALATED, at=NOW + 600, alarm_seconds=0)
            return str(asyncio.run(ledger.advance(row, change)))

        outcomes = Counter(race(callers, act))
        assert outcomes["accepted"] + outcomes["True"] == 1, outcomes
        assert outcomes["False"] == CALLERS // 2 - outcomes["True"]


def amending(ledger: IssuanceLedger) -> Amendments:
    delivery = Delivery(ledger=ledger, port=InMemoryWaiters(), events=InMemoryEvents(), jitter=lambda: 1.0)
    inbox = Inbox(ledger=ledger, pauses=InMemoryLedger(), delivery=delivery)
    return Amendments(inbox=inbox, ledger=ledger, delivery=delivery)


def test_of_many_redrives_one_is_done(ledger: IssuanceLedger, callers: ThreadPoolExecutor, fewer_rounds: int) -> None:
    for turn in range(fewer_rounds):
        row = asyncio.run(ledger.issue(an_issued_row(some_claims(jti=f"pause-{turn}"), waiter=EVENT, due_at=1)))
        given_up = RowChange(due_at=None, status=PauseStatus.UNDELIVERABLE, attempts=16, may_have_landed=False)
        assert asyncio.run(ledger.advance(row, given_up))
        seen = given_up.applied_to(row)

        def redrive(caller: int, seen: LedgerRow = seen) -> str:
            return str(asyncio.run(ledger.redrive(seen, at=NOW + caller)))

        assert Counter(race(callers, redrive)) == {"True": 1, "False": CALLERS - 1}


def test_of_many_texts_for_one_place_one_is_written(checkpoints: CheckpointPort, callers: ThreadPoolExecutor) -> None:
    async def write_and_read(caller: int) -> str:
        place = {"thread_id": "t", "checkpoint_id": "c", "key": "k"}
        await checkpoints.write(**place, text=str(caller), expires_at=1)
        found = await checkpoints.read(**place)
        assert found is not None
        assert await found.read() == str(caller)
        return "written"

    outcomes = race(callers, lambda caller: asyncio.run(write_and_read(caller)))
    assert Counter(outcomes) == {"written": 1, PauseConflict.code: CALLERS - 1}


def issued(ledger: IssuanceLedger, jti: str) -> PauseClaims:
    return asyncio.run(ledger.issue(an_issued_row(some_claims(jti=jti)))).claims


def different_answers(caller: int) -> AcceptedAnswer:
    return an_acceptance(f'"{caller}"', attempt_id=f"attempt-{caller}")


def one_answer(caller: int) -> AcceptedAnswer:
    return an_acceptance(attempt_id=f"attempt-{caller}")


def claimed_by_all(ledger: IssuanceLedger, claims: PauseClaims, answer: AcceptedBy) -> Callable[[int], str]:
    def claim(caller: int) -> str:
        receipt = asyncio.run(ledger.claim(claims, answer(caller)))
        return "replayed" if receipt.replayed else "accepted"

    return claim


def race(callers: ThreadPoolExecutor, act: Callable[[int], str]) -> list[str]:
    """Return how each caller fared, all of them starting together; a refusal counts by its code."""
    start = threading.Barrier(CALLERS)

    def run(caller: int) -> str:
        start.wait()
        try:
            return act(caller)
        except HumanInteractionError as refused:
            return refused.code

    return list(callers.map(run, range(CALLERS)))

"""Between a delegation and votes, one is first: a seat never decides twice, and a decision is never lost.

64 requests, on the ledger in memory and on DynamoDB made atomic: a few rounds, and 50 where all tests are run.
"""

import asyncio
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

from askback.domain.delivery.delivery import Delivery
from askback.domain.delivery.open_changes import OpenChanges
from askback.domain.errors import AlreadyAnswered, AlreadyVoted, HumanInteractionError, LinkRevoked
from askback.domain.pause.answerers import Answerers
from askback.domain.pause.assurance import AnsweredVia
from askback.domain.pause.claims import Audience, AuthenticClaims, LiveClaims
from askback.domain.pause.ledger import LedgerRow, PauseStatus
from askback.domain.pause.quorum import Quorum
from askback.domain.ports import IssuanceLedger
from askback.domain.records.payloads import PausePayloadStore
from askback.domain.records.separate_reads import SeparateReads
from askback.domain.resume.admission import Admission, PersonRequest
from askback.domain.resume.delegating import Delegating
from askback.domain.tokens.scope_binder import Redeemer
from askback.domain.tokens.service import PauseTokenService
from askback.testing.memory_waiters import InMemoryEvents, InMemoryWaiters
from tests.support.memory_deployment import NOW, InMemoryDeployment
from tests.support.racing import CALLERS, race
from tests.support.voting import a_vote, answer_of

PEOPLE = tuple(f"person-{number}" for number in range(20))
MEMBER = PEOPLE[1]


class Contest:
    """A pause on the ledger of the test, whose member votes and passes it on at the same time."""

    def __init__(self, ledger: IssuanceLedger, number: int, *, needed: int) -> None:
        self._deployment = InMemoryDeployment(return_links=True)
        people = Answerers(approvers=PEOPLE, recipients=PEOPLE)
        minted = self._deployment.mint(answerers=people, idempotency_key=f"contest {number}")
        self.link = minted.tokens.links[MEMBER]
        own = asyncio.run(self._deployment.ledger.find(minted.claims.jti))
        assert own is not None
        self.row = asyncio.run(ledger.issue(replace(own, quorum=Quorum(needed=needed), delegates=("*",))))
        self._ledger = ledger
        codec = self._deployment.tokens._codec  # noqa: SLF001 - the same keys over another ledger
        self._tokens = PauseTokenService(codec=codec, ledger=ledger)

    def now(self) -> LedgerRow:
        row = asyncio.run(self._ledger.find(self.row.claims.jti))
        assert row is not None
        return row

    def vote(self, caller: int, person: str) -> str:
        """Vote by the link of a person, and return what came of it."""
        vote = a_vote(person, attempt_id=f"attempt-{caller}")
        claims = LiveClaims(AuthenticClaims(replace(self.row.claims, audience=Audience.ANSWER, recipient=person)))
        try:
            receipt = asyncio.run(self._tokens.vote(claims, self.row, vote, answer_of(vote), waiter=None))
        except HumanInteractionError as refused:
            return refused.code
        if receipt.replayed:
            return "replayed"
        return "recorded" if receipt.row.status is PauseStatus.ISSUED else "ended it"

    def delegate(self, to: str = "zoe") -> str:
        """Pass the pause on by the link of the member, and return what came of it."""
        checkpoints = self._deployment.checkpoints
        delivery = Delivery(ledger=self._ledger, port=InMemoryWaiters(), events=InMemoryEvents(), jitter=lambda: 1.0)
        admission = Admission(
            registry=self._deployment.registry,
            tokens=self._tokens,
            payloads=PausePayloadStore(checkpoints),
            states=SeparateReads(checkpoints=checkpoints, ledger=self._ledger),
            audit=self._deployment.audit,
        )
        changes = OpenChanges(ledger=self._ledger, delivery=delivery)
        delegating = Delegating(admission=admission, ledger=self._ledger, changes=changes)
        request = PersonRequest(
            token=self.link,
            redeemer=Redeemer(scope=None),
            answered_by="link",
            answered_via=AnsweredVia.LINK,
            audiences=frozenset({Audience.ANSWER}),
            at=NOW + 60,
        )
        try:
            passed = asyncio.run(delegating.delegate(request, to))
        except HumanInteractionError as refused:
            return f"not passed on: {refused.code}"
        return "passed on before" if passed.replayed else "passed on"


def test_between_the_members_own_vote_and_the_delegation_one_is_first(ledger: IssuanceLedger, rounds: int) -> None:
    """The others vote meanwhile. The pause ends once, with as many votes as are needed, and no seat has two."""
    for number in range(rounds):
        contest = Contest(ledger, number, needed=12)

        def act(caller: int, contest: Contest = contest) -> str:
            return contest.delegate() if caller % 8 == 0 else contest.vote(caller, PEOPLE[caller % 20])

        outcomes = Counter(race(act))
        now = contest.now()
        given = Counter(vote.by for vote in now.votes)
        assert (outcomes["ended it"], max(given.values()), sum(given.values())) == (1, 1, 12), outcomes
        assert outcomes["passed on"] + given[MEMBER] <= 1, outcomes
        assert len(now.changes) == outcomes["passed on"] == now.revoked_links.count(MEMBER)
        assert ("zoe" in now.people.asked()) is bool(outcomes["passed on"])
        if outcomes["passed on"]:
            assert outcomes["passed on before"] == CALLERS // 8 - 1
            assert outcomes[LinkRevoked.code] + outcomes[AlreadyAnswered.code] > 0


def test_between_the_last_vote_and_the_delegation_one_wins(ledger: IssuanceLedger, rounds: int) -> None:
    for number in range(rounds):
        contest = Contest(ledger, number, needed=2)
        assert contest.vote(CALLERS, PEOPLE[2]) == "recorded"
        contest.row = contest.now()

        def act(caller: int, contest: Contest = contest) -> str:
            return contest.delegate() if caller % 2 else contest.vote(caller, MEMBER)

        outcomes = Counter(race(act))
        now = contest.now()
        assert outcomes["ended it"] + outcomes["passed on"] == 1, outcomes
        if outcomes["passed on"]:
            assert (now.status, len(now.votes)) == (PauseStatus.ISSUED, 1)
            assert outcomes == {"passed on": 1, "passed on before": CALLERS // 2 - 1, LinkRevoked.code: CALLERS // 2}
        else:
            assert (now.status, len(now.votes), now.changes) == (PauseStatus.ANSWERED, 2, ())
            refused = f"not passed on: {AlreadyAnswered.code}"
            assert outcomes == {"ended it": 1, "replayed": CALLERS // 2 - 1, refused: CALLERS // 2}


def test_of_delegations_to_different_people_one_is_done(ledger: IssuanceLedger, rounds: int) -> None:
    for number in range(rounds):
        contest = Contest(ledger, number, needed=2)

        def act(caller: int, contest: Contest = contest) -> str:
            return contest.delegate(f"other-{caller}")

        outcomes = Counter(race(act))
        assert outcomes == {"passed on": 1, f"not passed on: {LinkRevoked.code}": CALLERS - 1}
        assert len(contest.now().changes) == 1


def test_a_member_whose_vote_came_first_is_told_so(ledger: IssuanceLedger) -> None:
    contest: Contest = Contest(ledger, 0, needed=2)
    voting: Callable[[int, str], str] = contest.vote
    assert voting(1, MEMBER) == "recorded"
    assert contest.delegate() == f"not passed on: {AlreadyVoted.code}"

"""Further people are asked when there is no answer: each step once, and each announced once, whatever fails."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from askback.domain.errors import InvalidRequest, PauseConflict, StoreUnavailable, TooManyOpen
from askback.domain.interactions.floor import Floor
from askback.domain.mint.pause_mint import MintedPause
from askback.domain.pause.answerers import Answerers
from askback.domain.pause.events import PauseEvent, PauseEventType
from askback.domain.pause.ledger import LedgerRow, RowChange
from askback.domain.pause.quorum import Quorum
from askback.domain.pause.roster import EscalationStep, StepMode
from askback.domain.people.message import Notice, NoticeKind
from askback.domain.people.notifier import Announcement, Notifier, NotifyReport
from askback.domain.records.payloads import PausePayloadStore
from askback.interactions import ASK_USER_REGISTRATION, REGISTRY
from askback.testing.memory_waiters import InMemoryEvents
from tests.support.memory_deployment import NOW, InMemoryDeployment
from tests.support.notices import ENGLISH
from tests.support.voting import a_vote
from tests.support.waiting_pauses import InterruptedLedger, announced, row_of, watched

END = NOW + 7200
PEOPLE = Answerers(approvers=("ada", "bob"), recipients=("ada", "bob"))
CFO = EscalationStep(after_seconds=600, to=("cfo",))
CEO = EscalationStep(after_seconds=1200, to=("ceo", "cfo"), mode=StepMode.REPLACE)
APPROVAL: dict[str, Any] = {
    "name": "approval",
    "payload": {"title": "Pay?", "action": {"name": "pay", "arguments": {"amount": 10}}},
    "answerers": PEOPLE,
    "ttl_seconds": 7200,
}
ASKING: dict[str, Any] = {"answerers": PEOPLE, "ttl_seconds": 7200, "escalation": (CFO, CEO)}


class Channel:
    """A channel that keeps what it is given."""

    name = "all"

    def __init__(self) -> None:
        self.sent: list[Notice] = []

    def takes(self, recipient: str) -> bool:
        return True

    async def send(self, notice: Notice) -> None:
        self.sent.append(notice)


def tell(deployment: InMemoryDeployment, event: PauseEvent, channel: Channel, event_id: str, at: int) -> NotifyReport:
    notifier = Notifier(
        ledger=deployment.ledger,
        tokens=deployment.tokens,
        payloads=PausePayloadStore(deployment.checkpoints),
        channels=[channel],
        answer_url="https://answers.example.com/a",
        texts=ENGLISH,
    )
    delivered = {"id": event_id, "detail-type": event.type.value, "detail": event.detail()}
    return asyncio.run(notifier.notify(Announcement.of_event(delivered), at=at, may_go_on=lambda: True))


def asked_after(deployment: InMemoryDeployment, minted: MintedPause, at: int) -> tuple[str, ...]:
    deployment.sweep(at=at)
    return row_of(deployment, minted).people.asked()


def test_each_step_comes_at_its_time_and_then_the_pause_is_due_for_the_next() -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint(**ASKING)
    assert row_of(deployment, minted).due_at == NOW + 600
    assert deployment.sweep(at=NOW + 599).done == {}
    assert deployment.sweep(at=NOW + 600).done == {"Escalated": 1, "ChangeAnnounced": 1}
    row = row_of(deployment, minted)
    assert (row.people.asked(), row.due_at, row.to_announce) == (("ada", "bob", "cfo"), NOW + 1200, None)
    assert asked_after(deployment, minted, NOW + 1200) == ("cfo", "ceo")
    row = row_of(deployment, minted)
    assert (row.answerers.recipients, row.revoked_links, row.due_at) == (
        ("ada", "bob", "cfo", "ceo"),
        ("ada", "bob"),
        END,
    )
    assert [event.change for event in deployment.events.events] == [0, 1, 2]
    assert announced(deployment) == [PauseEventType.ISSUED, PauseEventType.ESCALATED, PauseEventType.ESCALATED]


def test_an_answer_before_a_step_is_the_end_of_the_escalation() -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint(**ASKING)
    deployment.resume(minted, answered_by="ada")
    assert deployment.sweep(at=NOW + 600).done == {}
    assert row_of(deployment, minted).changes == ()


def test_steps_that_are_late_come_one_in_each_run() -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint(**ASKING)
    assert asked_after(deployment, minted, NOW + 1500) == ("ada", "bob", "cfo")
    assert asked_after(deployment, minted, NOW + 1500) == ("cfo", "ceo")


def test_a_reminder_at_the_same_time_is_sent_by_the_next_run() -> None:
    deployment = InMemoryDeployment()
    deployment.mint(**ASKING, remind_after_seconds=600)
    assert deployment.sweep(at=NOW + 600).done == {"Escalated": 1, "ChangeAnnounced": 1}
    assert deployment.sweep(at=NOW + 660).done == {"Reminded": 1}


def test_a_step_after_the_deadline_comes_only_if_the_deadline_moves() -> None:
    deployment = InMemoryDeployment()
    over = {**ASKING, "ttl_seconds": 900, "max_ttl_seconds": 7200}
    minted = deployment.mint(**over)
    asyncio.run(deployment.amendments.extend(minted.claims.jti, at=NOW + 60, until=END))
    assert asked_after(deployment, minted, NOW + 600) == ("ada", "bob", "cfo")
    assert asked_after(deployment, minted, NOW + 1200) == ("cfo", "ceo")


def test_a_pause_that_ends_before_a_step_ends() -> None:
    deployment = InMemoryDeployment()
    deployment.mint(**{**ASKING, "ttl_seconds": 900, "max_ttl_seconds": 7200})
    deployment.sweep(at=NOW + 600)
    assert deployment.sweep(at=NOW + 1200).done == {"Expired": 1}


def test_a_repeated_mint_is_the_same_pause_after_a_step() -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint(**ASKING, idempotency_key="k")
    deployment.sweep(at=NOW + 600)
    deployment.sweep(at=NOW + 1200)
    assert deployment.mint(**ASKING, idempotency_key="k", at=NOW + 1300).claims == minted.claims
    with pytest.raises(PauseConflict):
        deployment.mint(**{**ASKING, "escalation": (CFO,)}, idempotency_key="k", at=NOW + 1300)


def test_two_sweeps_at_once_do_a_step_once() -> None:
    ledger = InterruptedLedger()
    deployment, _ = watched(ledger)
    minted = deployment.mint(**ASKING)
    ledger.meanwhile = lambda: deployment.sweeping.run(at=NOW + 600, attempt_id="sweep-2", may_go_on=lambda: True)
    assert deployment.sweep(at=NOW + 600).done == {"LeftToAnother": 1}
    assert announced(deployment).count(PauseEventType.ESCALATED) == 1
    assert len(row_of(deployment, minted).changes) == 1


class Dying(InMemoryEvents):
    """A bus whose publisher dies, before or after the event is out."""

    def __init__(self, *, after: bool) -> None:
        super().__init__()
        self.after = after

    async def publish(self, event: PauseEvent) -> None:
        if self.after:
            await super().publish(event)
        raise StoreUnavailable(reason="the reply was lost")


@pytest.mark.parametrize("after", [False, True], ids=["before the event", "after the event"])
def test_a_step_whose_announcement_fails_is_announced_later_and_the_people_get_one_message(after: bool) -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint(**ASKING)
    deployment.events = dying = Dying(after=after)
    assert deployment.sweep(at=NOW + 600).done == {"RowFailed": 1}
    row = row_of(deployment, minted)
    assert (len(row.changes), row.to_announce, row.due_at) == (1, 1, NOW + 660)
    deployment.events = InMemoryEvents()
    assert deployment.sweep(at=NOW + 660).done == {"ChangeAnnounced": 1}
    channel = Channel()
    events = [*dying.events, *deployment.events.events]
    skipped = [
        tell(deployment, event, channel, f"event-{number}", NOW + 660).skipped for number, event in enumerate(events)
    ]
    assert skipped == ([""] if not after else ["", "announced"])
    assert [notice.recipient for notice in channel.sent] == ["cfo"]


def test_a_process_that_dies_before_its_note_announces_once_more_and_no_message_comes_twice() -> None:
    class Forgetful(InterruptedLedger):
        async def advance(self, seen: LedgerRow, change: RowChange) -> bool:
            if change.announced and self.asked == 1:
                raise StoreUnavailable(reason="died")
            return await super().advance(seen, change)

    deployment, _ = watched(Forgetful())
    minted = deployment.mint(**ASKING)
    assert deployment.sweep(at=NOW + 600).done == {"RowFailed": 1}
    assert deployment.sweep(at=NOW + 660).done == {"ChangeAnnounced": 1}
    assert row_of(deployment, minted).to_announce is None
    channel = Channel()
    first, second = [event for event in deployment.events.events if event.type is PauseEventType.ESCALATED]
    assert tell(deployment, first, channel, "event-1", NOW + 700).sent == {"all": 1}
    assert tell(deployment, second, channel, "event-2", NOW + 700).skipped == "announced"
    # A retry of the first event sends what failed before.
    assert tell(deployment, first, channel, "event-1", NOW + 700).sent == {"all": 1}
    assert {notice.message_id for notice in channel.sent} == {channel.sent[0].message_id}


def test_only_the_people_of_the_step_get_a_message_and_it_says_why() -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint(**ASKING)
    deployment.sweep(at=NOW + 600)
    deployment.sweep(at=NOW + 1200)
    issued, first, second = deployment.events.events
    channel = Channel()
    for number, event in enumerate((second, first, issued)):
        tell(deployment, event, channel, f"event-{number}", NOW + 1200)
    # The late event of the mint reaches none: the two whom the mint has named have left.
    assert [(notice.recipient, notice.kind) for notice in channel.sent] == [
        ("ceo", NoticeKind.ESCALATED),
        ("cfo", NoticeKind.ESCALATED),
    ]
    assert "You are asked now because there is no answer yet." in channel.sent[0].text()
    assert "You are asked now because there is no answer yet." in channel.sent[0].html()
    assert channel.sent[0].document()["kind"] == "escalated"
    links = asyncio.run(deployment.links.of(minted.claims.jti, at=NOW + 1300)).tokens.links
    assert [notice.link.partition("#")[2] for notice in channel.sent] == [links["ceo"], links["cfo"]]


def test_a_reminder_goes_to_those_who_are_asked_now() -> None:
    deployment = InMemoryDeployment()
    deployment.mint(**ASKING, remind_after_seconds=1800)
    for at in (600, 1200, 1800):
        deployment.sweep(at=NOW + at)
    channel = Channel()
    tell(deployment, deployment.events.events[-1], channel, "event-1", NOW + 1800)
    assert [notice.recipient for notice in channel.sent] == ["cfo", "ceo"]


def test_a_vote_of_a_person_who_has_left_counts_no_more() -> None:
    deployment = InMemoryDeployment()
    step = EscalationStep(after_seconds=600, to=("bob", "cfo"), mode=StepMode.REPLACE)
    minted = deployment.mint(**APPROVAL, escalation=(step,), quorum=Quorum(needed=2))
    _vote(deployment, minted, "ada", "approve")
    deployment.sweep(at=NOW + 600)
    row = _vote(deployment, minted, "bob", "approve", at=NOW + 700)
    assert (row.status.value, [vote.by for vote in row.votes]) == ("issued", ["ada", "bob"])
    assert _vote(deployment, minted, "cfo", "approve", at=NOW + 800).status.value == "answered"


def test_a_step_that_would_leave_too_few_who_can_say_yes_only_adds_people() -> None:
    deployment = InMemoryDeployment()
    four = Answerers(approvers=("ada", "bob", "cyd", "dan"))
    step = EscalationStep(after_seconds=600, to=("cyd", "dan", "eve"), mode=StepMode.REPLACE)
    minted = deployment.mint(**{**APPROVAL, "answerers": four}, escalation=(step,), quorum=Quorum(needed=2, veto=False))
    _vote(deployment, minted, "cyd", "reject")
    _vote(deployment, minted, "dan", "reject")
    assert asked_after(deployment, minted, NOW + 600) == ("ada", "bob", "cyd", "dan", "eve")


def test_a_step_for_a_person_whom_an_operator_has_replaced_takes_no_link_away() -> None:
    deployment = InMemoryDeployment()
    again = EscalationStep(after_seconds=1200, to=("cfo",), mode=StepMode.REPLACE)
    minted = deployment.mint(**{**ASKING, "escalation": (CFO, again)})
    deployment.sweep(at=NOW + 600)
    changing = deployment.amendments.reassign(minted.claims.jti, leaving="cfo", to="eve", by="olga", at=NOW + 700)
    asyncio.run(changing)
    deployment.sweep(at=NOW + 1200)
    links = asyncio.run(deployment.links.of(minted.claims.jti, at=NOW + 1300)).tokens.links
    assert set(links) == {"ada", "bob", "eve"}


def test_a_vote_that_comes_between_the_read_and_the_step_makes_the_step_wait() -> None:
    ledger = InterruptedLedger()
    deployment, _ = watched(ledger)
    minted = deployment.mint(**APPROVAL, escalation=(CFO,), quorum=Quorum(needed=2))

    async def vote() -> None:
        row = ledger.rows[minted.claims.jti]
        ledger.rows[minted.claims.jti] = replace(row, votes=(a_vote("ada"),))

    ledger.meanwhile = vote
    assert deployment.sweep(at=NOW + 600).done == {"LeftToAnother": 1}
    assert deployment.sweep(at=NOW + 601).done == {"Escalated": 1, "ChangeAnnounced": 1}


def a_limited_deployment(**limits: Any) -> InMemoryDeployment:
    registry = REGISTRY.extended([replace(ASK_USER_REGISTRATION, floor=Floor(**limits))])
    return InMemoryDeployment(registry=registry)


def test_the_people_of_a_step_are_checked_against_the_floor() -> None:
    deployment = a_limited_deployment(recipients=("ada", "bob", "ceo"))
    with pytest.raises(InvalidRequest) as refused:
        deployment.mint(**ASKING)
    assert [error.field for error in refused.value.errors] == ["escalation[0].to[0]"]


def test_the_people_of_a_step_are_counted_as_those_of_the_mint_are() -> None:
    deployment = a_limited_deployment(open_pauses_per_recipient_max=1)
    deployment.mint(**ASKING, idempotency_key="1")
    with pytest.raises(TooManyOpen, match=r"^escalation\[0\]\.to\[0\] has 1 open pauses"):
        deployment.mint(**{**ASKING, "answerers": Answerers()}, idempotency_key="2")


def _vote(
    deployment: InMemoryDeployment, minted: MintedPause, by: str, decision: str, *, at: int = NOW + 60
) -> LedgerRow:
    deployment.resume(
        minted, response={"decision": decision}, answered_by=by, attempt_id=f"{by}-{at}", at=at, require_turn=False
    )
    return row_of(deployment, minted)

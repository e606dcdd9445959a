"""Who is told of a pause, by which channel, and that nothing which goes wrong with it harms anybody else's message."""

import asyncio
import json
from dataclasses import dataclass, field
from typing import Any

import pytest

from askback.domain.errors import InteractionConfigurationError, InvalidRequest, PayloadMissing, StoreUnavailable
from askback.domain.mint.pause_mint import MintedPause
from askback.domain.pause.answerers import Answerers
from askback.domain.pause.claims import PauseIdentity
from askback.domain.people.message import Notice, NoticeKind
from askback.domain.people.notifier import OUT_OF_TIME, Announcement, FailedMessage, Notifier, NotifyReport
from askback.domain.records.payloads import PausePayloadStore
from tests.support.memory_deployment import NOW, InMemoryDeployment
from tests.support.notices import ENGLISH

PEOPLE = Answerers(recipients=("ada@example.com", "bob"))
NAMED = {"jti": "j", "name": "ask_user", "scope_hash": "00"}
PAGE = "https://answers.example.com/a"


@dataclass
class Channel:
    """A channel that keeps what it is given; it fails for the people in `failing`."""

    name: str = "all"
    only_addresses: bool = False
    failing: dict[str, Exception] = field(default_factory=dict)
    sent: list[Notice] = field(default_factory=list)

    def takes(self, recipient: str) -> bool:
        return "@" in recipient or not self.only_addresses

    async def send(self, notice: Notice) -> None:
        if notice.recipient in self.failing:
            raise self.failing[notice.recipient]
        self.sent.append(notice)

    @property
    def told(self) -> list[str]:
        return [notice.recipient for notice in self.sent]


def tell(
    deployment: InMemoryDeployment, minted: MintedPause, *channels: Channel, reminder: bool = False, **over: Any
) -> NotifyReport:
    notifier = Notifier(
        ledger=deployment.ledger,
        tokens=deployment.tokens,
        payloads=PausePayloadStore(deployment.checkpoints),
        channels=channels,
        answer_url=PAGE,
        texts=ENGLISH,
    )
    pause, event_id = over.pop("pause", minted.claims.identity), over.pop("event_id", "event-1")
    announced = Announcement(pause=pause, reminder=reminder, event_id=event_id)
    return asyncio.run(notifier.notify(announced, **{"at": NOW + 60, "may_go_on": lambda: True, **over}))


def minted(**over: Any) -> tuple[InMemoryDeployment, MintedPause]:
    deployment = InMemoryDeployment()
    return deployment, deployment.mint(**over)


def test_each_recipient_gets_the_very_link_that_the_mint_gave_out_for_them() -> None:
    deployment, pause = minted(answerers=PEOPLE)
    channel = Channel()
    assert tell(deployment, pause, channel) == NotifyReport(sent={"all": 2})
    assert {notice.recipient: notice.link for notice in channel.sent} == {
        recipient: f"{PAGE}#{token}" for recipient, token in pause.tokens.links.items()
    }
    assert {(notice.question, notice.kind) for notice in channel.sent} == {("Refund 49.90 EUR?", NoticeKind.ASKED)}


def test_a_channel_gets_the_recipients_that_it_takes_and_the_others_are_counted() -> None:
    deployment, pause = minted(answerers=PEOPLE)
    mail = Channel(name="mail", only_addresses=True)
    assert tell(deployment, pause, mail) == NotifyReport(sent={"mail": 1}, unreached=1)
    assert mail.told == ["ada@example.com"]
    assert tell(deployment, pause, mail, Channel(name="topic")).unreached == 0


def test_a_pause_for_nobody_in_particular_goes_where_anybody_may_read() -> None:
    deployment, pause = minted()
    mail, topic = Channel(name="mail", only_addresses=True), Channel(name="topic")
    assert tell(deployment, pause, mail, topic).sent == {"mail": 0, "topic": 1}
    assert topic.sent[0].link == f"{PAGE}#{pause.tokens.answer}"


def test_no_link_goes_out_that_could_not_be_used() -> None:
    """Approvers alone may answer, and a link that names nobody is none of them."""
    deployment, pause = minted(answerers=Answerers(approvers=("ada",)))
    channel = Channel()
    assert tell(deployment, pause, channel) == NotifyReport(sent={"all": 0})
    assert channel.sent == []


def test_a_message_that_fails_keeps_no_other_from_being_sent() -> None:
    deployment, pause = minted(answerers=Answerers(recipients=("ada", "bob", "eve")))
    failing = {"ada": StoreUnavailable(reason="busy"), "bob": RuntimeError("the link is secret")}
    broken, sound = Channel(name="broken", failing=failing), Channel(name="sound")
    report = tell(deployment, pause, broken, sound)
    assert report.sent == {"broken": 1, "sound": 3}
    assert report.failed == (
        FailedMessage(channel="broken", error="StoreUnavailable", reason="busy"),
        FailedMessage(channel="broken", error="RuntimeError"),
    )
    assert broken.told == ["eve"]


def test_without_time_nothing_more_is_begun_and_the_rest_has_failed() -> None:
    deployment, pause = minted(answerers=PEOPLE)
    channel, time = Channel(), iter([True, False])
    report = tell(deployment, pause, channel, may_go_on=lambda: next(time))
    assert (report.sent, report.failed) == ({"all": 1}, (FailedMessage(channel="all", error=OUT_OF_TIME),))


@pytest.mark.parametrize(
    ("end", "at"),
    [
        ("answer", NOW + 120),
        ("expiry", NOW + 3600),
        ("sweep", NOW + 3600),
        ("revoke", NOW + 120),
    ],
)
@pytest.mark.parametrize("reminder", [True, False])
def test_nobody_is_told_of_a_pause_that_has_ended(end: str, at: int, reminder: bool) -> None:
    deployment, pause = minted(answerers=PEOPLE)
    if end == "answer":
        deployment.resume(pause)
    if end == "sweep":
        deployment.sweep(at=at)
    if end == "revoke":
        asyncio.run(deployment.inbox.revoke(pause.claims.jti, by="operator", at=NOW + 60))
    channel = Channel()
    assert tell(deployment, pause, channel, reminder=reminder, at=at) == NotifyReport(sent={}, skipped="ended")
    assert channel.sent == []


def test_another_stacks_pause_on_a_shared_bus_is_nothing_to_tell() -> None:
    deployment, pause = minted()
    assert tell(deployment, pause, Channel(), pause=PauseIdentity(jti="another")).skipped == "unknown"


@pytest.mark.parametrize(("at", "kind"), [(NOW + 60, NoticeKind.REMINDER), (NOW + 3600, NoticeKind.EXPIRES_SOON)])
def test_a_reminder_takes_the_same_path(at: int, kind: NoticeKind) -> None:
    deployment, pause = minted(answerers=PEOPLE, ttl_seconds=7200)
    channel = Channel()
    tell(deployment, pause, channel, reminder=True, at=at)
    assert [notice.kind for notice in channel.sent] == [kind] * 2


def test_telling_people_changes_nothing_of_the_pause() -> None:
    deployment, pause = minted(answerers=PEOPLE)
    before = asyncio.run(deployment.ledger.find(pause.claims.jti))
    tell(deployment, pause, Channel(failing={"bob": RuntimeError()}))
    assert asyncio.run(deployment.ledger.find(pause.claims.jti)) == before


def test_a_repeated_mint_sends_no_second_announcement() -> None:
    """D-06: each mint publishes an event of its own."""
    deployment, pause = minted(answerers=PEOPLE)
    channel = Channel()
    assert tell(deployment, pause, channel).sent == {"all": 2}
    assert tell(deployment, pause, channel, event_id="event-2") == NotifyReport(sent={}, skipped="announced")
    assert channel.told == ["ada@example.com", "bob"]


def test_an_event_that_comes_again_goes_on_with_the_announcement() -> None:
    deployment, pause = minted(answerers=PEOPLE)
    channel = Channel(failing={"bob": StoreUnavailable(reason="busy")})
    assert tell(deployment, pause, channel).failed
    channel.failing.clear()
    assert tell(deployment, pause, channel).sent == {"all": 2}
    assert "bob" in channel.told


def test_a_lost_first_announcement_is_made_up_for_by_the_event_of_a_repeated_mint() -> None:
    """D-06: nothing marks the row before the first message can be sent."""
    deployment, pause = minted(answerers=PEOPLE)
    channel, texts = Channel(), dict(deployment.checkpoints.texts)
    deployment.checkpoints.texts.clear()
    with pytest.raises(PayloadMissing):
        tell(deployment, pause, channel)
    deployment.checkpoints.texts.update(texts)
    assert tell(deployment, pause, channel, event_id="event-2").sent == {"all": 2}


def test_a_reminder_is_sent_whatever_announced_the_pause() -> None:
    deployment, pause = minted(answerers=PEOPLE)
    channel = Channel()
    tell(deployment, pause, channel)
    assert tell(deployment, pause, channel, reminder=True, event_id="event-2").sent == {"all": 2}


def test_a_question_that_is_gone_sends_no_message_and_the_operator_gets_the_error() -> None:
    deployment, pause = minted(answerers=PEOPLE)
    deployment.checkpoints.texts.clear()
    channel = Channel()
    with pytest.raises(PayloadMissing):
        tell(deployment, pause, channel)
    assert channel.sent == []


def test_a_key_that_was_retired_is_told_to_the_operator() -> None:
    deployment, pause = minted(answerers=PEOPLE)
    deployment.key_ring = json.dumps({"current": "k2", "key:k2": "another key that only tests use, 32+"})
    with pytest.raises(InteractionConfigurationError, match="key"):
        tell(deployment, pause, Channel())


def test_an_announcement_is_read_from_what_the_sink_publishes() -> None:
    deployment, pause = minted()
    (published,) = deployment.events.events
    event = {"detail-type": published.type.value, "detail": published.detail()}
    assert Announcement.of_event(event) == Announcement(pause=pause.claims.identity, reminder=False)
    assert Announcement.of_event({**event, "detail-type": "PauseReminder"}).reminder


@pytest.mark.parametrize(
    "event",
    [
        None,
        {},
        {"detail-type": "PauseAnswered", "detail": NAMED},
        {"detail-type": "PauseIssued", "detail": {}},
        {"detail-type": "PauseIssued", "detail": {**NAMED, "jti": ""}},
        {"detail-type": "PauseIssued", "detail": {**NAMED, "name": None}},
        {"detail-type": "PauseIssued", "detail": "j"},
    ],
)
def test_anything_else_is_refused(event: object) -> None:
    with pytest.raises(InvalidRequest):
        Announcement.of_event(event)

"""People are told of a pause by the very event that the bus delivers, and answer it by the link that they got."""

import json
from collections.abc import Iterator
from email.header import decode_header, make_header
from email.utils import parseaddr
from pathlib import Path
from typing import Any

import pytest
import standardwebhooks

from tests.support.aws_probe import aws_error
from tests.support.channels import FROM, WEBHOOK_KEY, Channels, the_channels
from tests.support.function_deployment import Deployment, Handlers
from tests.support.live_text import alike
from tests.support.recorded_output import ASKED, QUESTION, Recorded
from tests.support.request_bodies import Pause, a_question
from tests.support.waiting_world import World
from tests.support.webhook_server import receiving_at, standard_secret

ADA, BOB = "ada@example.com", "bob"
HOSTILE = '<img onerror=alert(1)>\r\nBcc: eve@example.com =HYPERLINK("http://evil.example") \u202etxet'


@pytest.fixture(scope="module")
def all_channels(shared_world: World, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Channels]:
    with the_channels(shared_world, tmp_path_factory.mktemp("tls")) as up:
        yield up


@pytest.fixture
def channels(world: World, all_channels: Channels) -> Channels:
    all_channels.settle()
    return all_channels


def asked(channels: Channels, *recipients: str, **over: Any) -> Pause:
    return channels.world.handlers.pause(recipients=list(recipients), **over)


def announced(channels: Channels, kind: str = "PauseIssued") -> dict[str, Any]:
    """Return the one event of this kind that the bus delivered since the last time."""
    (event,) = [event for event in channels.world.listener.heard() if event["detail-type"] == kind]
    return event


def links(pause: Pause) -> dict[str, str]:
    return {each["recipient"]: each["answer_link"] for each in pause.minted["recipients"]}


def token_of(link: str) -> str:
    return link.partition("#")[2]


def test_each_recipient_gets_the_link_of_the_mint_by_every_channel(channels: Channels) -> None:
    pause = asked(channels, ADA, BOB)
    assert channels.load().invoke("notify", announced(channels)) == {
        "sent": {"mail": 1, "topic": 2, "webhook": 2}, "unreached": 0, "skipped": "",
    }  # fmt: skip
    (mail,) = channels.mails()
    assert (mail.source, mail.destinations) == (FROM, {"ToAddresses": [ADA]})
    assert mail.subject == "Your answer is needed: “Refund 49.90 EUR?”"
    assert links(pause)[ADA] in mail.body
    assert links(pause)[BOB] not in mail.body
    assert {post["askback"]["recipient"]: post["askback"]["answer_link"] for post in channels.posted()} == links(pause)
    published = channels.published()
    assert {note["MessageAttributes"]["recipient"]["Value"] for note in published} == {ADA, BOB}
    for note in published:
        assert note["Subject"] == "Your answer is needed"
        assert links(pause)[note["MessageAttributes"]["recipient"]["Value"]] in note["Message"]


def test_messages_are_in_the_language_of_the_deployment(channels: Channels) -> None:
    asked(channels, ADA)
    channels.load(ASKBACK_MESSAGE_LANGUAGE="ar").invoke("notify", announced(channels))
    heading = "إجابتك مطلوبة"
    (mail,), (note,), (post,) = channels.mails(), channels.published(), channels.posted()
    assert mail.subject == f"{heading}: \u2068“Refund 49.90 EUR?”\u2069"
    assert '<div lang="ar" dir="rtl">' in mail.body
    assert note["Subject"] == heading
    assert note["Message"] == post["text"]
    assert note["Message"].startswith(f"{heading}.\n")


ACME = {
    "ASKBACK_BRAND_NAME": "Acme Ä",
    "ASKBACK_BRAND_COLOR": "#6A1B9A",
    "ASKBACK_SUPPORT_CONTACT": "help@acme.example",
    "ASKBACK_MESSAGE_TIME_ZONE": "Asia/Kolkata",
}


def test_a_mail_comes_from_the_organisation_in_its_look_and_its_zone(channels: Channels, tmp_path: Path) -> None:
    (tmp_path / "messages.json").write_text(json.dumps({"en": {"asked": "Acme needs you"}}), encoding="utf-8")
    asked(channels, ADA)
    channels.load(**ACME, ASKBACK_PAGE_FOLDER=str(tmp_path)).invoke("notify", announced(channels))
    (mail,), (note,), (post,) = channels.mails(), channels.published(), channels.posted()
    shown, address = parseaddr(mail.source)
    assert (str(make_header(decode_header(shown))), address) == ("Acme Ä", FROM)
    assert mail.subject == "Acme needs you: “Refund 49.90 EUR?”"
    assert "background:#6a1b9a;color:#ffffff" in mail.body
    for text in (mail.body, note["Message"], post["text"]):
        assert "Acme Ä" in text
        assert "UTC+5:30" in text
        assert "help@acme.example" in text
    assert note["Message"].startswith("Acme Ä\n\nAcme needs you.\n")
    assert note["Subject"] == "Acme needs you"


def test_a_message_says_who_asks_why_and_how_much_depends_on_it(channels: Channels) -> None:
    about = {"asker": "Refund *agent*", "reason": "The parcel was lost. https://evil.example", "risk": "high"}
    asked(channels, ADA, about=about)
    channels.load().invoke("notify", announced(channels))
    (mail,), (post,) = channels.mails(), channels.posted()
    for text in (mail.body, post["text"]):
        assert "“Refund \u2217agent\u2217”" in text
        assert "“The parcel was lost. https[:]//evil[.]example”" in text
        assert "Your decision has a high risk." in text
    assert {name: post["askback"][name] for name in about} == about


def test_the_sender_can_have_a_name_of_its_own(channels: Channels) -> None:
    asked(channels, ADA)
    channels.load("FROM_ADDRESS", **ACME, ASKBACK_SENDER_NAME="Acme approvals").invoke("notify", announced(channels))
    (mail,) = channels.mails()
    assert mail.source == f"Acme approvals <{FROM}>"


def test_a_setting_that_cannot_be_used_stops_no_message_and_leaves_a_reason(
    channels: Channels, deployment: Deployment, tmp_path: Path
) -> None:
    (tmp_path / "messages.json").write_text("{", encoding="utf-8")
    wrong = {
        "ASKBACK_BRAND_NAME": "Acme\nBcc: eve@example.com",
        "ASKBACK_BRAND_COLOR": "purple",
        "ASKBACK_SUPPORT_CONTACT": "x" * 201,
        "ASKBACK_SENDER_NAME": "Acme\r\nBcc: eve@example.com",
        "ASKBACK_MESSAGE_TIME_ZONE": "Europe/Nowhere",
        "ASKBACK_PAGE_FOLDER": str(tmp_path),
    }
    asked(channels, ADA)
    start = len(deployment.output.getvalue())
    channels.load("FROM_ADDRESS", **wrong).invoke("notify", announced(channels))
    (mail,) = channels.mails()
    assert mail.source == FROM
    assert "eve@" not in mail.body
    assert " UTC<" in mail.body
    lines = [json.loads(line) for line in deployment.output.getvalue()[start:].splitlines() if line.startswith("{")]
    reasons = [line["reason"] for line in lines if line.get("level") == "ERROR"]
    assert {reason.split()[0].rstrip(":") for reason in reasons} == set(wrong)


def test_the_event_of_a_repeated_mint_announces_nothing_and_a_retry_of_the_first_does(channels: Channels) -> None:
    """D-06: a Step Functions retry of the same mint sent a second mail."""
    pause = asked(channels, ADA, idempotency_key="announced-once")
    channels.world.handlers.post("/pauses", pause.request)
    events = [event for event in channels.world.listener.heard() if event["detail-type"] == "PauseIssued"]
    handlers = channels.load("FROM_ADDRESS")
    assert len({event["id"] for event in events}) == 2
    replies = [handlers.invoke("notify", event) for event in (*events, events[0])]
    assert [reply["skipped"] for reply in replies] == ["", "announced", ""]
    assert len(channels.mails()) == 2


def test_who_follows_the_link_of_a_message_answers_in_their_own_name(channels: Channels) -> None:
    pause = asked(channels, ADA, BOB)
    channels.load("WEBHOOK_SECRET_ID").invoke("notify", announced(channels))
    (bobs,) = [post["askback"]["answer_link"] for post in channels.posted() if post["askback"]["recipient"] == BOB]
    answered = channels.world.handlers.post("/answers", pause.answer(answer_token=token_of(bobs)))
    assert (answered.status, answered.document["answered_by"]) == (200, BOB)


def test_a_reminder_takes_the_same_path_and_says_when_the_last_hour_has_begun(channels: Channels) -> None:
    asked(channels, ADA, ttl_seconds=7200, remind_after_seconds=3600)
    asked(channels, ADA, ttl_seconds=9000, remind_after_seconds=3660)
    channels.world.sweep(after=3660)
    events = [event for event in channels.world.listener.heard() if event["detail-type"] == "PauseReminder"]
    handlers = channels.load("FROM_ADDRESS")
    for event in events:
        handlers.invoke("notify", event)
    assert sorted(mail.subject.partition(":")[0] for mail in channels.mails()) == [
        "Your answer is needed within the hour",
        "Your answer is still needed",
    ]


def test_a_second_reminder_of_a_pause_sends_nothing(channels: Channels) -> None:
    """Any principal with `events:PutEvents` could send a person one reminder after the other."""
    asked(channels, ADA, ttl_seconds=7200, remind_after_seconds=3600)
    channels.world.sweep(after=3600)
    (event,) = [event for event in channels.world.listener.heard() if event["detail-type"] == "PauseReminder"]
    handlers = channels.load("FROM_ADDRESS")
    forged = {**event, "id": "forged"}
    replies = [handlers.invoke("notify", each) for each in (event, forged, event)]
    assert [reply["skipped"] for reply in replies] == ["", "reminded", ""]
    assert len(channels.mails()) == 2


def test_a_recipient_whose_link_was_revoked_gets_no_message_and_no_reminder(channels: Channels) -> None:
    pause = asked(channels, ADA, "bob@example.com", ttl_seconds=7200, remind_after_seconds=3600)
    path = f"/pauses/{pause.minted['jti']}/links/revoke"
    assert channels.world.handlers.post(path, {"recipient": ADA}).status == 200
    handlers = channels.load("FROM_ADDRESS")
    reply = handlers.invoke("notify", announced(channels))
    assert (reply["sent"], reply["unreached"]) == ({"mail": 1}, 0)
    channels.world.sweep(after=3600)
    handlers.invoke("notify", announced(channels, "PauseReminder"))
    assert [mail.destinations for mail in channels.mails()] == [{"ToAddresses": ["bob@example.com"]}] * 2


def test_without_any_good_link_no_message_has_the_link_that_names_no_person(channels: Channels) -> None:
    pause = asked(channels, ADA)
    revoked = channels.world.handlers.post(f"/pauses/{pause.minted['jti']}/links/revoke", {"recipient": ADA})
    assert revoked.status == 200
    reply = channels.load().invoke("notify", announced(channels))
    assert sum(reply["sent"].values()) == 0
    assert (channels.mails(), channels.posted()) == ([], [])


def test_a_receiver_verifies_each_message_and_drops_one_that_comes_again(channels: Channels) -> None:
    asked(channels, ADA, BOB)
    event, handlers = announced(channels), channels.load("WEBHOOK_SECRET_ID")
    verifier = standardwebhooks.Webhook(standard_secret(WEBHOOK_KEY))
    seen: list[dict[str, str]] = []
    for _ in range(2):
        handlers.invoke("notify", event)
        received = channels.received()
        with receiving_at(channels.world.now):
            recipients = [verifier.verify(each.body, each.headers)["askback"]["recipient"] for each in received]
        seen.append(dict(zip(recipients, (each.headers["webhook-id"] for each in received), strict=True)))
    first, again = seen
    assert first == again
    assert set(first) == {ADA, BOB}
    assert first[ADA] != first[BOB]


def test_hostile_text_is_text(channels: Channels) -> None:
    """A-58."""
    asked(channels, ADA, payload={"questions": [a_question(question=HOSTILE)]})
    channels.load().invoke("notify", announced(channels))
    (mail,) = channels.mails()
    line = '<img onerror=alert(1)> Bcc: eve@example.com =HYPERLINK("http://evil.example") txet'
    shown = f'{alike("<img onerror=alert(1)>")} Bcc: eve[@]example[.]com =HYPERLINK("http[:]//evil[.]example") txet'
    assert mail.subject == f"Your answer is needed: “{shown}”"
    assert mail.destinations == {"ToAddresses": [ADA]}
    assert "<img" not in mail.body
    assert shown.partition("=")[0] in mail.body
    (post,) = channels.posted()
    assert post["askback"]["asked"] == line
    assert shown in post["text"]
    assert shown in channels.published()[0]["Message"]


@pytest.mark.parametrize("end", ["answered", "revoked", "expired"])
def test_no_message_is_sent_about_a_pause_that_has_ended_meanwhile(channels: Channels, end: str) -> None:
    pause = asked(channels, ADA)
    event = announced(channels)
    if end == "answered":
        assert channels.world.handlers.redeems(pause)
    if end == "revoked":
        channels.world.handlers.revoke(pause.minted["jti"])
    if end == "expired":
        channels.world.now += 3600
    assert channels.load().invoke("notify", event) == {"sent": {}, "unreached": 0, "skipped": "ended"}
    assert (channels.mails(), channels.published(), channels.posted()) == ([], [], [])


def test_a_deployment_without_a_channel_sends_no_message(channels: Channels) -> None:
    """A program or an operator fetches the links."""
    asked(channels, ADA)
    told = channels.world.handlers.invoke("notify", announced(channels))
    assert told == {"sent": {}, "unreached": 0, "skipped": "no-channel"}


def failed(handlers: Handlers, event: dict[str, Any]) -> str:
    with pytest.raises(Exception, match="messages failed") as raised:
        handlers.invoke("notify", event)
    assert raised.value.__cause__ is None
    return str(raised.value)


def test_a_channel_that_fails_stops_no_other_channel_and_lambda_repeats_the_event(channels: Channels) -> None:
    pause, handlers = asked(channels, ADA, BOB), channels.load()
    row, event = channels.world.row(pause), announced(channels)
    channels.receiver.status = 500
    with channels.world.deployment.probe.failing(SendEmail=aws_error("MessageRejected")):
        assert failed(handlers, event) == "3 of 5 messages failed"
    assert (channels.mails(), len(channels.published())) == ([], 2)
    channels.settle()
    # Lambda's next try: at least once, and the pause is as it was.
    assert handlers.invoke("notify", event)["sent"] == {"mail": 1, "topic": 2, "webhook": 2}
    now = channels.world.row(pause)
    assert now.pop("announced").endswith(f" {event['id']}")
    assert now == row
    assert channels.world.handlers.redeems(pause)


def test_an_address_that_ses_does_not_take_is_a_failure(channels: Channels) -> None:
    asked(channels, ADA)
    handlers = channels.load("FROM_ADDRESS", ASKBACK_NOTIFY_FROM_ADDRESS="nobody@unverified.example")
    assert failed(handlers, announced(channels)) == "1 of 1 messages failed"


def test_a_store_that_is_down_is_raised_so_that_lambda_repeats(channels: Channels) -> None:
    asked(channels, ADA)
    event, handlers = announced(channels), channels.load()
    busy = aws_error("ThrottlingException")
    with channels.world.deployment.probe.failing(GetItem=busy), pytest.raises(Exception, match="unavailable"):
        handlers.invoke("notify", event)
    assert handlers.invoke("notify", event)["sent"]["mail"] == 1


def test_a_large_question_is_read_from_the_bucket(channels: Channels) -> None:
    handlers = channels.load("WEBHOOK_SECRET_ID", ASKBACK_INLINE_LIMIT_BYTES="1024")
    options = [{"label": "Yes", "preview": "".join(map(chr, range(0x4E00, 0x4E00 + 4000)))}, {"label": "No"}]
    handlers.pause(recipients=[ADA], payload={"questions": [a_question(options=options)]})
    with channels.world.deployment.probe.counting() as calls:
        handlers.invoke("notify", announced(channels))
    assert "GetObject" in calls
    assert channels.posted()[0]["askback"]["asked"] == "Refund 49.90 EUR?"


@pytest.mark.parametrize("broken", [None, aws_error("MessageRejected"), RuntimeError("leak")])
def test_neither_the_log_nor_the_events_nor_what_is_raised_carry_a_link_or_a_question(
    channels: Channels, deployment: Deployment, broken: Exception | None
) -> None:
    recorded = Recorded(deployment)
    pause = asked(channels, ADA, BOB, payload={"questions": [QUESTION]})
    recorded.keep(pause.minted)
    recorded.secrets += [token_of(link).split(".")[2] for link in links(pause).values()]
    recorded.secrets += [channels.receiver.url, "leak", ADA, deployment.key_ring]
    event, handlers = announced(channels), channels.load()
    if broken is None:
        handlers.invoke("notify", event)
    else:
        with deployment.probe.failing(SendEmail=broken, Publish=broken):
            raised = failed(handlers, event)
        assert not [secret for secret in recorded.secrets if secret in raised]
    recorded.require_clean()
    assert not [secret for secret in recorded.secrets if secret in json.dumps(event)]
    assert ASKED in channels.posted()[0]["askback"]["asked"]
    lines = [
        entry for entry in recorded.entries() if entry.get("service", "").endswith("notify") and "message" in entry
    ]
    assert lines
    assert {line["jti"] for line in lines} == {pause.minted["jti"]}


def test_an_unforeseen_error_is_raised_without_its_text(channels: Channels, deployment: Deployment) -> None:
    asked(channels, ADA)
    event, handlers, recorded = announced(channels), channels.load(), Recorded(deployment)
    with (
        deployment.probe.failing(GetItem=RuntimeError("leak")),
        pytest.raises(Exception, match="RuntimeError") as raised,
    ):
        handlers.invoke("notify", event)
    assert raised.value.__suppress_context__
    assert "leak" not in recorded.text


@pytest.mark.parametrize("event", [{}, {"detail-type": "PauseAnswered", "detail": {"jti": "j"}}])
def test_any_other_event_is_refused_and_sends_no_message(channels: Channels, event: dict[str, Any]) -> None:
    with pytest.raises(Exception, match="no message is sent for events"):
        channels.load().invoke("notify", event)


def test_the_people_of_a_step_get_one_message_that_says_why(channels: Channels) -> None:
    asked(channels, ADA, escalation=[{"after_seconds": 600, "to": [BOB, "cfo@example.com"]}])
    handlers = channels.load()
    handlers.invoke("notify", announced(channels))
    channels.settle()
    channels.world.sweep(after=600)
    event = announced(channels, "PauseEscalated")
    assert handlers.invoke("notify", event)["sent"] == {"mail": 1, "topic": 2, "webhook": 2}
    (mail,) = channels.mails()
    assert mail.destinations == {"ToAddresses": ["cfo@example.com"]}
    assert "You are asked now because there is no answer yet." in str(mail.body)
    assert {post["askback"]["recipient"] for post in channels.posted()} == {BOB, "cfo@example.com"}
    assert handlers.invoke("notify", {**event, "id": "another"})["skipped"] == "announced"


def test_everybody_who_is_asked_gets_a_message_about_a_reply_to_a_question_back(channels: Channels) -> None:
    pause = asked(channels, ADA, "bob@example.com", about={"takes_questions": True})
    handlers = channels.load("FROM_ADDRESS")
    ada = token_of(links(pause)[ADA])
    body = {"answer_token": ada, "question": "What is the <b>invoice</b> number?"}
    assert channels.world.handlers.post("/clarifications", body).status == 201
    path = f"/pauses/{pause.minted['jti']}/clarifications"
    channels.world.handlers.post(path, {"number": 1, "reply": "It is 2026-117."})
    event = announced(channels, "PauseClarified")
    assert handlers.invoke("notify", event)["sent"] == {"mail": 2}
    assert handlers.invoke("notify", {**event, "id": "forged"})["skipped"] == "announced"
    mails = channels.mails()
    assert sorted(mail.destinations["ToAddresses"][0] for mail in mails) == [ADA, "bob@example.com"]
    for mail in mails:
        assert "There is a new reply to a question that was asked about it." in mail.body
        assert "2026-117" not in mail.body
        assert "invoice" not in mail.body


def test_the_person_to_whom_a_member_passes_it_on_gets_the_one_message_and_reads_by_whom(channels: Channels) -> None:
    member = "<b>ada</b>@example.com"
    people = {"approvers": [member, BOB], "delegates": ["*"]}
    pause = asked(channels, member, **people)
    handlers = channels.load()
    handlers.invoke("notify", announced(channels))
    channels.settle()
    body = {"answer_token": token_of(links(pause)[member]), "to": "gil@example.com"}
    assert channels.world.handlers.post("/delegations", body).status == 200
    event = announced(channels, "PauseDelegated")
    assert handlers.invoke("notify", event)["sent"] == {"mail": 1, "topic": 1, "webhook": 1}
    (mail,) = channels.mails()
    assert mail.destinations == {"ToAddresses": ["gil@example.com"]}
    assert "has passed this question on to you." in mail.body
    assert "<b>ada" not in mail.body
    (post,) = channels.posted()
    told = post["askback"]
    assert (told["kind"], told["recipient"], told["delegated_by"]) == ("delegated", "gil@example.com", member)
    assert handlers.invoke("notify", {**event, "id": "another"})["skipped"] == "announced"

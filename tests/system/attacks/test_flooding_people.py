"""Attack: an agent, or a principal with `events:PutEvents`, floods people with mails, or has askback send a trap."""

import itertools
import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from html.parser import HTMLParser
from typing import Any

import pytest

from askback.adapters.aws import clients
from tests.support.channels import Channels, the_channels
from tests.support.function_deployment import Deployment, Handlers
from tests.support.live_text import live_parts
from tests.support.problems import require_problem
from tests.support.request_bodies import Pause, a_mint, a_question, a_scope
from tests.support.waiting_world import a_world

ADA, BOB, CISO = "ada@example.com", "bob@example.com", "ciso@example.com"
_keys = (f"flood-{number}" for number in itertools.count(1))


@dataclass(frozen=True, kw_only=True)
class Sent:
    """The deployment with every channel, and the requests that SES got."""

    channels: Channels
    handlers: Handlers
    mails: list[dict[str, Any]]

    def pause(self, *recipients: str, **over: Any) -> Pause:
        return self.handlers.pause(
            **{"recipients": list(recipients), "scope": a_scope(), "idempotency_key": next(_keys), **over}
        )

    def announcements(self) -> list[dict[str, Any]]:
        """Return the events that the bus delivered since the last time."""
        return [each for each in self.channels.world.listener.heard() if each["detail-type"] == "PauseIssued"]

    def deliver(self, events: list[dict[str, Any]]) -> None:
        for event in events:
            self.handlers.invoke("notify", event)

    def people(self) -> Counter[str]:
        """Return how many mails each person got."""
        return Counter(mail["Destination"]["ToAddresses"][0] for mail in self.mails)


@pytest.fixture(scope="module")
def up(deployment: Deployment, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sent]:
    mails: list[dict[str, Any]] = []
    with a_world(deployment) as world, the_channels(world, tmp_path_factory.mktemp("tls")) as channels:
        session = clients.default_session
        assert session is not None
        session.get_component("event_emitter").register(
            "before-call.sesv2.SendEmail", lambda params, **_: mails.append(json.loads(params["body"]))
        )
        yield Sent(channels=channels, handlers=channels.load(), mails=mails)


@pytest.fixture
def sent(up: Sent) -> Sent:
    up.channels.world.settle()
    up.channels.settle()
    up.mails.clear()
    return up


@pytest.mark.cannot("flood a person")
def test_forty_repeats_of_one_mint_send_one_mail_to_each_recipient(sent: Sent) -> None:
    pause = sent.pause(ADA, BOB, CISO)
    for _ in range(39):
        assert sent.handlers.post("/pauses", pause.request).status == 201
    events = sent.announcements()
    assert len(events) == 40
    sent.deliver(events)
    assert sent.people() == {ADA: 1, BOB: 1, CISO: 1}


@pytest.mark.cannot("flood a person")
def test_many_different_mints_to_one_person_end_at_the_limit_by_every_route(deployment: Deployment) -> None:
    handlers = deployment.load(ASKBACK_MINT_FLOOR='{"*": {"open_pauses_per_recipient_max": 5}}')
    scope = a_scope()

    def mint(**over: Any) -> Any:
        return handlers.post("/pauses", a_mint(**{"scope": scope, "recipients": [ADA], **over}))

    for _ in range(5):
        assert mint().status == 201
    require_problem(mint(), 429, "too-many-open")
    require_problem(mint(recipients=[BOB, " Ada@EXAMPLE.com"]), 429, "too-many-open")
    require_problem(mint(requester="eve", session_id="another", ttl_seconds=60), 429, "too-many-open")
    approval = {"title": "Refund", "action": {"name": "refund", "arguments": {}}}
    require_problem(mint(name="approval", payload=approval), 429, "too-many-open")
    refused = handlers.refused("mint", a_mint(scope=scope, recipients=[BOB, ADA]))
    assert (refused["code"], refused["status"], refused["retryable"]) == ("too-many-open", 429, True)
    assert ADA not in json.dumps(refused)
    # None of these attempts was counted for the other person.
    for _ in range(5):
        assert mint(recipients=[BOB]).status == 201


def test_a_person_who_answers_can_be_asked_again(deployment: Deployment) -> None:
    handlers = deployment.load(ASKBACK_MINT_FLOOR='{"*": {"open_pauses_per_recipient_max": 1}}')
    scope = a_scope()
    first = handlers.pause(scope=scope, recipients=[ADA], idempotency_key="first")
    require_problem(handlers.post("/pauses", a_mint(scope=scope, recipients=[ADA])), 429, "too-many-open")
    assert handlers.post("/pauses", first.request).status == 201
    assert handlers.redeems(first)
    handlers.pause(scope=scope, recipients=[ADA])


def test_a_scope_of_an_agent_can_have_a_limit_over_all_people(deployment: Deployment) -> None:
    handlers = deployment.load(ASKBACK_MINT_FLOOR='{"*": {"open_pauses_max": 3}}')
    scope = a_scope()
    for person in (ADA, BOB, CISO):
        handlers.pause(scope=scope, recipients=[person])
    for recipients in ([], ["dora@example.com"]):
        require_problem(handlers.post("/pauses", a_mint(scope=scope, recipients=recipients)), 429, "too-many-open")
    handlers.pause(scope=a_scope())


def test_an_event_that_another_principal_puts_on_the_bus_sends_nothing_that_the_row_does_not_say(sent: Sent) -> None:
    pause = sent.pause(ADA)
    (true,) = sent.announcements()
    answered = sent.pause(BOB)
    (of_answered,) = sent.announcements()
    assert sent.handlers.redeems(answered)
    stranger = {"recipients": ["eve@example.org"], "recipient": "eve@example.org", "asked": "https://evil.example"}
    forged = [
        {**true, "id": "1", "detail": {**true["detail"], "jti": "f" * 32}},
        {**of_answered, "id": "2"},
        {**of_answered, "id": "3", "detail-type": "PauseReminder"},
        true,
        {**true, "id": "4", "detail": {**true["detail"], **stranger}},
        {**true, "id": "5", "source": "elsewhere"},
    ]
    sent.deliver(forged)
    assert sent.people() == {ADA: 1}
    assert "evil" not in json.dumps(sent.mails)
    assert pause.minted["jti"] == true["detail"]["jti"]


def test_a_first_event_that_is_forged_announces_the_pause_once_and_to_its_own_people(sent: Sent) -> None:
    sent.pause(ADA)
    (true,) = sent.announcements()
    forged = {**true, "id": "forged", "detail": {**true["detail"], "recipients": ["eve@example.org"]}}
    sent.deliver([forged, true, {**true, "id": "again"}])
    assert sent.people() == {ADA: 1}


def test_twenty_strangers_are_not_recipients_where_the_deployment_names_its_people(deployment: Deployment) -> None:
    handlers = deployment.load(ASKBACK_MINT_FLOOR='{"*": {"recipients": ["*@example.com"]}}')
    strangers = [f"stranger-{number}@example.org" for number in range(20)]
    refused = handlers.post("/pauses", a_mint(recipients=strangers))
    assert (refused.status, refused.document["errors"][0]["field"]) == (400, "recipients[0]")
    refused = handlers.post("/pauses", a_mint(recipients=[ADA, *strangers[1:]]))
    assert (refused.status, refused.document["errors"][0]["field"]) == (400, "recipients[1]")


TRAPS = [
    "Answer here: https://evil.example/answer#token or www.evil.example",
    "Write to eve@evil.example, mailto:eve@evil.example, evil.com:8080/x, http://192.0.2.1/a",
    "<!channel> <!here> <@U024BE7LH> <https://evil.example|Answer this question> @everyone @here",
    "[Answer this question](https://evil.example) ![x](https://evil.example/i.png) *bold* _it_ ~no~ `code` > quote",
    '<a href="https://evil.example">Answer</a><img src=x onerror=alert(1)></p></body><script>alert(1)</script>',
    "Refund?\r\nBcc: eve@evil.example\r\nSubject: Password\r\n\r\nAnswer here:\r\nhttps://evil.example",
    "Refund?\u2028\u2029\x85\x0b\x0cAnswer here:\u2028https://evil.example\u2028This link answers in your name.",
    "\u202eelpmaxe.live//:sptth\u202c \u2066x\u2069 ev\u200bil.com evil\u200d.\u200dcom \ufeff\x00\x1b[31m",
    "evil\u3002com evil\uff0ecom \uff20everyone :rotating_light: \\\\evil.example\\share file:\\\\x",
    "Refund?” You answer as: “ciso@example.com” Answer here: “https://evil.example",
    "H" + "\u0335\u0336\u0337\u0338" * 40 + " overlaid",
]


class Page(HTMLParser):
    """The elements of a document, where its links lead, and what a reader sees."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[str] = []
        self.links: list[str | None] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(tag)
        self.links += [value for name, value in attrs if name in ("href", "src", "background", "action")]

    def handle_data(self, data: str) -> None:
        self.text += data


def messages(sent: Sent, pause: Pause) -> dict[str, str]:
    """Return each text that a person gets by any channel, without the one real link, which must stand alone in it."""
    (mail,) = sent.mails
    (note,), (post,) = sent.channels.published(), sent.channels.posted()
    content = mail["Content"]["Simple"]
    page = Page(content["Body"]["Html"]["Data"])
    link = pause.minted["recipients"][0]["answer_link"]
    assert page.links == [link]
    texts = {
        "mail, subject": content["Subject"]["Data"],
        "mail, text": content["Body"]["Text"]["Data"],
        "mail, html": page.text,
        "topic, subject": note["Subject"],
        "topic": note["Message"],
        # A chat shows these entities as the characters.
        "webhook": post["text"].replace("&gt;", ">").replace("&lt;", "<").replace("&amp;", "&"),
    }
    for name, text in texts.items():
        assert text.count(link) == ("subject" not in name), name
    return {name: text.replace(link, "") for name, text in texts.items()}


@pytest.mark.cannot("put a link, a mention or markup of its own")
@pytest.mark.parametrize("trap", TRAPS)
def test_no_text_of_the_agent_is_live_in_any_message(sent: Sent, trap: str) -> None:
    plain = sent.pause(ADA, requester="bob", about={"asker": "Refund agent", "reason": "The parcel was lost."})
    sent.deliver(sent.announcements())
    ordinary = messages(sent, plain)
    elements = Page(sent.mails[0]["Content"]["Simple"]["Body"]["Html"]["Data"]).elements
    sent.mails.clear()
    name = "".join(sign for sign in trap if sign.isprintable() and sign.isascii())[:200]
    # The people and ids may have no control characters; the mint would refuse them.
    pause = sent.pause(
        ADA, payload={"questions": [a_question(question=trap)]}, requester=name, run_id=name,
        about={"asker": trap[:80], "reason": trap},
        scope={"tenant_id": next(_keys), "namespace": "evil.example"},
    )  # fmt: skip
    sent.deliver(sent.announcements())
    for channel, text in messages(sent, pause).items():
        assert live_parts(text) == [], channel
        assert text.replace("\n", "").isprintable(), channel
        assert len(text.splitlines()) == len(ordinary[channel].splitlines()), channel
        if "html" not in channel and "subject" not in channel:
            # The line before the link is askback's own, and no other line is like it.
            assert text.splitlines().count("Answer here:") == 1
        # What the agent wrote stands between marks that it cannot write.
        outside = re.sub("“[^“”]*”", "", text.replace("“ and ”", ""))
        assert not re.search("evil|[“”]", outside), channel
    assert Page(sent.mails[0]["Content"]["Simple"]["Body"]["Html"]["Data"]).elements == elements
    assert "\n" not in sent.mails[0]["Content"]["Simple"]["Subject"]["Data"]


def test_a_recipient_who_is_a_trap_is_text_too(sent: Sent) -> None:
    sent.pause("https://evil.example <!channel>")
    sent.deliver(sent.announcements())
    (note,), (post,) = sent.channels.published(), sent.channels.posted()
    assert sent.mails == []
    for text in (note["Message"], post["text"]):
        assert "You answer as: “https[:]//evil[.]example" in text
        assert live_parts(text.replace(post["askback"]["answer_link"], "")) == []


def test_a_program_gets_the_texts_as_they_were_written_on_one_line(sent: Sent) -> None:
    """It is not for people: the program must escape them for the place where it shows them."""
    sent.pause(ADA, payload={"questions": [a_question(question="See <https://evil.example>\r\n*now*\u202e")]})
    sent.deliver(sent.announcements())
    (post,) = sent.channels.posted()
    assert post["askback"]["asked"] == "See <https://evil.example> *now*"

"""The webhook over real TLS: what is posted, how it is signed, and what counts as sent."""

import asyncio
import hashlib
import hmac
import json
import ssl
from collections.abc import Iterator
from pathlib import Path

import pytest

from askback.adapters.channels.webhook import Webhook, WebhookTarget
from askback.domain.errors import InteractionConfigurationError, StoreUnavailable
from tests.support.memory_deployment import NOW
from tests.support.notices import HOSTILE, LINK, a_notice
from tests.support.webhook_server import Receiver, a_receiver

KEY = "a key that only the receiver has, 32+"


@pytest.fixture(scope="module")
def serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Receiver]:
    with a_receiver(tmp_path_factory.mktemp("tls")) as up:
        yield up


@pytest.fixture
def receiver(serving: Receiver) -> Receiver:
    serving.status, serving.location = 200, ""
    serving.received.clear()
    return serving


def a_webhook(receiver: Receiver) -> Webhook:
    target = WebhookTarget(url=receiver.url, key=KEY.encode())
    return Webhook(target=lambda: target, clock=lambda: NOW, trust=receiver.trust)


def test_the_facts_and_a_text_for_a_chat_are_posted_as_json_to_the_very_address(receiver: Receiver) -> None:
    notice = a_notice()
    asyncio.run(a_webhook(receiver).send(notice))
    (request,) = receiver.received
    assert request.path == "/hooks/a?b=c"
    assert request.headers["content-type"] == "application/json"
    posted = json.loads(request.body)
    assert posted == {"text": notice.text(), "askback": notice.document()}
    assert posted["askback"]["answer_link"] == LINK


def test_the_receiver_can_tell_that_it_is_ours_and_how_old_it_is(receiver: Receiver) -> None:
    asyncio.run(a_webhook(receiver).send(a_notice()))
    (request,) = receiver.received
    when, _, mac = request.headers["askback-signature"].partition(",v1=")
    assert when == f"t={NOW}"
    assert mac == hmac.new(KEY.encode(), f"{NOW}.".encode() + request.body, hashlib.sha256).hexdigest()


@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_text_makes_no_link_and_no_mention_in_a_chat(receiver: Receiver, hostile: str) -> None:
    asyncio.run(a_webhook(receiver).send(a_notice(asked=hostile)))
    text = json.loads(receiver.received[0].body)["text"]
    assert "<" not in text
    assert ">" not in text
    assert text.replace("\n", "").isprintable()


def test_a_redirect_is_not_followed_and_is_a_failure(receiver: Receiver) -> None:
    receiver.status, receiver.location = 307, receiver.url
    with pytest.raises(StoreUnavailable) as refused:
        asyncio.run(a_webhook(receiver).send(a_notice()))
    assert refused.value.reason == "the webhook answered 307"
    assert len(receiver.received) == 1


@pytest.mark.parametrize("status", [400, 404, 500])
def test_anything_but_success_is_a_failure_to_be_tried_again(receiver: Receiver, status: int) -> None:
    receiver.status = status
    with pytest.raises(StoreUnavailable):
        asyncio.run(a_webhook(receiver).send(a_notice()))


def test_a_receiver_whose_certificate_nobody_vouches_for_gets_nothing(receiver: Receiver) -> None:
    target = WebhookTarget(url=receiver.url, key=KEY.encode())
    webhook = Webhook(target=lambda: target, clock=lambda: NOW, trust=ssl.create_default_context)
    with pytest.raises(StoreUnavailable) as refused:
        asyncio.run(webhook.send(a_notice()))
    assert refused.value.reason == "the webhook cannot be reached: SSLCertVerificationError"
    assert receiver.received == []


def test_a_receiver_that_is_not_there_is_a_failure_that_does_not_say_its_address(tmp_path: Path) -> None:
    with a_receiver(tmp_path) as gone:
        webhook = a_webhook(gone)
    with pytest.raises(StoreUnavailable) as refused:
        asyncio.run(webhook.send(a_notice()))
    assert refused.value.reason == "the webhook cannot be reached: ConnectionRefusedError"
    assert refused.value.__suppress_context__


def test_the_secret_is_an_address_and_a_key() -> None:
    target = WebhookTarget.parse(json.dumps({"url": "https://hooks.example.com/a", "key": KEY}))
    assert target == WebhookTarget(url="https://hooks.example.com/a", key=KEY.encode())
    assert "hooks" not in repr(target)
    assert KEY not in repr(target)


@pytest.mark.parametrize(
    "secret",
    [
        "",
        "[]",
        "{}",
        '{"url": 7, "key": 8}',
        json.dumps({"url": "http://hooks.example.com", "key": KEY}),
        json.dumps({"url": "https://", "key": KEY}),
        json.dumps({"url": "https://ada:secret@hooks.example.com", "key": KEY}),
        json.dumps({"url": "https://hooks.example.com:port", "key": KEY}),
        json.dumps({"url": "https://hooks.example.com/a b\r\nx: y", "key": KEY}),
        json.dumps({"url": "https://hooks.example.com", "key": "short"}),
        json.dumps({"url": "https://hooks.example.com"}),
    ],
)
def test_any_other_secret_is_refused_and_not_repeated(secret: str) -> None:
    with pytest.raises(InteractionConfigurationError) as refused:
        WebhookTarget.parse(secret)
    assert "example" not in f"{refused.value} {refused.value.reason}"

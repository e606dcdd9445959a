"""The webhook over real TLS: what is posted, how it is signed, and what counts as sent."""

import asyncio
import base64
import hashlib
import hmac
import io
import json
import re
import ssl
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import standardwebhooks

from askback.adapters.channels.webhook import Webhook, WebhookTarget
from askback.domain.errors import InteractionConfigurationError, StoreUnavailable
from local.emulated.cloud import ROOT
from tests.support.memory_deployment import NOW
from tests.support.notices import HOSTILE, LINK, a_notice
from tests.support.webhook_server import Receiver, a_receiver, receiving_at, standard_secret

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


def test_the_package_of_standard_webhooks_verifies_the_message_and_how_old_it_is(receiver: Receiver) -> None:
    asyncio.run(a_webhook(receiver).send(a_notice()))
    (request,) = receiver.received
    assert request.headers["webhook-id"] == a_notice().message_id
    assert request.headers["webhook-timestamp"] == str(NOW)
    verifier = standardwebhooks.Webhook(standard_secret(KEY))
    with receiving_at(NOW + 299):
        assert verifier.verify(request.body, request.headers) == json.loads(request.body)
        with pytest.raises(standardwebhooks.WebhookVerificationError):
            verifier.verify(request.body + b" ", request.headers)
        with pytest.raises(standardwebhooks.WebhookVerificationError):
            verifier.verify(request.body, {**request.headers, "webhook-id": a_notice(recipient="bob").message_id})
    with receiving_at(NOW + 301), pytest.raises(standardwebhooks.WebhookVerificationError):
        verifier.verify(request.body, request.headers)


def test_the_signature_is_what_the_specification_says(receiver: Receiver) -> None:
    """The package also signs, so it alone would not show that another language's package verifies it."""
    asyncio.run(a_webhook(receiver).send(a_notice()))
    (request,) = receiver.received
    signed = f"{a_notice().message_id}.{NOW}.".encode() + request.body
    mac = base64.b64encode(hmac.digest(KEY.encode(), signed, "sha256")).decode()
    assert request.headers["webhook-signature"] == f"v1,{mac}"


def test_a_message_that_is_tried_again_keeps_its_id_and_gets_a_new_time(receiver: Receiver) -> None:
    times = iter((NOW, NOW + 60))
    target = WebhookTarget(url=receiver.url, key=KEY.encode())
    webhook = Webhook(target=lambda: target, clock=lambda: next(times), trust=receiver.trust)
    receiver.status = 500
    with pytest.raises(StoreUnavailable):
        asyncio.run(webhook.send(a_notice()))
    receiver.status = 200
    asyncio.run(webhook.send(a_notice()))
    first, second = (request.headers for request in receiver.received)
    assert first["webhook-id"] == second["webhook-id"]
    assert (first["webhook-timestamp"], second["webhook-timestamp"]) == (str(NOW), str(NOW + 60))


def test_a_receiver_that_verifies_the_old_header_still_can(receiver: Receiver) -> None:
    """It is sent until the next major version: docs/notifications.md."""
    asyncio.run(a_webhook(receiver).send(a_notice()))
    (request,) = receiver.received
    when, _, mac = request.headers["askback-signature"].partition(",v1=")
    assert when == f"t={NOW}"
    assert mac == hmac.new(KEY.encode(), f"{NOW}.".encode() + request.body, hashlib.sha256).hexdigest()


def test_the_samples_of_the_page_give_the_secret_and_verify_with_it(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (ROOT / "docs/notifications.md").read_text(encoding="utf-8")
    (command,) = re.findall(r"python3 -c '([^']+)'", page)
    monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps({"url": receiver.url, "key": KEY})))
    exec(command, {})  # noqa: S102 - the page's own sample
    secret = capsys.readouterr().out.strip()
    assert secret == standard_secret(KEY)
    (sample,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    names: dict[str, Any] = {}
    exec(sample, names)  # noqa: S102 - the page's own sample
    asyncio.run(a_webhook(receiver).send(a_notice()))
    (request,) = receiver.received
    with receiving_at(NOW):
        assert names["read_message"](secret, request.headers, request.body) == json.loads(request.body)
        assert names["read_message"](standard_secret(KEY + "."), request.headers, request.body) is None
        for malformed in ("v1", "v1,=", "v1,a"):
            headers = {**request.headers, "webhook-signature": malformed}
            assert names["read_message"](secret, headers, request.body) is None


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

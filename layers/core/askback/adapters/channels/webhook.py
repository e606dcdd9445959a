"""The channel that posts signed messages to an HTTPS address. A reader can answer for each recipient in a message.

The address can be a secret (the address of a chat's incoming webhook is one). So it is in the same secret as the
signing key, and in no log. The signature is that of Standard Webhooks 1.0.0 (https://www.standardwebhooks.com). The
package `standardwebhooks` makes it, and receivers can verify it with the same package.
"""

import hashlib
import hmac
import http.client
import json
import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import standardwebhooks

from askback.adapters.aws.errors import CLIENT_ERRORS, classify
from askback.domain.errors import InteractionConfigurationError, StoreUnavailable
from askback.domain.people.message import Notice

if TYPE_CHECKING:
    from mypy_boto3_secretsmanager import SecretsManagerClient

TIMEOUT_SECONDS = 5
OLD_SIGNATURE_HEADER = "askback-signature"
"""The older signature header. Receivers may verify it, so it is sent until the next major version."""
KEY_MIN_BYTES = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookTarget:
    """The address for the messages, and the key that signs them; `repr` shows neither."""

    url: str = field(repr=False)
    key: bytes = field(repr=False)

    @classmethod
    def parse(cls, text: str) -> "WebhookTarget":
        """Read the secret's `{"url": …, "key": …}`; raises InteractionConfigurationError without the secret's text."""
        try:
            secret = json.loads(text)
            target = cls(url=secret["url"], key=secret["key"].encode())
            parts = urlsplit(target.url)
            reached = parts.scheme == "https" and parts.hostname is not None and parts.username is None
            # `parts.port` raises ValueError for a wrong port.
            usable = reached and parts.port != 0 and target.url.isascii() and target.url.isprintable()
        except (ValueError, TypeError, KeyError, AttributeError):
            usable = False
        if not usable:
            raise _misconfigured("the webhook's secret has no https address or no key")
        if len(target.key) < KEY_MIN_BYTES:
            raise _misconfigured(f"the webhook's key has less than {KEY_MIN_BYTES} bytes")
        return target


def secret_target(client: "Callable[[], SecretsManagerClient]", secret_id: str) -> Callable[[], WebhookTarget]:
    """Return a function that reads the target from its secret."""

    def read() -> WebhookTarget:
        manager = client()
        try:
            value = manager.get_secret_value(SecretId=secret_id, VersionStage="AWSCURRENT")
        except CLIENT_ERRORS as error:
            raise classify(error, resource="the webhook's secret", endpoint=manager.meta.endpoint_url) from error
        return WebhookTarget.parse(value.get("SecretString", ""))

    return read


class Webhook:
    """The channel to an HTTPS address. `target` is called for each message; `clock` returns epoch seconds."""

    name = "webhook"

    def __init__(
        self,
        *,
        target: Callable[[], WebhookTarget],
        clock: Callable[[], int],
        trust: Callable[[], ssl.SSLContext] = ssl.create_default_context,
    ) -> None:
        self._target = target
        self._clock = clock
        self._trust = trust

    def takes(self, recipient: str) -> bool:
        """Return True: a webhook takes every message."""
        return True

    async def send(self, notice: Notice) -> None:
        """Post the message; only a 2xx reply counts as sent."""
        target, body = self._target(), webhook_body(notice)
        self._post(target, body, signature_headers(target.key, body, message_id=notice.message_id, at=self._clock()))

    def _post(self, target: WebhookTarget, body: bytes, signatures: Mapping[str, str]) -> None:
        parts = urlsplit(target.url)
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        # Not urllib: it would follow a redirect and send the link to another address.
        connection = http.client.HTTPSConnection(
            parts.hostname or "", parts.port, timeout=TIMEOUT_SECONDS, context=self._trust()
        )
        headers = {"content-type": "application/json", "user-agent": "askback", **signatures}
        try:
            connection.request("POST", path, body=body, headers=headers)
            status = connection.getresponse().status
        except (OSError, http.client.HTTPException) as error:
            # `from None`: the text of the error may contain the address.
            raise StoreUnavailable(reason=f"the webhook cannot be reached: {type(error).__name__}") from None
        finally:
            connection.close()
        if not 200 <= status < 300:
            raise StoreUnavailable(reason=f"the webhook answered {status}")


def webhook_body(notice: Notice) -> bytes:
    """Return the JSON body: `text` for a chat, and the fields for a program."""
    return json.dumps({"text": _chat_text(notice), "askback": notice.document()}).encode()


def signature_headers(key: bytes, body: bytes, *, message_id: str, at: int) -> dict[str, str]:
    """Return the signature headers of a body at `at` (epoch seconds): those of Standard Webhooks, and the older one.

    The key is the UTF-8 of the secret's text. In a receiver, it is written as `whsec_` and the base64 of these bytes.
    """
    standard = standardwebhooks.Webhook(key).sign(message_id, datetime.fromtimestamp(at, UTC), body.decode())
    old = hmac.new(key, f"{at}.".encode() + body, hashlib.sha256).hexdigest()
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(at),
        "webhook-signature": standard,
        OLD_SIGNATURE_HEADER: f"t={at},v1={old}",
    }


def _chat_text(notice: Notice) -> str:
    # The documentation of chats requires these entities. The texts of the agent are inert already.
    return notice.text().replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _misconfigured(reason: str) -> InteractionConfigurationError:
    return InteractionConfigurationError(
        "the webhook is misconfigured; an operator must look at the log", reason=reason
    )

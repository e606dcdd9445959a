"""Messages to an HTTPS address, signed. Whoever reads them there can answer for everybody whose link they carry.

The address may itself be a secret (that of a chat's incoming webhook is), so it stands in a secret beside the signing
key, and in no log. Messages are signed as Standard Webhooks 1.0.0 says (https://www.standardwebhooks.com), by its own
package, which receivers can verify them with.
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
"""The signature header before Standard Webhooks. Receivers verify it, so it is sent until the next major version."""
KEY_MIN_BYTES = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookTarget:
    """Where the messages go, and the key that signs them; shown by no `repr`."""

    url: str = field(repr=False)
    key: bytes = field(repr=False)

    @classmethod
    def parse(cls, text: str) -> "WebhookTarget":
        """Read the secret's `{"url": …, "key": …}`; raises InteractionConfigurationError, which never repeats it."""
        try:
            secret = json.loads(text)
            target = cls(url=secret["url"], key=secret["key"].encode())
            parts = urlsplit(target.url)
            reached = parts.scheme == "https" and parts.hostname is not None and parts.username is None
            # Reading the port checks it.
            usable = reached and parts.port != 0 and target.url.isascii() and target.url.isprintable()
        except (ValueError, TypeError, KeyError, AttributeError):
            usable = False
        if not usable:
            raise _wrong("the webhook's secret has no https address or no key")
        if len(target.key) < KEY_MIN_BYTES:
            raise _wrong(f"the webhook's key has less than {KEY_MIN_BYTES} bytes")
        return target


def secret_target(client: "Callable[[], SecretsManagerClient]", secret_id: str) -> Callable[[], WebhookTarget]:
    """Return what reads the target from its secret."""

    def read() -> WebhookTarget:
        manager = client()
        try:
            value = manager.get_secret_value(SecretId=secret_id, VersionStage="AWSCURRENT")
        except CLIENT_ERRORS as error:
            raise classify(error, resource="the webhook's secret", endpoint=manager.meta.endpoint_url) from error
        return WebhookTarget.parse(value.get("SecretString", ""))

    return read


class Webhook:
    """The channel to an HTTPS address. `target` is asked for each message; `clock` gives epoch seconds."""

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
        """An address takes every message."""
        return True

    async def send(self, notice: Notice) -> None:
        """Post the message; only a 2xx reply counts as sent."""
        target, body = self._target(), webhook_body(notice)
        self._post(target, body, signature_headers(target.key, body, message_id=notice.message_id, at=self._clock()))

    def _post(self, target: WebhookTarget, body: bytes, signatures: Mapping[str, str]) -> None:
        parts = urlsplit(target.url)
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        # Not urllib: it would follow a redirect, and take the link to where it leads.
        connection = http.client.HTTPSConnection(
            parts.hostname or "", parts.port, timeout=TIMEOUT_SECONDS, context=self._trust()
        )
        headers = {"content-type": "application/json", "user-agent": "askback", **signatures}
        try:
            connection.request("POST", path, body=body, headers=headers)
            status = connection.getresponse().status
        except (OSError, http.client.HTTPException) as error:
            # From None: an error may carry the address.
            raise StoreUnavailable(reason=f"the webhook cannot be reached: {type(error).__name__}") from None
        finally:
            connection.close()
        if not 200 <= status < 300:
            raise StoreUnavailable(reason=f"the webhook answered {status}")


def webhook_body(notice: Notice) -> bytes:
    """Return the JSON that is posted: `text` for a chat, and the facts for a program."""
    return json.dumps({"text": _chat_text(notice), "askback": notice.document()}).encode()


def signature_headers(key: bytes, body: bytes, *, message_id: str, at: int) -> dict[str, str]:
    """Return the headers that sign a body at `at` (epoch seconds): those of Standard Webhooks, and the old one.

    The key is the UTF-8 of the secret's text. A receiver writes it as `whsec_` and the base64 of these bytes.
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
    # In a chat's markup these three make links and mentions; its own documentation asks for these three entities.
    return notice.text().replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _wrong(reason: str) -> InteractionConfigurationError:
    return InteractionConfigurationError("the webhook is not set up; an operator must look at the log", reason=reason)

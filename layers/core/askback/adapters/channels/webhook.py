"""Messages to an HTTPS address, signed. Whoever reads them there can answer for everybody whose link they carry.

The address may itself be a secret (that of a chat's incoming webhook is), so it stands in a secret beside the signing
key, and in no log.
"""

import hashlib
import hmac
import http.client
import json
import ssl
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from askback.adapters.aws.errors import CLIENT_ERRORS, classify
from askback.domain.errors import InteractionConfigurationError, StoreUnavailable
from askback.domain.people.message import Notice

if TYPE_CHECKING:
    from mypy_boto3_secretsmanager import SecretsManagerClient

TIMEOUT_SECONDS = 5
SIGNATURE_HEADER = "askback-signature"
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
        self._post(self._target(), webhook_body(notice))

    def _post(self, target: WebhookTarget, body: bytes) -> None:
        parts = urlsplit(target.url)
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        # Not urllib: it would follow a redirect, and take the link to where it leads.
        connection = http.client.HTTPSConnection(
            parts.hostname or "", parts.port, timeout=TIMEOUT_SECONDS, context=self._trust()
        )
        headers = {
            "content-type": "application/json",
            "user-agent": "askback",
            SIGNATURE_HEADER: signature(target.key, body, at=self._clock()),
        }
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


def signature(key: bytes, body: bytes, *, at: int) -> str:
    """Return the signature header: the time, and the HMAC-SHA256 over the time, a full stop and the body."""
    mac = hmac.new(key, f"{at}.".encode() + body, hashlib.sha256).hexdigest()
    return f"t={at},v1={mac}"


def _chat_text(notice: Notice) -> str:
    # In a chat's markup these three make links and mentions; its own documentation asks for these three entities.
    return notice.text().replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _wrong(reason: str) -> InteractionConfigurationError:
    return InteractionConfigurationError("the webhook is not set up; an operator must look at the log", reason=reason)

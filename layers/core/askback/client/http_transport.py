"""The HTTP API of a deployment, signed with the caller's own AWS credentials.

Routes for the holders of tokens take no signature and get none: such a caller need not have credentials.
"""

import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import botocore.session
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.exceptions import ConnectionError as NotConnected, HTTPClientError, NoCredentialsError
from botocore.httpsession import URLLib3Session
from botocore.utils import get_environ_proxies

from askback.client.transport import Action, NoReply, Reply

CONNECT_TIMEOUT_SECONDS = 5
READ_TIMEOUT_SECONDS = 35
"""Longer than the gateway lets a function work (30 s), so that its own answer comes before our patience ends."""

_SERVICE = "execute-api"
_PATHS = {
    Action.PAUSE: "/pauses",
    Action.RESUME: "/resume",
    Action.OUTCOME: "/outcomes",
    Action.ANSWER: "/answers",
    Action.QUESTION: "/questions",
}
_UNSIGNED = frozenset({Action.ANSWER, Action.QUESTION})
_ADDRESS = re.compile(rf"[a-z0-9]+\.{_SERVICE}\.([a-z0-9-]+)\.amazonaws\.com(\.cn)?")


class HttpTransport:
    """Calls the API at `url`.

    The region is read from an address of API Gateway's own; a domain of yours needs it stated, or as the session's.
    `session` is botocore's; without one, credentials are found as the AWS SDK finds them.
    """

    def __init__(
        self,
        url: str,
        *,
        region: str | None = None,
        session: botocore.session.Session | None = None,
        connect_timeout_seconds: float = CONNECT_TIMEOUT_SECONDS,
        read_timeout_seconds: float = READ_TIMEOUT_SECONDS,
    ) -> None:
        self._url = url.rstrip("/")
        self._session = session or botocore.session.get_session()
        self.region = region or _region_in(url) or self._session.get_config_variable("region")
        self._connection = URLLib3Session(
            timeout=(connect_timeout_seconds, read_timeout_seconds),  # type: ignore[arg-type]  # the stubs lag behind
            proxies=get_environ_proxies(url),
        )

    def send(self, action: Action, body: Mapping[str, Any]) -> Reply:
        """Post the body to the action's route; raises NoReply, and NoCredentialsError where a signature is due."""
        request = AWSRequest(
            method="POST",
            url=self._url + _PATHS[action],
            data=json.dumps(body, allow_nan=False).encode(),
            headers={"content-type": "application/json"},
        )
        if action not in _UNSIGNED:
            self._sign(request)
        try:
            response = self._connection.send(request.prepare())
            content = response.content
        except (HTTPClientError, NotConnected) as error:
            # By its name alone: the text of some of them has the request in it.
            raise NoReply(type(error).__name__) from None
        return Reply(
            status=response.status_code,
            document=_object(content),
            retry_after_seconds=_seconds(response.headers.get("retry-after")),
        )

    def _sign(self, request: AWSRequest) -> None:
        credentials = self._session.get_credentials()
        if credentials is None:
            raise NoCredentialsError
        if not self.region:
            raise ValueError("the region to sign for is neither in the address nor configured; give it as `region`")
        SigV4Auth(credentials, _SERVICE, self.region).add_auth(request)


def _region_in(url: str) -> str | None:
    found = _ADDRESS.fullmatch(urlsplit(url).hostname or "")
    return found[1] if found else None


def _object(content: bytes) -> Mapping[str, Any]:
    try:
        document = json.loads(content)
    except ValueError:
        return {}
    return document if isinstance(document, dict) else {}


def _seconds(header: str | None) -> float:
    # The other form, a date, would need a clock that both sides agree on.
    return float(header) if header and header.isascii() and header.isdigit() else 0

"""The transport over the HTTP API of a deployment; it signs requests with the caller's AWS credentials.

Requests to the routes for people are not signed, so their callers need no credentials.
"""

import json
import os
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlsplit

import botocore.session
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.exceptions import ConnectionError as NotConnected, HTTPClientError, NoCredentialsError
from botocore.httpsession import URLLib3Session
from botocore.utils import get_environ_proxies

from askback.client.transport import Action, NoReply, Reply

CONNECT_TIMEOUT_SECONDS = 5
READ_TIMEOUT_SECONDS = 35
"""Longer than the gateway's limit for a function (30 s), so that the gateway's reply comes before our timeout."""

URL_VARIABLE = "ASKBACK_URL"

_SERVICE = "execute-api"
_PATHS = {
    Action.PAUSE: "/pauses",
    Action.RESUME: "/resume",
    Action.OUTCOME: "/outcomes",
    Action.ANSWER: "/answers",
    Action.ANSWERS: "/answers/batch",
    Action.QUESTION: "/questions",
    Action.LINKS: "/pauses/{jti}/links",
    Action.REVOKE: "/pauses/{jti}/revoke",
    Action.ASK_BACK: "/clarifications",
    Action.CLARIFY: "/pauses/{jti}/clarifications",
    Action.DELEGATE: "/delegations",
}
_UNSIGNED = frozenset({Action.ANSWER, Action.ANSWERS, Action.QUESTION, Action.ASK_BACK, Action.DELEGATE})
_ADDRESS = re.compile(rf"[a-z0-9]+\.{_SERVICE}\.([a-z0-9-]+)\.amazonaws\.com(\.cn)?")


class HttpTransport:
    """Calls the API at `url`; the default is in the variable ASKBACK_URL. Raises ValueError without both.

    The region comes from the URL if it is an address of API Gateway. For your own domain, give `region` or a session
    with a region. `session` is botocore's; without one, credentials are found as the AWS SDK finds them.
    """

    def __init__(
        self,
        url: str | None = None,
        *,
        region: str | None = None,
        session: botocore.session.Session | None = None,
        connect_timeout_seconds: float = CONNECT_TIMEOUT_SECONDS,
        read_timeout_seconds: float = READ_TIMEOUT_SECONDS,
    ) -> None:
        url = url or os.environ.get(URL_VARIABLE)
        if not url:
            raise ValueError(f"give the address of the API as `url` or in the variable {URL_VARIABLE}")
        self._url = url.rstrip("/")
        self._session = session or botocore.session.get_session()
        self.region = region or _region_in(url) or self._session.get_config_variable("region")
        self._connection = URLLib3Session(
            timeout=(connect_timeout_seconds, read_timeout_seconds),  # type: ignore[arg-type]  # the stubs lag behind
            proxies=get_environ_proxies(url),
        )

    def send(self, action: Action, body: Mapping[str, Any]) -> Reply:
        """Post the body to the action's route; raises NoReply, and NoCredentialsError if a signature is needed."""
        path = _PATHS[action]
        if "{jti}" in path:
            path = path.format(jti=quote(body["jti"], safe=""))
            body = {name: value for name, value in body.items() if name != "jti"}
        request = AWSRequest(
            method="POST",
            url=self._url + path,
            data=json.dumps(body, allow_nan=False).encode(),
            headers={"content-type": "application/json"},
        )
        if action not in _UNSIGNED:
            self._sign(request)
        try:
            response = self._connection.send(request.prepare())
            content = response.content
        except (HTTPClientError, NotConnected) as error:
            # Only the class: the text of some errors contains the request.
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
    # The other form of the header, a date, would need the same clock on both sides.
    return float(header) if header and header.isascii() and header.isdigit() else 0

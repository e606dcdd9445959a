"""The port of the local API takes requests for this machine alone."""

import http.client

import pytest

from local.emulated.front import Front
from local.emulated.gateway import Gateway
from local.emulated.http_events import Request, Response


def _status(host: str) -> int:
    def answers(request: Request) -> Response:
        return Response(status=204)

    with Front().lead_to(Gateway(routes=(), cors=None, functions={}), before=(answers,)) as front:
        connection = http.client.HTTPConnection(front.url.removeprefix("http://"))
        connection.request("POST", "/local/clock", headers={"host": host} if host else {})
        status = connection.getresponse().status
        connection.close()
        return status


@pytest.mark.parametrize("host", ["", "127.0.0.1:8787", "localhost", "[::1]:8787", "bucket.localhost:8787"])
def test_a_request_for_this_machine_is_answered(host: str) -> None:
    assert _status(host) == 204


@pytest.mark.parametrize("host", ["evil.example.com", "evil.example.com:8787", "localhost.example.com", "[::1"])
def test_a_web_page_with_a_name_of_its_own_for_this_machine_is_refused(host: str) -> None:
    """A page that is loaded from `evil.example.com` can let this name lead to 127.0.0.1 and send requests there."""
    assert _status(host) == 403

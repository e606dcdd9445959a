"""Whose credentials sign, for which region, and what is said when there are none."""

import botocore.session
import pytest
from botocore.exceptions import NoCredentialsError

from askback.client.http_transport import HttpTransport
from askback.client.transport import Action
from tests.unit.client.deployed import Deployed


def a_session(*, region: str | None = None, known: bool = True) -> botocore.session.Session:
    """Return a session with temporary credentials, or with none, that looks nowhere else."""
    session = botocore.session.Session(session_vars={"region": (None, None, region, None)})
    if known:
        session.set_credentials("AKIDEXAMPLE", "a secret", "a session token")
    else:
        session.get_component("credential_provider").providers.clear()
    return session


def sent_by(deployed: Deployed, transport: HttpTransport) -> dict[str, str]:
    """Return the headers of a signed request through the front."""
    transport.send(Action.OUTCOME, {"pause_token": "x"})
    return deployed.front.sent[-1].headers


def test_the_sessions_credentials_sign_every_header_and_a_session_token_is_sent(deployed: Deployed) -> None:
    headers = sent_by(deployed, HttpTransport(deployed.front.url, region="eu-west-3", session=a_session()))
    assert "Credential=AKIDEXAMPLE/" in headers["authorization"]
    assert "/eu-west-3/execute-api/aws4_request" in headers["authorization"]
    assert "SignedHeaders=content-type;host;x-amz-date;x-amz-security-token" in headers["authorization"]
    assert headers["x-amz-security-token"] == "a session token"


def test_a_region_that_is_not_stated_is_the_sessions(deployed: Deployed) -> None:
    headers = sent_by(deployed, HttpTransport(deployed.front.url, session=a_session(region="eu-north-1")))
    assert "/eu-north-1/execute-api/" in headers["authorization"]


@pytest.mark.parametrize(
    ("url", "region"),
    [
        ("https://a1b2c3.execute-api.eu-central-1.amazonaws.com", "eu-central-1"),
        ("https://a1b2c3.execute-api.us-gov-west-1.amazonaws.com/", "us-gov-west-1"),
        ("https://a1b2c3.execute-api.cn-north-1.amazonaws.com.cn", "cn-north-1"),
    ],
)
def test_an_address_of_the_gateways_own_names_its_region(url: str, region: str) -> None:
    transport = HttpTransport(url, session=a_session(region="eu-north-1"))
    assert transport.region == region


def test_without_a_region_anywhere_nothing_is_signed_for_a_guess() -> None:
    transport = HttpTransport("https://answers.example.com", session=a_session())
    with pytest.raises(ValueError, match="region"):
        transport.send(Action.OUTCOME, {})


def test_without_credentials_a_signed_route_is_refused_and_an_open_one_is_not(deployed: Deployed) -> None:
    transport = HttpTransport(deployed.front.url, region="eu-west-1", session=a_session(known=False))
    with pytest.raises(NoCredentialsError):
        transport.send(Action.PAUSE, {})
    assert transport.send(Action.QUESTION, {"pause_token": "x"}).status == 401

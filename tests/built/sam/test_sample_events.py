"""`sam local invoke`: every sample event of events/ gives its documented result in a container."""

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from local.emulated.cloud import Cloud
from tests.built.sam.sam import Sam
from tests.support.function_deployment import read_answer
from tests.support.key_secret import KeySecret, Rotations
from tests.support.request_bodies import Pause, a_mint
from tests.support.sample_events import NAMES, function_of, read_event
from tests.support.sample_results import expected_of

if TYPE_CHECKING:
    from mypy_boto3_lambda import LambdaClient

pytestmark = pytest.mark.sam


@pytest.fixture
def own(functions: "LambdaClient") -> Pause:
    """Return the pause that a sample is about."""
    request = a_mint(tool_call_id="call_Cc03Ask", run_id="run-1", session_id="sess-1")
    reply = functions.invoke(FunctionName="MintFunction", Payload=json.dumps(request))
    return Pause(request=request, minted=json.load(reply["Payload"]))


@pytest.mark.parametrize("name", NAMES)
def test_a_sample_gives_its_documented_result(
    sam: Sam, cloud: Cloud, functions: "LambdaClient", own: Pause, name: str
) -> None:
    if name.startswith("outcome"):
        functions.invoke(FunctionName="ResumeFunction", Payload=json.dumps(own.resume()))
    logical_ids = {function.code.name: function.logical_id for function in cloud.functions}
    expected = expected_of(name)

    with ExitStack() as begun:
        rotation = begun.enter_context(a_rotation(cloud)) if name.startswith("rotate") else {}
        event = read_event(name, own.minted, **rotation)
        status, document = read(sam.invoke(logical_ids[function_of(name)], event))

    assert status in (None, expected.status), document
    assert document.get("code", "") == expected.code
    assert set(document) >= expected.members
    if "jti" in document:
        # A mint makes a pause of its own; everything else is about the one that was made for it.
        assert (document["jti"] == own.minted["jti"]) is not name.startswith("mint")
    if "response" in document:
        assert document["response"]["answers"][0]["selections"] == ["Approve"]


@contextmanager
def a_rotation(cloud: Cloud) -> Iterator[dict[str, str]]:
    """Begin a rotation of the deployment's own keys, and give them up again: no other test finds other keys."""
    with Rotations.served_in(cloud) as rotations:
        secret = KeySecret(rotations, arn=cloud.functions[0].environment["ASKBACK_KEY_SECRET_ID"])
        token = secret.begin()
        yield {"secret_id": secret.arn, "version_id": token}
        secret.let_go(token)


def read(result: Any) -> tuple[int | None, dict[str, Any]]:
    """Return the status, where there is one, and the result or the problem, whichever way the function was asked."""
    if result.get("body") == "" or ("statusCode" in result and result["headers"]["content-type"].startswith("text/")):
        return result["statusCode"], {}  # no body, or a file of the page, which is no document
    if "statusCode" in result:
        answer = read_answer(result)
        return answer.status, answer.document
    if "errorType" in result:
        problem: dict[str, Any] = json.loads(result["errorMessage"])
        assert result["errorType"] == "Askback." + problem["code"].title().replace("-", "")
        return problem["status"], problem
    return None, result

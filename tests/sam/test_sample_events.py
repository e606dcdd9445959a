"""`sam local invoke`: every sample event of events/ gives its documented result in a container."""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pytest

from local.cloud import Cloud
from tests.functions.builders import Pause, a_mint
from tests.functions.deployment import read_answer
from tests.functions.sample_events import NAMES, function_of, read_event
from tests.sam.sam import Sam

if TYPE_CHECKING:
    from mypy_boto3_lambda import LambdaClient

pytestmark = pytest.mark.sam

RECEIPT = {"jti", "name", "response", "answered_at", "answered_by", "replayed", "delivery"}
MEMBERS = {
    "answer": RECEIPT,
    "mint": {"jti", "pause_token", "answer_token", "expires_at", "payload", "recorded", "resumable"},
    "outcome": RECEIPT | {"payload", "turn"},
    "question": {"jti", "name", "payload", "request_hash", "expires_at", "status", "answered_at"},
    "resume": RECEIPT | {"payload", "turn"},
    "sweep": {"done", "oldest_due_seconds", "cut_off"},
}
"""What the result has, by the first word of a sample's name; a new beginning needs a line here."""
REFUSED = {"mint-http-payload-1.0": (400, "bad-request")}


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
    beginning = name.split("-", maxsplit=1)[0]
    assert beginning in MEMBERS, f"events/{name}.json: say in tests/sam/test_sample_events.py what its result has"
    if beginning == "outcome":
        functions.invoke(FunctionName="ResumeFunction", Payload=json.dumps(own.resume()))
    logical_id = {function.code.name: function.logical_id for function in cloud.functions}[function_of(name)]

    result = sam.invoke(logical_id, read_event(name, own.minted))

    if "-http" not in name:
        assert set(result) >= MEMBERS[beginning], result
        return
    answer = read_answer(result)
    if name in REFUSED:
        assert answer.said == REFUSED[name]
        return
    assert answer.status == (201 if beginning == "mint" else 200), answer.document
    assert set(answer.document) >= MEMBERS[beginning]
    assert_about(own, beginning, answer.document)


def assert_about(own: Pause, beginning: str, document: Mapping[str, Any]) -> None:
    """Check that the result is the sample's own pause's, and that its answer was taken."""
    if beginning == "mint":
        assert document["jti"] != own.minted["jti"]
        return
    assert document["jti"] == own.minted["jti"]
    if "response" in document:
        assert document["response"]["answers"][0]["selections"] == ["Approve"]

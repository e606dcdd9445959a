"""`sam local start-lambda`: the functions as the SDK invokes them, and a problem as the SDK reports it."""

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.request_bodies import Pause, a_mint

if TYPE_CHECKING:
    from mypy_boto3_lambda import LambdaClient

pytestmark = pytest.mark.sam


def invoke(functions: "LambdaClient", function: str, request: object) -> Any:
    reply = functions.invoke(FunctionName=function, Payload=json.dumps(request))
    document = json.load(reply["Payload"])
    assert reply.get("FunctionError", "") == "", document
    return document


def refused(functions: "LambdaClient", request: object) -> tuple[str, dict[str, Any]]:
    """Return the type of what the resume function raised, and the problem document that its text is."""
    reply = functions.invoke(FunctionName="ResumeFunction", Payload=json.dumps(request))
    error = json.load(reply["Payload"])
    assert reply.get("FunctionError") == "Unhandled", error
    return error["errorType"], json.loads(error["errorMessage"])


def test_a_turn_over_the_inline_limit_goes_through_the_bucket_and_comes_back_equal(functions: "LambdaClient") -> None:
    # Every message differs: the same one over and over would be compressed to less than the limit.
    messages = [{"role": "user", "content": f"{number} 📦 {number**40}"} for number in range(1_000)]
    request = a_mint(messages=messages)
    pause = Pause(request=request, minted=invoke(functions, "MintFunction", request))
    resumed = invoke(functions, "ResumeFunction", pause.resume())
    assert resumed["turn"]["messages"] == messages


def test_a_token_that_is_none_raises_the_problem_by_its_name(functions: "LambdaClient") -> None:
    raised, problem = refused(functions, {"action": "question", "answer_token": "not.a.token"})
    assert (raised, problem["code"], problem["status"]) == ("Askback.TokenRejected", "token-rejected", 401)

"""The running stack: what it leaves behind, and people signed in through a JWT."""

from __future__ import annotations

import base64
import http.client
import json
import os
import sys
from collections.abc import Mapping
from typing import Any

import boto3
import pytest

from askback import AskbackClient, HttpTransport, InvalidRequest, LambdaTransport, ask_user, choose, question
from local.demo.api_client import Client
from local.demo.client_variables import client_variables
from local.demo.story import SCOPE, Transcript
from local.emulated.clock import MovedClock
from local.emulated.stack import Stack
from local.emulated.template import ACCOUNT, REGION, STACK

_NOW = 1_800_000_000
_LINKS = {"ReturnLinks": "true"}
_ISSUER = {"JwtIssuer": "https://issuer.example", "JwtAudience": "client", **_LINKS}


def test_nothing_is_left_behind() -> None:
    environment, out = dict(os.environ), sys.stdout
    with Stack() as stack:
        url = stack.url
        assert os.environ["AWS_ENDPOINT_URL"].startswith("http://127.0.0.1:")

    assert (dict(os.environ), sys.stdout) == (environment, out)
    with pytest.raises(ConnectionRefusedError):
        Client(url).post("/questions", {})
    with pytest.raises(RuntimeError):
        _ = stack.url


def test_a_pause_is_gone_with_its_stack_and_its_token_with_the_key() -> None:
    with Stack(parameters=_LINKS) as first:
        pause = Client(first.url).post("/pauses", Transcript.refund().mint_request()).document
    with Stack() as second:
        answer = Client(second.url).post("/questions", {"answer_token": pause["answer_token"]})

    assert (answer.status, answer.code) == (401, "token-rejected")


def test_logs_and_metrics_are_shown_only_when_asked_for(capfd: pytest.CaptureFixture[str]) -> None:
    shown = []
    for asked in (False, True):
        with Stack(logs=asked) as stack:
            assert Client(stack.url).post("/pauses", Transcript.refund().mint_request()).status == 201
        out, err = capfd.readouterr()
        assert out == ""
        shown.append("PauseIssued" in err)

    assert shown == [False, True]


def test_d_43_a_move_of_the_clock_gives_a_pause_its_default_answer() -> None:
    asked = Transcript.refund().mint_request() | {
        "ttl_seconds": 300,
        "on_expiry": {"policy": "default", "response": {"answers": [{"selections": ["Reject"]}]}},
    }
    with Stack(clock=MovedClock(lambda: _NOW)) as stack:
        client = Client(stack.url)
        pause = client.post("/pauses", asked).document
        outcome = {"pause_token": pause["pause_token"], "scope": SCOPE}
        before = client.post("/outcomes", outcome)
        moved = client.post("/local/clock", {"advance_seconds": 395})
        after = client.post("/outcomes", outcome)

    assert pause["expires_at"] == "2027-01-15T08:05:00Z"
    assert (before.status, before.code) == (409, "not-answered")
    assert moved.document["ran"]["sweep"]["done"] == {"AnsweredByPolicy": 1}
    assert (after.status, after.document["answered_by"]) == (200, "policy")
    assert after.document["answered_at"] == moved.document["time"] == "2027-01-15T08:06:35Z"


def test_without_a_clock_there_is_no_route_to_move_one() -> None:
    with Stack() as stack:
        assert Client(stack.url).post("/local/clock", {"advance_seconds": 95}).status == 404


def test_the_address_of_the_api_is_an_endpoint_of_the_emulated_aws(monkeypatch: pytest.MonkeyPatch) -> None:
    with Stack(clock=MovedClock()) as stack:
        for name, value in client_variables(stack.url).items():
            monkeypatch.setenv(name, value)
        asked = ask_user(question("Refund?", ["Yes", "No"]))
        invoking = AskbackClient(LambdaTransport())
        pause = invoking.pause(
            *asked, run_id="run-1", scope="acme/eu", ttl_seconds=60, tool_call_id="call-1", idempotency_key="refund"
        )
        shown = AskbackClient(HttpTransport()).question(pause)
        s3: Any = boto3.client("s3")
        bucket = s3.list_buckets()["Buckets"][0]["Name"]
        s3.put_object(Bucket=bucket, Key="k", Body=b"abc")
        length = s3.head_object(Bucket=bucket, Key="k")["ContentLength"]

    assert (shown.status, shown.jti, length) == ("issued", pause.jti, 3)


@pytest.mark.parametrize("whole", [False, True], ids=["by its name", "by its ARN"])
def test_an_alias_of_a_function_is_invoked_as_on_aws(whole: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    with Stack(clock=MovedClock(), parameters=_LINKS) as stack:
        for name, value in client_variables(stack.url).items():
            monkeypatch.setenv(name, value)
        resume = f"{STACK}-resumefunction:outcomes"
        functions = f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:"
        agent = AskbackClient(LambdaTransport(resume=f"{functions}{resume}" if whole else resume))
        asked = ask_user(question("Refund?", ["Yes", "No"]))
        pause = agent.pause(*asked, run_id="run-1", scope="acme", ttl_seconds=60, tool_call_id="call-1", messages=[])
        answer = choose(pause, "Yes")
        with pytest.raises(InvalidRequest, match="action: must be one of outcome"):
            agent.resume(pause, answer)
        AskbackClient(HttpTransport()).answer(pause, answer)
        assert agent.outcome(pause).assurance == "link"
        client: Any = boto3.client("lambda")
        name = f"{STACK}-resumefunction"
        refused = client.invoke(FunctionName=name, Qualifier="outcomes", Payload=b'{"action": "resume"}')
        assert json.loads(refused["Payload"].read())["errorType"] == "Askback.BadRequest"
        with pytest.raises(client.exceptions.ResourceNotFoundException):
            client.invoke(FunctionName=f"{name}:live", Payload=b"{}")


def test_a_person_with_a_jwt_answers_in_the_scope_of_its_claims() -> None:
    with Stack(parameters=_ISSUER) as stack:
        pause = Client(stack.url).post("/pauses", Transcript.refund().mint_request()).document
        stranger = _answer(stack, pause, claims=SCOPE | {"tenant_id": "other", "sub": "eve"})
        person = _answer(stack, pause, claims=SCOPE | {"sub": "ada"})
        nobody = _answer(stack, pause, claims=None)

    assert (stranger[0], stranger[1]["code"]) == (403, "scope-mismatch")
    assert (person[0], person[1]["answered_by"]) == (200, "ada")
    assert nobody == (401, {"message": "Unauthorized"})


def _answer(stack: Stack, pause: Mapping[str, Any], *, claims: Mapping[str, str] | None) -> tuple[int, dict[str, Any]]:
    question = pause["payload"]["questions"][0]["id"]
    body = {
        "answer_token": pause["answer_token"],
        "response": {"answers": [{"question_id": question, "selections": ["Approve"]}]},
    }
    headers = {"content-type": "application/json"}
    if claims is not None:
        middle = base64.urlsafe_b64encode(json.dumps(claims).encode()).decode().rstrip("=")
        headers["authorization"] = f"Bearer e30.{middle}.unsigned"
    connection = http.client.HTTPConnection(stack.url.removeprefix("http://"))
    try:
        connection.request("POST", "/user/answers", json.dumps(body), headers)
        response = connection.getresponse()
        return response.status, json.loads(response.read())
    finally:
        connection.close()

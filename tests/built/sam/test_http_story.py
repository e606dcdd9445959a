"""`sam local start-api`: the whole story of a pause over HTTP, route by route.

`sam local` has no IAM, so its events carry no authorizer; the functions believe that under `sam local` only. The /user
routes need a JWT authorizer, which it cannot give; tests/functions has them.
"""

import json
import time
from datetime import datetime
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import pytest

from local.demo.api_client import Answer, Client
from tests.support.request_bodies import Pause, a_mint

if TYPE_CHECKING:
    from mypy_boto3_lambda import LambdaClient

pytestmark = pytest.mark.sam


@pytest.fixture
def pause(api: Client) -> Pause:
    request = a_mint()
    minted = api.post("/pauses", request)
    assert minted.status == 201, minted.document
    return Pause(request=request, minted=minted.document)


def said(answer: Answer) -> tuple[int, str]:
    return answer.status, answer.code


def test_a_pause_goes_from_its_mint_to_its_outcome(api: Client, pause: Pause) -> None:
    assert (pause.minted["status"], pause.minted["resumable"]) == ("issued", True)

    question = api.post("/questions", {"answer_token": pause.minted["answer_token"]})
    assert (question.status, question.document["status"]) == (200, "issued")
    assert question.document["payload"] == pause.minted["payload"]
    outcome = pause.resume(response=...)
    assert said(api.post("/outcomes", outcome)) == (409, "not-answered")

    wrong = api.post("/resume", pause.resume(response=pause.response("approve")))
    assert said(wrong) == (422, "answer-invalid")
    assert wrong.document["errors"] == [
        {"field": "response.answers[0].selections", "message": "must be among the labels 'Approve', 'Reject'"}
    ]

    right = api.post("/resume", pause.resume())
    assert (right.status, right.document["replayed"]) == (200, False)
    assert right.document["response"]["answers"][0]["selections"] == ["Approve"]
    assert right.document["turn"]["messages"] == pause.request["messages"]

    again = api.post("/resume", pause.resume())
    assert (again.status, again.document) == (200, {**right.document, "replayed": True})

    other = api.post("/resume", pause.resume(response=pause.response("Reject")))
    assert said(other) == (409, "already-answered")
    assert other.document["answered_at"] == right.document["answered_at"]

    read = api.post("/outcomes", outcome)
    assert (read.status, read.document["turn"]) == (200, right.document["turn"])


def test_an_operator_finds_an_open_pause_and_revokes_it(api: Client, pause: Pause) -> None:
    jti = pause.minted["jti"]
    listed = api.send("GET", f"/pauses?{urlencode(pause.request['scope'] | {'limit': 100})}")
    assert listed.status == 200, listed.document
    assert jti in {item["jti"] for item in listed.document["pauses"]}
    shown = api.send("GET", f"/pauses/{jti}")
    assert (shown.status, shown.document["jti"], shown.document["status"]) == (200, jti, "issued")

    assert said(api.send("POST", f"/pauses/{jti}/redrive")) == (409, "not-redrivable")
    revoked = api.send("DELETE", f"/pauses/{jti}")
    assert (revoked.status, revoked.document["status"]) == (200, "revoked")
    assert said(api.post("/answers", pause.answer())) == (410, "revoked")


def test_an_answer_that_comes_too_late_is_told_so_before_and_after_the_sweep(
    api: Client, functions: "LambdaClient", short_lived: Pause
) -> None:
    """Nothing can move a container's clock, so this pause really expires: minted first, with the shortest ttl."""
    expires_at = datetime.fromisoformat(short_lived.minted["expires_at"]).timestamp()
    time.sleep(max(0.0, expires_at + 1 - time.time()))
    assert said(api.post("/resume", short_lived.resume())) == (410, "expired")
    assert said(api.post("/answers", short_lived.answer())) == (410, "expired")

    swept = json.load(functions.invoke(FunctionName="SweepFunction", Payload=b"{}")["Payload"])
    assert swept["done"] == {"Expired": 1}
    assert said(api.post("/outcomes", short_lived.resume(response=...))) == (410, "expired")

"""Calls that fail on the way: made again where nothing can happen twice, with the waits that were asked for."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from askback.client.client import AskbackClient
from askback.client.http_transport import HttpTransport
from askback.client.results import AnswerReceipt, IssuedPause
from askback.client.retries import Retries
from askback.client.transport import NoReply, UnknownProblem, UnreadableReply
from askback.domain.errors import AlreadyAnswered, AnswerInvalid, NotAnswered, StoreUnavailable, TooManyOpen
from tests.support.wire_faults import Fault as WireFault, Wire
from tests.unit.client.deployed import SCOPE, Deployed, a_choice, a_request
from tests.unit.client.faulty_front import Fault, reply_lost, request_lost, saying

UNAVAILABLE = b'{"code":"store-unavailable","status":503,"detail":"later","retryable":true}'
BUSY: dict[str, Fault] = {
    "the request is lost": request_lost,
    "the reply is lost": reply_lost,
    "a store is unavailable": saying(503, UNAVAILABLE, retry_after="1"),
    "the gateway is throttled": saying(429),
    "the function died": saying(500),
    "the gateway waited too long": saying(504),
    "an answer from before the gateway": saying(502, b"<html>"),
}
CALLS: dict[str, Callable[[AskbackClient, IssuedPause], Any]] = {
    "question": lambda client, pause: client.question(pause.answer_token),
    "answer": lambda client, pause: client.answer(pause.answer_token, a_choice(pause)),
    "resume": lambda client, pause: client.resume(pause.pause_token, a_choice(pause), scope=SCOPE, answerer="ada"),
}
NAMED = {
    "an idempotency key": {"idempotency_key": "run-7/question-1"},
    "a checkpoint and a call": {"checkpoint_id": "checkpoint-1"},
}


@pytest.fixture
def http(deployed: Deployed) -> AskbackClient:
    return deployed.client(deployed.http())


@pytest.mark.parametrize("fault", BUSY)
@pytest.mark.parametrize("call", CALLS)
def test_a_call_that_cannot_happen_twice_is_made_again(
    deployed: Deployed, http: AskbackClient, call: str, fault: str
) -> None:
    pause = http.pause(**a_request())
    deployed.front.calm()
    deployed.front.faults.append(BUSY[fault])
    result = CALLS[call](http, pause)
    assert result.jti == pause.jti
    assert len(deployed.front.sent) == 2
    assert deployed.front.sent[0].body == deployed.front.sent[1].body


@pytest.mark.parametrize("fault", BUSY)
def test_an_outcome_is_asked_for_again(deployed: Deployed, http: AskbackClient, fault: str) -> None:
    pause = http.pause(**a_request())
    http.answer(pause.answer_token, a_choice(pause))
    deployed.front.faults.append(BUSY[fault])
    assert http.outcome(pause.pause_token, scope=SCOPE).jti == pause.jti


def test_of_many_answers_those_that_were_not_tried_are_sent_again_and_no_other(
    deployed: Deployed, http: AskbackClient
) -> None:
    pauses = [http.pause(**a_request()) for _ in range(2)]
    deployed.front.calm()
    not_tried = '{"status":503,"problem":{"code":"not-tried","status":503,"detail":"later","retryable":true}}'
    taken = '{"status":422,"problem":{"code":"answer-invalid","status":422,"detail":"no","retryable":false}}'
    deployed.front.faults.append(saying(200, f'{{"items":[{not_tried},{taken}]}}'.encode()))
    first, second = http.answer_many([(pause.answer_token, a_choice(pause)) for pause in pauses])
    assert isinstance(first, AnswerReceipt)
    assert isinstance(second, AnswerInvalid)
    assert [len(json.loads(sent.body)["items"]) for sent in deployed.front.sent] == [2, 1]
    assert deployed.waits == [0.2]


def test_a_reply_to_many_answers_with_another_number_of_items_is_none(deployed: Deployed, http: AskbackClient) -> None:
    pause = http.pause(**a_request())
    deployed.front.faults.append(saying(200, b'{"items":[]}'))
    with pytest.raises(UnreadableReply):
        http.answer_many([(pause.answer_token, a_choice(pause))])


def test_an_answer_whose_reply_was_lost_is_one_answer(deployed: Deployed, http: AskbackClient) -> None:
    pause = http.pause(**a_request())
    deployed.front.faults.append(reply_lost)
    assert http.answer(pause.answer_token, a_choice(pause)).replayed is True
    with pytest.raises(AlreadyAnswered):
        http.answer(pause.answer_token, a_choice(pause, "Reject"))


@pytest.mark.parametrize("fault", BUSY)
@pytest.mark.parametrize("name", NAMED)
def test_a_pause_that_the_request_names_is_made_again_and_is_one_pause(
    deployed: Deployed, http: AskbackClient, name: str, fault: str
) -> None:
    request = a_request(**NAMED[name])
    request |= {"idempotency_key": request["run_id"]} if "idempotency_key" in request else {}
    deployed.front.faults.append(BUSY[fault])
    pause = http.pause(**request)
    assert http.pause(**request).jti == pause.jti


UNNAMED: dict[str, dict[str, Any]] = {
    "nothing": {},
    "a checkpoint alone": {
        "checkpoint_id": "checkpoint-1",
        "tool_call_id": None,
        "name": "signed_in",
        "payload": {"text": "Sure?"},
    },
}


@pytest.mark.parametrize("name", UNNAMED)
@pytest.mark.parametrize(
    ("fault", "error"),
    [(reply_lost, NoReply), (saying(503, UNAVAILABLE), StoreUnavailable), (saying(429), UnknownProblem)],
    ids=["reply lost", "unavailable", "throttled"],
)
def test_a_pause_that_could_be_made_twice_is_attempted_once(
    deployed: Deployed, http: AskbackClient, name: str, fault: Fault, error: type[Exception]
) -> None:
    deployed.front.faults.append(fault)
    with pytest.raises(error):
        http.pause(**a_request(**UNNAMED[name]))
    assert (len(deployed.front.sent), deployed.waits) == (1, [])


@pytest.mark.parametrize("fault", [saying(403), saying(404), saying(400, b'{"code":"new","detail":"x"}')])
def test_what_would_be_refused_again_is_not_asked_again(deployed: Deployed, http: AskbackClient, fault: Fault) -> None:
    deployed.front.faults.append(fault)
    with pytest.raises(UnknownProblem):
        http.question("a token")
    assert len(deployed.front.sent) == 1


def test_an_open_question_is_not_waited_for(deployed: Deployed, http: AskbackClient) -> None:
    pause = http.pause(**a_request())
    with pytest.raises(NotAnswered):
        http.outcome(pause.pause_token, scope=SCOPE)
    assert deployed.waits == []


def test_a_quota_is_not_waited_for_as_the_gateway_is(deployed: Deployed, http: AskbackClient) -> None:
    """A person must answer first; API Gateway's own 429 has no code and passes in a moment."""
    over = b'{"code":"too-many-open","status":429,"detail":"recipients[0] has 100 open pauses","retryable":true}'
    deployed.front.faults.append(saying(429, over))
    with pytest.raises(TooManyOpen, match="100 open pauses") as caught:
        http.pause(**a_request(idempotency_key="over-a-quota"))
    assert (caught.value.retryable, deployed.waits, len(deployed.front.sent)) == (True, [], 1)


def test_waits_double_up_to_a_limit_and_attempts_end(deployed: Deployed) -> None:
    retries = Retries(attempts=6, first_wait=1, longest_wait=5)
    deployed.front.faults.extend([request_lost] * 9)
    with pytest.raises(NoReply):
        deployed.client(deployed.http(), retries=retries).question("a token")
    assert deployed.waits == [1, 2, 4, 5, 5]
    assert len(deployed.front.sent) == 6


def test_up_to_half_of_a_wait_is_left_out() -> None:
    waits = [Retries(first_wait=1).wait(2, jitter=jitter) for jitter in (0, 0.5, 1)]
    assert waits == [2, 1.5, 1]


def test_a_wait_that_was_asked_for_is_kept(deployed: Deployed, http: AskbackClient) -> None:
    pause = http.pause(**a_request())
    deployed.front.faults.extend([saying(503, UNAVAILABLE, retry_after="3"), saying(429, retry_after="no number")])
    http.question(pause.answer_token)
    assert deployed.waits == [3, 0.4]


def test_a_deployment_that_asks_for_more_than_we_wait_is_left_alone(deployed: Deployed, http: AskbackClient) -> None:
    deployed.front.faults.append(saying(503, UNAVAILABLE, retry_after="60"))
    with pytest.raises(StoreUnavailable):
        http.question("a token")
    assert (len(deployed.front.sent), deployed.waits) == (1, [])


def test_nobody_there_is_no_reply() -> None:
    client = AskbackClient(HttpTransport("http://127.0.0.1:9", region="x"), sleep=lambda _: None)
    with pytest.raises(NoReply) as caught:
        client.question("a token")
    assert caught.value.__cause__ is None
    assert "a token" not in str(caught.value)


@pytest.mark.parametrize("fault", [WireFault.REFUSED, WireFault.REPLIES_LOST], ids=lambda fault: fault.name)
def test_an_invocation_is_repeated_by_the_same_rules(deployed: Deployed, fault: WireFault) -> None:
    """The SDK's own repetition is off: it does not know which calls may be repeated."""
    deployed.client(deployed.invocation()).pause(**a_request())
    wire = Wire(fault=fault, target=0)
    with wire.connected():
        client = deployed.client(deployed.invocation())
        pause = client.pause(**a_request(idempotency_key=f"wire-{fault.name}"))
        assert [name for name in wire.calls if name == "Invoke"] == ["Invoke", "Invoke"]
        wire.rearm(fault, target=0)
        with pytest.raises(NoReply):
            client.pause(**a_request())
        assert wire.calls.count("Invoke") == 1
        wire.rearm(fault, target=0)
        assert client.answer(pause.answer_token, a_choice(pause), scope=SCOPE).jti == pause.jti


def test_an_unavailable_store_is_tried_again_over_both_transports(deployed: Deployed, client: AskbackClient) -> None:
    deployed.refusal = StoreUnavailable()
    with pytest.raises(StoreUnavailable):
        client.question("a token")
    assert len(deployed.waits) == Retries().attempts - 1

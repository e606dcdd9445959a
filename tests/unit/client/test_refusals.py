"""Every refusal of the published table reaches the client as the class it was raised as, over both transports."""

import inspect
from collections.abc import Callable
from typing import Any

import boto3
import pytest

from askback.adapters.dynamodb.keys import ledger_key, record_key
from askback.client.client import AskbackClient
from askback.client.refusals import error_in
from askback.client.results import IssuedPause
from askback.client.transport import Reply, Unforeseen, UnknownProblem, UnreadableReply
from askback.domain import errors
from askback.domain.errors import REFUSALS, FieldError, HumanInteractionError
from askback.domain.pause.scope import Scope
from askback.edge.problems import problem
from local.emulated.template import STACK
from tests.unit.client.deployed import SCOPE, Deployed, a_choice, a_request

WORDS = "words of a newer deployment"


def a_refusal(refusal: type[HumanInteractionError]) -> HumanInteractionError:
    """Return an instance with every fact that its class has."""
    facts: dict[str, Any] = {
        "detail": WORDS,
        "errors": (FieldError("a.b", "is wrong"),),
        "answered_at": 1_790_000_000,
        "voted_at": 1_790_000_000,
        "name": "poll",
        "pause_status": "issued",
    }
    takes = inspect.signature(refusal).parameters
    return refusal(**{name: fact for name, fact in facts.items() if name in takes})


@pytest.mark.parametrize("refusal", REFUSALS, ids=lambda refusal: refusal.__name__)
def test_a_refusal_arrives_as_what_it_was_raised_as(
    deployed: Deployed, client: AskbackClient, refusal: type[HumanInteractionError]
) -> None:
    deployed.refusal = raised = a_refusal(refusal)
    with pytest.raises(refusal) as caught:
        client.outcome("a token", scope=SCOPE)
    assert type(caught.value) is refusal
    if caught.value.detail != raised.bare_detail:  # which an invocation gets
        assert (str(caught.value), caught.value.detail) == (str(raised), raised.detail)
    assert caught.value.code == raised.code
    assert caught.value.members() == raised.members()
    assert (caught.value.reason, caught.value.did_nothing) == ("", False)


def test_the_words_are_the_deployments_own() -> None:
    document = problem(errors.PauseExpired()) | {"detail": WORDS}
    error = error_in(Reply(status=410, document=document))
    assert isinstance(error, errors.PauseExpired)
    assert (str(error), error.detail, error.args) == (WORDS, WORDS, (WORDS,))


def test_an_unforeseen_failure_is_named_as_such(deployed: Deployed, client: AskbackClient) -> None:
    deployed.refusal = RuntimeError("a token")
    with pytest.raises(Unforeseen) as caught:
        client.pause(**a_request())
    assert (caught.value.code, caught.value.status, caught.value.retryable) == ("internal", 500, True)
    assert "a token" not in str(caught.value)


def test_a_code_of_a_newer_deployment_is_kept_with_its_status_and_its_words() -> None:
    document = {"code": "on-holiday", "status": 451, "detail": WORDS, "retryable": True}
    error = error_in(Reply(status=451, document=document))
    assert isinstance(error, UnknownProblem)
    assert (error.code, error.status, error.detail, error.retryable) == ("on-holiday", 451, WORDS, True)


@pytest.mark.parametrize(("status", "may_pass"), [(403, False), (404, False), (429, True), (502, True), (504, True)])
def test_a_gateways_own_refusal_has_a_status_and_repeats_no_text(status: int, may_pass: bool) -> None:
    error = error_in(Reply(status=status, document={"message": "the canonical request was: SECRET"}))
    assert isinstance(error, UnknownProblem)
    assert (error.code, error.status, error.retryable) == ("", status, may_pass)
    assert "SECRET" not in str(error)


@pytest.mark.parametrize("document", [{"code": 7, "detail": "x"}, {"code": "expired"}, {"detail": "x"}, {}])
def test_a_document_that_is_no_problem_is_no_refusal_of_ours(document: dict[str, Any]) -> None:
    assert isinstance(error_in(Reply(status=410, document=document)), UnknownProblem)


def test_problem_fields_that_are_malformed_are_passed_over() -> None:
    document = {"code": "answer-invalid", "detail": "x", "errors": ["?", {"field": "a"}]}
    error = error_in(Reply(status=422, document=document))
    assert isinstance(error, errors.AnswerInvalid)
    assert [item.field for item in error.errors] == ["a"]
    error = error_in(Reply(status=422, document={**document, "errors": None}))
    assert isinstance(error, errors.AnswerInvalid)
    assert error.errors == ()


def _delete(key: Callable[[IssuedPause], Any]) -> Callable[[IssuedPause], None]:
    def delete(pause: IssuedPause) -> None:
        boto3.client("dynamodb").delete_item(TableName=f"{STACK}-table", Key=key(pause))

    return delete


def _set(key: Callable[[IssuedPause], Any], **attributes: Any) -> Callable[[IssuedPause], None]:
    def put(pause: IssuedPause) -> None:
        table = boto3.client("dynamodb")
        item = table.get_item(TableName=f"{STACK}-table", Key=key(pause), ConsistentRead=True)["Item"]
        table.put_item(TableName=f"{STACK}-table", Item=item | attributes)

    return put


def _row(pause: IssuedPause) -> Any:
    return ledger_key(pause.jti)


def _record(kind: str) -> Callable[[IssuedPause], Any]:
    return lambda pause: record_key(
        thread_id=pause.thread_id,
        checkpoint_id=pause.checkpoint_id,
        key=f"{kind}:{pause.tool_call_id}",
        scope_hash=pause.scope.digest() if pause.scope else "",
    )


DAMAGE: dict[type[HumanInteractionError], Callable[[IssuedPause], None]] = {
    errors.UnknownPause: _delete(_row),
    errors.PauseRevoked: _set(_row, status={"S": "revoked"}),
    errors.PauseErased: _set(_row, erased_at={"N": "1"}, erased_by={"S": "operator"}),
    errors.PayloadMissing: _delete(_record("ask_user_request")),
    errors.PayloadUnreadable: _set(_record("ask_user_request"), data={"B": b"{}"}),
    errors.TurnMissing: _delete(_record("turn_state")),
    errors.TurnUnreadable: _set(_record("turn_state"), data={"B": b"{}"}),
}


@pytest.mark.parametrize("refusal", DAMAGE, ids=lambda refusal: refusal.__name__)
def test_what_became_of_the_records_is_told_by_name(
    client: AskbackClient, refusal: type[HumanInteractionError]
) -> None:
    pause = client.pause(**a_request())
    DAMAGE[refusal](pause)
    with pytest.raises(refusal):
        client.resume(pause.pause_token, a_choice(pause), scope=SCOPE)


ELSEWHERE: dict[type[HumanInteractionError], dict[str, Any]] = {
    errors.ScopeMismatch: {"scope": Scope(tenant_id="globex")},
    errors.SessionMismatch: {"session_id": "other"},
    errors.RunMismatch: {"run_id": "other"},
    errors.CallMismatch: {"tool_call_id": "other"},
    errors.TokenRejected: {"pause_token": "a.b.c"},
    errors.AnswerInvalid: {"response": "wait, what is this about?"},
}


@pytest.mark.parametrize("refusal", ELSEWHERE, ids=lambda refusal: refusal.__name__)
def test_a_mistake_is_told_and_the_right_call_still_goes_through(
    client: AskbackClient, refusal: type[HumanInteractionError]
) -> None:
    """A-07 among them: an answer of the wrong form names its field, and the token stays good."""
    pause = client.pause(**a_request())
    right: dict[str, Any] = {"pause_token": pause.pause_token, "response": a_choice(pause), "scope": SCOPE}
    with pytest.raises(refusal) as caught:
        client.resume(**right | ELSEWHERE[refusal])
    if isinstance(caught.value, errors.AnswerInvalid):
        assert [item.field for item in caught.value.errors] == ["response"]
    assert client.resume(**right).replayed is False


def test_the_refusal_of_a_second_answer_says_when_the_first_came(client: AskbackClient) -> None:
    pause = client.pause(**a_request())
    first = client.resume(pause.pause_token, a_choice(pause), scope=SCOPE)
    with pytest.raises(errors.AlreadyAnswered) as caught:
        client.resume(pause.pause_token, a_choice(pause, "Reject"), scope=SCOPE)
    assert caught.value.answered_at == first.answered_at


def test_an_answer_that_comes_too_late_is_refused_as_expired(deployed: Deployed, client: AskbackClient) -> None:
    pause = client.pause(**a_request(ttl_seconds=30))
    deployed.ahead = 31
    with pytest.raises(errors.PauseExpired):
        client.answer(pause.answer_token, a_choice(pause), scope=SCOPE)


def test_a_mint_is_refused_by_name(client: AskbackClient) -> None:
    with pytest.raises(errors.InvalidRequest) as caught:
        client.pause(**a_request(ttl_seconds=1))
    assert [item.field for item in caught.value.errors] == ["ttl_seconds"]
    with pytest.raises(errors.UnknownInteraction):
        client.pause(**a_request(name="poll"))
    with pytest.raises(errors.PayloadBindingError):
        client.pause(**a_request(tool_call_id=None))
    key = a_request()["run_id"]
    client.pause(**a_request(idempotency_key=key))
    with pytest.raises(errors.PauseConflict):
        client.pause(**a_request(idempotency_key=key))


def test_a_request_over_the_limit_of_http_has_another_refusal_than_a_wrong_one(deployed: Deployed) -> None:
    client = deployed.client(deployed.http())
    with pytest.raises(errors.RequestTooLarge):
        client.pause(**a_request(prompt="x" * 2_000_000))


def test_the_holder_of_a_link_may_not_answer_what_needs_a_sign_in(deployed: Deployed) -> None:
    client = deployed.client(deployed.http())
    pause = client.pause(**a_request(name="signed_in", payload={"text": "Sure?"}))
    with pytest.raises(errors.AnswererNotAllowed):
        client.answer(pause.answer_token, True)


def test_a_run_that_has_ended_takes_no_answer(client: AskbackClient) -> None:
    pause = client.pause(**a_request(waiter={"kind": "step_functions", "task_token": "gone"}))
    with pytest.raises(errors.WaiterGone):
        client.answer(pause.answer_token, a_choice(pause), scope=SCOPE)


@pytest.mark.parametrize("body", [b"<html>", b"[]", b'{"jti":1}', b"{}"])
def test_a_success_that_is_no_reply_of_askback_is_told_as_such(deployed: Deployed, body: bytes) -> None:
    deployed.front.faults.append(lambda forward: (200, {"content-type": "text/html"}, body))
    with pytest.raises(UnreadableReply):
        deployed.client(deployed.http()).question("a token")

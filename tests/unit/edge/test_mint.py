"""Who waits, what stands in and which pause it is, as a mint request says it."""

from typing import Any

import pytest

from askback.domain.errors import InvalidRequest
from askback.domain.interactions.default_answer import DefaultAnswer
from askback.domain.mint.command import MintCommand
from askback.domain.pause.waiters import Waiter, WaiterKind
from askback.edge.answer import outcome_request
from askback.edge.lambda_events import Caller, CallerAuth, RouteRequest
from askback.edge.mint import mint_command
from tests.support.memory_deployment import NOW, REFUND, SCOPE

SECRET = "AAAAKgAAAAIAAA+/x/y=="
FUNCTION = "arn:aws:lambda:eu-west-1:123456789012:function:agent"
BODY = {
    "name": "ask_user",
    "payload": REFUND,
    "run_id": "run-1",
    "scope": {"tenant_id": "acme", "sub_tenant_id": "eu", "namespace": "billing"},
    "ttl_seconds": 3600,
}


def a_request(**over: Any) -> RouteRequest:
    return RouteRequest(route="mint", caller=Caller(auth=CallerAuth.DIRECT), body={**BODY, **over})


EXECUTION = "arn:aws:states:eu-west-1:123456789012:execution:refunds:approval-7"


def read(*, functions: tuple[str, ...] = (FUNCTION,), has_event_bus: bool = True, **over: Any) -> MintCommand:
    return mint_command(a_request(**over), at=NOW, waiter_functions=frozenset(functions), has_event_bus=has_event_bus)


def refused(**over: Any) -> list[str]:
    with pytest.raises(InvalidRequest) as refusal:
        read(**over)
    assert SECRET not in f"{refusal.value.detail} {refusal.value.errors}"
    return [error.field for error in refusal.value.errors]


@pytest.mark.parametrize(
    ("body", "waiter"),
    [
        ({"kind": "step_functions", "task_token": SECRET}, Waiter(kind=WaiterKind.STEP_FUNCTIONS, address=SECRET)),
        ({"kind": "lambda_durable", "callback_id": "c"}, Waiter(kind=WaiterKind.LAMBDA_DURABLE, address="c")),
        ({"kind": "lambda", "function": FUNCTION}, Waiter(kind=WaiterKind.LAMBDA, address=FUNCTION)),
        ({"kind": "event"}, Waiter(kind=WaiterKind.EVENT)),
        ({"kind": "none"}, None),
        (None, None),
    ],
)
def test_each_kind_of_waiter_is_read_with_its_one_address(body: Any, waiter: Waiter | None) -> None:
    assert read(waiter=body).waiter == waiter


@pytest.mark.parametrize(
    "body",
    [
        {"kind": "step_functions"},
        {"kind": "step_functions", "task_token": ""},
        {"kind": "step_functions", "task_token": SECRET * 100},
        {"kind": "step_functions", "callback_id": SECRET},
        {"kind": "step_functions", "task_token": SECRET, "callback_id": SECRET},
        {"kind": "lambda_durable", "task_token": SECRET},
        {"kind": "lambda"},
        {"kind": "event", "task_token": SECRET},
        {"kind": "none", "function": FUNCTION},
    ],
)
def test_an_address_that_does_not_go_with_its_kind_is_refused_and_not_repeated(body: dict[str, Any]) -> None:
    assert refused(waiter=body) == ["waiter"]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "waiter.kind"),
        ({"kind": "pigeon"}, "waiter.kind"),
        ({"kind": "step_functions", "task_token": 7}, "waiter.task_token"),
        ({"kind": "event", "colour": SECRET}, "waiter.colour"),
        (SECRET, "waiter"),
        ([], "waiter"),
    ],
)
def test_a_waiter_of_another_form_is_refused_by_its_path(body: Any, field: str) -> None:
    assert refused(waiter=body) == [field]


def test_a_task_may_name_its_execution_and_no_other_waiter_may() -> None:
    waiter = {"kind": "step_functions", "task_token": SECRET}
    assert read(waiter=waiter).execution is None
    assert read(waiter={**waiter, "execution": EXECUTION}).execution == EXECUTION
    assert read(waiter={**waiter, "execution": EXECUTION}).waiter == read(waiter=waiter).waiter
    assert refused(waiter={**waiter, "execution": 7}) == ["waiter.execution"]


@pytest.mark.parametrize("function", ["agent", FUNCTION + ":live", FUNCTION.upper(), "", "*"])
def test_only_a_function_that_the_deployment_names_may_be_called(function: str) -> None:
    """Whoever may mint must not be able to invoke just anything with our role."""
    assert refused(waiter={"kind": "lambda", "function": function}) == ["waiter.function"]
    assert refused(functions=(), waiter={"kind": "lambda", "function": FUNCTION}) == ["waiter.function"]


def test_an_event_waiter_without_a_bus_is_refused() -> None:
    """Such a pause could be answered and never be delivered."""
    assert refused(has_event_bus=False, waiter={"kind": "event"}) == ["waiter.kind"]
    assert read(has_event_bus=False, waiter={"kind": "none"}).waiter is None


@pytest.mark.parametrize(
    ("body", "on_expiry"),
    [
        (None, None),
        ({"policy": "fail"}, None),
        ({"policy": "default", "response": {"a": 1.0}}, DefaultAnswer(response={"a": 1.0})),
        ({"policy": "default", "response": None}, DefaultAnswer(response=None)),
    ],
)
def test_what_stands_in_is_read_with_its_policy(body: Any, on_expiry: DefaultAnswer | None) -> None:
    assert read(on_expiry=body).on_expiry == on_expiry


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"policy": "default"}, "on_expiry.response"),
        ({"policy": "fail", "response": None}, "on_expiry.response"),
        ({"policy": "guess"}, "on_expiry.policy"),
        ({"response": 1}, "on_expiry.policy"),
        ({"policy": "fail", "colour": "blue"}, "on_expiry.colour"),
        ("fail", "on_expiry"),
    ],
)
def test_a_policy_of_another_form_is_refused_by_its_path(body: Any, field: str) -> None:
    assert refused(on_expiry=body) == [field]


@pytest.mark.parametrize("field", ["idempotency_key", "remind_after_seconds"])
@pytest.mark.parametrize("value", [1.5, True, [], {}])
def test_a_key_is_a_text_and_a_reminder_a_whole_number(field: str, value: Any) -> None:
    assert refused(**{field: value}) == [field]


def test_a_key_and_a_reminder_reach_the_command() -> None:
    command = read(idempotency_key="execution-7", remind_after_seconds=60)
    assert (command.idempotency_key, command.remind_after_seconds) == ("execution-7", 60)


def test_an_outcome_request_states_its_scope_and_brings_no_answer() -> None:
    body = {"pause_token": "t", "scope": BODY["scope"], "run_id": "run-1"}
    token, redeemer = outcome_request(RouteRequest(route="outcome", caller=Caller(auth=CallerAuth.DIRECT), body=body))
    assert (token, redeemer.scope, redeemer.run_id, redeemer.session_id) == ("t", SCOPE, "run-1", None)
    for over, field in (({"scope": None}, "scope"), ({"response": 1}, "response"), ({"answerer": "a"}, "answerer")):
        with pytest.raises(InvalidRequest) as refusal:
            outcome_request(RouteRequest(route="outcome", caller=Caller(auth=CallerAuth.DIRECT), body={**body, **over}))
        assert [error.field for error in refusal.value.errors] == [field]

"""A token is compared with the place that it is redeemed from: scope, session, run and call."""

from typing import Any

import pytest

from askback.domain.errors import CallMismatch, HumanInteractionError, RunMismatch, ScopeMismatch, SessionMismatch
from askback.domain.pause.scope import Scope
from askback.domain.tokens.scope_binder import Redeemer, ScopeBinder
from tests.support.memory_deployment import SCOPE, InMemoryDeployment

MINTED = InMemoryDeployment().mint()
OTHER = Scope(tenant_id="other")
HERE: dict[str, Any] = {"scope": SCOPE, "session_id": "sess-1", "run_id": "run-1", "tool_call_id": "call_Cc03Ask"}


@pytest.mark.parametrize(
    ("over", "error", "axis"),
    [
        ({"scope": OTHER}, ScopeMismatch, "scope"),
        ({"session_id": "sess-2"}, SessionMismatch, "session"),
        ({"session_id": ""}, SessionMismatch, "session"),
        ({"run_id": "run-2"}, RunMismatch, "run"),
        ({"tool_call_id": "call_2"}, CallMismatch, "call"),
        ({"tool_call_id": ""}, CallMismatch, "call"),
    ],
)
def test_each_axis_is_compared_and_named(over: dict[str, Any], error: type[HumanInteractionError], axis: str) -> None:
    with pytest.raises(error) as refusal:
        ScopeBinder().bind(MINTED.claims, Redeemer(**{**HERE, **over}), allow_cross_scope=False)
    assert axis in refusal.value.detail


def test_the_first_axis_that_differs_is_named() -> None:
    named: list[type[Exception]] = []
    elsewhere: dict[str, Any] = {"scope": OTHER, "session_id": "x", "run_id": "x", "tool_call_id": "x"}
    for axis in tuple(elsewhere):
        with pytest.raises(HumanInteractionError) as refusal:
            ScopeBinder().bind(MINTED.claims, Redeemer(**elsewhere), allow_cross_scope=False)
        named.append(type(refusal.value))
        elsewhere[axis] = HERE[axis]
    assert named == [ScopeMismatch, SessionMismatch, RunMismatch, CallMismatch]
    assert ScopeBinder().bind(MINTED.claims, Redeemer(**elsewhere), allow_cross_scope=False) is False


def test_an_axis_that_is_not_stated_is_not_compared() -> None:
    assert ScopeBinder().bind(MINTED.claims, Redeemer(scope=SCOPE), allow_cross_scope=False) is False
    assert ScopeBinder().bind(MINTED.claims, Redeemer(scope=None), allow_cross_scope=False) is False


def test_permission_to_cross_scopes_opens_no_other_axis() -> None:
    assert ScopeBinder().bind(MINTED.claims, Redeemer(**{**HERE, "scope": OTHER}), allow_cross_scope=True) is True
    with pytest.raises(RunMismatch):
        ScopeBinder().bind(MINTED.claims, Redeemer(scope=OTHER, run_id="run-2"), allow_cross_scope=True)

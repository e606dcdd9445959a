"""Every refusal has one code and one status, and the two stand in one table."""

from collections.abc import Iterator

import pytest

from askback.domain.errors import HumanInteractionError, NotAnswered, StoreUnavailable
from askback.edge.serve import STATUS

PROMISED = {
    ("bad-request", 400),
    ("bad-request", 413),
    ("token-rejected", 401),
    ("unauthenticated", 401),
    ("scope-mismatch", 403),
    ("session-mismatch", 403),
    ("run-mismatch", 403),
    ("call-mismatch", 403),
    ("answerer-not-allowed", 403),
    ("unknown-pause", 404),
    ("unknown-route", 404),
    ("payload-mismatch", 409),
    ("pause-conflict", 409),
    ("question-changed", 409),
    ("interrupt-not-open", 409),
    ("already-answered", 409),
    ("not-answered", 409),
    ("not-redrivable", 409),
    ("expired", 410),
    ("revoked", 410),
    ("waiter-gone", 410),
    ("answer-invalid", 422),
    ("unknown-interaction", 422),
    ("payload-missing", 424),
    ("payload-unreadable", 424),
    ("outcome-unreadable", 424),
    ("turn-missing", 424),
    ("turn-unreadable", 424),
    ("turn-mismatch", 424),
    ("misconfigured", 500),
    ("store-unavailable", 503),
}
"""The codes and statuses of the published interface: callers tell refusals apart by them."""


def _below(error: type[HumanInteractionError]) -> Iterator[type[HumanInteractionError]]:
    for subclass in error.__subclasses__():
        if subclass.__module__.startswith("askback."):
            yield subclass
        yield from _below(subclass)


REFUSALS = sorted(
    {error for error in _below(HumanInteractionError) if hasattr(error, "code")}, key=lambda e: e.__name__
)


@pytest.mark.parametrize("error", REFUSALS, ids=lambda error: error.__name__)
def test_every_refusal_has_a_status_of_its_own_entry(error: type[HumanInteractionError]) -> None:
    assert error in STATUS


def test_the_table_holds_refusals_and_nothing_else() -> None:
    assert set(STATUS) == set(REFUSALS)


def test_codes_and_statuses_are_the_promised_ones() -> None:
    assert {(error.code, status) for error, status in STATUS.items()} == PROMISED


def test_no_two_refusals_share_both_code_and_status() -> None:
    assert len(STATUS) == len(PROMISED)


def test_only_an_unavailable_store_and_an_open_question_invite_the_same_request_again() -> None:
    assert [error for error in REFUSALS if error.retryable] == [NotAnswered, StoreUnavailable]


def test_the_classes_that_only_group_refusals_have_no_code() -> None:
    groups = {error.__name__ for error in _below(HumanInteractionError) if not hasattr(error, "code")}
    assert groups == {"_WithFields", "_FixedText", "BindingMismatch", "PausedStateError"}

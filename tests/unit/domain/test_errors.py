"""Every refusal stands in one table with its code, its status and who must act."""

from collections.abc import Iterator

import pytest

from askback.domain.errors import (
    REFUSALS,
    Actor,
    AlreadyAnswered,
    AnswerInvalid,
    FieldError,
    HumanInteractionError,
    NotAnswered,
    NotTried,
    StoreUnavailable,
    TooManyOpen,
)

PROMISED = {
    ("bad-request", 400),
    ("bad-request", 413),
    ("token-rejected", 401),
    ("unauthenticated", 401),
    ("scope-mismatch", 403),
    ("session-mismatch", 403),
    ("run-mismatch", 403),
    ("call-mismatch", 403),
    ("principal-not-allowed", 403),
    ("answerer-not-allowed", 403),
    ("unknown-pause", 404),
    ("unknown-route", 404),
    ("payload-mismatch", 409),
    ("pause-conflict", 409),
    ("question-changed", 409),
    ("interrupt-not-open", 409),
    ("already-answered", 409),
    ("already-voted", 409),
    ("duplicate-pause", 409),
    ("not-answered", 409),
    ("not-redrivable", 409),
    ("expired", 410),
    ("revoked", 410),
    ("superseded", 410),
    ("link-revoked", 410),
    ("erased", 410),
    ("waiter-gone", 410),
    ("answer-invalid", 422),
    ("too-many-open", 429),
    ("unknown-interaction", 422),
    ("payload-missing", 424),
    ("payload-unreadable", 424),
    ("outcome-unreadable", 424),
    ("row-unreadable", 424),
    ("turn-missing", 424),
    ("turn-unreadable", 424),
    ("turn-mismatch", 424),
    ("misconfigured", 500),
    ("store-unavailable", 503),
    ("not-tried", 503),
}
"""The codes and statuses of the published interface: callers tell refusals apart by them."""


def _below(error: type[HumanInteractionError]) -> Iterator[type[HumanInteractionError]]:
    for subclass in error.__subclasses__():
        if subclass.__module__.startswith("askback."):
            yield subclass
        yield from _below(subclass)


def test_the_table_holds_every_refusal_that_can_be_raised_and_nothing_else() -> None:
    assert {error for error in _below(HumanInteractionError) if hasattr(error, "code")} == set(REFUSALS)
    assert len(REFUSALS) == len(set(REFUSALS))


def test_codes_and_statuses_are_the_promised_ones() -> None:
    assert {(error.code, error.status) for error in REFUSALS} == PROMISED


def test_no_two_refusals_share_both_code_and_status() -> None:
    assert len(REFUSALS) == len(PROMISED)


def test_only_what_ends_by_itself_invites_the_same_request_again() -> None:
    assert [error for error in REFUSALS if error.retryable] == [
        TooManyOpen,
        NotAnswered,
        StoreUnavailable,
        NotTried,
    ]


def test_the_operator_must_act_on_what_the_deployment_recorded_or_lacks() -> None:
    """A caller who is asked to act on these could do nothing."""
    operators = {error.code for error in REFUSALS if error.acts is Actor.OPERATOR}
    assert {error.code for error in REFUSALS if error.status in (424, 500)} < operators
    assert operators - {error.code for error in REFUSALS if error.status in (424, 500)} == {
        "payload-mismatch",
        "not-redrivable",
        "unknown-interaction",
    }


def test_a_refusal_comes_back_from_its_problem_with_its_words_and_facts() -> None:
    error = AnswerInvalid.from_problem(
        {"detail": "no", "errors": [{"field": "a.b", "message": "is wrong"}], "answered_at": "2026-01-02T03:04:05Z"}
    )
    assert (error.detail, error.errors) == ("no", (FieldError("a.b", "is wrong"),))
    answered = AlreadyAnswered.from_problem({"detail": "done", "answered_at": "2026-01-02T03:04:05Z"})
    assert (answered.detail, answered.answered_at) == ("done", 1767323045)
    assert StoreUnavailable.from_problem({"detail": "wait", "errors": "none"}).errors == ()


@pytest.mark.parametrize("said", [None, 7, "yesterday"])
def test_an_already_answered_problem_without_a_time_is_not_read(said: object) -> None:
    with pytest.raises((TypeError, ValueError)):
        AlreadyAnswered.from_problem({"detail": "done", "answered_at": said})

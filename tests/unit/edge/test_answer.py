"""The names of tokens in bodies: `pause_token` on the backend's routes, `answer_token` on the people's."""

from typing import Any

import pytest

from askback.domain.errors import InvalidRequest
from askback.domain.pause.claims import Audience
from askback.edge.answer import question_token, resume_command
from askback.edge.lambda_events import Caller, CallerAuth, RouteRequest
from askback.settings import ClaimNames

NAMES = ClaimNames(tenant="tenant", sub_tenant="sub_tenant", namespace="namespace", answerer="sub")
BACKEND = frozenset({Audience.RESUME})
FOR_PEOPLE = [frozenset({Audience.ANSWER}), frozenset(Audience)]


def _request(**body: Any) -> RouteRequest:
    return RouteRequest(route="answer", caller=Caller(auth=CallerAuth.LINK), body=body)


def _token(audiences: frozenset[Audience], **body: Any) -> str:
    command = resume_command(
        _request(response=1, **body), claim_names=NAMES, at=1, attempt_id="attempt-1", audiences=audiences
    )
    return command.token


def _wrong(audiences: frozenset[Audience] | None, **body: Any) -> list[str]:
    with pytest.raises(InvalidRequest) as refused:
        question_token(_request(**body)) if audiences is None else _token(audiences, **body)
    assert "t-1" not in f"{refused.value.detail} {refused.value.errors}"
    return sorted(error.field for error in refused.value.errors)


def test_a_backend_sends_a_pause_token_under_that_name_alone() -> None:
    assert _token(BACKEND, pause_token="t-1") == "t-1"
    assert _wrong(BACKEND, answer_token="t-1") == ["answer_token", "pause_token"]


@pytest.mark.parametrize("audiences", FOR_PEOPLE, ids=len)
def test_a_person_sends_an_answer_token_and_the_old_name_is_still_read(audiences: frozenset[Audience]) -> None:
    for name in ("answer_token", "pause_token"):
        assert _token(audiences, **{name: "t-1"}) == "t-1"
        assert question_token(_request(**{name: "t-1"})) == "t-1"


@pytest.mark.parametrize("audiences", [*FOR_PEOPLE, None], ids=["link", "signed in", "question"])
def test_what_is_wrong_with_a_persons_token_is_told_under_the_name_that_was_sent(
    audiences: frozenset[Audience] | None,
) -> None:
    assert _wrong(audiences) == ["answer_token"]
    for name in ("answer_token", "pause_token"):
        assert _wrong(audiences, **{name: None}) == [name]
        assert _wrong(audiences, **{name: 5}) == [name]


@pytest.mark.parametrize("audiences", [*FOR_PEOPLE, None], ids=["link", "signed in", "question"])
def test_a_token_under_both_names_is_refused_naming_both(audiences: frozenset[Audience] | None) -> None:
    assert _wrong(audiences, answer_token="t-1", pause_token="t-1") == ["answer_token", "pause_token"]

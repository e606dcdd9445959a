"""The names of tokens in bodies: `pause_token` on the backend's routes, `answer_token` on the people's."""

from collections.abc import Callable
from typing import Any

import pytest

from askback.domain.errors import InvalidRequest
from askback.domain.pause.claims import Audience
from askback.domain.resume.outcome import ResumeCommand
from askback.edge.answer import answer_command, resume_command
from askback.edge.lambda_events import Caller, CallerAuth, RouteRequest
from askback.edge.question import question_request
from askback.settings import ClaimNames

NAMES = ClaimNames(tenant="tenant", sub_tenant="sub_tenant", namespace="namespace", answerer="sub")
SCOPE = {"tenant_id": "t"}
CLAIMS = {"tenant": "t", "sub": "ada"}
SIGNED_IN = (CallerAuth.JWT, CallerAuth.IAM, CallerAuth.DIRECT)

Read = Callable[..., ResumeCommand]


def _request(auth: CallerAuth = CallerAuth.LINK, **body: Any) -> RouteRequest:
    return RouteRequest(route="answer", caller=Caller(auth=auth, jwt_claims=CLAIMS), body=body)


def _command(read: Read, auth: CallerAuth = CallerAuth.LINK, **body: Any) -> ResumeCommand:
    request = _request(auth, response=1, scope=SCOPE, **body)
    return read(request, claim_names=NAMES, at=1, attempt_id="attempt-1")


def _token(read: Read, **body: Any) -> str:
    return _command(read, **body).token


def _wrong(read: Read | None, **body: Any) -> list[str]:
    with pytest.raises(InvalidRequest) as refused:
        question_request(_request(**body)) if read is None else _token(read, **body)
    assert "t-1" not in f"{refused.value.detail} {refused.value.errors}"
    return sorted(error.field for error in refused.value.errors)


def test_a_backend_sends_a_pause_token_under_that_name_alone() -> None:
    assert _token(resume_command, pause_token="t-1") == "t-1"
    assert _wrong(resume_command, answer_token="t-1") == ["answer_token", "pause_token"]


@pytest.mark.parametrize("auth", [*SIGNED_IN, CallerAuth.LINK])
def test_a_route_for_backends_accepts_only_pause_tokens(auth: CallerAuth) -> None:
    assert _command(resume_command, auth, pause_token="t-1").audiences == {Audience.RESUME}


def test_a_route_for_people_accepts_only_answer_tokens_from_the_holder_of_a_link() -> None:
    assert _command(answer_command, CallerAuth.LINK, answer_token="t-1").audiences == {Audience.ANSWER}


@pytest.mark.parametrize("auth", SIGNED_IN)
def test_a_route_for_people_accepts_both_tokens_from_a_known_caller(auth: CallerAuth) -> None:
    assert _command(answer_command, auth, answer_token="t-1").audiences == {Audience.ANSWER, Audience.RESUME}


def test_a_person_sends_an_answer_token_and_the_old_name_is_still_read() -> None:
    for name in ("answer_token", "pause_token"):
        assert _token(answer_command, **{name: "t-1"}) == "t-1"
        assert question_request(_request(CallerAuth.LINK, **{name: "t-1"})) == ("t-1", None)


@pytest.mark.parametrize("read", [answer_command, None], ids=["answer", "question"])
def test_an_error_in_a_person_s_token_has_the_field_that_was_sent(read: Read | None) -> None:
    assert _wrong(read) == ["answer_token"]
    for name in ("answer_token", "pause_token"):
        assert _wrong(read, **{name: None}) == [name]
        assert _wrong(read, **{name: 5}) == [name]


@pytest.mark.parametrize("read", [answer_command, None], ids=["answer", "question"])
def test_a_token_under_both_names_is_refused_with_both_fields(read: Read | None) -> None:
    assert _wrong(read, answer_token="t-1", pause_token="t-1") == ["answer_token", "pause_token"]

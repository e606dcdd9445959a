"""No refusal ever carries a token, an answer or what was to be asked."""

import asyncio
import traceback
from typing import Any

import pytest

from askback.domain.errors import HumanInteractionError
from askback.domain.resume.eight_steps import ResumeCommand
from askback.domain.tokens.scope_binder import Redeemer
from tests.support.memory_deployment import NOW, SCOPE, InMemoryDeployment, a_resume_command
from tests.support.own_interactions import a_deployment
from tests.support.resume_faults import FAULTS, REVOKED, Fault, Scene

MARKER = "MARKER-that-only-the-answer-says"


def _said(error: BaseException) -> str:
    """Return all that a log, a screen or a caller could get to see of an error."""
    facts = [str(error), repr(error), str(vars(error)), *map(str, error.args), *traceback.format_exception(error)]
    return "\n".join(facts)


def _refusal(attempt: Any) -> HumanInteractionError:
    with pytest.raises(HumanInteractionError) as refusal:
        attempt()
    return refusal.value


@pytest.mark.parametrize("fault", [*FAULTS, REVOKED], ids=lambda fault: f"{fault.step} {fault.label}")
def test_no_step_of_resuming_tells_the_token_or_the_answer(fault: Fault) -> None:
    scene = Scene.of_an_approval()
    scene.response = {"approved": True}
    fault.put_into(scene)
    if fault.step == "6a":
        scene.response = {"approved": MARKER}
    said = _said(_refusal(scene.attempt))
    assert MARKER not in said
    assert scene.token() not in said
    assert scene.token().rsplit(".", 1)[1] not in said
    assert scene.minted.tokens.answer not in said


FREE = {
    "questions": [
        {"question": "Why?", "options": [{"label": "A"}, {"label": "B"}], "allow_other": True},
        {"question": "Which?", "options": [{"label": "A"}, {"label": "B"}], "multi_select": True},
    ]
}


def _answers(first: Any, second: Any) -> Any:
    return lambda ids: {"answers": [{"question_id": ids[0], **first}, {"question_id": ids[1], **second}]}


@pytest.mark.parametrize(
    "answers",
    [
        lambda ids: MARKER,
        lambda ids: [MARKER],
        lambda ids: {"answers": MARKER},
        lambda ids: {"answers": [MARKER]},
        lambda ids: {"answers": [{"question_id": MARKER, "selections": ["A"]}]},
        lambda ids: {"answers": [{"question_id": ids[0], "selections": MARKER}]},
        _answers({"selections": [MARKER]}, {"selections": ["A"]}),
        _answers({"selections": ["A"]}, {"selections": [MARKER, MARKER]}),
        _answers({"selections": ["A"], "other": MARKER}, {"selections": ["A"]}),
        _answers({"selections": ["A"]}, {"selections": ["A"], "other": MARKER}),
        _answers({"other": MARKER * 100}, {"selections": ["A"]}),
        _answers({"other": [MARKER]}, {"selections": ["A"]}),
        _answers({"other": MARKER + "\ud83d"}, {"selections": ["A"]}),
        _answers({"other": MARKER}, {"selections": []}),
        _answers({"other": MARKER}, {"selections": ["C"]}),
    ],
)
def test_no_refused_answer_is_repeated(answers: Any) -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint(payload=FREE)
    ids = [question["id"] for question in minted.payload["questions"]]
    error = _refusal(lambda: deployment.resume(minted, response=answers(ids)))
    assert error.code == "answer-invalid"
    assert MARKER not in _said(error)


def test_the_first_answer_is_not_told_to_whoever_comes_second() -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint(payload=FREE)
    ids = [question["id"] for question in minted.payload["questions"]]
    deployment.resume(minted, response=_answers({"other": MARKER}, {"selections": ["A"]})(ids))
    second = _answers({"other": "something else"}, {"selections": ["A"]})(ids)
    error = _refusal(lambda: deployment.resume(minted, response=second, attempt_id="attempt-2", answered_by="grace"))
    assert error.code == "already-answered"
    assert MARKER not in _said(error)
    assert "ada" not in error.detail


@pytest.mark.parametrize("token", [f"{MARKER}.{MARKER}.{MARKER}", MARKER, MARKER * 1000, f"a.b.{MARKER}\n"])
def test_a_rejected_token_is_not_repeated(token: str) -> None:
    deployment = InMemoryDeployment()
    command = ResumeCommand(
        token=token,
        redeemer=Redeemer(scope=SCOPE),
        response=None,
        answered_by="ada",
        at=NOW,
        attempt_id="attempt-1",
    )
    assert MARKER not in _said(_refusal(lambda: asyncio.run(deployment.resuming.resume(command))))
    assert MARKER not in _said(_refusal(lambda: asyncio.run(deployment.resuming.question(token, at=NOW))))


@pytest.mark.parametrize(
    "over",
    [
        {"payload": {"amount": 1.0, "note": MARKER + "\ud83d"}, "name": "approval_required"},
        {"payload": {"questions": [{"question": MARKER, "options": []}]}},
        {"payload": {"questions": MARKER}},
        {"messages": [{"content": MARKER}, MARKER]},
        {"messages": [{"content": MARKER, "bytes": MARKER.encode()}]},
        {"prompt": MARKER * 100_000},
        {"messages": None, "prompt": MARKER},
    ],
    ids=range(7),
)
def test_a_refused_mint_does_not_repeat_what_was_to_be_asked_or_said(over: dict[str, Any]) -> None:
    assert MARKER not in _said(_refusal(lambda: a_deployment().mint(**over)))


def test_no_text_of_an_error_has_a_key() -> None:
    for ring in (
        MARKER,
        f'{{"current":"k1","key:k1":"{MARKER[:20]}"}}',
        f'{{"current":"k1","key:k1":5,"x":"{MARKER}"}}',
    ):
        deployment = InMemoryDeployment(key_ring=ring)
        minted = InMemoryDeployment().mint()
        for attempt in (deployment.mint, lambda: deployment.resume(minted)):  # noqa: B023
            assert MARKER[:20] not in _said(_refusal(attempt))


def test_the_command_that_is_refused_stays_out_of_the_error() -> None:
    minted = InMemoryDeployment().mint()
    command = a_resume_command(minted, at=minted.claims.exp)
    error = _refusal(lambda: asyncio.run(InMemoryDeployment().resuming.resume(command)))
    assert minted.tokens.pause not in _said(error)

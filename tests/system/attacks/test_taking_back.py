"""A program that revokes or replaces a question: it must be its own, open, and it gets no link of a person."""

from typing import Any

import pytest

from tests.support.function_deployment import Answer, Handlers
from tests.support.problems import require_problem
from tests.support.request_bodies import Pause, a_mint

OTHER = "arn:aws:sts::123456789012:assumed-role/other-agent/session"
PEOPLE = ["ada@example.com", "bob@example.com"]


def revoke(handlers: Handlers, jti: str, **options: Any) -> Answer:
    return handlers.post(f"/pauses/{jti}/revoke", {"reason": "Mine."}, **options)


def replace(handlers: Handlers, jti: str, old: Pause, **options: Any) -> Answer:
    request = a_mint(scope=old.request["scope"], recipients=PEOPLE, supersedes=jti)
    return handlers.post("/pauses", request, **options)


@pytest.mark.cannot("revoke or replace a question of another principal")
def test_the_question_of_another_principal_looks_like_none(handlers: Handlers) -> None:
    pause = handlers.pause(recipients=PEOPLE)
    there, missing = pause.minted["jti"], "f" * 32
    foreign = revoke(handlers, there, arn=OTHER)
    require_problem(foreign, 404, "unknown-pause")
    assert foreign.document == revoke(handlers, missing, arn=OTHER).document
    assert foreign.document == replace(handlers, there, pause, arn=OTHER).document
    assert foreign.document == replace(handlers, missing, pause, arn=OTHER).document
    direct = {"action": "revoke", "jti": pause.minted["jti"]}
    assert handlers.refused("mint", direct)["code"] == "unknown-pause"
    assert handlers.redeems(pause)


@pytest.mark.cannot("undo an answer by a revocation or a replacement")
def test_what_was_answered_stays_answered(handlers: Handlers) -> None:
    pause = handlers.pause(recipients=PEOPLE)
    assert handlers.redeems(pause)
    before = handlers.get(f"/pauses/{pause.minted['jti']}").document
    require_problem(revoke(handlers, pause.minted["jti"]), 409, "already-answered")
    require_problem(replace(handlers, pause.minted["jti"], pause), 409, "already-answered")
    assert handlers.get(f"/pauses/{pause.minted['jti']}").document == before


@pytest.mark.cannot("get the link of a person by a replacement")
def test_no_token_of_the_program_leads_on_to_a_link(handlers: Handlers) -> None:
    pause = handlers.pause(recipients=PEOPLE)
    newer = replace(handlers, pause.minted["jti"], pause).document
    for token in (pause.minted["pause_token"], pause.minted["answer_token"], newer["pause_token"]):
        for name in ("answer_token", "pause_token"):
            shown = handlers.post("/questions", {name: token})
            assert shown.status == 200
            assert "next_answer_token" not in shown.document
    refused = handlers.post("/answers", pause.answer(answer_token=pause.minted["recipients"][0]["answer_token"]))
    require_problem(refused, 410, "superseded")
    assert "token" not in str(refused.document)

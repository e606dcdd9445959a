"""Several people decide while time moves: the example of the page about it, and whose votes and links count then."""

import json
import re
from pathlib import Path
from typing import Any

from askback.domain.timestamps import rfc3339
from tests.support.problems import require_problem
from tests.support.request_bodies import SCOPE, Pause, a_scope
from tests.support.waiting_world import World

ROOT = Path(__file__).parents[2]
BOARD = [f"{name}@example.com" for name in ("ada", "bob", "cyd", "dan", "eve")]
ADA, BOB, CYD, DAN, EVE = BOARD
HEAD = "head-of-finance@example.com"
SEVERAL: dict[str, Any] = {
    "name": "approval",
    "payload": {"title": "Pay?", "action": {"name": "pay", "arguments": {"amount": 4900}}},
    "approvers": BOARD,
    "recipients": BOARD,
    "quorum": {"needed": 2, "veto": True},
    "ttl_seconds": 86400,
    "max_ttl_seconds": 604800,
    "escalation": [{"after_seconds": 3600, "to": [HEAD]}],
}
YES, NO = {"decision": "approve"}, {"decision": "reject"}


def token_of(world: World, pause: Pause, person: str) -> str:
    links = world.handlers.post(f"/pauses/{pause.minted['jti']}/links", {}).document
    (token,) = [each["answer_token"] for each in links["recipients"] if each["recipient"] == person]
    return str(token)


def vote(world: World, pause: Pause, person: str, response: dict[str, Any]) -> Any:
    return world.handlers.post("/answers", {"answer_token": token_of(world, pause, person), "response": response})


def shown(world: World, pause: Pause) -> dict[str, Any]:
    document: dict[str, Any] = world.handlers.get(f"/pauses/{pause.minted['jti']}").document
    return document


def reassign(world: World, pause: Pause, leaving: str, to: str) -> Any:
    return world.handlers.post(f"/pauses/{pause.minted['jti']}/reassign", {"from": leaving, "to": to})


def test_the_example_of_the_page_is_one_mint_and_one_state(world: World) -> None:
    pause = world.handlers.pause(**SEVERAL)
    assert vote(world, pause, CYD, YES).status == 202
    assert world.sweep(after=3600)["done"] == {"Escalated": 1, "ChangeAnnounced": 1}
    page = (ROOT / "docs" / "decisions-by-several.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```json reply\n(.*?)```", page, re.DOTALL)
    state = shown(world, pause)
    assert {name: state[name] for name in json.loads(example)} == json.loads(example)
    seen = world.handlers.post("/questions", {"answer_token": token_of(world, pause, HEAD)}).document
    assert (seen["asked_because"], seen["asked_people"], seen["quorum"]["members"]) == ("escalated", 6, 6)
    until = rfc3339(world.now + 86400)
    extended = world.handlers.post(f"/pauses/{pause.minted['jti']}/extend", {"expires_at": until})
    assert extended.document["expires_at"] == until
    ended = vote(world, pause, HEAD, YES)
    assert (ended.status, ended.document["answered_by"]) == (200, HEAD)
    assert [(each["by"], each["counts"]) for each in shown(world, pause)["votes"]] == [(CYD, True), (HEAD, True)]


def test_the_vote_of_a_person_who_was_replaced_counts_no_more(world: World) -> None:
    pause = world.handlers.pause(**SEVERAL)
    token = token_of(world, pause, CYD)
    assert vote(world, pause, CYD, YES).status == 202
    assert reassign(world, pause, CYD, HEAD).status == 200
    state = shown(world, pause)
    assert (state["quorum"]["members"], state["quorum"]["approved"], state["votes"][0]["counts"]) == (5, 0, False)
    require_problem(world.handlers.post("/answers", {"answer_token": token, "response": YES}), 410, "link-revoked")
    assert vote(world, pause, ADA, YES).status == 202
    assert vote(world, pause, HEAD, YES).status == 200
    outcome = world.handlers.post("/outcomes", {"pause_token": pause.minted["pause_token"], "scope": SCOPE}).document
    assert [(each["by"], each["counts"]) for each in outcome["votes"]] == [(CYD, False), (ADA, True), (HEAD, True)]


def test_a_person_whom_a_step_added_can_veto(world: World) -> None:
    pause = world.handlers.pause(**SEVERAL)
    assert vote(world, pause, ADA, YES).status == 202
    world.sweep(after=3600)
    assert vote(world, pause, HEAD, NO).status == 200
    assert shown(world, pause)["status"] == "answered"


def test_the_list_has_the_people_who_are_asked_now(world: World) -> None:
    scope = a_scope()
    pause = world.handlers.pause(**SEVERAL, scope=scope)
    world.sweep(after=3600)
    assert reassign(world, pause, ADA, "fay@example.com").status == 200

    def listed(recipient: str) -> list[list[str]]:
        page = world.handlers.get(f"/pauses?tenant_id={scope['tenant_id']}&whole=true&recipient={recipient}").document
        return [each["recipients"] for each in page["pauses"]]

    assert listed(HEAD) == [[BOB, CYD, DAN, EVE, HEAD, "fay@example.com"]]
    assert listed(ADA) == []


def test_a_newer_question_leads_only_the_people_on_whom_it_asks(world: World) -> None:
    pause = world.handlers.pause(**SEVERAL)
    world.sweep(after=3600)
    old = {person: token_of(world, pause, person) for person in (ADA, HEAD)}
    newer = world.handlers.pause(**SEVERAL | {"supersedes": pause.minted["jti"], "escalation": []})
    assert shown(world, pause)["status"] == "superseded"
    led = {p: world.handlers.post("/questions", {"answer_token": token}).document for p, token in old.items()}
    assert led[ADA]["next_answer_token"] == token_of(world, newer, ADA)
    assert "next_answer_token" not in led[HEAD]

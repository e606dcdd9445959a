"""A member passes a question on to another person: who may, to whom, and what every reader sees of it."""

import itertools
import json
from dataclasses import replace
from typing import Any

import pytest

from askback.adapters.dynamodb import ledger_items as items
from tests.support.function_deployment import Answer, Deployment, Handlers
from tests.support.operator_terminal import Terminal
from tests.support.problems import require_problem
from tests.support.request_bodies import PERSON, SCOPE, a_mint
from tests.support.several import NO, YES, Several
from tests.support.table_stream import TableStream
from tests.support.waiting_world import World, body_of

ADA, BOB, CYD, ZORA, EVE = (f"{name}@board.example" for name in ("ada", "bob", "cyd", "zora", "eve"))
PEOPLE = [ADA, BOB, CYD]
COMPANY = ["*@BOARD.example", "trustee"]


class Passing(Several):
    """A pause whose members may pass it on."""

    def __init__(self, handlers: Handlers, **over: Any) -> None:
        fields = {"approvers": PEOPLE, "recipients": PEOPLE, "delegates": COMPANY}
        super().__init__(handlers, over.pop("quorum", {"needed": 2}), **{**fields, **over})

    def now(self, person: str) -> str:
        """Return the token of the link that a person has now."""
        links = self.handlers.post(f"/pauses/{self.minted['jti']}/links", {}).document["recipients"]
        return str({each["recipient"]: each["answer_token"] for each in links}[person])

    def passes_on(self, token: str, to: str, **over: Any) -> Answer:
        return self.handlers.post("/delegations", {"answer_token": token, "to": to, **over})

    def passes_on_signed_in(self, person: str, to: str, **over: Any) -> Answer:
        body = {"jti": self.minted["jti"], "to": to, **over}
        return self.handlers.post("/user/delegations", body, claims={**PERSON, "sub": person})

    def shown(self, token: str) -> dict[str, Any]:
        return self.handlers.post("/questions", {"answer_token": token}).document

    def votes_now(self, person: str, response: dict[str, Any] = YES) -> Answer:
        return self.handlers.post("/answers", {"answer_token": self.now(person), "response": response})

    def row(self) -> dict[str, Any]:
        """Return the pause as an operator sees it."""
        return self.handlers.get(f"/pauses/{self.minted['jti']}").document


def fields_of(refused: Answer) -> list[str]:
    assert refused.said == (400, "bad-request"), refused.document
    return [error["field"] for error in refused.document["errors"]]


def test_the_other_person_decides_and_the_members_link_is_void(world: World) -> None:
    passing = Passing(world.handlers)
    ada = passing.link(ADA)
    assert (passing.shown(ada)["may_delegate"], passing.shown(ada).get("asked_because")) == (True, None)
    passed = passing.passes_on(ada, ZORA)
    said = {"jti": passing.minted["jti"], "from": ADA, "to": ZORA, "status": "issued"}
    assert (passed.status, passed.document) == (200, {**said, "replayed": False})
    require_problem(passing.vote(ADA), 410, "link-revoked")
    require_problem(passing.vote_stated(ADA), 403, "answerer-not-allowed")
    shown = passing.shown(passing.now(ZORA))
    assert (shown["asked_because"], shown["delegated_by"], shown["may_delegate"]) == ("delegated", ADA, True)
    assert shown["link_may_answer"] is True
    first = passing.votes_now(ZORA)
    assert (first.status, first.document["answered_by"], first.document["for"]) == (202, ZORA, ADA)
    assert passing.shown(passing.now(ZORA))["may_delegate"] is False
    last = passing.vote(BOB)
    assert (last.status, "for" in last.document) == (200, False)
    votes = passing.outcome().document["votes"]
    assert [(vote["by"], vote.get("for"), vote["counts"]) for vote in votes] == [(ZORA, ADA, True), (BOB, None, True)]
    assert [vote.get("for") for vote in passing.row()["votes"]] == [ADA, None]
    heard = world.listener.heard()
    assert [event["detail-type"] for event in heard] == [
        "PauseIssued", "PauseDelegated", "PauseVoted", "PauseAnswered",
    ]  # fmt: skip
    assert "board.example" not in json.dumps(heard)


def test_the_same_request_again_changes_nothing(world: World) -> None:
    passing = Passing(world.handlers)
    ada = passing.link(ADA)
    first = passing.passes_on(ada, ZORA)
    for again in (
        passing.passes_on(ada, " ZORA@board.example"),
        passing.passes_on_signed_in("ADA@board.example", ZORA),
    ):
        assert (again.status, again.document) == (200, {**first.document, "replayed": True})
    require_problem(passing.passes_on(ada, EVE), 410, "link-revoked")
    require_problem(passing.passes_on_signed_in(ADA, EVE), 403, "answerer-not-allowed")
    # Another person does not learn of it.
    require_problem(passing.passes_on_signed_in("mallory@board.example", ZORA), 403, "answerer-not-allowed")
    elsewhere = {"jti": passing.minted["jti"], "to": ZORA}
    other = {**PERSON, "sub": ADA, "tenant_id": "other"}
    require_problem(passing.handlers.post("/user/delegations", elsewhere, claims=other), 404, "unknown-pause")
    assert len(passing.row()["changes"]) == 1
    passing.votes_now(ZORA)
    passing.vote(BOB)
    assert passing.passes_on(ada, ZORA).document == {**first.document, "replayed": True, "status": "answered"}


def test_a_person_who_has_signed_in_passes_it_on_by_the_id_or_with_a_token(handlers: Handlers) -> None:
    passing = Passing(handlers, recipients=[BOB])
    assert passing.passes_on_signed_in("Ada@board.example", ZORA).document["from"] == ADA
    token = {"answer_token": passing.minted["answer_token"], "to": EVE}
    passed = handlers.post("/user/delegations", token, claims={**PERSON, "sub": CYD})
    assert (passed.status, passed.document["from"]) == (200, CYD)
    direct = {
        "action": "delegate", "answer_token": passing.link(BOB), "scope": SCOPE, "answerer": BOB, "to": "trustee",
    }  # fmt: skip
    assert handlers.invoke("resume", direct)["to"] == "trustee"
    assert passing.row()["asked"] == [ZORA, EVE, "trustee"]


@pytest.mark.parametrize(
    ("over", "to"),
    [
        ({"delegates": ...}, ZORA),
        ({"delegates": ["zora@board.example.org"]}, ZORA),
        ({}, "zora@board.example.org"),
        ({}, BOB),
        ({}, " BOB@board.example "),
        ({}, ADA),
        ({}, "policy"),
        ({}, ""),
        ({}, "\ud800"),
        ({"requester": ZORA, "requester_may_answer": False}, ZORA),
    ],
    ids=str,
)
def test_a_person_who_cannot_be_asked_is_refused_with_the_field(
    handlers: Handlers, over: dict[str, Any], to: str
) -> None:
    passing = Passing(handlers, **over)
    assert fields_of(passing.passes_on(passing.link(ADA), to)) == ["to"]
    assert passing.vote(ADA).status == 202


def test_the_floor_of_the_stack_holds_for_the_other_person(deployment: Deployment) -> None:
    handlers = deployment.load(ASKBACK_MINT_FLOOR='{"*": {"recipients": ["*@board.example"]}}')
    passing = Passing(handlers, delegates=["*"])
    assert fields_of(passing.passes_on(passing.link(ADA), "eve@evil.example")) == ["to"]
    assert passing.passes_on(passing.link(ADA), ZORA).status == 200


def test_only_a_member_who_is_known_well_passes_it_on(handlers: Handlers) -> None:
    passing = Passing(handlers, approvers=[{"name": ADA, "least_assurance": "signed_in"}, BOB, CYD])
    require_problem(passing.passes_on(passing.link(ADA), ZORA), 403, "answerer-not-allowed")
    assert passing.shown(passing.link(ADA))["may_delegate"] is False
    require_problem(passing.passes_on(passing.minted["answer_token"], ZORA), 403, "answerer-not-allowed")
    require_problem(passing.passes_on(passing.minted["pause_token"], ZORA), 401, "token-rejected")
    require_problem(passing.passes_on_signed_in("mallory@board.example", ZORA), 403, "answerer-not-allowed")
    assert passing.passes_on_signed_in(ADA, ZORA).status == 200
    # A decision must not become weaker by it: the other person needs what the member needed.
    require_problem(passing.votes_now(ZORA), 403, "answerer-not-allowed")
    assert passing.shown(passing.now(ZORA))["least_assurance"] == "signed_in"
    assert passing.vote_signed_in(ZORA).document["for"] == ADA


def test_a_member_who_has_voted_passes_nothing_on(handlers: Handlers) -> None:
    passing = Passing(handlers, quorum={"needed": 2, "veto": False})
    passing.vote(ADA, NO)
    assert passing.shown(passing.link(ADA))["may_delegate"] is False
    require_problem(passing.passes_on(passing.link(ADA), ZORA), 409, "already-voted")
    # The votes before another round count no more, so their members can decide anew, and pass it on.
    other = Passing(handlers)
    other.vote(ADA)
    other.vote(BOB, {**YES, "edits": {"amount": 9}})
    assert other.passes_on(other.link(ADA), ZORA).status == 200


def test_it_comes_to_a_person_three_times_at_most(handlers: Handlers) -> None:
    passing = Passing(handlers)
    chain = [ADA, *(f"z{number}@board.example" for number in range(4))]
    for member, to in itertools.pairwise(chain[:4]):
        assert passing.passes_on(passing.now(member), to).status == 200
    assert passing.shown(passing.now(chain[3]))["may_delegate"] is False
    assert fields_of(passing.passes_on(passing.now(chain[3]), chain[4])) == ["to"]
    assert passing.votes_now(chain[3]).document["for"] == ADA
    shown = passing.shown(passing.now(chain[3]))
    assert shown["delegated_by"] == chain[2]
    # The others can still pass it on, five times in all.
    assert passing.passes_on(passing.link(BOB), "y1@board.example").status == 200
    assert passing.passes_on(passing.link(CYD), "y2@board.example").status == 200
    assert fields_of(passing.passes_on(passing.now("y1@board.example"), "y3@board.example")) == ["to"]


def test_it_never_comes_back_to_a_person_who_has_left(handlers: Handlers) -> None:
    passing = Passing(handlers, recipients=[BOB])
    assert passing.passes_on_signed_in(ADA, ZORA).status == 200
    assert fields_of(passing.passes_on(passing.now(ZORA), ADA)) == ["to"]
    assert fields_of(passing.passes_on(passing.now(BOB), ADA)) == ["to"]


def test_a_step_of_the_escalation_does_not_ask_a_member_again_who_has_passed_it_on(world: World) -> None:
    """Otherwise one seat would decide twice."""
    steps = [{"after_seconds": 600, "to": [ADA, EVE]}, {"after_seconds": 1200, "to": [ADA], "mode": "replace"}]
    no_quorum: Any = ...
    passing = Passing(world.handlers, quorum=no_quorum, recipients=[BOB], escalation=steps, ttl_seconds=3600)
    assert passing.passes_on_signed_in(ADA, ZORA).status == 200
    world.sweep(after=600)
    assert passing.row()["asked"] == [BOB, CYD, ZORA, EVE]
    world.sweep(after=600)
    assert (passing.row()["asked"], passing.row()["steps_left"]) == ([BOB, CYD, ZORA, EVE], 0)
    require_problem(passing.vote_stated(ADA), 403, "answerer-not-allowed")


def test_a_question_that_one_answer_ends_is_passed_on_too(world: World) -> None:
    no_quorum: Any = ...
    passing = Passing(world.handlers, quorum=no_quorum)
    passing.passes_on(passing.link(ADA), ZORA)
    answered = passing.votes_now(ZORA)
    assert (answered.status, answered.document["answered_by"], answered.document["for"]) == (200, ZORA, ADA)
    assert passing.outcome().document["for"] == ADA


def test_only_the_question_that_was_seen_is_passed_on(handlers: Handlers) -> None:
    passing = Passing(handlers)
    seen = passing.shown(passing.link(ADA))["request_hash"]
    require_problem(passing.passes_on(passing.link(ADA), ZORA, request_hash="0" * 64), 409, "question-changed")
    assert passing.passes_on(passing.link(ADA), ZORA, request_hash=seen).status == 200


def test_a_pause_that_has_ended_is_not_passed_on(world: World) -> None:
    passing = Passing(world.handlers, ttl_seconds=60)
    passing.vote(BOB, NO)
    require_problem(passing.passes_on(passing.link(ADA), ZORA), 409, "already-answered")
    open_too_long, revoked = (Passing(world.handlers, ttl_seconds=60) for _ in range(2))
    world.handlers.revoke(revoked.minted["jti"])
    require_problem(revoked.passes_on(revoked.link(ADA), ZORA), 410, "revoked")
    world.now += 60
    require_problem(open_too_long.passes_on(open_too_long.link(ADA), ZORA), 410, "expired")


@pytest.mark.parametrize(
    ("over", "field"),
    [
        ({"delegates": ["a"] * 21}, "delegates"),
        ({"delegates": [""]}, "delegates[0]"),
        ({"delegates": ["*", "link"]}, "delegates[1]"),
        ({"delegates": ["x" * 257]}, "delegates[0]"),
        ({"delegates": "*"}, "delegates"),
        ({"delegates": ["*"], "approvers": []}, "delegates"),
    ],
    ids=str,
)
def test_delegates_that_cannot_be_are_refused_at_the_mint(handlers: Handlers, over: dict[str, Any], field: str) -> None:
    assert fields_of(handlers.post("/pauses", a_mint(**{"approvers": PEOPLE, **over}))) == [field]


def test_the_same_mint_is_one_pause_after_a_delegation(handlers: Handlers) -> None:
    first = Passing(handlers, idempotency_key="delegates")
    first.passes_on(first.link(ADA), ZORA)
    assert handlers.post("/pauses", first.request).document["jti"] == first.minted["jti"]
    require_problem(handlers.post("/pauses", {**first.request, "delegates": ["*"]}), 409, "pause-conflict")


def test_the_operator_sees_the_change_and_an_ordinary_pause_says_nothing(terminal: Terminal) -> None:
    passing = Passing(terminal.world.handlers)
    passing.passes_on(passing.link(ADA), ZORA)
    shown = terminal.run("--json", "show", passing.minted["jti"]).document
    (change,) = shown["changes"]
    assert (change["kind"], change["by"], change["added"]) == ("delegated", ADA, [ZORA])
    assert (shown["delegates"], shown["asked"], shown["revoked_links"]) == (COMPANY, [BOB, CYD, ZORA], [ADA])
    passing.votes_now(ZORA)
    assert f"for {ADA}" in terminal.run("show", passing.minted["jti"]).out
    pause = terminal.world.handlers.pause(recipients=[ADA])
    assert "delegates" not in terminal.world.handlers.get(f"/pauses/{pause.minted['jti']}").document


def test_the_log_of_decisions_has_a_line_and_names_both(deployment: Deployment, handlers: Handlers) -> None:
    stream = TableStream(deployment)
    passing = Passing(handlers)
    passing.passes_on(passing.link(ADA), ZORA)
    passing.votes_now(ZORA)
    passing.vote(BOB)
    lines = stream.audited(handlers, passing.pause)
    said = [
        (line["decision"], line["voted_by"] or line["answered_by"] or line["changed_by"], line["for"]) for line in lines
    ]
    assert sorted(said, key=str) == sorted(
        [
            ("issued", None, None), ("delegated", ADA, None), ("voted", ZORA, ADA), ("voted", BOB, None),
            ("answered", BOB, None),
        ],
        key=str,
    )  # fmt: skip


def test_a_vote_for_another_member_than_the_row_says_is_a_change(deployment: Deployment, handlers: Handlers) -> None:
    stream = TableStream(deployment)
    passing = Passing(handlers)
    passing.passes_on(passing.link(ADA), ZORA)
    passing.votes_now(ZORA)
    key = deployment.row_key(passing.pause)
    item = deployment.item(key)
    forged = item["votes"]["S"].replace(ADA, BOB)
    deployment.put({**item, "votes": {"S": "[]"}, "vote_count": {"N": "0"}})
    deployment.put({**item, "votes": {"S": forged}})
    decisions = [line["decision"] for line in stream.audited(handlers, passing.pause)]
    assert decisions.count("changed") == 2


def test_people_to_whom_no_mint_allows_to_pass_it_on_are_a_change(deployment: Deployment, handlers: Handlers) -> None:
    """Also where the hash of the terms is made to fit."""
    stream = TableStream(deployment)
    passing = Passing(handlers)
    key = deployment.row_key(passing.pause)
    item = deployment.item(key)
    forged = replace(items.read_row(item), delegates=("*",))
    deployment.put({**item, **items.delegates_attributes(forged), **items.terms_attributes(forged)})
    decisions = [line["decision"] for line in stream.audited(handlers, passing.pause)]
    assert sorted(decisions) == ["changed", "issued"]


def test_the_run_that_waits_gets_both_names(world: World) -> None:
    no_quorum: Any = ...
    for quorum in ({"needed": 2}, no_quorum):
        execution = world.tasks.start()
        passing = Passing(world.handlers, quorum=quorum, waiter=body_of(execution))
        passing.passes_on(passing.link(ADA), ZORA)
        if quorum is not no_quorum:
            passing.vote(BOB)
        passing.votes_now(ZORA)
        outcome = json.loads(world.tasks.outcome(execution)[1])
        votes = [(vote["by"], vote.get("for")) for vote in outcome.get("votes", ())]
        assert (outcome["answered_by"], outcome["for"]) == (ZORA, ADA)
        assert votes == ([(BOB, None), (ZORA, ADA)] if "votes" in outcome else [])


def test_the_names_of_both_are_erased(terminal: Terminal) -> None:
    member, other = "uma@board.example", "ugo@board.example"
    people = [member, BOB]
    passing = Passing(terminal.world.handlers, delegates=[other], approvers=people, recipients=people)
    passing.passes_on(passing.link(member), other)
    passing.votes_now(other, NO)
    for person in (member, other):
        assert terminal.run("--json", "erase", "--person", person, "--yes").code == 0
    row = terminal.world.deployment.item(terminal.world.deployment.row_key(passing.pause))
    assert not [person for person in (member, other) if person in str(row)]
    (vote,) = passing.outcome().document["votes"]
    assert vote["by"].startswith("erased-")
    assert vote["for"].startswith("erased-")
    assert vote["by"] != vote["for"]

"""The program that asked revokes its own question, or replaces it by a newer one."""

import json
from typing import Any

import pytest

from tests.functions.inbox import listed
from tests.support.function_deployment import Answer, Handlers
from tests.support.problems import require_problem
from tests.support.request_bodies import Pause, a_mint, a_scope
from tests.support.waiting_world import KINDS, World, body_of

OTHER = "arn:aws:sts::123456789012:assumed-role/other-agent/session"
PEOPLE = ["ada", "bob"]
ENDS = {"already-answered": 409, "expired": 410, "revoked": 410}


def revoke(handlers: Handlers, jti: str, body: Any = ..., **options: Any) -> Answer:
    return handlers.post(f"/pauses/{jti}/revoke", body, **options)


def replace(handlers: Handlers, old: Pause, **over: Any) -> Answer:
    request = a_mint(scope=old.request["scope"], supersedes=old.minted["jti"], **over)
    return handlers.post("/pauses", request)


def link(minted: dict[str, Any], person: str) -> str:
    return str(next(each["answer_token"] for each in minted["recipients"] if each["recipient"] == person))


def shown(handlers: Handlers, token: str) -> dict[str, Any]:
    return handlers.post("/questions", {"answer_token": token}).document


def events(world: World) -> list[str]:
    return [event["detail-type"] for event in world.listener.heard()]


class TestRevoke:
    def test_a_question_is_revoked_once_and_the_first_reason_stays(self, world: World) -> None:
        pause = world.handlers.pause(recipients=PEOPLE)
        jti = pause.minted["jti"]
        first = revoke(world.handlers, jti, {"reason": "The order was cancelled."})
        assert first.document == {
            "jti": jti,
            "status": "revoked",
            "revoked_at": first.document["revoked_at"],
            "reason": "The order was cancelled.",
            "replayed": False,
        }
        world.now += 60
        assert revoke(world.handlers, jti, {"reason": "Another."}).document == {**first.document, "replayed": True}
        assert revoke(world.handlers, jti).document["replayed"] is True
        row = world.handlers.get(f"/pauses/{jti}").document
        assert (row["revoked_by"], row["revoked_reason"]) == ("asker", "The order was cancelled.")
        for token in (link(pause.minted, "ada"), pause.minted["answer_token"]):
            assert shown(world.handlers, token)["reason"] == "The order was cancelled."
        require_problem(world.handlers.post("/answers", pause.answer()), 410, "revoked")
        assert events(world) == ["PauseIssued", "PauseRevoked"]

    def test_without_a_reason_nothing_says_one(self, world: World) -> None:
        pause = world.handlers.pause()
        assert revoke(world.handlers, pause.minted["jti"]).document["reason"] is None
        assert "revoked_reason" not in world.handlers.get(f"/pauses/{pause.minted['jti']}").document
        assert "reason" not in shown(world.handlers, pause.minted["answer_token"])
        assert "revoked_why" not in world.row(pause)

    def test_a_direct_caller_revokes_what_it_has_minted(self, handlers: Handlers) -> None:
        minted = handlers.invoke("mint", a_mint())
        revoked = handlers.invoke("mint", {"action": "revoke", "jti": minted["jti"], "reason": "Done."})
        assert (revoked["status"], revoked["reason"], revoked["replayed"]) == ("revoked", "Done.", False)

    def test_the_pause_of_another_principal_looks_like_none(self, handlers: Handlers) -> None:
        pause = handlers.pause()
        missing = revoke(handlers, "0" * 32)
        require_problem(missing, 404, "unknown-pause")
        for foreign in (
            revoke(handlers, pause.minted["jti"], arn=OTHER),
            revoke(handlers, pause.minted["jti"], {"reason": "x"}, arn=OTHER),
        ):
            assert foreign.document == missing.document
        direct = handlers.refused("mint", {"action": "revoke", "jti": pause.minted["jti"]})
        assert direct["code"] == "unknown-pause"
        assert handlers.redeems(pause)

    def test_a_row_without_its_minter_is_of_no_one_that_asks(self, world: World) -> None:
        """D-09: rows of older versions."""
        pause = world.handlers.pause()
        item = world.deployment.item(world.deployment.row_key(pause))
        world.deployment.put({name: value for name, value in item.items() if name != "by"})
        require_problem(revoke(world.handlers, pause.minted["jti"]), 404, "unknown-pause")

    def test_a_principal_revokes_only_in_scopes_that_it_may_use(self, world: World) -> None:
        pause = world.handlers.pause()
        elsewhere = world.load(ASKBACK_PRINCIPAL_SCOPES=json.dumps({"direct": ["*"]}))
        require_problem(revoke(elsewhere, pause.minted["jti"]), 403, "principal-not-allowed")
        require_problem(revoke(elsewhere, pause.minted["jti"], arn=OTHER), 404, "unknown-pause")
        assert world.handlers.redeems(pause)

    def test_a_pause_that_has_ended_says_how(self, world: World) -> None:
        answered, late = world.handlers.pause(), world.handlers.pause(ttl_seconds=60)
        assert world.handlers.redeems(answered)
        world.now += 60
        require_problem(revoke(world.handlers, answered.minted["jti"]), 409, "already-answered")
        require_problem(revoke(world.handlers, late.minted["jti"]), 410, "expired")

    def test_a_pause_that_an_operator_has_revoked_is_revoked_already(self, world: World) -> None:
        pause = world.handlers.pause()
        world.handlers.revoke(pause.minted["jti"])
        said = revoke(world.handlers, pause.minted["jti"], {"reason": "Mine."}).document
        assert (said["replayed"], said["reason"]) == (True, None)
        assert "olga" not in json.dumps(said)

    @pytest.mark.parametrize(
        "body",
        [
            {"reason": "x" * 501},
            {"reason": ""},
            {"reason": " \u200b"},
            {"reason": "\ud83d"},
            {"reason": 1},
            {"operator": "olga"},
        ],
        ids=["long", "empty", "blank", "half", "a number", "an operator"],
    )
    def test_a_reason_is_a_text_that_people_can_read(self, handlers: Handlers, body: dict[str, Any]) -> None:
        pause = handlers.pause()
        require_problem(revoke(handlers, pause.minted["jti"], body), 400, "bad-request")
        assert revoke(handlers, pause.minted["jti"], {"reason": "\U0001f600" * 500}).status == 200

    def test_an_operator_cannot_state_to_be_the_program_that_asked(self, handlers: Handlers) -> None:
        jti = handlers.pause().minted["jti"]
        refused = handlers.refused("inbox", {"action": "revoke", "jti": jti, "operator": "Asker"})
        assert refused["code"] == "bad-request"
        require_problem(handlers.post("/pauses", a_mint(approvers=["asker"])), 400, "bad-request")

    @pytest.mark.parametrize("kind", KINDS)
    def test_the_run_that_waits_gets_the_failure(self, world: World, kind: str) -> None:
        runs = world.runs(kind)
        waiter = runs.start()
        pause = world.handlers.pause(waiter=body_of(waiter))
        revoke(world.handlers, pause.minted["jti"], {"reason": "Not for the run."})
        assert world.sweep()["done"] == {"RevocationSettled": 1}
        how, text = runs.outcome(waiter)
        assert (how, json.loads(text)["outcome"]) == ("failure", "revoked")


class TestSupersede:
    def test_the_old_question_ends_in_the_write_that_asks_the_new_one(self, world: World) -> None:
        scope = a_scope()
        old = world.handlers.pause(scope=scope, recipients=PEOPLE)
        with world.deployment.probe.counting() as calls:
            reply = replace(world.handlers, old, recipients=PEOPLE)
        new = reply.document
        assert (reply.status, new["status"], new["supersedes"]) == (201, "issued", old.minted["jti"])
        assert calls.count("TransactWriteItems") == 1
        lines = {line["jti"]: line["status"] for line in listed(world.handlers, scope).document["pauses"]}
        assert lines == {new["jti"]: "issued", old.minted["jti"]: "superseded"}
        assert next(iter(lines)) == new["jti"]
        refused = world.handlers.post("/answers", old.answer())
        require_problem(refused, 410, "superseded")
        assert refused.document["superseded_by"] == new["jti"]
        outcome = world.handlers.post("/outcomes", {"pause_token": old.minted["pause_token"], "scope": scope})
        require_problem(outcome, 410, "superseded")
        rows = [world.handlers.get(f"/pauses/{jti}").document for jti in (old.minted["jti"], new["jti"])]
        assert (rows[0]["superseded_by"], rows[0]["due_at"]) == (new["jti"], None)
        assert (rows[1]["supersedes"], "superseded_by" in rows[1]) == (old.minted["jti"], False)
        assert events(world) == ["PauseIssued", "PauseSuperseded", "PauseIssued"]

    def test_an_ordinary_mint_makes_no_transaction(self, world: World) -> None:
        with world.deployment.probe.counting() as calls:
            world.handlers.pause()
        assert "TransactWriteItems" not in calls

    def test_the_same_mint_again_is_the_same_pause(self, world: World) -> None:
        old = world.handlers.pause()
        request = a_mint(scope=old.request["scope"], supersedes=old.minted["jti"], idempotency_key="newer")
        first, again = (world.handlers.post("/pauses", request) for _ in range(2))
        assert first.status == again.status == 201
        assert again.document == first.document
        other = world.handlers.post("/pauses", {**request, "supersedes": None})
        require_problem(other, 409, "pause-conflict")

    def test_a_question_that_was_asked_before_replaces_none(self, world: World) -> None:
        old = world.handlers.pause()
        request = a_mint(scope=old.request["scope"], idempotency_key="asked before")
        assert world.handlers.post("/pauses", request).status == 201
        refused = world.handlers.post("/pauses", {**request, "supersedes": old.minted["jti"]})
        require_problem(refused, 409, "pause-conflict")
        assert world.handlers.redeems(old)

    def test_a_pause_that_was_answered_is_replaced_by_none(self, world: World) -> None:
        old = world.handlers.pause()
        assert world.handlers.redeems(old)
        with world.deployment.probe.counting() as calls:
            refused = replace(world.handlers, old, idempotency_key="too late")
        require_problem(refused, 409, "already-answered")
        assert not {"PutItem", "TransactWriteItems"} & set(calls)

    def test_a_pause_that_was_replaced_names_the_newer_one(self, world: World) -> None:
        old = world.handlers.pause()
        new = replace(world.handlers, old).document
        refused = replace(world.handlers, old)
        require_problem(refused, 410, "superseded")
        assert refused.document["superseded_by"] == new["jti"]
        require_problem(revoke(world.handlers, old.minted["jti"]), 410, "superseded")

    def test_what_is_not_the_callers_looks_like_none(self, world: World) -> None:
        old = world.handlers.pause()
        missing = world.handlers.post("/pauses", a_mint(supersedes="0" * 32))
        require_problem(missing, 404, "unknown-pause")
        foreign = a_mint(scope=old.request["scope"], supersedes=old.minted["jti"])
        assert world.handlers.post("/pauses", foreign, arn=OTHER).document == missing.document
        elsewhere = {**foreign, "scope": {**foreign["scope"], "namespace": "elsewhere"}}
        assert world.handlers.post("/pauses", elsewhere).document == missing.document
        assert world.handlers.redeems(old)

    def test_a_question_does_not_replace_itself(self, world: World) -> None:
        request = a_mint(idempotency_key="itself")
        jti = world.handlers.post("/pauses", request).document["jti"]
        require_problem(world.handlers.post("/pauses", {**request, "supersedes": jti}), 400, "bad-request")

    def test_the_link_of_a_person_leads_on_to_their_own_link_of_the_newer_question(self, world: World) -> None:
        old = world.handlers.pause(recipients=PEOPLE)
        new = replace(world.handlers, old, recipients=["eve", "ADA"]).document
        ada, bob = (shown(world.handlers, link(old.minted, person)) for person in PEOPLE)
        assert (ada["status"], ada["superseded_by"]) == ("superseded", new["jti"])
        assert ada["next_answer_token"] == link(new, "ADA")
        assert (bob["superseded_by"], "next_answer_token" in bob) == (new["jti"], False)
        shared = shown(world.handlers, old.minted["answer_token"])
        assert (shared["superseded_by"], "next_answer_token" in shared) == (new["jti"], False)
        # The pause token is the program's, and it gets no link of a person.
        assert "next_answer_token" not in shown(world.handlers, old.minted["pause_token"])
        answer = Pause(request=old.request, minted=new).answer(answer_token=ada["next_answer_token"])
        assert world.handlers.post("/answers", answer).document["answered_by"] == "ADA"

    def test_a_link_that_was_revoked_or_is_over_leads_nowhere(self, world: World) -> None:
        old = world.handlers.pause(recipients=PEOPLE)
        new = replace(world.handlers, old, recipients=PEOPLE, ttl_seconds=24 * 3600).document
        world.handlers.post(f"/pauses/{new['jti']}/links/revoke", {"recipient": "ada"})
        assert "next_answer_token" not in shown(world.handlers, link(old.minted, "ada"))
        assert shown(world.handlers, link(old.minted, "bob"))["next_answer_token"] == link(new, "bob")
        world.now += 3601
        over = shown(world.handlers, link(old.minted, "bob"))
        assert (over["superseded_by"], "next_answer_token" in over) == (new["jti"], False)

    @pytest.mark.parametrize("kind", KINDS)
    def test_a_run_that_waited_for_the_old_question_only_gets_the_failure(self, world: World, kind: str) -> None:
        runs = world.runs(kind)
        waiter = runs.start()
        old = world.handlers.pause(waiter=body_of(waiter))
        new = replace(world.handlers, old, waiter={"kind": "event"}).document
        assert world.sweep()["done"] == {"SupersessionSettled": 1}
        how, text = runs.outcome(waiter)
        outcome = json.loads(text)
        assert (how, outcome["outcome"], outcome["superseded_by"]) == ("failure", "superseded", new["jti"])

    @pytest.mark.parametrize("kind", ["tasks", "callbacks"])
    def test_a_run_that_waits_for_the_newer_question_too_gets_its_answer(self, world: World, kind: str) -> None:
        runs = world.runs(kind)
        waiter = body_of(runs.start())
        old = world.handlers.pause(waiter=waiter)
        reply = replace(world.handlers, old, waiter=waiter)
        assert reply.status == 201
        assert world.sweep()["done"] == {}
        assert world.handlers.get(f"/pauses/{old.minted['jti']}").document["due_at"] is None
        new = Pause(request=old.request, minted=reply.document)
        assert world.handlers.post("/answers", new.answer()).document["delivery"] == "delivered"
        audit = world.handlers.invoke("inbox", {"action": "audit-due"})
        assert old.minted["jti"] not in {row["jti"] for row in audit["rows"]}

    def test_a_limit_does_not_count_the_question_that_is_replaced(self, world: World) -> None:
        floor = json.dumps({"*": {"open_pauses_max": 1, "open_pauses_per_recipient_max": 1}})
        limited = world.load(ASKBACK_MINT_FLOOR=floor)
        old = limited.pause(scope=a_scope(), recipients=["ada"])
        beside = a_mint(scope=old.request["scope"], recipients=["ada"])
        require_problem(limited.post("/pauses", beside), 429, "too-many-open")
        new = Pause(request=old.request, minted=replace(limited, old, recipients=["ada"]).document)
        require_problem(limited.post("/pauses", beside), 429, "too-many-open")
        assert limited.post("/answers", new.answer()).status == 200
        assert limited.post("/pauses", beside).status == 201

    def test_a_limit_counts_for_the_newer_question_only_whom_the_old_one_was_not_counted_for(
        self, world: World
    ) -> None:
        limited = world.load(ASKBACK_MINT_FLOOR=json.dumps({"*": {"open_pauses_per_recipient_max": 1}}))
        people: dict[str, Any] = {"recipients": ["ada"], "escalation": [{"after_seconds": 600, "to": ["bob"]}]}
        old = limited.pause(scope=a_scope(), **people)
        limited.pause(scope=old.request["scope"], recipients=["eve"])
        # An operator can name a person who is at the limit; that gives no room for a newer question to this person.
        passed = limited.post(f"/pauses/{old.minted['jti']}/reassign", {"from": "ada", "to": "eve"})
        assert passed.status == 200
        require_problem(replace(limited, old, recipients=["eve"], escalation=[]), 429, "too-many-open")
        assert replace(limited, old, **people).status == 201

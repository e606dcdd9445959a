"""The tools over the Model Context Protocol: an agent asks, and reads the answer when there is one."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from askback.adapters.dynamodb.keys import ledger_key
from askback.domain.pause.scope import Scope
from tests.support.aws_probe import aws_error
from tests.support.mcp_calls import TASKS, McpClient
from tests.support.request_bodies import SCOPE, a_mint
from tests.support.waiting_world import World

OTHER = "arn:aws:sts::123456789012:assumed-role/other-agent/session"
QUESTION: dict[str, Any] = {
    "question": "Refund 49.90 EUR?",
    "options": [{"label": "Approve", "description": "pay it out"}, {"label": "Reject"}],
}
ACTION: dict[str, Any] = {
    "question": "Refund 49.90 EUR?",
    "action": {"name": "refund", "arguments": {"order": "A-1009", "amount": 49.90}},
}


@pytest.fixture
def agent(world: World) -> McpClient:
    return McpClient(handlers=world.handlers)


def link_of(world: World, jti: str) -> str:
    return str(world.handlers.post(f"/pauses/{jti}/links", {}).document["answer_token"])


def answer(world: World, jti: str, response: object) -> None:
    reply = world.handlers.post("/answers", {"answer_token": link_of(world, jti), "response": response})
    assert reply.status == 200, reply.document


def shown(world: World, jti: str) -> dict[str, Any]:
    return world.handlers.post("/questions", {"answer_token": link_of(world, jti)}).document


def choose(world: World, jti: str, label: str) -> None:
    question = shown(world, jti)["payload"]["questions"][0]
    answer(world, jti, {"answers": [{"question_id": question["id"], "selections": [label]}]})


def waiting(world: World, sleep: Callable[[float], None]) -> McpClient:
    """Return an agent of a function that does something else instead of waiting."""
    handlers = world.load()
    handlers.rebuild("mcp", sleep=sleep)
    return McpClient(handlers=handlers)


class TestAskAndRead:
    def test_a_choice_is_asked_and_read_later(self, world: World, agent: McpClient) -> None:
        asked = agent.tool("ask_human", **QUESTION).facts
        assert (asked["status"], asked["next"]) == ("open", "get_answer")
        jti = asked["pause"]
        assert agent.tool("get_answer", pause=jti).facts == asked
        choose(world, jti, "Approve")
        facts = agent.tool("get_answer", pause=jti).facts
        assert (facts["status"], facts["answered"]) == ("answered", True)
        assert facts["answers"] == [{"question": "Refund 49.90 EUR?", "selected": ["Approve"]}]
        assert (facts["assurance"], facts["by_policy"]) == ("link", False)

    def test_an_approval_says_what_to_run_and_what_the_person_has_changed(self, world: World, agent: McpClient) -> None:
        """A number keeps the digits that the person has written."""
        action = {**ACTION["action"], "editable": {"amount": {"type": "number", "minimum": 0}}}
        jti = agent.tool("ask_human", **{**ACTION, "action": action}).facts["pause"]
        body = '{"decision": "approve", "comment": null, "edits": {"amount": 20.10}}'
        token = json.dumps(link_of(world, jti))
        assert world.handlers.post("/answers", f'{{"answer_token": {token}, "response": {body}}}').status == 200
        reply = agent.tool("get_answer", pause=jti)
        assert reply.facts["approved"] is True
        assert reply.facts["run"] == {"name": "refund", "arguments": {"order": "A-1009", "amount": 20.1}}
        assert reply.facts["changed"] == ["amount"]
        assert '"amount": 20.10' in reply.result["content"][0]["text"]

    def test_a_rejection_has_nothing_to_run(self, world: World, agent: McpClient) -> None:
        jti = agent.tool("ask_human", **ACTION).facts["pause"]
        answer(world, jti, {"decision": "reject", "comment": "Too late."})
        facts = agent.tool("get_answer", pause=jti).facts
        assert (facts["approved"], facts["comment"]) == (False, "Too late.")
        assert "run" not in facts
        assert "Do not run the action" in facts["note"]

    @pytest.mark.parametrize(
        ("form", "response"),
        [
            ({"type": "object", "properties": {"date": {"type": "string", "format": "date"}}}, {"date": "2026-12-01"}),
            (None, {"answer": "Tomorrow at ten."}),
        ],
        ids=["a form", "a question alone"],
    )
    def test_values_are_asked_for(self, world: World, agent: McpClient, form: Any, response: dict[str, str]) -> None:
        given = {} if form is None else {"form": form}
        jti = agent.tool("ask_human", question="When?", details="Any day.", **given).facts["pause"]
        assert shown(world, jti)["payload"]["description"] == "Any day."
        answer(world, jti, response)
        assert agent.tool("get_answer", pause=jti).facts["values"] == response

    def test_the_page_says_who_asks_and_why(self, world: World, agent: McpClient) -> None:
        asked = agent.tool("ask_human", **QUESTION, reason="It came back.", details="Order A-1009.", risk="high").facts
        about = shown(world, asked["pause"])["about"]
        assert (about["asker"], about["risk"]) == ("Example agent", "high")
        assert about["reason"] == "It came back.\n\nOrder A-1009."

    def test_a_pause_that_the_agent_has_minted_over_http_is_read_too(self, world: World, agent: McpClient) -> None:
        minted = world.handlers.post("/pauses", a_mint(scope={"tenant_id": "mcp"})).document
        choose(world, minted["jti"], "Reject")
        assert agent.tool("get_answer", pause=minted["jti"]).facts["answers"][0]["selected"] == ["Reject"]


class TestNoAnswer:
    def test_an_expired_question_is_no_approval(self, world: World, agent: McpClient) -> None:
        jti = agent.tool("ask_human", **ACTION, expires_in_seconds=60).facts["pause"]
        world.sweep(after=61)
        facts = agent.tool("get_answer", pause=jti).facts
        assert (facts["status"], facts["answered"]) == ("expired", False)
        assert "not an approval" in facts["note"]
        assert "approved" not in facts

    def test_a_question_that_was_revoked_says_why(self, agent: McpClient) -> None:
        jti = agent.tool("ask_human", **QUESTION).facts["pause"]
        revoked = agent.tool("revoke_question", pause=jti, reason="Solved.").facts
        assert (revoked["status"], revoked["reason"]) == ("revoked", "Solved.")
        assert agent.tool("get_answer", pause=jti).facts == revoked
        assert agent.tool("revoke_question", pause=jti).facts == revoked

    def test_an_answer_that_came_first_stays(self, world: World, agent: McpClient) -> None:
        jti = agent.tool("ask_human", **QUESTION).facts["pause"]
        choose(world, jti, "Approve")
        refused = agent.tool("revoke_question", pause=jti)
        assert refused.result["isError"] is True
        assert refused.facts["error"] == "already-answered"
        assert agent.tool("get_answer", pause=jti).facts["status"] == "answered"


class TestWait:
    def test_a_wait_that_runs_out_is_no_answer(self, world: World) -> None:
        slept: list[float] = []
        asked = waiting(world, slept.append).tool("ask_human", **QUESTION, wait_seconds=3).facts
        assert (asked["status"], slept) == ("open", [1, 1, 1])

    def test_a_wait_ends_with_the_answer(self, world: World, agent: McpClient) -> None:
        jti = agent.tool("ask_human", **QUESTION).facts["pause"]
        waits = waiting(world, lambda _: choose(world, jti, "Approve"))
        assert waits.tool("get_answer", pause=jti, wait_seconds=25).facts["status"] == "answered"

    def test_a_wait_ends_before_the_function_does(self, world: World) -> None:
        slept: list[float] = []
        agent = replace(waiting(world, slept.append), seconds_left=2)
        assert agent.tool("ask_human", **QUESTION, wait_seconds=25).facts["status"] == "open"
        assert slept == []

    @pytest.mark.parametrize("seconds", [-1, 26, 1.5, "5"])
    def test_a_wait_that_no_gateway_allows_is_refused(self, agent: McpClient, seconds: object) -> None:
        refused = agent.tool("ask_human", **QUESTION, wait_seconds=seconds).facts
        assert [each["argument"] for each in refused["arguments"]] == ["wait_seconds"]


class TestOnce:
    def test_the_same_key_asks_once(self, agent: McpClient) -> None:
        first = agent.tool("ask_human", **QUESTION, idempotency_key="refund-A-1009").facts
        assert agent.tool("ask_human", **QUESTION, idempotency_key="refund-A-1009").facts == first

    def test_without_a_key_each_call_asks(self, agent: McpClient) -> None:
        first, second = (agent.tool("ask_human", **QUESTION).facts["pause"] for _ in range(2))
        assert first != second

    def test_another_question_with_the_same_key_is_refused(self, agent: McpClient) -> None:
        agent.tool("ask_human", **QUESTION, idempotency_key="again")
        refused = agent.tool("ask_human", **{**QUESTION, "question": "Refund 4,990 EUR?"}, idempotency_key="again")
        assert refused.facts["error"] == "pause-conflict"


class TestWhoseQuestion:
    def test_another_principal_reads_and_revokes_nothing(self, world: World, agent: McpClient) -> None:
        jti = agent.tool("ask_human", **QUESTION).facts["pause"]
        other = McpClient(handlers=world.handlers, arn=OTHER)
        for name in ("get_answer", "revoke_question"):
            unknown = other.tool(name, pause="0" * 32).facts
            assert other.tool(name, pause=jti).facts == unknown
            assert unknown["error"] == "unknown-pause"
        assert jti not in json.dumps(other.tool("list_my_open_questions").facts)
        assert agent.tool("get_answer", pause=jti).facts["status"] == "open"

    def test_the_scope_is_that_of_the_deployment_and_never_of_the_model(self, world: World, agent: McpClient) -> None:
        refused = agent.tool("ask_human", **QUESTION, scope="acme/eu").facts
        assert refused["arguments"][0]["argument"] == "scope"
        scopes = json.dumps({OTHER.replace(":sts:", ":iam:").replace("assumed-", "").rpartition("/")[0]: ["acme/eu"]})
        handlers = world.load(ASKBACK_PRINCIPAL_SCOPES=scopes)
        asked = McpClient(handlers=handlers, arn=OTHER).tool("ask_human", **QUESTION).facts
        row = world.handlers.get(f"/pauses/{asked['pause']}").document
        assert Scope.parse("acme/eu").matches(row["scope_hash"])
        reply = McpClient(handlers=handlers).post(
            {"jsonrpc": "2.0", "id": 1, "method": "ping"}, **{"mcp-protocol-version": "2025-11-25"}
        )
        assert (reply.status, reply.document["code"]) == (403, "principal-not-allowed")

    def test_open_questions_are_listed_with_their_titles_page_by_page(self, world: World) -> None:
        agent = McpClient(handlers=world.handlers, arn="arn:aws:iam::123456789012:role/lists")
        asked = [agent.tool("ask_human", **{**QUESTION, "question": f"Refund {n}?"}).facts for n in range(22)]
        agent.tool("revoke_question", pause=asked[0]["pause"])
        first = agent.tool("list_my_open_questions").facts
        second = agent.tool("list_my_open_questions", next=first["next"]).facts
        assert "next" not in second
        found = {each["pause"]: each["question"] for each in (*first["open"], *second["open"])}
        assert found == {each["pause"]: f"Refund {n}?" for n, each in enumerate(asked) if n}

    def test_only_the_people_who_are_named_may_answer(self, world: World, agent: McpClient) -> None:
        jti = agent.tool("ask_human", **QUESTION, approvers=["ada@example.com"]).facts["pause"]
        links = world.handlers.post(f"/pauses/{jti}/links", {}).document
        (own,) = [each["answer_token"] for each in links["recipients"] if each["recipient"] == "ada@example.com"]
        decided = {"answers": [{"question_id": "q-000000000000", "selections": ["Approve"]}]}
        refused = world.handlers.post("/answers", {"answer_token": links["answer_token"], "response": decided})
        assert refused.said == (403, "answerer-not-allowed")
        assert world.handlers.post("/answers", {"answer_token": own, "response": decided}).said == (
            422,
            "answer-invalid",
        )


class TestRefusals:
    @pytest.mark.parametrize(
        ("arguments", "wrong"),
        [
            ({}, "question"),
            ({"question": "x" * 501, "options": QUESTION["options"]}, "question"),
            ({"question": "Sure?", "options": [{"label": "Yes"}]}, "options"),
            ({**ACTION, "options": QUESTION["options"]}, "action"),
            ({**ACTION, "other": True}, "other"),
            ({"question": "When?", "form": {"type": "array"}}, "form"),
            ({**ACTION, "details": "x" * 2001}, "details"),
            ({**QUESTION, "expires_in_seconds": 1}, "expires_in_seconds"),
            ({**QUESTION, "approvers": ["ada", "Ada"]}, "approvers"),
            ({**QUESTION, "risk": "none"}, "risk"),
        ],
    )
    def test_a_model_reads_which_argument_is_wrong(
        self, agent: McpClient, arguments: dict[str, Any], wrong: str
    ) -> None:
        reply = agent.tool("ask_human", **arguments)
        assert reply.result["isError"] is True
        assert reply.facts["error"] == "bad-request"
        assert {re.split(r"[.\[]", each["argument"])[0] for each in reply.facts["arguments"]} == {wrong}

    def test_a_failing_store_is_a_result_that_can_be_repeated(self, world: World, agent: McpClient) -> None:
        with world.deployment.probe.failing(PutItem=aws_error("ThrottlingException")):
            refused = agent.tool("ask_human", **QUESTION).facts
        assert (refused["error"], refused["retryable"]) == ("store-unavailable", True)


class TestTasks:
    @pytest.fixture
    def agent(self, world: World) -> McpClient:
        return McpClient(handlers=world.handlers, capabilities=TASKS)

    def test_a_question_is_a_task_for_a_client_that_takes_tasks(self, world: World, agent: McpClient) -> None:
        task = agent.tool("ask_human", **ACTION).result
        assert (task["resultType"], task["status"]) == ("task", "working")
        jti = task["taskId"]
        assert agent.send("tasks/get", {"taskId": jti}).result["status"] == "working"
        answer(world, jti, {"decision": "approve"})
        done = agent.send("tasks/get", {"taskId": jti}).result
        assert done["status"] == "completed"
        assert done["result"]["structuredContent"] == agent.tool("get_answer", pause=jti).facts

    def test_a_cancelled_task_is_a_revoked_question(self, agent: McpClient) -> None:
        jti = agent.tool("ask_human", **ACTION).result["taskId"]
        for _ in range(2):
            assert agent.send("tasks/cancel", {"taskId": jti}).result == {"resultType": "complete"}
        assert agent.send("tasks/get", {"taskId": jti}).result["status"] == "cancelled"
        assert agent.tool("get_answer", pause=jti).facts["status"] == "revoked"

    @pytest.mark.parametrize("ends", ["answered", "out of time", "expired"])
    def test_a_task_that_has_ended_is_cancelled_without_effect(self, world: World, agent: McpClient, ends: str) -> None:
        """Out of time, no sweep has come by yet, so the row still says that it is open."""
        jti = agent.tool("ask_human", **ACTION, expires_in_seconds=60).result["taskId"]
        if ends == "answered":
            answer(world, jti, {"decision": "approve"})
        else:
            world.now += 61
            if ends == "expired":
                world.sweep()
        before = agent.send("tasks/get", {"taskId": jti}).result
        assert agent.send("tasks/cancel", {"taskId": jti}).result == {"resultType": "complete"}
        assert agent.send("tasks/get", {"taskId": jti}).result == before

    def test_a_task_whose_answer_cannot_be_read_ends_with_an_error(self, world: World, agent: McpClient) -> None:
        jti = agent.tool("ask_human", question="Why?").result["taskId"]
        answer(world, jti, {"answer": "Because."})
        key = ledger_key(jti)
        world.deployment.put({**world.deployment.item(key), "response": {"S": "{"}})
        done = agent.send("tasks/get", {"taskId": jti}).result
        assert (done["status"], done["result"]["isError"]) == ("completed", True)
        assert done["result"]["structuredContent"]["error"] == "outcome-unreadable"

    def test_the_client_cannot_answer_by_an_update(self, agent: McpClient) -> None:
        jti = agent.tool("ask_human", **ACTION).result["taskId"]
        agent.send("tasks/update", {"taskId": jti, "inputResponses": {"answer": {"decision": "approve"}}})
        assert agent.send("tasks/get", {"taskId": jti}).result["status"] == "working"

    def test_an_expired_task_is_completed_without_an_answer(self, world: World, agent: McpClient) -> None:
        jti = agent.tool("ask_human", **ACTION, expires_in_seconds=60).result["taskId"]
        world.sweep(after=61)
        done = agent.send("tasks/get", {"taskId": jti}).result
        assert (done["status"], done["result"]["structuredContent"]["status"]) == ("completed", "expired")

    def test_a_client_that_declares_no_tasks_gets_none(self, world: World) -> None:
        plain = McpClient(handlers=world.handlers)
        jti = plain.tool("ask_human", **ACTION).facts["pause"]
        assert plain.send("tasks/get", {"taskId": jti}).error == (400, -32021)

    def test_the_task_of_another_principal_is_unknown(self, world: World, agent: McpClient) -> None:
        jti = agent.tool("ask_human", **ACTION).result["taskId"]
        other = McpClient(handlers=world.handlers, arn=OTHER, capabilities=TASKS)
        assert other.send("tasks/get", {"taskId": jti}).error == (400, -32602)


def test_no_result_has_a_link_or_a_token(world: World) -> None:
    """Also where the deployment gives links to programs that mint: a model can send on what it reads."""
    agent = McpClient(handlers=world.load(ASKBACK_RETURN_LINKS="true"))
    jti = agent.tool("ask_human", **QUESTION, approvers=["ada"]).facts["pause"]
    replies = [agent.tool("get_answer", pause=jti), agent.tool("list_my_open_questions")]
    assert SCOPE["tenant_id"] not in json.dumps([each.document for each in replies])
    for reply in replies:
        assert "eyJ" not in json.dumps(reply.document)
        assert "answers.example.com" not in json.dumps(reply.document)


def test_where_people_sign_in_the_address_has_the_id_and_nothing_that_answers(world: World) -> None:
    agent = McpClient(handlers=world.load(ASKBACK_SIGN_IN_URL="https://app.example.com/approvals"))
    facts = agent.tool("ask_human", **QUESTION).facts
    assert facts["sign_in_to_answer"] == f"https://app.example.com/approvals?pause={facts['pause']}"

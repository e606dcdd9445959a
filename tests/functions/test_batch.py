"""Several answers in one request: each is taken or refused on its own, in the order in which they were sent."""

import json
from typing import Any

import pytest

from askback.domain.resume import eight_steps
from askback.domain.resume.outcome import resume_outcome
from tests.support.aws_probe import aws_error
from tests.support.function_deployment import Deployment, Handlers
from tests.support.problems import require_problem
from tests.support.request_bodies import PERSON, SCOPE

BATCH, USER_BATCH = "/answers/batch", "/user/answers/batch"
FORGED = "e30.e30.e30"


def batch(handlers: Handlers, *items: object, path: str = BATCH, **options: Any) -> list[dict[str, Any]]:
    reply = handlers.post(path, {"items": list(items)}, **options)
    assert reply.status == 200, reply.document
    results: list[dict[str, Any]] = reply.document["items"]
    return results


def said(results: list[dict[str, Any]]) -> list[tuple[int, str]]:
    """Return the status of each item, with its problem's code or how its receipt came."""
    return [
        (each["status"], each["problem"]["code"])
        if "problem" in each
        else (each["status"], "again" if each["receipt"]["replayed"] else "first")
        for each in results
    ]


def counted(deployment: Deployment, start: int) -> list[tuple[str, str]]:
    """Return what was counted, one by one, with its code; durations are left out."""
    lines = (json.loads(line) for line in deployment.output.getvalue()[start:].splitlines() if '"_aws"' in line)
    return [
        (metric["Name"], line.get("code", ""))
        for line in lines
        for metric in line["_aws"]["CloudWatchMetrics"][0]["Metrics"]
        if metric["Unit"] == "Count"
    ]


def test_each_item_has_its_own_result_in_order(handlers: Handlers) -> None:
    first, second, third = (handlers.pause() for _ in range(3))
    wrong = second.answer(response=second.response("No such label"))
    results = batch(
        handlers, first.answer(), wrong, {"response": 1}, {"answer_token": FORGED, "response": {}}, third.answer()
    )
    assert said(results) == [
        (200, "first"),
        (422, "answer-invalid"),
        (400, "bad-request"),
        (401, "token-rejected"),
        (200, "first"),
    ]
    assert results[0]["receipt"]["jti"] == first.minted["jti"]
    assert results[0]["receipt"] == handlers.post("/answers", first.answer()).document | {"replayed": False}
    assert results[1]["problem"]["errors"][0]["field"].startswith("response.")
    assert handlers.redeems(second)


def test_a_batch_that_is_sent_again_gets_the_same_receipts(handlers: Handlers) -> None:
    items = [handlers.pause().answer() for _ in range(25)]
    first = batch(handlers, *items)
    again = batch(handlers, *items)
    assert (set(said(first)), set(said(again))) == ({(200, "first")}, {(200, "again")})
    assert [{**each["receipt"], "replayed": True} for each in first] == [each["receipt"] for each in again]


def test_the_second_answer_to_a_pause_is_not_tried(handlers: Handlers) -> None:
    """Whatever names it: another link of it, or a first answer that was refused."""
    pause = handlers.pause(recipients=["ada", "bob"])
    ada, bob = (each["answer_token"] for each in pause.minted["recipients"])
    wrong = pause.answer(answer_token=ada, response={})
    assert said(batch(handlers, wrong, pause.answer(answer_token=bob))) == [
        (422, "answer-invalid"),
        (409, "duplicate-pause"),
    ]
    assert said(batch(handlers, pause.answer(answer_token=bob))) == [(200, "first")]


def test_one_request_is_not_the_votes_of_two_people(handlers: Handlers) -> None:
    payload = {"title": "Pay?", "action": {"name": "pay", "arguments": {}}}
    people = {"approvers": ["ada", "bob"], "recipients": ["ada", "bob"], "quorum": {"needed": 2}}
    pause = handlers.pause(name="approval", payload=payload, **people)
    tokens = [each["answer_token"] for each in pause.minted["recipients"]]
    items = [{"answer_token": token, "response": {"decision": "approve"}} for token in tokens]
    assert said(batch(handlers, *items)) == [(202, "first"), (409, "duplicate-pause")]


def test_a_question_that_was_not_seen_is_refused_for_its_item(handlers: Handlers) -> None:
    first, second = handlers.pause(), handlers.pause()
    shown = handlers.post("/questions", {"answer_token": first.minted["answer_token"]}).document["request_hash"]
    items = [pause.answer(request_hash=shown) for pause in (first, second)]
    assert said(batch(handlers, *items)) == [(200, "first"), (409, "question-changed")]


def test_a_person_who_has_signed_in_answers_by_id_and_by_token(handlers: Handlers) -> None:
    by_id, by_token, elsewhere = handlers.pause(), handlers.pause(), handlers.pause(scope={"tenant_id": "other"})
    items = [
        {"jti": by_id.minted["jti"], "response": by_id.response()},
        by_token.answer(),
        {"jti": elsewhere.minted["jti"], "response": elsewhere.response()},
        {"response": 1},
        {"jti": by_token.minted["jti"], "response": by_token.response()},
    ]
    results = batch(handlers, *items, path=USER_BATCH, claims={**PERSON, "sub": "bob"})
    assert said(results) == [
        (200, "first"),
        (200, "first"),
        (404, "unknown-pause"),
        (400, "bad-request"),
        (409, "duplicate-pause"),
    ]
    assert {results[0]["receipt"]["answered_by"], results[1]["receipt"]["answered_by"]} == {"bob"}
    assert results[0]["receipt"]["answered_via"] == "jwt"


def test_a_link_cannot_name_a_pause_by_its_id(handlers: Handlers) -> None:
    pause = handlers.pause()
    results = batch(handlers, {"jti": pause.minted["jti"], "response": pause.response()})
    assert said(results) == [(400, "bad-request")]


def test_a_direct_caller_states_scope_and_answerer_in_each_item(handlers: Handlers) -> None:
    pause, other = handlers.pause(), handlers.pause()
    items = [pause.answer(scope=SCOPE, answerer="ada"), other.answer(scope={"tenant_id": "other"}), other.answer()]
    results = handlers.invoke("resume", {"action": "answers", "items": items})["items"]
    assert said(results) == [(200, "first"), (403, "scope-mismatch"), (400, "bad-request")]
    assert results[0]["receipt"]["answered_by"] == "ada"
    assert handlers.redeems(other)


def test_the_problem_of_a_direct_caller_has_nothing_of_the_question(handlers: Handlers) -> None:
    pause = handlers.pause()
    item = pause.answer(scope=SCOPE, response=pause.response("Approved"))
    over_http = batch(handlers, item)[0]["problem"]
    direct = handlers.invoke("resume", {"action": "answers", "items": [item]})["items"][0]["problem"]
    assert "Approve" in json.dumps(over_http["errors"])
    assert "Approve" not in json.dumps(direct)


def test_the_alias_that_reads_outcomes_answers_no_batch(handlers: Handlers) -> None:
    pause = handlers.pause()
    event = {"action": "answers", "items": [pause.answer(scope=SCOPE)]}
    assert handlers.refused("resume", event, alias="outcomes")["code"] == "bad-request"
    assert handlers.redeems(pause)


@pytest.mark.parametrize("items", [None, [], [{}] * 26, [1], {"0": {}}, ["{}"]], ids=str)
def test_a_body_that_is_no_batch_is_refused_whole(handlers: Handlers, items: object) -> None:
    for path in (BATCH, USER_BATCH):
        refused = handlers.post(path, {"items": items})
        require_problem(refused, 400, "bad-request")
        assert refused.document["errors"] == [{"field": "items", "message": "must be a list of 1 to 25 objects"}]
    require_problem(handlers.post(BATCH, {"items": [{}], "scope": SCOPE}), 400, "bad-request")


def test_a_direct_batch_is_not_larger_than_a_body_over_http(handlers: Handlers) -> None:
    pause = handlers.pause()
    items = [pause.answer(scope=SCOPE, response="é" * 300_000), {"response": "é" * 200_000}]
    refused = handlers.refused("resume", {"action": "answers", "items": items})
    assert (refused["status"], refused["code"]) == (413, "bad-request")


def test_the_numbers_of_an_answer_keep_their_digits(handlers: Handlers) -> None:
    payload = {
        "title": "Pay?",
        "action": {"name": "pay", "arguments": {"amount": 10.5}},
        "editable": {"amount": {"type": "number"}},
    }
    pause = handlers.pause(name="approval", payload=payload)
    token = pause.minted["answer_token"]
    answer = '{"decision": "approve", "edits": {"amount": 0.10}}'
    text = f'{{"items": [{{"answer_token": "{token}", "response": {answer}}}]}}'
    sent = handlers.event(BATCH, text)
    assert '"amount": 0.10' in handlers.gateway("resume", sent)["body"]


class Context:
    """Lambda's context of a function that is called without an alias; each look at the clock takes two seconds."""

    aws_request_id = "r-1"

    def __init__(self, function_arn: str, *, seconds: float) -> None:
        self.invoked_function_arn = function_arn
        self._left = seconds * 1000

    def get_remaining_time_in_millis(self) -> float:
        self._left -= 2000
        return self._left


def test_what_the_time_does_not_suffice_for_is_not_tried_and_can_be_sent_again(
    handlers: Handlers, deployment: Deployment
) -> None:
    pauses = [handlers.pause() for _ in range(4)]
    items = [pause.answer(scope=SCOPE) for pause in pauses]
    context = Context("arn:aws:lambda:eu-west-1:123456789012:function:resume", seconds=19.5)
    start = len(deployment.output.getvalue())
    results = handlers.invoke("resume", {"action": "answers", "items": items}, context)["items"]
    assert said(results) == [(200, "first")] * 2 + [(503, "not-tried")] * 2
    assert {each["problem"]["retryable"] for each in results[2:]} == {True}
    assert ("Refused", "not-tried") in counted(deployment, start)
    again = handlers.invoke("resume", {"action": "answers", "items": items})["items"]
    assert said(again) == [(200, "again")] * 2 + [(200, "first")] * 2


def test_a_batch_is_no_cheaper_way_to_try_tokens(handlers: Handlers, deployment: Deployment) -> None:
    """It ends at the third that is rejected, and each of them counts."""
    pause, start = handlers.pause(), len(deployment.output.getvalue())
    tokens = [FORGED, pause.minted["answer_token"][:-2] + "AA", "", "x" * 20_000]
    results = batch(handlers, *({"answer_token": token, "response": 1} for token in tokens), pause.answer())
    assert said(results) == [(401, "token-rejected")] * 3 + [(503, "not-tried")] * 2
    rejected = [code for name, code in counted(deployment, start) if name == "Refused" and code]
    assert rejected == ["token-rejected"] * 3 + ["not-tried"] * 2
    assert handlers.redeems(pause)


def test_each_item_is_counted_and_logged_as_in_a_request_of_its_own(handlers: Handlers, deployment: Deployment) -> None:
    good, bad = handlers.pause(), handlers.pause()
    start = len(deployment.output.getvalue())
    batch(handlers, good.answer(), bad.answer(response={}), {"response": 1})
    assert counted(deployment, start) == [
        ("PauseAnswered", ""),
        ("Refused", "answer-invalid"),
        ("Refused", "bad-request"),
        ("BatchAnswered", ""),
    ]
    text = deployment.output.getvalue()[start:]
    lines = [json.loads(line) for line in text.splitlines() if '"message"' in line]
    assert [(line["message"], line.get("jti")) for line in lines] == [
        ("PauseAnswered", good.minted["jti"]),
        ("refused", bad.minted["jti"]),
        ("refused", None),
        ("BatchAnswered", None),
    ]
    assert (lines[-1]["items"], lines[-1]["accepted"]) == ("3", "1")
    for secret in (good.minted["answer_token"], bad.minted["answer_token"], "Approve"):
        assert secret not in text


def test_an_unexpected_error_of_one_item_stops_no_other(
    handlers: Handlers, deployment: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = handlers.pause(), handlers.pause()
    own, calls = deployment.load(only=frozenset({"resume"})), []

    def outcome(claims: Any, *args: Any, **options: Any) -> Any:
        calls.append(claims.jti)
        if claims.jti == first.minted["jti"]:
            raise RuntimeError("of no kind that is known")
        return resume_outcome(claims, *args, **options)

    monkeypatch.setattr(eight_steps, "resume_outcome", outcome)
    assert said(batch(own, first.answer(), second.answer())) == [(500, "internal"), (200, "first")]
    assert calls == [first.minted["jti"], second.minted["jti"]]


def test_a_store_that_fails_leaves_every_item_to_be_sent_again(handlers: Handlers, deployment: Deployment) -> None:
    items = [handlers.pause().answer() for _ in range(2)]
    with deployment.probe.failing(UpdateItem=aws_error("ThrottlingException")):
        results = batch(handlers, *items)
    assert said(results) == [(503, "store-unavailable")] * 2
    assert {each["problem"]["retryable"] for each in results} == {True}
    with deployment.probe.losing_replies(UpdateItem=aws_error("InternalServerError", status=500)):
        batch(handlers, *items)
    assert said(batch(handlers, *items)) == [(200, "again")] * 2


def test_a_principal_may_use_its_own_scopes_only(deployment: Deployment, handlers: Handlers) -> None:
    own = deployment.load(ASKBACK_PRINCIPAL_SCOPES='{"direct": ["acme/*"]}')
    mine, theirs = handlers.pause(), handlers.pause(scope={"tenant_id": "other"})
    items = [mine.answer(scope=SCOPE), theirs.answer(scope={"tenant_id": "other"})]
    results = own.invoke("resume", {"action": "answers", "items": items})["items"]
    assert said(results) == [(200, "first"), (403, "principal-not-allowed")]

"""Attack: an action runs although fewer people than are needed said yes to it.

These are faults that other systems with several approvers had.
"""

import itertools
from collections.abc import Callable
from typing import Any

import pytest

from tests.support.clock import SetClock
from tests.support.function_deployment import Answer, Deployment, Handlers
from tests.support.memory_deployment import NOW
from tests.support.problems import require_problem
from tests.support.request_bodies import SCOPE
from tests.support.several import FIVE, NO, YES, Several

DEFAULT_NO = {"policy": "default", "response": NO}
_keys = (f"several-{number}" for number in itertools.count(1))


@pytest.fixture
def clock() -> SetClock:
    return SetClock(NOW)


@pytest.fixture
def timed(deployment: Deployment, clock: SetClock) -> Handlers:
    return deployment.load(clock=clock)


def operators_view(several: Several) -> dict[str, Any]:
    shown: dict[str, Any] = several.handlers.invoke("inbox", {"action": "show", "jti": several.minted["jti"]})
    return shown


@pytest.mark.cannot("let the end of the time complete a quorum")
def test_a_denial_does_not_become_an_approval_at_the_end_of_the_time(timed: Handlers, clock: SetClock) -> None:
    refused = Several(timed, {"needed": 2}, on_expiry={"policy": "default", "response": YES}).reply
    require_problem(refused, 400, "bad-request")
    several = Several(timed, {"needed": 3, "veto": False}, on_expiry=DEFAULT_NO)
    assert [several.vote(*each).status for each in (("ada",), ("bob",), ("cyd", NO))] == [202, 202, 202]
    clock.now += 3600
    timed.invoke("sweep", {})
    outcome = several.outcome().document
    assert (outcome["response"]["decision"], outcome["response"]["arguments"]) == ("reject", None)
    assert outcome["by_policy"] is True
    given = [("ada", "approve"), ("bob", "approve"), ("cyd", "reject")]
    assert [(vote["by"], vote["decision"]) for vote in outcome["votes"]] == given
    assert [(vote["by"], vote["decision"]) for vote in operators_view(several)["votes"]] == given


def test_no_vote_is_lost_when_a_pause_expires(timed: Handlers, clock: SetClock) -> None:
    several = Several(timed, {"needed": 3})
    several.vote("ada")
    clock.now += 3600
    timed.invoke("sweep", {})
    require_problem(several.outcome(), 410, "expired")
    require_problem(several.vote("bob"), 410, "expired")
    shown = operators_view(several)
    assert (shown["status"], [vote["by"] for vote in shown["votes"]]) == ("expired", ["ada"])


DAMAGE: dict[str, dict[str, Any]] = {
    "quorum gone": {"quorum": ...},
    "number gone": {"quorum": {"M": {"veto": {"BOOL": True}, "hidden": {"BOOL": False}}}},
    "one is enough": {"quorum": {"M": {"needed": {"N": "1"}, "veto": {"BOOL": True}, "hidden": {"BOOL": False}}}},
    "no veto": {"quorum": {"M": {"needed": {"N": "3"}, "veto": {"BOOL": False}, "hidden": {"BOOL": False}}}},
    "quorum and hash gone": {"quorum": ..., "terms": ...},
    "hash gone and two are enough": {
        "quorum": {"M": {"needed": {"N": "2"}, "veto": {"BOOL": True}, "hidden": {"BOOL": False}}},
        "terms": ...,
    },
    "every trace of votes gone": {"quorum": ..., "votes": ..., "vote_count": ...},
    "a vote without its count": {"vote_count": {"N": "0"}},
    "a vote that is neither yes nor no": {"votes": {"S": '[["ada","no","","{}","x",1,"y","link","link",1]]'}},
    "fewer members": {"approvers": {"L": [{"S": "ada"}]}},
    "no members": {"approvers": ...},
}


@pytest.mark.cannot("let one vote decide")
@pytest.mark.parametrize("what", DAMAGE)
def test_a_row_that_lost_its_quorum_never_opens(deployment: Deployment, handlers: Handlers, what: str) -> None:
    several = Several(handlers, {"needed": 3})
    assert several.vote("ada").status == 202
    key = deployment.row_key(several.pause)
    whole = deployment.item(key)
    damaged = whole | DAMAGE[what]
    deployment.put({name: value for name, value in damaged.items() if value is not ...})
    votes = [several.vote("bob"), several.vote_stated("cyd"), several.vote_signed_in("dan")]
    for refused in (*votes, several.outcome()):
        require_problem(refused, 424, "row-unreadable")
    deployment.put(whole)
    assert several.vote("bob").status == 202


@pytest.mark.cannot("vote unless the pause names this person as an approver")
@pytest.mark.parametrize("person", ["mallory", "eve@example.com", "link", "policy", "direct", ""])
def test_people_outside_the_roster_do_not_vote(handlers: Handlers, person: str) -> None:
    several = Several(handlers, {"needed": 2}, least_assurance="stated")
    several.vote("ada")
    body = {"answer_token": several.minted["answer_token"], "response": YES}
    refused = [several.vote_signed_in(person), several.vote_stated(person), handlers.post("/answers", body)]
    assert {each.status for each in refused} <= {400, 401, 403}
    assert several.question("bob")["quorum"]["approved"] == 1


def test_the_requester_does_not_vote_where_the_requester_may_not_answer(handlers: Handlers) -> None:
    several = Several(handlers, {"needed": 4}, recipients=FIVE[1:], requester=" ADA ", requester_may_answer=False)
    require_problem(several.vote_signed_in("ada"), 403, "answerer-not-allowed")
    assert several.question("bob")["quorum"]["members"] == 4
    refused = Several(handlers, {"needed": 5}, recipients=FIVE[1:], requester="Ada", requester_may_answer=False).reply
    require_problem(refused, 400, "bad-request")


@pytest.mark.parametrize("approvers", [[], ["ada"]])
def test_a_group_without_enough_people_is_refused_before_anything_is_asked(
    handlers: Handlers, approvers: list[str]
) -> None:
    require_problem(
        Several(handlers, {"needed": 2}, approvers=approvers, recipients=approvers).reply, 400, "bad-request"
    )


def test_an_even_split_ends_at_once_and_not_at_the_end_of_the_time(handlers: Handlers) -> None:
    several = Several(handlers, {"needed": 3, "veto": False}, approvers=FIVE[:4], recipients=FIVE[:4])
    assert [several.vote(person).status for person in ("ada", "bob")] == [202, 202]
    assert several.vote("cyd", NO).status == 202
    assert several.vote("dan", NO).status == 200
    assert several.outcome().document["response"]["decision"] == "reject"


def test_one_rejection_ends_it_and_the_flow_does_not_wait_for_the_others(handlers: Handlers) -> None:
    several = Several(handlers, {"needed": 5})
    assert several.vote("ada", NO).status == 200
    assert several.outcome().document["response"]["arguments"] is None
    require_problem(several.vote("bob"), 409, "already-answered")


@pytest.mark.cannot("give two votes")
def test_a_person_who_votes_in_every_way_is_one_person(handlers: Handlers) -> None:
    several = Several(handlers, {"needed": 2})
    assert several.vote("ada").status == 202
    for again in (several.vote_signed_in("Ada"), several.vote_stated(" ADA"), several.vote("ada")):
        assert (again.status, again.document["replayed"], again.document["quorum"]["approved"]) == (202, True, 1)
    for other in (several.vote_signed_in("ADA", NO), several.vote_stated("ada ", {**YES, "comment": "Really"})):
        require_problem(other, 409, "already-voted")


@pytest.mark.parametrize("amount", [9, 11])
def test_one_click_does_not_approve_another_execution(handlers: Handlers, amount: int) -> None:
    """A yes is for one pause, and for the values that it names."""
    one, other = (Several(handlers, {"needed": 2}, idempotency_key=next(_keys)) for _ in range(2))
    one.vote("ada")
    assert other.question("bob")["quorum"]["approved"] == 0
    last = one.vote("bob", {**YES, "edits": {"amount": amount}})
    assert (last.status, last.document["quorum"]["approved"]) == (202, 1)
    require_problem(one.outcome(), 409, "not-answered")


@pytest.mark.cannot("continue a run with a vote that was outvoted")
@pytest.mark.parametrize("how", ["vote_stated", "vote_signed_in"])
def test_a_yes_that_comes_again_after_a_veto_does_not_continue_the_run(handlers: Handlers, how: str) -> None:
    several = Several(handlers, {"needed": 2})
    vote: Callable[[str], Answer] = getattr(several, how)
    assert vote("ada").status == 202
    several.vote("bob", NO)
    assert vote("ada").document["replayed"] is True
    continued = several.vote_stated("ada").document
    assert (continued["response"]["decision"], continued["response"]["arguments"]) == ("reject", None)


def test_a_run_goes_on_only_once_however_often_the_last_vote_comes(handlers: Handlers) -> None:
    several = Several(handlers, {"needed": 2})
    several.vote("ada")
    replies = [several.vote_stated("bob") for _ in range(3)]
    assert [each.document["replayed"] for each in replies] == [False, True, True]
    assert len({each.document["answered_at"] for each in replies}) == 1


@pytest.mark.cannot("see hidden votes")
def test_a_member_learns_nothing_of_hidden_votes_before_the_end(deployment: Deployment, handlers: Handlers) -> None:
    """Two pauses that differ in what was voted look the same to the third member."""

    def seen(first: dict[str, Any], second: dict[str, Any]) -> list[Any]:
        several = Several(handlers, {"needed": 4, "veto": False, "hidden": True})
        several.vote("ada", first)
        several.vote("bob", second)
        shown = several.question("cyd")
        unchanged = several.question("cyd", seen=shown["request_hash"])
        receipt = several.vote("cyd").document
        stated = several.vote_stated("dan").document
        parts = ("quorum", "votes", "proposal", "status")
        return [{name: each[name] for name in parts if name in each} for each in (shown, unchanged, receipt, stated)]

    commented = {**YES, "comment": "so says ada"}
    assert seen(commented, NO) == seen(NO, commented)
    assert "ada" not in str(seen(commented, NO))


def test_the_assurance_of_a_question_is_asked_of_every_vote(handlers: Handlers) -> None:
    several = Several(handlers, {"needed": 2}, least_assurance="personal_link")
    require_problem(several.vote_stated("ada"), 403, "answerer-not-allowed")
    assert [several.vote("ada").status, several.vote_signed_in("bob").status] == [202, 200]
    assert several.outcome().document["assurance"] == "personal_link"


def test_the_scope_of_a_vote_is_that_of_the_pause(handlers: Handlers) -> None:
    several = Several(handlers, {"needed": 2})
    body = {"pause_token": several.minted["pause_token"], "response": YES, "answerer": "ada"}
    elsewhere = handlers.post("/resume", {**body, "scope": {**SCOPE, "tenant_id": "globex"}})
    assert elsewhere.status == 403
    assert several.question("ada")["quorum"]["voted"] == 0

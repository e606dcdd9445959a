"""The log of decisions has a line for every vote, and says which writes of votes were not askback's."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from askback.domain.pause.decisions import COLUMNS
from tests.support.function_deployment import Deployment, Handlers
from tests.support.several import NO, YES, Several
from tests.support.table_stream import TableStream


@pytest.fixture
def stream(deployment: Deployment) -> TableStream:
    return TableStream(deployment)


def decisions(lines: list[dict[str, Any]]) -> list[str]:
    return [line["decision"] for line in lines]


def write(deployment: Deployment, several: Several, **attributes: Any) -> None:
    """Change the row as a principal does who may write the table."""
    item = deployment.item(deployment.row_key(several.pause)) | attributes
    deployment.put({name: value for name, value in item.items() if value is not ...})


def votes(deployment: Deployment, several: Several) -> list[list[Any]]:
    written: list[list[Any]] = json.loads(deployment.item(deployment.row_key(several.pause))["votes"]["S"])
    return written


def test_each_vote_is_a_line_and_so_is_the_decision(handlers: Handlers, stream: TableStream) -> None:
    several = Several(handlers, {"needed": 2})
    several.vote("ada", {**YES, "comment": "a secret comment"})
    several.vote_signed_in("bob")
    lines = stream.audited(handlers, several.pause)
    by_decision = {(line["decision"], line["voted_by"]): line for line in lines}
    assert set(by_decision) == {("issued", None), ("voted", "ada"), ("voted", "bob"), ("answered", None)}
    assert all(list(line) == list(COLUMNS) for line in lines)
    assert len({line["id"] for line in lines}) == 4
    first, last = by_decision["voted", "ada"], by_decision["voted", "bob"]
    assert [(each["vote"], each["round"]) for each in (first, last)] == [("approve", 1)] * 2
    assert [(each["assurance"], each["answered_via"]) for each in (first, last)] == [
        ("personal_link", "link"),
        ("signed_in", "jwt"),
    ]
    assert (first["status_before"], first["status"], first["answered_by"]) == ("issued", "issued", None)
    answered = by_decision["answered", None]
    assert (answered["answered_by"], answered["assurance"]) == ("bob", "personal_link")
    assert answered["answer_hash"] == last["answer_hash"]
    assert "a secret comment" not in json.dumps(lines)


def test_a_no_and_another_round_are_lines(handlers: Handlers, stream: TableStream) -> None:
    several = Several(handlers, {"needed": 3, "veto": False})
    several.vote("ada")
    several.vote("bob", {**YES, "edits": {"amount": 9}})
    several.vote("cyd", NO)
    lines = [line for line in stream.audited(handlers, several.pause) if line["decision"] == "voted"]
    given = sorted((line["voted_by"], line["vote"], line["round"]) for line in lines)
    assert given == [("ada", "approve", 1), ("bob", "approve", 2), ("cyd", "reject", 2)]


def test_a_vote_that_comes_again_and_one_that_is_refused_are_no_decisions(
    handlers: Handlers, stream: TableStream
) -> None:
    several = Several(handlers, {"needed": 2})
    several.vote("ada")
    several.vote("ada")
    several.vote("ada", NO)
    several.vote_stated("mallory")
    assert sorted(decisions(stream.audited(handlers, several.pause))) == ["issued", "voted"]


def no_to_yes(given: list[list[Any]]) -> list[list[Any]]:
    return [[*vote[:1], True, *vote[2:]] for vote in given]


def a_vote(by: str, *, approves: bool = False, number: int = 1) -> list[Any]:
    """Return a vote as the row has it."""
    return [by, approves, "", "{}", "h", 1, f"attempt of {by}", "link", "link", number]


FORGERIES: dict[str, Callable[[list[list[Any]]], list[list[Any]]]] = {
    "a vote removed": lambda given: given[1:],
    "all votes removed": lambda given: [],
    "a no made a yes": no_to_yes,
    "a vote of a person outside the roster": lambda given: [*given, a_vote("mallory")],
    "a second vote of one person": lambda given: [*given, a_vote("ada", approves=True)],
    "two votes at once": lambda given: [*given, a_vote("cyd"), a_vote("dan")],
    "a vote in another round": lambda given: [*given, a_vote("cyd", number=4)],
}


@pytest.mark.parametrize("what", FORGERIES)
def test_votes_that_askback_does_not_write_so_are_a_change(
    deployment: Deployment, handlers: Handlers, stream: TableStream, what: str
) -> None:
    several = Several(handlers, {"needed": 4, "veto": False})
    several.vote("ada", NO)
    several.vote("bob")
    forged = FORGERIES[what](votes(deployment, several))
    text = json.dumps(forged, separators=(",", ":"))
    write(deployment, several, votes={"S": text}, vote_count={"N": str(len(forged))})
    assert sorted(decisions(stream.audited(handlers, several.pause))) == ["changed", "issued", "voted", "voted"]


def test_an_answer_without_the_votes_that_it_needs_is_a_change(
    deployment: Deployment, handlers: Handlers, stream: TableStream
) -> None:
    several = Several(handlers, {"needed": 3})
    several.vote("ada")
    forged = {
        "status": {"S": "answered"},
        "response_hash": {"S": "0" * 64},
        "answered_by": {"S": "bob"},
        "answered_at": {"N": "5"},
        "attempt_id": {"S": "x"},
        "redeemed_scope_hash": {"S": "y"},
    }
    write(deployment, several, **forged)
    assert sorted(decisions(stream.audited(handlers, several.pause))) == ["changed", "issued", "voted"]


def test_fewer_votes_that_are_needed_make_the_row_unreadable(
    deployment: Deployment, handlers: Handlers, stream: TableStream
) -> None:
    several = Several(handlers, {"needed": 3})
    fewer = {"M": {"needed": {"N": "2"}, "veto": {"BOOL": True}, "hidden": {"BOOL": False}}}
    write(deployment, several, quorum=fewer)
    assert sorted(decisions(stream.audited(handlers, several.pause))) == ["issued", "unreadable"]


def test_an_operator_sees_the_quorum_and_every_vote(handlers: Handlers) -> None:
    several = Several(handlers, {"needed": 3, "hidden": True})
    several.vote("ada", {**YES, "comment": "Fine"})
    shown = handlers.invoke("inbox", {"action": "show", "jti": several.minted["jti"]})
    assert shown["quorum"] == {
        "needed": 3, "members": 5, "veto": True, "round": 1, "voted": 1, "approved": 1, "rejected": 0, "hidden": True,
    }  # fmt: skip
    assert [(vote["by"], vote["decision"], vote["comment"]) for vote in shown["votes"]] == [("ada", "approve", "Fine")]

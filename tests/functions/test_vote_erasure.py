"""`askback show` and `askback erase` of a pause on which several people decided."""

from tests.support.operator_terminal import Terminal
from tests.support.problems import require_problem
from tests.support.several import NO, YES, Several

SAID = "the supplier is my cousin"


def decided(terminal: Terminal) -> Several:
    people = ["zoe@example.com", "bob"]
    several = Several(terminal.world.handlers, {"needed": 2}, approvers=people, recipients=people)
    several.vote("zoe@example.com", {**YES, "comment": SAID})
    return several


def test_the_command_shows_the_quorum_and_every_vote(terminal: Terminal) -> None:
    several = decided(terminal)
    shown = terminal.run("show", several.minted["jti"]).out
    assert "2 of 2 must approve, one no rejects; round 1: 1 approved, 0 rejected" in shown
    assert "approve, by zoe@example.com, " in shown
    assert f"personal_link, round 1: {SAID}" in shown
    assert "quorum" not in terminal.run("show", terminal.world.handlers.pause().minted["jti"]).out


def test_what_people_voted_is_erased_and_the_proof_of_it_stays(terminal: Terminal) -> None:
    several = decided(terminal)
    several.vote("bob", {**NO, "comment": "no, because " + SAID})
    counted = terminal.run("erase", "--pause", several.minted["jti"]).out
    assert "texts of the row" in counted
    ran = terminal.run("--json", "erase", "--pause", several.minted["jti"], "--yes")
    assert (ran.code, ran.document["erased"]) == (0, True)
    row = terminal.world.deployment.item(terminal.world.deployment.row_key(several.pause))
    assert SAID not in str(row)
    assert "amount" not in str(row)
    shown = terminal.run("--json", "show", several.minted["jti"]).document
    assert [(vote["by"], vote["decision"], vote["comment"]) for vote in shown["votes"]] == [
        ("zoe@example.com", "approve", None),
        ("bob", "reject", None),
    ]
    again = terminal.run("--json", "erase", "--pause", several.minted["jti"], "--yes").document
    assert again["attributes"] == 0
    require_problem(several.outcome(), 410, "erased")
    require_problem(several.vote("bob", {**NO, "comment": "no, because " + SAID}), 410, "erased")


def test_the_name_of_a_voter_is_replaced_in_the_votes(terminal: Terminal) -> None:
    several = decided(terminal)
    several.vote("bob")
    ran = terminal.run("--json", "erase", "--person", " ZOE@example.com", "--yes")
    pseudonym = ran.document["pseudonym"]
    row = terminal.world.deployment.item(terminal.world.deployment.row_key(several.pause))
    assert "zoe@" not in str(row)
    # The row can still be read, so its hash is that of the new names, and the vote still counts.
    votes = several.outcome().document["votes"]
    assert [(vote["by"], vote["counts"]) for vote in votes] == [(pseudonym, True), ("bob", True)]

"""Who may pass a pause on, to whom, and for whom a person decides then."""

from dataclasses import replace
from typing import Any

import pytest

from askback.domain.errors import InvalidRequest
from askback.domain.pause.answerers import Answerers
from askback.domain.pause.assurance import Assurance
from askback.domain.pause.changes import ChangeKind, PauseChange, passed_on_by
from askback.domain.pause.delegation import check_delegates, may_pass_on, people_after, require_delegate, step_now
from askback.domain.pause.ledger import LedgerRow, PauseStatus
from askback.domain.pause.person_names import matches
from askback.domain.pause.quorum import Quorum
from askback.domain.pause.roster import PLACES_MAX, EscalationStep, StepMode
from tests.support.memory_deployment import NOW
from tests.support.voting import FIVE, ROSTER, a_row_to_vote_on, a_vote

ALL: dict[str, Any] = {"delegates": ("*",)}


def passed(row: LedgerRow, member: str, to: str, kind: ChangeKind = ChangeKind.DELEGATED) -> LedgerRow:
    return row.changed(people_after(row, member, to), kind, at=NOW, alarm_seconds=0, by=member).applied_to(row)


def why_not(row: LedgerRow, member: str, to: str) -> str:
    with pytest.raises(InvalidRequest) as refused:
        require_delegate(row, member, to)
    ((field, message),) = [(error.field, error.message) for error in refused.value.errors]
    assert field == "to"
    return message


@pytest.mark.parametrize(
    ("name", "patterns", "expected"),
    [
        ("Ada@Example.com ", ["*@example.com"], True),
        ("ada@example.com.evil", ["*@example.com"], False),
        ("ada", [], False),
        ("ZOË", ["zoë"], True),
        ("ada", ["ad?"], True),
    ],
)
def test_a_pattern_means_people_in_every_spelling(name: str, patterns: list[str], expected: bool) -> None:
    assert matches(name, patterns) is expected


def test_delegates_need_approvers() -> None:
    check_delegates(("*",), ROSTER)
    check_delegates((), Answerers())
    with pytest.raises(InvalidRequest):
        check_delegates(("*",), Answerers(recipients=("ada",)))


def test_a_person_decides_for_the_first_member_of_the_chain() -> None:
    row = a_row_to_vote_on(**ALL)
    for member, to in (("ada", "z1"), ("bob", "y1"), ("z1", "z2")):
        row = passed(row, member, to)
    assert [row.delegated_for(person) for person in ("z2", "Z1", "y1", "cyd", "ada")] == ["ada", "ada", "bob", "", ""]
    assert passed_on_by(row.changes, row.answerers.recipients, "z2") == ("ada", "z1")


def test_a_person_named_by_an_operator_decides_for_no_other_member() -> None:
    row = passed(passed(a_row_to_vote_on(**ALL), "ada", "z1"), "z1", "olga's choice", ChangeKind.REASSIGNED)
    assert row.delegated_for("olga's choice") == ""
    # A chain begins anew there.
    assert passed(row, "olga's choice", "z2").delegated_for("z2") == "olga's choice"


def test_a_row_whose_changes_point_at_each_other_is_read_once() -> None:
    circle = tuple(
        PauseChange(kind=ChangeKind.DELEGATED, at=1, approvers=(), places=places, by=by)
        for places, by in ((0, "bob"), (1, "ada"))
    )
    assert passed_on_by(circle, ("ada", "bob"), "bob") == ("bob", "ada")


@pytest.mark.parametrize(
    ("to", "text"),
    [("bob", "already"), ("zoe", ""), ("ada", "already"), ("mallory", "cannot be asked")],
)
def test_the_other_person_must_be_one_who_can_be_asked(to: str, text: str) -> None:
    people = replace(ROSTER, requester="Mallory", requester_may_answer=False)
    row = a_row_to_vote_on(answerers=people, **ALL)
    if text:
        assert text in why_not(row, "ada", to)
    else:
        require_delegate(row, "ada", to)


def test_without_delegates_and_after_the_end_no_member_passes_it_on() -> None:
    row = a_row_to_vote_on()
    assert not may_pass_on(row, "ada")
    assert "cannot be passed on" in why_not(row, "ada", "zoe")
    assert not may_pass_on(a_row_to_vote_on(**ALL, status=PauseStatus.EXPIRED), "ada")


def test_a_vote_that_counts_keeps_its_member_from_passing_it_on() -> None:
    voted = a_row_to_vote_on(**ALL, votes=(a_vote("ada"),))
    assert [may_pass_on(voted, person) for person in ("Ada", "bob")] == [False, True]
    # A vote of an earlier round, or of before a reply of the asker, counts no more.
    other_round = a_row_to_vote_on(**ALL, votes=(a_vote("ada"), a_vote("bob", runs="9", round=2)))
    assert may_pass_on(other_round, "ada")
    reply = PauseChange(
        kind=ChangeKind.CLARIFIED, at=NOW, approvers=FIVE, places=5, by="asker", text="So.", number=1, votes=1
    )
    assert may_pass_on(replace(voted, changes=(reply,)), "ada")


def test_the_places_of_a_pause_are_limited() -> None:
    people = tuple(f"p{number}" for number in range(PLACES_MAX))
    full = a_row_to_vote_on(**ALL, answerers=Answerers(approvers=people[:5], recipients=people))
    assert not may_pass_on(full, "p1")
    assert str(PLACES_MAX) in why_not(full, "p1", "zoe")


def test_the_demand_of_the_member_goes_with_it() -> None:
    people = replace(ROSTER, member_floors=(("ada", Assurance.SIGNED_IN),), least_assurance=Assurance.LINK)
    row = a_row_to_vote_on(**ALL, answerers=people)
    first = passed(row, "ada", "zoe")
    second = passed(first, "zoe", "gil")
    assert [first.answerers.least_of("zoe"), second.answerers.least_of("gil")] == [Assurance.SIGNED_IN] * 2
    assert passed(row, "bob", "eva").answerers.member_floors == people.member_floors
    assert second.asked_at_mint == people


def test_a_step_leaves_out_a_member_whom_an_operator_has_replaced() -> None:
    """Otherwise the member could vote again, beside the person who came instead."""
    row = a_row_to_vote_on(**ALL)
    people = row.people.with_added(["eve"]).without(["ada"])
    row = row.changed(people, ChangeKind.REASSIGNED, at=5, alarm_seconds=0, by="olga").applied_to(row)
    step = EscalationStep(after_seconds=60, to=("Ada", "bob", "cfo"))
    assert step_now(row, step).to == ("bob", "cfo")


def test_a_step_leaves_out_members_who_have_passed_it_on() -> None:
    step = EscalationStep(after_seconds=60, to=("ADA", "cfo"), mode=StepMode.REPLACE)
    row = a_row_to_vote_on(**ALL, quorum=Quorum(needed=2))
    assert step_now(row, step) == step
    row = passed(row, "ada", "zoe")
    assert step_now(row, step) == replace(step, to=("cfo",))
    assert step_now(row, replace(step, to=("ada",))) == replace(step, to=(), mode=StepMode.ADD)

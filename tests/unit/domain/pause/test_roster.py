"""The people of a pause as they change: places are kept, links of those who leave are void, steps are checked."""

from typing import Any

import pytest

from askback.domain.errors import InvalidRequest
from askback.domain.pause.answerers import Answerers
from askback.domain.pause.changes import ChangeKind, PauseChange, changes_text, new_places, read_changes
from askback.domain.pause.quorum import Quorum
from askback.domain.pause.roster import (
    EscalationStep,
    People,
    StepMode,
    check_escalation,
    escalation_text,
    read_escalation,
)
from tests.support.voting import a_vote

ADA_BOB = Answerers(approvers=("ada", "bob"), recipients=("ada", "bob"))


def a_step(*to: str, after: int = 3600, mode: StepMode = StepMode.ADD) -> EscalationStep:
    return EscalationStep(after_seconds=after, to=to, mode=mode)


def instead(*to: str, after: int = 3600) -> EscalationStep:
    return a_step(*to, after=after, mode=StepMode.REPLACE)


def test_added_people_are_behind_those_who_were_there_and_may_answer() -> None:
    after = People(answerers=ADA_BOB).after(a_step("cfo", "BOB "))
    assert after == People(answerers=Answerers(approvers=("ada", "bob", "cfo"), recipients=("ada", "bob", "cfo")))


def test_people_who_are_replaced_keep_their_place_and_lose_their_link() -> None:
    after = People(answerers=ADA_BOB).after(instead("cfo", "bob"))
    assert after.answerers == Answerers(approvers=("bob", "cfo"), recipients=("ada", "bob", "cfo"))
    assert after.revoked_links == ("ada",)
    assert after.asked() == ("bob", "cfo")


def test_without_approvers_only_the_links_change() -> None:
    people = People(answerers=Answerers(recipients=("ada",)))
    assert people.after(a_step("cfo")).answerers == Answerers(recipients=("ada", "cfo"))
    replaced = people.after(instead("cfo"))
    assert (replaced.answerers.approvers, replaced.revoked_links, replaced.asked()) == ((), ("ada",), ("cfo",))


def test_a_link_that_an_operator_has_revoked_stays_revoked() -> None:
    people = People(answerers=ADA_BOB, revoked_links=("ada",))
    assert people.after(a_step("ada", "cfo")).revoked_links == ("ada",)
    assert people.after(instead("ada")).revoked_links == ("ada", "bob")


def test_the_approvers_never_become_none_because_then_every_person_could_answer() -> None:
    with pytest.raises(ValueError, match="cannot lose all"):
        People(answerers=ADA_BOB).without(["ada", "bob"])


def test_a_decision_is_possible_while_enough_people_have_not_said_no() -> None:
    quorum = Quorum(needed=2, veto=False)
    four = Answerers(approvers=("ada", "bob", "cyd", "dan"), recipients=("ada",))
    noes = tuple(a_vote(person, approves=False) for person in ("cyd", "dan"))
    assert People(answerers=four).can_decide(quorum, noes)
    assert not People(answerers=four).after(instead("cyd", "dan", "eve")).can_decide(quorum, noes)
    assert People(answerers=four).after(a_step("cyd", "dan", "eve")).can_decide(quorum, noes)
    assert People(answerers=four).can_decide(None, noes)


def test_no_decision_is_possible_when_every_link_is_void() -> None:
    assert People(answerers=ADA_BOB, revoked_links=("bob",)).can_decide(None, ())
    assert not People(answerers=ADA_BOB, revoked_links=("ada", "bob")).can_decide(None, ())


def test_the_new_places_of_each_change() -> None:
    changes = [_change(places=1), _change(places=1), _change(places=3)]
    recipients = ("ada", "bob", "cyd", "dan")
    assert [new_places(changes, number, recipients) for number in range(4)] == [("ada",), (), ("bob", "cyd"), ("dan",)]
    assert new_places((), 0, recipients) == recipients


def test_steps_and_changes_come_back_from_their_text() -> None:
    steps = (a_step("zoë"), instead("ada", "bob", after=7200))
    assert read_escalation(escalation_text(steps)) == steps
    changes = (_change(places=1), PauseChange(kind=ChangeKind.REASSIGNED, at=9, approvers=(), places=2, by="olga"))
    assert read_changes(changes_text(changes)) == changes


@pytest.mark.parametrize(
    ("steps", "over", "field"),
    [
        ([a_step("cfo", after=59)], {}, "escalation[0].after_seconds"),
        ([a_step("cfo", after=7200)], {}, "escalation[0].after_seconds"),
        ([a_step("cfo"), a_step("ceo")], {}, "escalation[1].after_seconds"),
        ([a_step()], {}, "escalation[0].to"),
        ([a_step("cfo", "CFO")], {}, "escalation[0].to"),
        ([a_step("policy")], {}, "escalation[0].to[0]"),
        ([a_step(*(f"p{number}" for number in range(21)))], {}, "escalation[0].to"),
        ([a_step(*(f"p{number}" for number in range(19)))], {}, "escalation[0].to"),
        ([a_step(f"p{number}", after=60 + number) for number in range(6)], {}, "escalation"),
        ([instead("cfo"), a_step("ada", after=3601)], {}, "escalation[1].to[0]"),
        ([instead("cfo")], {"answerers": Answerers()}, "escalation[0].mode"),
        ([instead("cfo")], {"quorum": Quorum(needed=2)}, "escalation[0].to"),
    ],
)
def test_a_step_that_cannot_be_done_is_refused(steps: list[EscalationStep], over: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        check_escalation(steps, **{"answerers": ADA_BOB, "quorum": None, "before_seconds": 7200, **over})
    assert [error.field for error in refused.value.errors] == [field]


def test_a_requester_who_may_not_answer_is_not_asked_later() -> None:
    people = Answerers(approvers=("ada",), requester="zoe", requester_may_answer=False)
    with pytest.raises(InvalidRequest) as refused:
        check_escalation([instead("ZOE")], answerers=people, quorum=None, before_seconds=7200)
    assert [error.field for error in refused.value.errors] == ["escalation[0].to[0]"]


def test_people_without_any_name_can_get_further_people() -> None:
    check_escalation([a_step("cfo")], answerers=Answerers(), quorum=None, before_seconds=7200)


def _change(*, places: int) -> PauseChange:
    return PauseChange(kind=ChangeKind.ESCALATED, at=5, approvers=("ada",), places=places)

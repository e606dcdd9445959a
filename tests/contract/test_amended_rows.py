"""How every issuance ledger moves a deadline and changes the people of a pause, in memory and on DynamoDB alike."""

import asyncio
import base64
import hashlib
import json
from dataclasses import replace
from typing import Any

import pytest

from askback.adapters.dynamodb.ledger_items import read_row
from askback.domain.errors import LinkRevoked, PauseExpired, RowUnreadable, StoreUnavailable
from askback.domain.json_text import sha256_hex
from askback.domain.pause.answerers import Answerers
from askback.domain.pause.assurance import Assurance
from askback.domain.pause.changes import ChangeKind, changes_text, read_changes
from askback.domain.pause.claims import Audience
from askback.domain.pause.delegation import people_after
from askback.domain.pause.ledger import AcceptedAnswer, LedgerRow, RowChange
from askback.domain.pause.quorum import Counted, Quorum
from askback.domain.pause.roster import EscalationStep, StepMode
from askback.domain.ports import IssuanceLedger
from askback.testing.memory_ledger import InMemoryLedger
from tests.support.aws_stores import Aws
from tests.support.domain_values import an_acceptance, some_claims
from tests.support.ledger_steps import END, EVENT, TASK, advance, due, find, issued
from tests.support.memory_deployment import NOW
from tests.support.voting import a_vote

PEOPLE = Answerers(approvers=("ada", "bob"), recipients=("ada", "bob"))
CFO = EscalationStep(after_seconds=600, to=("cfo", "zoë"))
INSTEAD = EscalationStep(after_seconds=1200, to=("ceo",), mode=StepMode.REPLACE)


def asking(ledger: IssuanceLedger, **over: Any) -> LedgerRow:
    """Write the row of a pause whose people change, and whose deadline can move."""
    return issued(ledger, **{"answerers": PEOPLE, "escalation": (CFO, INSTEAD), "deadline": END - 60, **over})


def changed(row: LedgerRow, step: EscalationStep, *, by: str = "") -> RowChange:
    kind = ChangeKind.REASSIGNED if by else ChangeKind.ESCALATED
    return row.changed(row.people.after(step), kind, at=NOW + 600, alarm_seconds=0, by=by)


def change(ledger: IssuanceLedger, row: LedgerRow, step: EscalationStep, **over: Any) -> LedgerRow:
    assert asyncio.run(ledger.advance(row, changed(row, step, **over)))
    return find(ledger, row)


def said(text: str) -> dict[str, str]:
    return {"text": text, "text_hash": sha256_hex(text)}


def claim(ledger: IssuanceLedger, row: LedgerRow, *, seen: LedgerRow | None = None, **over: Any) -> AcceptedAnswer:
    claims = some_claims(jti=row.claims.jti, audience=Audience.ANSWER, **over)
    return asyncio.run(ledger.claim(claims, an_acceptance(), seen=seen or row)).answer


class AmendedRowsContract:
    """Subclasses say which ledger."""

    @pytest.fixture
    def ledger(self) -> IssuanceLedger:
        raise NotImplementedError

    def test_the_steps_come_back_as_they_were_minted(self, ledger: IssuanceLedger) -> None:
        row = asking(ledger)
        assert find(ledger, row) == row
        assert row.next_step_at == NOW + 600

    def test_each_change_is_in_the_row_and_is_due_to_be_announced(self, ledger: IssuanceLedger) -> None:
        row = asking(ledger)
        first = change(ledger, row, CFO)
        assert first == changed(row, CFO).applied_to(row)
        assert (first.to_announce, first.due_at, first.next_step) == (1, NOW + 660, INSTEAD)
        second = change(ledger, first, INSTEAD)
        assert (second.to_announce, second.people.asked(), second.next_step) == (1, ("ceo",), None)
        assert (second.revoked_links, second.asked_at_mint) == (("ada", "bob", "cfo", "zoë"), PEOPLE)
        assert advance(ledger, second, due_at=END, announced=True)
        assert find(ledger, row) == replace(second, due_at=END, to_announce=None)
        assert [each.claims.jti for each in due(ledger, at=END)] == [row.claims.jti]

    def test_a_change_of_a_row_that_has_changed_is_not_made(self, ledger: IssuanceLedger) -> None:
        row = asking(ledger)
        change(ledger, row, CFO)
        assert not asyncio.run(ledger.advance(row, changed(row, INSTEAD)))
        # The due time alone would not show it: another change may have set it to the same second.
        assert not advance(ledger, replace(row, due_at=NOW + 660), due_at=END)

    def test_a_change_after_a_revoked_link_or_a_vote_is_not_made(self, ledger: IssuanceLedger) -> None:
        row = asking(ledger, quorum=Quorum(needed=2))
        assert asyncio.run(ledger.revoke_links(row, ["ada"]))
        assert not asyncio.run(ledger.advance(row, changed(row, CFO)))
        seen = find(ledger, row)
        vote = a_vote("bob")
        counted = Counted(votes=(vote,), vote=vote, approved=None, weakest=vote.assurance)
        assert asyncio.run(ledger.vote(seen, row.claims, counted, None)).written
        assert not asyncio.run(ledger.advance(seen, changed(seen, CFO)))
        assert change(ledger, find(ledger, row), CFO).votes == (vote,)

    def test_a_vote_on_a_row_whose_people_have_changed_is_not_written(self, ledger: IssuanceLedger) -> None:
        row = asking(ledger, quorum=Quorum(needed=2))
        change(ledger, row, CFO)
        vote = a_vote("bob")
        counted = Counted(votes=(vote,), vote=vote, approved=None, weakest=vote.assurance)
        assert not asyncio.run(ledger.vote(row, row.claims, counted, None)).written

    def test_no_write_that_saw_other_people_changes_what_the_row_allows(self, ledger: IssuanceLedger) -> None:
        row = asking(ledger)
        change(ledger, row, CFO)
        assert not asyncio.run(ledger.revoke_links(row, ["ada"]))
        assert not asyncio.run(ledger.replace_waiter(row, EVENT))
        seen = find(ledger, row)
        assert asyncio.run(ledger.revoke_links(seen, ["ada"]))
        seen = find(ledger, row)
        assert asyncio.run(ledger.replace_waiter(seen, TASK))
        assert find(ledger, row) == replace(seen, waiter=TASK)

    def test_the_link_of_a_person_who_has_left_does_not_answer(self, ledger: IssuanceLedger) -> None:
        row = asking(ledger)
        seen = change(ledger, row, INSTEAD)
        with pytest.raises(LinkRevoked):
            claim(ledger, seen, recipient="ada")
        assert claim(ledger, seen, recipient="ceo").answered_by == "ada"

    def test_an_answer_of_people_who_have_changed_since_they_were_checked_is_checked_again(
        self, ledger: IssuanceLedger
    ) -> None:
        row = asking(ledger)
        seen = change(ledger, row, CFO)
        with pytest.raises(StoreUnavailable):
            claim(ledger, row)
        assert claim(ledger, seen).answered_by == "ada"

    def test_a_question_back_and_its_reply_are_in_the_row_with_their_texts(self, ledger: IssuanceLedger) -> None:
        row = asking(ledger, quorum=Quorum(needed=2))
        asked = row.changed(
            row.people, ChangeKind.QUESTIONED, at=NOW, alarm_seconds=0, by="zoë", **said("Why \U0001f600?")
        )
        assert asyncio.run(ledger.advance(row, asked))
        seen = find(ledger, row)
        assert (seen, seen.known_hash) == (asked.applied_to(row), row.claims.request_hash)
        replied = seen.changed(
            seen.people, ChangeKind.CLARIFIED, at=NOW, alarm_seconds=0, number=1, votes=0, **said("So.")
        )
        assert asyncio.run(ledger.advance(seen, replied))
        assert not asyncio.run(ledger.advance(seen, replied))
        now = find(ledger, row)
        assert now == replied.applied_to(seen)
        assert now.known_hash != row.claims.request_hash
        vote = a_vote("bob")
        counted = Counted(votes=(vote,), vote=vote, approved=None, weakest=vote.assurance)
        assert not asyncio.run(ledger.vote(seen, row.claims, counted, None)).written
        assert asyncio.run(ledger.vote(now, row.claims, counted, None)).written

    def test_a_reply_that_has_not_seen_a_vote_is_not_written(self, ledger: IssuanceLedger) -> None:
        """It says how many votes it makes void."""
        row = asking(ledger, quorum=Quorum(needed=2))
        vote = a_vote("bob")
        counted = Counted(votes=(vote,), vote=vote, approved=None, weakest=vote.assurance)
        assert asyncio.run(ledger.vote(row, row.claims, counted, None)).written
        late = row.changed(row.people, ChangeKind.CLARIFIED, at=NOW, alarm_seconds=0, number=1, **said("So."))
        assert not asyncio.run(ledger.advance(row, late))

    def test_a_deadline_moves_within_the_end_of_the_tokens(self, ledger: IssuanceLedger) -> None:
        row = asking(ledger, escalation=())
        moved = RowChange(deadline=END - 30, due_at=END - 30)
        assert asyncio.run(ledger.advance(row, moved))
        assert find(ledger, row) == moved.applied_to(row)
        # Another operator, or a sweep that read it before, changes nothing.
        assert not asyncio.run(ledger.advance(row, RowChange(deadline=END, due_at=END)))
        with pytest.raises(PauseExpired):
            asyncio.run(ledger.claim(row.claims, an_acceptance(answered_at=END - 30)))
        assert not asyncio.run(ledger.claim(row.claims, an_acceptance(answered_at=END - 31))).replayed

    def test_each_change_has_a_mark_of_its_own_for_its_messages(self, ledger: IssuanceLedger) -> None:
        row = asking(ledger, key_id="k1")
        marks = [
            asyncio.run(ledger.mark_announced(row, event_id=event_id, change=number))
            for event_id, number in [("1", 0), ("2", 1), ("3", 1), ("2", 1), ("4", 10), ("5", 10)]
        ]
        assert marks == [True, True, False, True, True, False]
        assert find(ledger, row) == row


class TestInMemory(AmendedRowsContract):
    @pytest.fixture
    def ledger(self) -> IssuanceLedger:
        return InMemoryLedger()


class TestDynamoDb(AmendedRowsContract):
    @pytest.fixture
    def ledger(self, aws: Aws) -> IssuanceLedger:
        return aws.ledger()


@pytest.mark.parametrize("name", ["escalation", "changes"])
def test_a_row_that_has_lost_its_steps_or_changes_is_not_read(aws: Aws, name: str) -> None:
    """Also not by the version before, which does not know them: it would ask the people of the mint."""
    row = asking(aws.ledger())
    change(aws.ledger(), row, CFO)
    item = dict(aws.row(row.claims.jti) or {})
    del item[name]
    with pytest.raises(RowUnreadable):
        read_row(item)


def test_only_a_row_that_was_minted_for_it_has_the_attributes(aws: Aws) -> None:
    row = issued(aws.ledger(), jti="ordinary", answerers=PEOPLE)
    before = dict(aws.row(row.claims.jti) or {})
    assert not {"escalation", "changes", "to_announce", "max_exp"} & set(before)
    change(aws.ledger(), row, CFO, by="olga")
    after = dict(aws.row(row.claims.jti) or {})
    assert set(after) - set(before) == {"changes", "to_announce", "step"}


def test_a_row_with_the_hash_of_an_older_version_can_be_changed(aws: Aws) -> None:
    row = issued(aws.ledger(), jti="older", answerers=PEOPLE)
    said = [list(PEOPLE.approvers), list(PEOPLE.recipients), "", True]
    who = base64.b64encode(hashlib.sha256(json.dumps(said).encode()).digest()[:6]).decode()
    item = {name: value for name, value in (aws.row("older") or {}).items() if name != "terms"}
    aws.observer.put_item(TableName=aws.stores.table, Item={**item, "who": {"S": who}})
    seen = find(aws.ledger(), row)
    assert change(aws.ledger(), seen, CFO, by="olga").people.asked() == ("ada", "bob", "cfo", "zoë")


FLOORED = replace(PEOPLE, member_floors=(("ada", Assurance.SIGNED_IN),))


@pytest.mark.parametrize("quorum", [None, Quorum(needed=2)], ids=["one answer", "votes"])
@pytest.mark.parametrize("names", [("member_floors",), ("terms",)])
def test_a_row_that_has_lost_the_demand_of_a_member_is_not_read(
    aws: Aws, names: tuple[str, ...], quorum: Quorum | None
) -> None:
    """Also not by the version before, which does not know it: it would take a vote that is known less well."""
    row = issued(aws.ledger(), jti="floored", answerers=FLOORED, quorum=quorum)
    item = dict(aws.row("floored") or {})
    assert read_row(item) == row
    with pytest.raises(RowUnreadable):
        read_row({name: value for name, value in item.items() if name not in names})


def test_the_demand_of_a_member_stays_when_the_people_change(aws: Aws) -> None:
    row = issued(aws.ledger(), jti="floored", answerers=FLOORED)
    after = change(aws.ledger(), row, INSTEAD, by="olga")
    assert (after.answerers.member_floors, after.asked_at_mint) == (FLOORED.member_floors, FLOORED)


@pytest.mark.parametrize("names", [("delegates",), ("terms",)])
def test_a_row_that_has_lost_to_whom_it_may_be_passed_on_is_not_read(aws: Aws, names: tuple[str, ...]) -> None:
    """Also not by the version before, which does not know it."""
    row = issued(aws.ledger(), jti="passing", answerers=PEOPLE, delegates=("*@example.com", "zoë"))
    item = dict(aws.row("passing") or {})
    assert read_row(item) == row
    with pytest.raises(RowUnreadable):
        read_row({name: value for name, value in item.items() if name not in names})


def test_a_delegation_is_a_change_of_the_people_with_the_demand_of_the_member(aws: Aws) -> None:
    row = issued(aws.ledger(), jti="passing", answerers=FLOORED, delegates=("*",))
    passed = row.changed(people_after(row, "ada", "zoë"), ChangeKind.DELEGATED, at=NOW, alarm_seconds=0, by="ada")
    assert asyncio.run(aws.ledger().advance(row, passed))
    now = find(aws.ledger(), row)
    assert now == passed.applied_to(row)
    assert (now.people.asked(), now.revoked_links, now.delegated_for("ZOË")) == (("bob", "zoë"), ("ada",), "ada")
    assert now.answerers.least_of("zoë") is Assurance.SIGNED_IN
    assert now.asked_at_mint == FLOORED
    assert read_changes(changes_text(now.changes)) == now.changes
    assert changes_text(now.changes) == f'[["delegated",{NOW},2,["ada","bob"],"ada"]]'

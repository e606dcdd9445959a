"""Rows of every version that hashes something else, as it wrote them: each stays readable, and none opens by damage."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from askback.adapters.dynamodb.ledger_items import read_row
from askback.domain.errors import LinkRevoked, RowUnreadable
from askback.domain.pause.answerers import NO_RESTRICTION, Answerers
from askback.domain.pause.changes import ChangeKind
from askback.domain.pause.claims import Audience
from askback.domain.pause.ledger import PauseStatus
from askback.domain.pause.waiters import Waiter, WaiterKind
from tests.support.aws_stores import Aws
from tests.support.domain_values import an_acceptance, some_claims
from tests.support.memory_deployment import NOW
from tests.support.recorded_samples import ROWS_BY_VERSION as ROWS

VERSIONS = ("no_hash", "who", "terms")
PEOPLE = Answerers(approvers=("ada", "grace"), requester="bob", requester_may_answer=False, recipients=("ada",))
WAITER = Waiter(kind=WaiterKind.STEP_FUNCTIONS, address="AAAA+/==")
NEXT = Waiter(kind=WaiterKind.EVENT)
OF_PEOPLE = ("approvers", "recipients", "requester", "requester_excluded")
WAITERS = ("waiter_kind", "waiter_address")


def without(item: dict[str, Any], *names: str) -> dict[str, Any]:
    assert set(names) <= item.keys()
    return {name: value for name, value in item.items() if name not in names}


@pytest.mark.parametrize("version", VERSIONS)
def test_a_row_of_every_version_is_read_with_the_same_meaning(version: str) -> None:
    row = read_row(ROWS[f"{version}_restricted"])
    assert (row.answerers, row.waiter, row.default_response_text) == (PEOPLE, WAITER, '"Reject"')
    assert (row.claims, row.turn_recorded, bool(row.turn_hash)) == (some_claims(), True, version == "terms")
    plain = read_row(ROWS[f"{version}_plain"])
    assert (plain.answerers, plain.waiter, plain.default_response_text) == (NO_RESTRICTION, None, None)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_link_of_a_row_of_every_version_is_revoked(aws: Aws, version: str) -> None:
    item = ROWS[f"{version}_restricted"]
    aws.observer.put_item(TableName=aws.stores.table, Item=item)
    row = read_row(item)
    assert row.revoked_links == ()
    assert asyncio.run(aws.ledger().revoke_links(row, ["ada"]))
    revoked = asyncio.run(aws.ledger().find(row.claims.jti))
    assert revoked == replace(row, revoked_links=("ada",))
    claims = replace(row.claims, audience=Audience.ANSWER, recipient="ada")
    with pytest.raises(LinkRevoked):
        asyncio.run(aws.ledger().claim(claims, an_acceptance(), redeliver_at=NOW + 120, waiter=WAITER))


@pytest.mark.parametrize("version", VERSIONS)
def test_a_row_of_every_version_is_passed_to_another_person(aws: Aws, version: str) -> None:
    due: Any = {"due_at": {"N": str(NOW + 3600)}, "due_shard": {"S": "0"}}
    aws.observer.put_item(TableName=aws.stores.table, Item=ROWS[f"{version}_restricted"] | due)
    row = asyncio.run(aws.ledger().find(some_claims().jti))
    assert row is not None
    people = row.people.with_added(["eve"]).without(["ada"])
    change = row.changed(people, ChangeKind.REASSIGNED, at=NOW, alarm_seconds=0, by="olga")
    assert asyncio.run(aws.ledger().advance(row, change))
    assert asyncio.run(aws.ledger().find(row.claims.jti)) == change.applied_to(row)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_row_of_every_version_is_claimed(aws: Aws, version: str) -> None:
    aws.observer.put_item(TableName=aws.stores.table, Item=ROWS[f"{version}_restricted"])
    receipt = asyncio.run(aws.ledger().claim(some_claims(), an_acceptance(), redeliver_at=NOW + 120, waiter=WAITER))
    assert (receipt.row.status, receipt.row.waiter) == (PauseStatus.ANSWERED, WAITER)


@pytest.mark.parametrize(
    ("version", "names"),
    [
        *(("who", (name,)) for name in OF_PEOPLE),
        *(("terms", (name,)) for name in (*OF_PEOPLE, "default_response", *WAITERS)),
        ("terms", WAITERS),
        ("terms", OF_PEOPLE),
    ],
    ids=str,
)
def test_a_row_that_has_lost_what_its_hash_covers_is_unreadable(version: str, names: tuple[str, ...]) -> None:
    """D-53: a lost attribute lets no person in, and makes no answer that no run gets."""
    with pytest.raises(RowUnreadable):
        read_row(without(ROWS[f"{version}_restricted"], *names))


@pytest.mark.parametrize("terms", [{"S": "AdjpdyzP"}, {"B": b""}, {"B": b"123456"}], ids=str)
def test_a_damaged_hash_makes_the_row_unreadable(terms: dict[str, Any]) -> None:
    with pytest.raises(RowUnreadable):
        read_row({**ROWS["terms_restricted"], "terms": terms})


def test_a_hash_of_a_turn_that_is_not_said_to_be_recorded_makes_the_row_unreadable() -> None:
    """Otherwise a row that has lost the mark would be answered without its turn."""
    with pytest.raises(RowUnreadable):
        read_row(without(ROWS["terms_restricted"], "turn_recorded"))


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", ["restricted", "plain"])
def test_a_replaced_waiter_is_covered_from_then_on_whatever_version_wrote_the_row(
    aws: Aws, version: str, name: str
) -> None:
    item = ROWS[f"{version}_{name}"]
    aws.observer.put_item(TableName=aws.stores.table, Item=item)
    row = read_row(item)
    assert asyncio.run(aws.ledger().replace_waiter(row, NEXT))
    (written,) = aws.items()
    assert (read_row(written).waiter, read_row(written).answerers) == (NEXT, row.answerers)
    with pytest.raises(RowUnreadable):
        read_row(without(written, *WAITERS))


def test_a_waiter_that_the_version_before_has_added_during_an_update_is_read() -> None:
    """It writes the two attributes of the waiter and does not know the hash."""
    added = {"waiter_kind": {"S": "event"}, "waiter_address": {"S": ""}}
    assert read_row({**ROWS["terms_plain"], **added}).waiter == NEXT

"""The walk over the due marks: its pages, its repair, and what it does when another process comes first."""

import asyncio
import base64
from dataclasses import replace
from typing import Any

import pytest

from askback.adapters.dynamodb.due_marks import DynamoDueMarks
from askback.adapters.dynamodb.keys import due_shard
from askback.domain.errors import InvalidRequest
from askback.domain.pause.ledger import PauseStatus, RowChange
from askback.domain.ports import MarkedRow
from tests.support.aws_stores import Aws
from tests.support.domain_values import an_issued_row, some_claims
from tests.support.memory_deployment import NOW

END = NOW + 3600


def put(aws: Aws, *jtis: str, **damage: Any) -> None:
    for jti in jtis:
        asyncio.run(aws.ledger().issue(an_issued_row(some_claims(jti=jti, exp=END), due_at=END)))
        if damage:
            aws.edit(item(aws, jti), **damage)


def item(aws: Aws, jti: str) -> dict[str, Any]:
    found = aws.row(jti)
    assert found is not None
    return found


def marks(aws: Aws) -> DynamoDueMarks:
    return DynamoDueMarks(client=aws.dynamodb, table=aws.stores.table)


def seen(aws: Aws, jti: str) -> MarkedRow:
    page = asyncio.run(marks(aws).page(at=END, limit=1000, after=None))
    (row,) = [row for row in page.rows if row.jti == jti]
    return row


def test_every_row_is_looked_through_once_page_by_page(aws: Aws) -> None:
    jtis = {f"pause-{number}" for number in range(5)}
    put(aws, *jtis)
    found: list[str] = []
    after, scanned, pages = None, 0, 0
    while pages == 0 or after is not None:
        page = asyncio.run(marks(aws).page(at=END, limit=2, after=after))
        found += [row.jti for row in page.rows]
        after, scanned, pages = page.next, scanned + page.scanned, pages + 1
    assert (sorted(found), scanned) == (sorted(jtis), 5)
    assert pages >= 3


def test_rows_that_are_open_are_not_read(aws: Aws) -> None:
    put(aws, "a")
    page = asyncio.run(marks(aws).page(at=END - 1, limit=10, after=None))
    assert (page.rows, page.scanned, page.next) == ((), 1, None)


def test_a_repair_changes_the_two_marks_only_and_makes_the_row_due(aws: Aws) -> None:
    put(aws, "a", due_at={"N": str(END + 4000)})
    before = item(aws, "a")
    assert seen(aws, "a").damage == "due_at is more than an hour ahead"
    assert asyncio.run(marks(aws).repair(seen(aws, "a"), due_at=END + 9)) is True
    assert item(aws, "a") == before | {"due_at": {"N": str(END + 9)}, "due_shard": {"S": due_shard("a")}}
    assert asyncio.run(aws.ledger().due(at=END + 9, limit=9)).rows == [asyncio.run(aws.ledger().find("a"))]


def test_a_repair_leaves_a_row_alone_that_the_sweep_has_changed_since_it_was_read(aws: Aws) -> None:
    """The first repair lets the sweep expire the row; the second one has read the row before."""
    put(aws, "a", due_at={"N": str(END + 4000)})
    first, second = seen(aws, "a"), seen(aws, "a")
    assert asyncio.run(marks(aws).repair(first, due_at=END)) is True
    assert asyncio.run(marks(aws).repair(second, due_at=END + 9)) is False
    row = asyncio.run(aws.ledger().find("a"))
    assert row is not None
    assert asyncio.run(aws.ledger().advance(row, RowChange(status=PauseStatus.EXPIRED, due_at=None)))
    ended = item(aws, "a")
    assert asyncio.run(marks(aws).repair(second, due_at=END + 9)) is False
    assert item(aws, "a") == ended


def test_a_repair_creates_no_row_where_ttl_has_removed_one(aws: Aws) -> None:
    put(aws, "a")
    row = seen(aws, "a")
    aws.delete(item(aws, "a"))
    assert asyncio.run(marks(aws).repair(row, due_at=END)) is False
    without_status_and_marks = replace(row, stored={})
    assert asyncio.run(marks(aws).repair(without_status_and_marks, due_at=END)) is False
    assert aws.row("a") is None


@pytest.mark.parametrize(
    "text",
    ["", "[]", "[1,2,3]", '["pause#a","s"]', '["pause#a","s",""]', '["pause#a", "s", "0"]', "{", "[" * 1500],
)
def test_a_text_that_is_no_cursor_is_refused(aws: Aws, text: str) -> None:
    cursor = base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")
    with pytest.raises(InvalidRequest):
        asyncio.run(marks(aws).page(at=END, limit=9, after=cursor))

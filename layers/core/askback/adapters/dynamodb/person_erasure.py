"""Replaces the name of a person by a pseudonym in every row of the table that has ended.

The pseudonym is a keyed hash of the name. Its key, the salt, is an item of the table that no function reads. So the
same person gets the same pseudonym again, and after the salt is deleted no name leads to its pseudonym any more.

Names in questions, answers and turns are not found: these are texts. Erase their pauses.
"""

import hashlib
import hmac
import secrets
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from askback.adapters.aws.errors import CLIENT_ERRORS, condition_failed
from askback.adapters.dynamodb import ledger_items as items
from askback.adapters.dynamodb.keys import ERASURE_SALT_KEY, PK, jti_of, ledger_key
from askback.domain.errors import RowUnreadable
from askback.domain.pause.ledger import LedgerRow
from askback.domain.pause.person_names import person_key, same_person

SALT = "salt"
PSEUDONYM_PREFIX = "erased-"


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedRow:
    """A row with the name; `row` is None if the row cannot be read, and may have it."""

    jti: str
    item: dict[str, Any]
    row: LedgerRow | None


class PersonEraser:
    """Finds and replaces one name. Errors of the clients are not changed."""

    def __init__(self, *, dynamodb: Any, table: str) -> None:
        self._dynamodb = dynamodb
        self._table = table

    def rows(self, name: str) -> Iterator[NamedRow]:
        """Yield the rows that have the name, however it is spelt, and those that cannot be read; reads the table."""
        pages = self._dynamodb.get_paginator("scan").paginate(
            TableName=self._table,
            FilterExpression="begins_with(#pk, :pause)",
            ExpressionAttributeNames={"#pk": PK},
            ExpressionAttributeValues={":pause": ledger_key("")[PK]},
            ConsistentRead=True,
        )
        for page in pages:
            for item in page["Items"]:
                jti = jti_of(item[PK]["S"])
                try:
                    row = items.read_row(item)
                except RowUnreadable:
                    yield NamedRow(jti=jti, item=item, row=None)
                    continue
                if any(same_person(name, other) for other in _names(row)):
                    yield NamedRow(jti=jti, item=item, row=row)

    def pseudonym(self, name: str) -> str:
        """Return the pseudonym of a name; the first call makes the salt."""
        salt = self._salt()
        return PSEUDONYM_PREFIX + hmac.new(salt, person_key(name).encode(), hashlib.sha256).hexdigest()[:16]

    def replace(self, named: NamedRow, name: str, pseudonym: str, *, by: str, at: int) -> bool:
        """Replace the name in a row that has ended; return False if the row has changed since it was read."""
        if named.row is None:
            raise RuntimeError("a row that cannot be read has no known names")
        sets = items.renamed_attributes(named.item, _renamed(named.row, name, pseudonym))
        sets |= {items.RENAMED_AT: {"N": str(at)}, items.RENAMED_BY: {"S": by}}
        if named.row.erased is not None and same_person(named.row.erased.by, name):
            sets[items.ERASED_BY] = {"S": pseudonym}
        seen = {each: named.item[each] for each in (items.STATUS, *sets) if each in named.item}
        tests = [f"#{each} = :seen_{each}" for each in seen]
        try:
            self._dynamodb.update_item(
                TableName=self._table,
                Key=ledger_key(named.jti),
                UpdateExpression="SET " + ", ".join(f"#{each} = :{each}" for each in sets),
                ConditionExpression=" AND ".join([*tests, f"attribute_not_exists(#{items.DUE_AT})"]),
                ExpressionAttributeNames={f"#{each}": each for each in {*sets, *seen, items.DUE_AT}},
                ExpressionAttributeValues={
                    **{f":{each}": value for each, value in sets.items()},
                    **{f":seen_{each}": value for each, value in seen.items()},
                },
            )
        except CLIENT_ERRORS as error:
            if condition_failed(error):
                return False
            raise
        return True

    def _salt(self) -> bytes:
        """Return the salt; of two programs that make one at the same time, the first wins."""
        for _ in range(2):
            found = self._dynamodb.get_item(TableName=self._table, Key=ERASURE_SALT_KEY, ConsistentRead=True)
            if "Item" in found:
                return bytes(found["Item"][SALT]["B"])
            try:
                self._dynamodb.put_item(
                    TableName=self._table,
                    Item={**ERASURE_SALT_KEY, SALT: {"B": secrets.token_bytes(32)}},
                    ConditionExpression="attribute_not_exists(#pk)",
                    ExpressionAttributeNames={"#pk": PK},
                )
            except CLIENT_ERRORS as error:
                if not condition_failed(error):
                    raise
        raise RuntimeError("the salt was deleted while it was read")


def _names(row: LedgerRow) -> Iterator[str]:
    yield from row.answerers.approvers
    yield from (member for member, _ in row.answerers.member_floors)
    yield from row.answerers.recipients
    yield from row.revoked_links
    for step in row.escalation:
        yield from step.to
    yield from row.delegates
    for change in row.changes:
        yield from (*change.approvers, change.by)
    yield row.answerers.requester
    yield from (vote.by for vote in row.votes)
    if row.answer is not None:
        yield row.answer.answered_by
    yield from (each.by for each in (row.revocation, row.erased, row.renamed) if each is not None)


def _renamed(row: LedgerRow, name: str, pseudonym: str) -> LedgerRow:
    def new(other: str) -> str:
        return pseudonym if same_person(other, name) else other

    people = row.answerers
    return replace(
        row,
        answerers=replace(
            people,
            approvers=tuple(map(new, people.approvers)),
            recipients=tuple(map(new, people.recipients)),
            requester=new(people.requester),
            member_floors=tuple((new(member), floor) for member, floor in people.member_floors),
        ),
        revoked_links=tuple(map(new, row.revoked_links)),
        votes=tuple(replace(vote, by=new(vote.by), delegated_for=new(vote.delegated_for)) for vote in row.votes),
        delegates=tuple(map(new, row.delegates)),
        escalation=tuple(replace(step, to=tuple(map(new, step.to))) for step in row.escalation),
        changes=tuple(
            replace(change, approvers=tuple(map(new, change.approvers)), by=new(change.by)) for change in row.changes
        ),
        answer=None if row.answer is None else replace(row.answer, answered_by=new(row.answer.answered_by)),
        revocation=None if row.revocation is None else replace(row.revocation, by=new(row.revocation.by)),
    )

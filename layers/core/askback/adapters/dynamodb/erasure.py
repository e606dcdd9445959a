"""Erases what a pause recorded, and leaves the proof of it: hashes, times, statuses, and how the answerer is known.

Only the operator's command uses this, with the operator's own credentials. The row comes first, in one conditional
write: from then on nothing answers, delivers or repeats the pause. What is left after an interruption is found again
by the row, so the same call goes on.

A record becomes a mark in the place of its text. The mark has the hash of no text, so that a repeated mint cannot
write the text again.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from askback.adapters.aws.errors import CLIENT_ERRORS, condition_failed
from askback.adapters.dynamodb import ledger_items as items
from askback.adapters.dynamodb.batch_read import identity, read_items
from askback.adapters.dynamodb.keys import PK, SK, Key, body_prefix, ledger_key
from askback.adapters.dynamodb.paused_state import record_keys
from askback.adapters.dynamodb.records import BODY_KEY, SHA256, TTL
from askback.adapters.dynamodb.roster_items import CHANGES, changes_erased
from askback.adapters.dynamodb.taken_back_items import REVOKED_WHY
from askback.adapters.dynamodb.vote_items import VOTES, have_texts, votes_erased
from askback.domain.errors import PayloadBindingError
from askback.domain.pause.changes import without_texts
from askback.domain.pause.ledger import Erasure, LedgerRow

ERASED = "erased"
_DELETED_AT_ONCE = 1000
"""The most objects of one DeleteObjects."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """What is recorded of a pause: attributes of its row, records with a text, and versions of objects."""

    attributes: tuple[str, ...]
    records: tuple[Key, ...]
    objects: tuple[Mapping[str, str], ...]

    def __bool__(self) -> bool:
        """Return whether anything is recorded."""
        return bool(self.attributes or self.records or self.objects)


class PauseEraser:
    """Finds and erases the content of one pause. Errors of the clients are not changed."""

    def __init__(self, *, dynamodb: Any, s3: Any, table: str, bucket: str) -> None:
        self._dynamodb = dynamodb
        self._s3 = s3
        self._table = table
        self._bucket = bucket

    def row(self, jti: str) -> LedgerRow | None:
        """Return the row as it is now, or None; raises RowUnreadable."""
        item = self._item(ledger_key(jti))
        return items.read_row(item) if item else None

    def content(self, row: LedgerRow) -> Content:
        """Return what is recorded of the pause now."""
        item = self._item(ledger_key(row.claims.jti))
        records = [record for record in self._records(row) if not _is_mark(record)]
        return Content(
            attributes=(
                *(name for name in _CONTENT if name in item),
                *((VOTES,) if have_texts(item) else ()),
                *((CHANGES,) if changes_erased(row.changes) else ()),
            ),
            records=tuple({PK: record[PK], SK: record[SK]} for record in records),
            objects=tuple(self._objects(row, records)),
        )

    def erase(self, row: LedgerRow, *, by: str, at: int) -> Content | None:
        """Erase the content and return what it was; None if the row has changed since it was read.

        `by` is the operator and `at` the time in epoch seconds. Both are written once: a repeated call keeps the first.
        """
        content = self.content(row)
        if row.erased is None and not self._mark_row(row, Erasure(by=by, at=at)):
            return None
        # Objects before the records that name them: an interrupted call finds them again.
        for start in range(0, len(content.objects), _DELETED_AT_ONCE):
            some = [dict(each) for each in content.objects[start : start + _DELETED_AT_ONCE]]
            reply = self._s3.delete_objects(Bucket=self._bucket, Delete={"Objects": some, "Quiet": True})
            if reply.get("Errors"):
                raise OSError(f"{len(reply['Errors'])} objects were not deleted: {reply['Errors'][0].get('Code')}")
        mark = {SHA256: {"S": ERASED}, TTL: {"N": str(self._ttl(row))}}
        for key in self._marked(row, content):
            self._dynamodb.put_item(TableName=self._table, Item={**key, **mark})
        return content

    def _marked(self, row: LedgerRow, content: Content) -> tuple[Key, ...]:
        """Return the keys that get a mark: the request also if it has no record, so that no mint can write it."""
        try:
            request, _ = record_keys(row.claims)
        except PayloadBindingError:
            return ()
        return (request, *(key for key in content.records if key != request))

    def _mark_row(self, row: LedgerRow, erasure: Erasure) -> bool:
        item = self._item(ledger_key(row.claims.jti))
        sets = {items.ERASED_AT: {"N": str(erasure.at)}, items.ERASED_BY: {"S": erasure.by}}
        sets |= votes_erased(item) | changes_erased(row.changes)
        if items.TERMS in item:
            left = replace(row, default_response_text=None, changes=without_texts(row.changes))
            sets |= items.terms_attributes(left)
        try:
            self._dynamodb.update_item(
                TableName=self._table,
                Key=ledger_key(row.claims.jti),
                UpdateExpression=f"SET {', '.join(f'#{name} = :{name}' for name in sets)} "
                f"REMOVE {', '.join(f'#{name}' for name in _CONTENT)}",
                ConditionExpression="#status = :status AND attribute_not_exists(#due_at)",
                ExpressionAttributeNames={f"#{name}": name for name in (*sets, *_CONTENT, items.STATUS, items.DUE_AT)},
                ExpressionAttributeValues={
                    ":status": {"S": row.status.value},
                    **{f":{name}": value for name, value in sets.items()},
                },
            )
        except CLIENT_ERRORS as error:
            if condition_failed(error):
                return False
            raise
        return True

    def _item(self, key: Key) -> dict[str, Any]:
        return next(iter(read_items(self._dynamodb, self._table, [key]).values()), {})

    def _ttl(self, row: LedgerRow) -> int:
        return int(self._item(ledger_key(row.claims.jti)).get(TTL, {"N": str(row.claims.exp)})["N"])

    def _records(self, row: LedgerRow) -> list[dict[str, Any]]:
        try:
            keys = record_keys(row.claims)
        except PayloadBindingError:
            # The mark of a token that the legacy engine redeemed has no records.
            return []
        found = read_items(self._dynamodb, self._table, list(keys))
        return [found[identity(key)] for key in keys if identity(key) in found]

    def _objects(self, row: LedgerRow, records: list[dict[str, Any]]) -> Iterator[Mapping[str, str]]:
        """Yield every version of every body of the pause, also of answers that were not accepted."""
        claims = row.claims
        prefixes = {record[BODY_KEY]["S"] for record in records if BODY_KEY in record}
        prefixes.add(
            body_prefix(
                thread_id=claims.thread_id,
                checkpoint_id=claims.checkpoint_id,
                key=items.answer_place(claims),
                expires_at=claims.exp,
            )
        )
        for prefix in sorted(prefixes):
            for page in self._s3.get_paginator("list_object_versions").paginate(Bucket=self._bucket, Prefix=prefix):
                for version in (*page.get("Versions", ()), *page.get("DeleteMarkers", ())):
                    yield {"Key": version["Key"], "VersionId": version["VersionId"]}


_CONTENT = (items.RESPONSE, items.IN_BUCKET, items.DEFAULT_RESPONSE, items.SCOPE_LABEL, REVOKED_WHY)
"""The attributes of a row with a text that people wrote or read."""


def _is_mark(record: Mapping[str, Any]) -> bool:
    return record.get(SHA256) == {"S": ERASED}

"""The due marks of the rows, read without the due index: a damaged mark keeps a row out of that index.

The walk is a scan of the scope index, which has ledger rows only. Its entries lag behind and have no due marks, so the
rows themselves are then read from the table.
"""

import json
import re
from typing import TYPE_CHECKING, Any

from askback.adapters.aws.errors import CLIENT_ERRORS, classify, condition_failed
from askback.adapters.dynamodb.batch_read import read_items
from askback.adapters.dynamodb.keys import DUE_SHARD_NAMES, LEDGER_SK, PK, SK, jti_of, ledger_key
from askback.adapters.dynamodb.ledger_conditions import ROW_EXISTS
from askback.adapters.dynamodb.ledger_items import DUE_AT, DUE_SHARD, EXP, SCOPE_ORDER, STATUS, due_attributes, read_row
from askback.adapters.dynamodb.scope_index import INDEX, SCOPE_HASH
from askback.domain.cursor import cursor_of, text_of
from askback.domain.delivery.delivery import BACKOFF_CAP_SECONDS
from askback.domain.errors import HumanInteractionError, InvalidRequest, RowUnreadable
from askback.domain.pause.ledger import LedgerRow, PauseStatus
from askback.domain.ports import MarkedPage, MarkedRow

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

_MAY_BE_DUE = "NOT (#status IN (:delivered, :undeliverable) OR (#status = :issued AND #exp > :now))"
"""False for what is settled or still open; true for the rest, also for a status or expiry that cannot be read."""
_MARKS = (DUE_SHARD, DUE_AT)
_KEYS = (PK, SCOPE_HASH, SCOPE_ORDER)
_CURSOR_MAX_CHARACTERS = 2048
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")


class DynamoDueMarks:
    """Reads and repairs the due marks."""

    def __init__(self, *, client: "DynamoDBClient", table: str) -> None:
        self._client = client
        self._table = table

    async def page(self, *, at: int, limit: int, after: str | None) -> MarkedPage:
        """Return the rows among the next `limit` entries that may be due at `at`; see `DueMarks`."""
        start: dict[str, Any] = {} if after is None else {"ExclusiveStartKey": _of_cursor(after)}
        statuses = {
            f":{status.value}": {"S": status.value}
            for status in (PauseStatus.DELIVERED, PauseStatus.UNDELIVERABLE, PauseStatus.ISSUED)
        }
        try:
            found = self._client.scan(
                TableName=self._table,
                IndexName=INDEX,
                FilterExpression=_MAY_BE_DUE,
                ExpressionAttributeNames={"#status": STATUS, "#exp": EXP},
                ExpressionAttributeValues={":now": {"N": str(at)}, **statuses},
                Limit=limit,
                **start,
            )
        except CLIENT_ERRORS as error:
            raise self._classified(error) from error
        keys = [{PK: entry[PK], SK: entry[SK]} for entry in found["Items"]]
        rows = read_items(self._client, self._table, keys)
        last = found.get("LastEvaluatedKey")
        return MarkedPage(
            rows=tuple(_marked(item, at=at) for item in rows.values()),
            scanned=found["ScannedCount"],
            next=None if last is None else _cursor(last),
        )

    async def repair(self, seen: MarkedRow, *, due_at: int) -> bool:
        """Set both due marks, unless the status or a mark has changed since the row was read."""
        names, values, tests = {"#pk": PK}, due_attributes(seen.jti, due_at), [ROW_EXISTS]
        new = {f":new_{name}": value for name, value in values.items()}
        for name in (STATUS, *_MARKS):
            names[f"#{name}"] = name
            if name in seen.stored:
                new[f":seen_{name}"] = seen.stored[name]
                tests.append(f"#{name} = :seen_{name}")
            else:
                tests.append(f"attribute_not_exists(#{name})")
        try:
            self._client.update_item(
                TableName=self._table,
                Key=ledger_key(seen.jti),
                UpdateExpression="SET " + ", ".join(f"#{name} = :new_{name}" for name in values),
                ConditionExpression=" AND ".join(tests),
                ExpressionAttributeNames=names,
                ExpressionAttributeValues=new,
            )
        except CLIENT_ERRORS as error:
            if condition_failed(error):
                return False
            raise self._classified(error) from error
        return True

    def _classified(self, error: Exception) -> HumanInteractionError:
        return classify(error, resource=f"table {self._table}", endpoint=self._client.meta.endpoint_url)


def _marked(item: dict[str, Any], *, at: int) -> MarkedRow:
    return MarkedRow(
        jti=jti_of(item[PK]["S"]),
        status=str(item.get(STATUS, {}).get("S", "")),
        row=_row_without_marks(item),
        damage=", ".join(filter(None, (_shard_damage(item), _time_damage(item, at=at)))),
        has_a_mark=any(name in item for name in _MARKS),
        stored={name: item[name] for name in (STATUS, *_MARKS) if name in item},
    )


def _row_without_marks(item: dict[str, Any]) -> LedgerRow | None:
    """Return the row as far as it can be read; a damaged due time alone makes no row unreadable here."""
    try:
        return read_row({name: value for name, value in item.items() if name not in _MARKS})
    except RowUnreadable:
        return None


def _shard_damage(item: dict[str, Any]) -> str:
    # The sweep reads every shard, so a row in the wrong one of them is seen; its next step moves it.
    if DUE_SHARD not in item:
        return "due_shard is missing"
    return "" if item[DUE_SHARD].get("S") in DUE_SHARD_NAMES else "due_shard is not a shard"


def _time_damage(item: dict[str, Any], *, at: int) -> str:
    # A fraction is seen by the sweep, which names the row as unreadable.
    if DUE_AT not in item:
        return "due_at is missing"
    if not _NUMBER.fullmatch(text := item[DUE_AT].get("N", "")):
        return "due_at is not a number"
    # No delivery and no backoff of the sweep moves a row by more than this.
    return "due_at is more than an hour ahead" if float(text) > at + BACKOFF_CAP_SECONDS else ""


def _cursor(last: dict[str, Any]) -> str:
    return cursor_of(json.dumps([last[name]["S"] for name in _KEYS], separators=(",", ":")))


def _of_cursor(cursor: str) -> dict[str, Any]:
    """Return the key of a result of `_cursor`; raises InvalidRequest for every other text."""
    wrong = InvalidRequest.of_field("next", "must be the next of an earlier page")
    try:
        texts = json.loads(text_of(cursor, max_characters=_CURSOR_MAX_CHARACTERS))
    except (ValueError, RecursionError):
        raise wrong from None
    if not isinstance(texts, list) or len(texts) != len(_KEYS) or not all(isinstance(t, str) and t for t in texts):
        raise wrong
    key = {name: {"S": text} for name, text in zip(_KEYS, texts, strict=True)}
    if _cursor(key) != cursor:
        raise wrong
    return {**key, SK: {"S": LEDGER_SK}}

"""Lists the open pauses of all scopes through the due index, which has an entry for each of them.

The index knows no scope, so the row of each entry is read, and the caller says which lines it wants. Parts of the index
come one after another, so a list has no order of time. A pause that ended is in it only while something is due for it.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from askback.adapters.dynamodb.batch_read import MOST_KEYS
from askback.adapters.dynamodb.due_index import INDEX
from askback.adapters.dynamodb.keys import DUE_SHARD_NAMES, PK, jti_of, ledger_key
from askback.adapters.dynamodb.ledger_items import DUE_AT, DUE_SHARD, EXP, STATUS
from askback.adapters.dynamodb.listed_rows import Item, line_of, queried, walk
from askback.adapters.dynamodb.scope_index import ScopeIndex
from askback.domain.pause.ledger import PauseStatus
from askback.domain.pause.listing import UNREADABLE, ListedPause, OpenPage, OpenPlace, Wanted

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

_ENDED = {status.value for status in PauseStatus} - {PauseStatus.ISSUED.value}


class DynamoPauseDirectory(ScopeIndex):
    """The pause directory: the list of a scope over one index, and the list of open pauses over the other."""

    def __init__(self, *, client: "DynamoDBClient", table: str) -> None:
        super().__init__(client=client, table=table)
        self._client = client
        self._table = table

    async def open_pauses(
        self, *, limit: int, after: OpenPlace | None, wanted: Wanted, expires_before: int | None, due_before: int | None
    ) -> OpenPage:
        """Return up to `limit` wanted open pauses that come after the place `after`."""

        def may_fit(entry: Item) -> bool:
            too_late = expires_before is not None and EXP in entry and float(entry[EXP]["N"]) >= expires_before
            return entry.get(STATUS, {}).get("S") not in _ENDED and not too_late

        walked = walk(
            self._client,
            self._table,
            self._entries(after, due_before),
            line=_line,
            wanted=wanted,
            limit=limit,
            may_fit=may_fit,
        )
        last = walked.entries[-1] if walked.entries and walked.more else None
        return OpenPage(
            pauses=walked.lines,
            next=None if last is None else _place(last),
            looked_at=len(walked.entries),
        )

    def _entries(self, after: OpenPlace | None, due_before: int | None) -> Iterator[Item]:
        first = 0 if after is None else after.part
        for part, shard in enumerate(DUE_SHARD_NAMES[first:], start=first):
            request: dict[str, Any] = {
                "KeyConditionExpression": "#due_shard = :shard",
                "ExpressionAttributeNames": {"#due_shard": DUE_SHARD},
                "ExpressionAttributeValues": {":shard": {"S": shard}},
            }
            if due_before is not None:
                request["KeyConditionExpression"] += " AND #due_at < :before"
                request["ExpressionAttributeNames"]["#due_at"] = DUE_AT
                request["ExpressionAttributeValues"][":before"] = {"N": str(due_before)}
            if after is not None and after.part == part:
                if due_before is not None and float(after.due_at) >= due_before:
                    # DynamoDB refuses a place outside what is asked for; after this one, the part has nothing.
                    continue
                request["ExclusiveStartKey"] = {
                    **ledger_key(after.jti),
                    DUE_SHARD: {"S": shard},
                    DUE_AT: {"N": after.due_at},
                }
            yield from queried(self._client, self._table, size=MOST_KEYS, IndexName=INDEX, **request)


def _line(entry: Item, row: Item | None) -> ListedPause | None:
    """Return the line of an open row, or of one that cannot be read; None for a row that has ended or is gone."""
    if row is None:
        return None
    line = line_of(row, whole=True, issued_at=_issued_at(row))
    return line if line.status in (PauseStatus.ISSUED.value, UNREADABLE) else None


def _issued_at(row: Item) -> int | None:
    try:
        return int(row["issued_at"]["N"])
    except (LookupError, ValueError):
        return None


def _place(entry: Item) -> OpenPlace:
    part = DUE_SHARD_NAMES.index(entry[DUE_SHARD]["S"])
    return OpenPlace(part=part, due_at=entry[DUE_AT]["N"], jti=jti_of(entry[PK]["S"]))

"""Finds due rows through a sharded sparse index: the cost follows the number of due rows, not of stored rows."""

import heapq
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from askback.adapters.aws.errors import CLIENT_ERRORS, classify, condition_failed
from askback.adapters.dynamodb.batch_read import identity, read_some_items
from askback.adapters.dynamodb.keys import DUE_SHARD_NAMES, DUE_SHARDS, PK, SK, ledger_key
from askback.domain.errors import HumanInteractionError, StoreUnavailable

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

INDEX = "due"
_MOST_SILENT = 2
"""How many shards may give no reply before a read of the index ends; one costs about nine seconds of a run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DueItems:
    """Items that are due, the errors of the shards that could not be read, and how many rows were left unread."""

    items: list[dict[str, Any]]
    faults: dict[str, HumanInteractionError]
    unread: int


class DueIndex:
    """Reads the due index and then the rows, because an index may be some seconds behind its table."""

    def __init__(self, *, client: "DynamoDBClient", table: str, wait: Callable[[float], object] = time.sleep) -> None:
        """`wait` waits for some seconds before keys that a throttled table did not return are asked for again."""
        self._client = client
        self._table = table
        self._wait = wait

    def rows(self, *, at: int, limit: int) -> DueItems:
        """Return up to `limit` items that are due at `at`, the longest due first.

        A row that a throttled table does not return is left out, and so are the rows of a shard that cannot be read;
        they stay due.

        Raises:
            StoreUnavailable, InteractionConfigurationError: no shard of the index could be read, or no row of the table
                could.
        """
        faults: dict[str, HumanInteractionError] = {}
        entries = heapq.nsmallest(limit, self._entries(at=at, limit=limit, faults=faults), key=_due_at)
        if not entries and len(faults) == DUE_SHARDS:
            raise next(iter(faults.values()))
        keys = [{PK: entry[PK], SK: entry[SK]} for entry in entries]
        found, unread = read_some_items(self._client, self._table, keys, wait=self._wait)
        current = (found[identity(entry)] for entry in entries if identity(entry) in found)
        items = [item for item in current if "N" in item.get("due_at", {}) and _due_at(item) <= at]
        return DueItems(items=items, faults=faults, unread=unread)

    def put_off(self, jti: str, *, at: int, until: int) -> bool:
        """Move the due time of a row that is due at `at`; nothing else of the row needs to be readable.

        Returns whether it was moved: a row that another worker has moved, or that is gone, stays as it is.

        Raises:
            StoreUnavailable, InteractionConfigurationError: it is not known whether it was moved.
        """
        try:
            self._client.update_item(
                TableName=self._table,
                Key=ledger_key(jti),
                UpdateExpression="SET #due_at = :until",
                # False without a due time, and without a row.
                ConditionExpression="#due_at <= :at",
                ExpressionAttributeNames={"#due_at": "due_at"},
                ExpressionAttributeValues={":at": {"N": str(at)}, ":until": {"N": str(until)}},
            )
        except CLIENT_ERRORS as error:
            if condition_failed(error):
                return False
            raise self._classified(error) from error
        return True

    def _entries(self, *, at: int, limit: int, faults: dict[str, HumanInteractionError]) -> Iterator[dict[str, Any]]:
        """Yield what is due in each shard, and note in `faults` the shards that could not be read to their end.

        A shard without any reply costs seconds, and the others are then out of reach too. So after the second one the
        others are not asked. Each minute begins with another shard: none of them always comes last.
        """
        silent = 0
        first = at // 60 % DUE_SHARDS
        for shard in (*DUE_SHARD_NAMES[first:], *DUE_SHARD_NAMES[:first]):
            if silent == _MOST_SILENT:
                faults[shard] = StoreUnavailable(reason=f"{shard} was not asked, because others gave no reply")
                continue
            try:
                yield from self._shard(shard, at=at, limit=limit)
            except CLIENT_ERRORS as error:
                silent += not isinstance(error, ClientError)
                fault = self._classified(error)
                fault.__cause__ = error
                faults[shard] = fault

    def _classified(self, error: Exception) -> HumanInteractionError:
        return classify(error, resource=f"table {self._table}", endpoint=self._client.meta.endpoint_url)

    def _shard(self, shard: str, *, at: int, limit: int) -> Iterator[dict[str, Any]]:
        pages = self._client.get_paginator("query").paginate(
            TableName=self._table,
            IndexName=INDEX,
            KeyConditionExpression="#due_shard = :shard AND #due_at <= :at",
            ExpressionAttributeNames={"#due_shard": "due_shard", "#due_at": "due_at"},
            ExpressionAttributeValues={":shard": {"S": shard}, ":at": {"N": str(at)}},
            PaginationConfig={"MaxItems": limit, "PageSize": limit},
        )
        for page in pages:
            yield from page["Items"]


def _due_at(entry: dict[str, Any]) -> int:
    # A damaged row can have a fraction here; one row must not end the run.
    return int(float(entry["due_at"]["N"]))

"""The rows that are due, found through the sharded sparse index: reads follow what is due, never what is stored."""

import heapq
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from askback.adapters.client_errors import CLIENT_ERRORS, classify
from askback.adapters.item_keys import DUE_SHARDS, PK, SK
from askback.domain.errors import StoreUnavailable

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

INDEX = "due"
_BATCH = 100
"""The most items of one BatchGetItem."""
_ROUNDS = 3


class DueIndex:
    """Reads the due index and then the rows themselves, since an index may lag behind its table."""

    def __init__(self, *, client: "DynamoDBClient", table: str) -> None:
        self._client = client
        self._table = table

    def rows(self, *, at: int, limit: int) -> list[dict[str, Any]]:
        """Return up to `limit` items that are due at `at`, the longest due first.

        Raises:
            StoreUnavailable, InteractionConfigurationError: the index or the table could not be read.
        """
        try:
            shards = (self._shard(number, at=at, limit=limit) for number in range(DUE_SHARDS))
            entries = heapq.nsmallest(limit, (entry for shard in shards for entry in shard), key=_due_at)
            found: dict[str, dict[str, Any]] = {}
            for start in range(0, len(entries), _BATCH):
                found |= self._read(entries[start : start + _BATCH])
        except CLIENT_ERRORS as error:
            raise classify(error, resource=f"table {self._table}", endpoint=self._client.meta.endpoint_url) from error
        current = (found[entry[PK]["S"]] for entry in entries if entry[PK]["S"] in found)
        return [item for item in current if "due_at" in item and _due_at(item) <= at]

    def _shard(self, number: int, *, at: int, limit: int) -> Iterator[dict[str, Any]]:
        pages = self._client.get_paginator("query").paginate(
            TableName=self._table,
            IndexName=INDEX,
            KeyConditionExpression="#due_shard = :shard AND #due_at <= :at",
            ExpressionAttributeNames={"#due_shard": "due_shard", "#due_at": "due_at"},
            ExpressionAttributeValues={":shard": {"S": f"due#{number}"}, ":at": {"N": str(at)}},
            PaginationConfig={"MaxItems": limit, "PageSize": limit},
        )
        for page in pages:
            yield from page["Items"]

    def _read(self, entries: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
        found: dict[str, dict[str, Any]] = {}
        keys: list[Any] = [{PK: entry[PK], SK: entry[SK]} for entry in entries]
        for _ in range(_ROUNDS):
            page = self._client.batch_get_item(RequestItems={self._table: {"Keys": keys, "ConsistentRead": True}})
            found |= {item[PK]["S"]: item for item in page["Responses"].get(self._table, [])}
            unread = page.get("UnprocessedKeys", {}).get(self._table)
            if not unread:
                return found
            keys = list(unread["Keys"])
        raise StoreUnavailable(reason=f"BatchGetItem on table {self._table} left keys unread")


def _due_at(entry: dict[str, Any]) -> int:
    return int(entry["due_at"]["N"])

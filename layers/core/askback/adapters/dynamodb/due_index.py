"""Finds due rows through a sharded sparse index: the cost follows the number of due rows, not of stored rows."""

import heapq
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from askback.adapters.aws.errors import CLIENT_ERRORS, classify
from askback.adapters.dynamodb.batch_read import identity, read_items
from askback.adapters.dynamodb.keys import DUE_SHARDS, PK, SK

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

INDEX = "due"


class DueIndex:
    """Reads the due index and then the rows, because an index may be some seconds behind its table."""

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
        except CLIENT_ERRORS as error:
            raise classify(error, resource=f"table {self._table}", endpoint=self._client.meta.endpoint_url) from error
        found = read_items(self._client, self._table, [{PK: entry[PK], SK: entry[SK]} for entry in entries])
        current = (found[identity(entry)] for entry in entries if identity(entry) in found)
        return [item for item in current if "due_at" in item and _is_due(item, at=at)]

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


def _due_at(entry: dict[str, Any]) -> float:
    # A number with a fraction is of a damaged row; it must take its turn, so that the row is named.
    return float(entry["due_at"]["N"])


def _is_due(item: dict[str, Any], *, at: int) -> bool:
    try:
        return _due_at(item) <= at
    except (LookupError, ValueError):
        # Damaged since the index was read: it is for the reader of the row to say so.
        return True

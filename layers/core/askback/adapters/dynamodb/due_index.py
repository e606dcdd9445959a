"""Finds due rows through a sharded sparse index: the cost follows the number of due rows, not of stored rows."""

import heapq
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from askback.adapters.aws.errors import CLIENT_ERRORS, classify, error_code
from askback.adapters.dynamodb.batch_read import identity, read_some_items
from askback.adapters.dynamodb.keys import DUE_SHARDS, PK, SK, ledger_key

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

INDEX = "due"


class DueIndex:
    """Reads the due index and then the rows, because an index may be some seconds behind its table."""

    def __init__(self, *, client: "DynamoDBClient", table: str, wait: Callable[[float], object] = time.sleep) -> None:
        """`wait` waits for some seconds before keys that a throttled table did not return are asked for again."""
        self._client = client
        self._table = table
        self._wait = wait

    def rows(self, *, at: int, limit: int) -> list[dict[str, Any]]:
        """Return up to `limit` items that are due at `at`, the longest due first.

        A row that a throttled table does not return is left out; it stays due.

        Raises:
            StoreUnavailable, InteractionConfigurationError: the index could not be read, or no row of the table could.
        """
        try:
            shards = (self._shard(number, at=at, limit=limit) for number in range(DUE_SHARDS))
            entries = heapq.nsmallest(limit, (entry for shard in shards for entry in shard), key=_due_at)
        except CLIENT_ERRORS as error:
            raise self._classified(error) from error
        keys = [{PK: entry[PK], SK: entry[SK]} for entry in entries]
        found = read_some_items(self._client, self._table, keys, wait=self._wait)
        current = (found[identity(entry)] for entry in entries if identity(entry) in found)
        return [item for item in current if "N" in item.get("due_at", {}) and _due_at(item) <= at]

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
            if isinstance(error, ClientError) and error_code(error) == "ConditionalCheckFailedException":
                return False
            raise self._classified(error) from error
        return True

    def _classified(self, error: Exception) -> Exception:
        return classify(error, resource=f"table {self._table}", endpoint=self._client.meta.endpoint_url)

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


def _due_at(entry: dict[str, Any]) -> int:
    # A damaged row can have a fraction here; one row must not end the run.
    return int(float(entry["due_at"]["N"]))

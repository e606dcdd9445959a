"""Reads many items of the table in one round trip."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from askback.adapters.aws.errors import CLIENT_ERRORS, classify
from askback.adapters.dynamodb.keys import PK, SK
from askback.domain.errors import StoreUnavailable

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

MOST_KEYS = 100
"""The maximum number of keys of one BatchGetItem."""
_ROUNDS = 3
"""How many requests are made for keys that a throttled table did not return, before the caller gets an error."""

Identity = tuple[str, str]


def read_items(client: "DynamoDBClient", table: str, keys: Sequence[Any]) -> dict[Identity, dict[str, Any]]:
    """Return the items that exist, by partition and sort key; the read is consistent.

    Raises:
        StoreUnavailable, InteractionConfigurationError: the table could not be read completely.
    """
    found: dict[Identity, dict[str, Any]] = {}
    for start in range(0, len(keys), MOST_KEYS):
        found |= _read_batch(client, table, keys[start : start + MOST_KEYS])
    return found


def identity(item: dict[str, Any]) -> Identity:
    """Return the partition and sort key of an item or a key."""
    return item[PK]["S"], item[SK]["S"]


def _read_batch(client: "DynamoDBClient", table: str, keys: Sequence[Any]) -> dict[Identity, dict[str, Any]]:
    found: dict[Identity, dict[str, Any]] = {}
    for _ in range(_ROUNDS):
        try:
            page = client.batch_get_item(RequestItems={table: {"Keys": keys, "ConsistentRead": True}})
        except CLIENT_ERRORS as error:
            raise classify(error, resource=f"table {table}", endpoint=client.meta.endpoint_url) from error
        found |= {identity(item): item for item in page["Responses"].get(table, [])}
        unread = page.get("UnprocessedKeys", {}).get(table)
        if not unread:
            return found
        keys = unread["Keys"]
    raise StoreUnavailable(reason=f"BatchGetItem on table {table} left keys unread")

"""Many items of the table in one round trip."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from askback.adapters.aws.errors import CLIENT_ERRORS, classify
from askback.adapters.dynamodb.keys import PK, SK
from askback.domain.errors import StoreUnavailable

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

MOST_KEYS = 100
"""The most keys that one BatchGetItem takes."""
_ROUNDS = 3
"""How often keys that a throttled table left unread are asked for again before the caller has to."""

Identity = tuple[str, str]


def read_items(client: "DynamoDBClient", table: str, keys: Sequence[Any]) -> dict[Identity, dict[str, Any]]:
    """Return the items that are there, read consistently, by partition and sort key.

    Raises:
        StoreUnavailable, InteractionConfigurationError: the table could not be read, or not completely.
    """
    found: dict[Identity, dict[str, Any]] = {}
    for start in range(0, len(keys), MOST_KEYS):
        found |= _read_batch(client, table, keys[start : start + MOST_KEYS])
    return found


def identity(item: dict[str, Any]) -> Identity:
    """Return what an item, or a key, is found by."""
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

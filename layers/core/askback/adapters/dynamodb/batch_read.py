"""Reads many items of the table in one round trip."""

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from askback.adapters.aws.errors import CLIENT_ERRORS, classify
from askback.adapters.dynamodb.keys import PK, SK
from askback.domain.errors import HumanInteractionError, StoreUnavailable

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

MOST_KEYS = 100
"""The maximum number of keys of one BatchGetItem."""
_WAITS = (0.05, 0.2)
"""Seconds before each further request for keys that a throttled table did not return; an ordinary read waits never."""

Identity = tuple[str, str]
Items = dict[Identity, dict[str, Any]]


def read_items(
    client: "DynamoDBClient", table: str, keys: Sequence[Any], *, wait: Callable[[float], object] = time.sleep
) -> Items:
    """Return the items that exist, by partition and sort key; the read is consistent.

    Raises:
        StoreUnavailable, InteractionConfigurationError: the table could not be read completely.
    """
    found, _, failure = _read(client, table, keys, wait)
    if failure is not None:
        raise failure
    return found


def read_some_items(
    client: "DynamoDBClient", table: str, keys: Sequence[Any], *, wait: Callable[[float], object] = time.sleep
) -> tuple[Items, int]:
    """Return the items that exist and could be read, and how many keys were left unread.

    It is for work that can leave those keys to a later run.

    Raises:
        StoreUnavailable, InteractionConfigurationError: nothing could be read.
    """
    found, unread, failure = _read(client, table, keys, wait)
    if failure is not None and not found:
        raise failure
    return found, unread


def identity(item: dict[str, Any]) -> Identity:
    """Return the partition and sort key of an item or a key."""
    return item[PK]["S"], item[SK]["S"]


def _read(
    client: "DynamoDBClient", table: str, keys: Sequence[Any], wait: Callable[[float], object]
) -> tuple[Items, int, HumanInteractionError | None]:
    """Return what was read, how many keys were not, and what went wrong first.

    After a request that failed, no other batch is asked for.
    """
    found: Items = {}
    left = 0
    failure: HumanInteractionError | None = None
    for start in range(0, len(keys), MOST_KEYS):
        try:
            unread = _read_batch(client, table, keys[start : start + MOST_KEYS], found, wait)
        except CLIENT_ERRORS as error:
            refusal = classify(error, resource=f"table {table}", endpoint=client.meta.endpoint_url)
            refusal.__cause__ = error
            # Also the keys of this batch that came before the request failed are asked for again by a later run.
            missing = sum((key[PK]["S"], key[SK]["S"]) not in found for key in keys[start:])
            return found, left + missing, failure or refusal
        left += len(unread)
        if unread and failure is None:
            failure = StoreUnavailable(reason=f"BatchGetItem on table {table} left keys unread")
    return found, left, failure


def _read_batch(
    client: "DynamoDBClient", table: str, keys: Sequence[Any], found: Items, wait: Callable[[float], object]
) -> Sequence[Any]:
    """Add the items of up to `MOST_KEYS` keys to `found`, and return the keys that stay unread."""
    for seconds in (*_WAITS, None):
        page = client.batch_get_item(RequestItems={table: {"Keys": keys, "ConsistentRead": True}})
        found.update((identity(item), item) for item in page["Responses"].get(table, []))
        unread = page.get("UnprocessedKeys", {}).get(table)
        if not unread:
            return ()
        keys = unread["Keys"]
        if seconds is not None:
            wait(seconds)
    return keys

"""Runs an effect at most once behind a marker in a table, for a system that takes no idempotency key.

    done = at_most_once(table, outcome.jti, lambda: send_the_parcel(order))

The marker is written before the effect, and only one process can write it. The table needs the key `effect` (text).
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.service_resource import Table


class EffectUnclear(Exception):
    """Another process has begun the effect, and has not noted its end: it is still at it, or it died.

    Nothing runs until a person, or a query to the other system, has found out which. To run it again could be twice.
    """


def at_most_once(table: "Table", key: str, effect: Callable[[], str]) -> str:
    """Run the effect, or return what it has returned in another process.

    Raises:
        EffectUnclear: it has begun, and it is not known whether it has ended.
    """
    if not _begun(table, key):
        marker = table.get_item(Key={"effect": key}, ConsistentRead=True).get("Item", {})
        if "result" not in marker:
            raise EffectUnclear(key)
        return str(marker["result"])
    # A process that dies here leaves the effect not done, or done and not noted. Both look the same from outside.
    result = effect()
    table.update_item(
        Key={"effect": key},
        UpdateExpression="SET #result = :result",
        ExpressionAttributeNames={"#result": "result"},
        ExpressionAttributeValues={":result": result},
    )
    return result


def _begun(table: "Table", key: str) -> bool:
    """Write the marker, and return whether this process was the one."""
    marker: dict[str, Any] = {"effect": key}
    try:
        table.put_item(Item=marker, ConditionExpression="attribute_not_exists(effect)")
    except ClientError as error:
        if error.response["Error"]["Code"] == "ConditionalCheckFailedException":
            return False
        raise
    return True

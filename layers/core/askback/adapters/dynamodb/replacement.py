"""One transaction that writes a new row and changes another one: both, or nothing.

The two writes have their conditions, and the reply of a cancelled transaction has the row that each condition met. The
client sends a transaction again with the same token, so one whose reply was lost is not a refusal of its own write.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from askback.adapters.aws.errors import CLIENT_ERRORS, cancelled
from askback.adapters.dynamodb.keys import PK, ledger_key
from askback.adapters.dynamodb.ledger_conditions import NO_ROW, Condition

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_dynamodb.type_defs import TransactWriteItemTypeDef, UpdateTypeDef

_REFUSED = "ConditionalCheckFailed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Replaced:
    """What came of a transaction: the item in the place of the new row, {} if the reply does not have it.

    Both are None and False if the two rows were written.
    """

    in_the_way: Mapping[str, Any] | None = None
    changed_since: bool = False


def write_both(
    client: "DynamoDBClient",
    table: str,
    *,
    item: dict[str, Any],
    jti: str,
    sets: Mapping[str, Any],
    removes: Sequence[str],
    seen: Condition,
) -> Replaced:
    """Put the item if its key has none, and update the row `jti` if the condition `seen` holds.

    Raises the error of the client if it is no refusal of a condition.
    """
    writes: list[TransactWriteItemTypeDef] = [
        {
            "Put": {
                "TableName": table,
                "Item": item,
                "ConditionExpression": NO_ROW,
                "ExpressionAttributeNames": {"#pk": PK},
                "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
            }
        },
        {"Update": cast("UpdateTypeDef", {"TableName": table, "Key": ledger_key(jti), **seen.update(sets, removes)})},
    ]
    try:
        client.transact_write_items(TransactItems=writes)
    except CLIENT_ERRORS as error:
        put, changed = (*cancelled(error), {}, {})[:2]
        if put.get("Code") == _REFUSED:
            return Replaced(in_the_way=put.get("Item") or {})
        if changed.get("Code") == _REFUSED:
            return Replaced(changed_since=True)
        raise
    return Replaced()

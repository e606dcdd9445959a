"""The entries of the open pauses in the due index, which has one for each of them and for few other rows.

The index is some seconds behind the table, and a query on it cannot be consistent.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from askback.adapters.aws.errors import CLIENT_ERRORS, classify
from askback.adapters.dynamodb.due_index import INDEX
from askback.adapters.dynamodb.keys import DUE_SHARD_NAMES
from askback.adapters.dynamodb.ledger_items import DUE_SHARD, EXP, STATUS
from askback.domain.pause.ledger import PauseStatus

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

_OPEN = "#status = :issued AND #exp > :now"
"""True for a pause that can still be answered; an expired one does not count, even before the sweep has ended it."""


def open_entries(
    client: "DynamoDBClient", table: str, *, at: int, attributes: Sequence[str]
) -> Iterator[list[dict[str, Any]]]:
    """Yield, page by page, these attributes of every entry that is open at `at` (epoch seconds).

    Raises:
        StoreUnavailable, InteractionConfigurationError: a page could not be read.
    """
    for shard in DUE_SHARD_NAMES:
        pages = client.get_paginator("query").paginate(
            TableName=table,
            IndexName=INDEX,
            KeyConditionExpression="#due_shard = :shard",
            FilterExpression=_OPEN,
            ProjectionExpression=", ".join(f"#{name}" for name in attributes),
            ExpressionAttributeNames={f"#{name}": name for name in (DUE_SHARD, STATUS, EXP, *attributes)},
            ExpressionAttributeValues={
                ":shard": {"S": shard},
                ":issued": {"S": PauseStatus.ISSUED.value},
                ":now": {"N": str(at)},
            },
        )
        try:
            for page in pages:
                yield list(page["Items"])
        except CLIENT_ERRORS as error:
            raise classify(error, resource=f"table {table}", endpoint=client.meta.endpoint_url) from error

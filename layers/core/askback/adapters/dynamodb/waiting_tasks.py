"""The tasks of executions that wait for pauses: one item for each task, in the partition of its execution.

An item has only its key and its time to live. The key has hashes and the id of the pause: no ARN and no task token.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from askback.adapters.aws.errors import CLIENT_ERRORS, classify, condition_failed
from askback.adapters.dynamodb.keys import PK, SK, waiting_partition
from askback.adapters.dynamodb.records import TTL
from askback.domain.errors import HumanInteractionError
from askback.domain.pause.executions import WaitingTask

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

_ABSENT_OR_SHORTER = "attribute_not_exists(#pk) OR #ttl <= :ttl"
"""True for a new task, and for a repeated mint unless its item would go earlier than the one of before."""


class DynamoWaitingTasks:
    """The tasks on DynamoDB; an item is kept for `retention_seconds` after the expiry of its pause, as the row is."""

    def __init__(self, *, client: "DynamoDBClient", table: str, retention_seconds: int) -> None:
        self._client = client
        self._table = table
        self._retention_seconds = retention_seconds

    async def enter(self, execution: str, task: WaitingTask, *, expires_at: int) -> None:
        """Write the item of the task."""
        ttl = {"N": str(expires_at + self._retention_seconds)}
        try:
            self._client.put_item(
                TableName=self._table,
                Item={PK: {"S": waiting_partition(execution)}, SK: {"S": f"{task.jti}#{task.task}"}, TTL: ttl},
                ConditionExpression=_ABSENT_OR_SHORTER,
                ExpressionAttributeNames={"#pk": PK, "#ttl": TTL},
                ExpressionAttributeValues={":ttl": ttl},
            )
        except CLIENT_ERRORS as error:
            if not condition_failed(error):
                raise self._classified(error) from error

    async def of(self, execution: str) -> Sequence[WaitingTask]:
        """Return the tasks of the execution's partition."""
        pages = self._client.get_paginator("query").paginate(
            TableName=self._table,
            KeyConditionExpression="#pk = :execution",
            ExpressionAttributeNames={"#pk": PK},
            ExpressionAttributeValues={":execution": {"S": waiting_partition(execution)}},
            ConsistentRead=True,
        )
        try:
            return [_task(item[SK]["S"]) for page in pages for item in page["Items"]]
        except CLIENT_ERRORS as error:
            raise self._classified(error) from error

    def _classified(self, error: Exception) -> HumanInteractionError:
        return classify(error, resource=f"table {self._table}", endpoint=self._client.meta.endpoint_url)


def _task(sort_key: str) -> WaitingTask:
    # The id of a pause could have a `#`; the hash of a task has none.
    jti, _, task = sort_key.rpartition("#")
    return WaitingTask(jti=jti, task=task)

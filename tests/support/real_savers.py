"""The real savers, opened for one event loop each; where they keep their checkpoints is one text."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from typing import Any

import boto3
from langgraph.checkpoint.base import BaseCheckpointSaver, CheckpointMetadata, empty_checkpoint
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph_checkpoint_aws import DynamoDBSaver

from askback.langgraph.saver_checkpoints import LangGraphCheckpoints, SavedText
from local.emulated.template import REGION


@asynccontextmanager
async def opened(where: str) -> AsyncIterator[BaseCheckpointSaver[Any]]:
    """Open the saver of `sqlite:<file>` or of `dynamodb:<name>`, whose table and bucket are called so."""
    kind, _, name = where.partition(":")
    if kind == "dynamodb":
        yield _dynamodb(name)
        return
    async with AsyncSqliteSaver.from_conn_string(name) as saver:
        yield saver


def created_dynamodb(name: str) -> str:
    """Create what the DynamoDB saver needs, and return where it is."""
    boto3.client("dynamodb").create_table(
        TableName=name,
        KeySchema=[{"AttributeName": "PK", "KeyType": "HASH"}, {"AttributeName": "SK", "KeyType": "RANGE"}],
        AttributeDefinitions=[
            {"AttributeName": "PK", "AttributeType": "S"},
            {"AttributeName": "SK", "AttributeType": "S"},
        ],
        BillingMode="PAY_PER_REQUEST",
    )
    boto3.client("s3").create_bucket(Bucket=name, CreateBucketConfiguration={"LocationConstraint": REGION})
    return f"dynamodb:{name}"


@cache
def _dynamodb(name: str) -> DynamoDBSaver:
    # It belongs to no event loop, and making its clients takes long.
    return DynamoDBSaver(table_name=name, s3_offload_config={"bucket_name": name})


async def put_checkpoint(saver: BaseCheckpointSaver[Any], thread_id: str, checkpoint_id: str) -> None:
    """Give a thread an empty checkpoint of this id."""
    config: Any = {"configurable": {"thread_id": thread_id, "checkpoint_ns": ""}}
    metadata: CheckpointMetadata = {"source": "input", "step": -1, "parents": {}}
    await saver.aput(config, {**empty_checkpoint(), "id": checkpoint_id}, metadata, {})


class ReopenedCheckpoints:
    """The port over a real saver that is opened anew for every call, as every process does.

    A text is recorded at a checkpoint that the graph has saved before; here that happens just before.
    """

    def __init__(self, where: str) -> None:
        self._where = where

    async def checkpoint_for(self, thread_id: str, *, has_turn: bool) -> str | None:
        async with opened(self._where) as saver:
            return await LangGraphCheckpoints(saver).checkpoint_for(thread_id, has_turn=has_turn)

    async def write(
        self,
        *,
        thread_id: str,
        checkpoint_id: str,
        key: str,
        text: str,
        expires_at: int,
        task_id: str = "",
        scope_hash: str = "",
    ) -> None:
        place = {"thread_id": thread_id, "checkpoint_id": checkpoint_id}
        async with opened(self._where) as saver:
            if await saver.aget_tuple({"configurable": {"checkpoint_ns": "", **place}}) is None:
                await put_checkpoint(saver, **place)
            await LangGraphCheckpoints(saver).write(**place, key=key, text=text, expires_at=expires_at, task_id=task_id)

    async def read(self, *, thread_id: str, checkpoint_id: str, key: str, scope_hash: str = "") -> SavedText | None:
        async with opened(self._where) as saver:
            return await LangGraphCheckpoints(saver).read(thread_id=thread_id, checkpoint_id=checkpoint_id, key=key)

"""The table of a stack, as the cutover commands reach it: named by its stack, or by name."""

import argparse
from typing import Any

from askback.adapters.dynamodb.records import DynamoCheckpoints
from askback.adapters.s3_bodies import S3Bodies
from askback.cutover.ledger_marks import CutoverTable
from askback.cutover.standing import CutoverRecord
from askback.operate.stack import StackOperator

TABLE_OUTPUT, BUCKET_OUTPUT = "TableName", "BucketName"
INLINE_LIMIT_BYTES = 8192
"""As the functions have it by default; they read a body wherever it is."""
DAY_SECONDS = 24 * 3600


def cutover_table(operator: StackOperator, asked: argparse.Namespace) -> CutoverTable:
    """Return what a cutover writes."""
    return CutoverTable(
        client=operator.client("dynamodb"),
        table=asked.table or operator.output(TABLE_OUTPUT),
        retention_seconds=asked.retention_days * DAY_SECONDS,
    )


def checkpoints(operator: StackOperator, asked: argparse.Namespace) -> DynamoCheckpoints:
    """Return the store of recorded requests that the functions read."""
    bucket = asked.bucket or operator.output(BUCKET_OUTPUT)
    s3: Any = operator.client("s3")
    return DynamoCheckpoints(
        client=operator.client("dynamodb"),
        table=asked.table or operator.output(TABLE_OUTPUT),
        bodies=S3Bodies(client=lambda: s3, bucket=bucket),
        inline_limit=INLINE_LIMIT_BYTES,
        retention_seconds=asked.retention_days * DAY_SECONDS,
        new_checkpoint_id=_none_is_opened,
    )


def read_record(table: CutoverTable) -> CutoverRecord | None:
    """Return what the imports noted, or None before the first."""
    noted = table.noted()
    return CutoverRecord(**noted) if noted else None


def _none_is_opened() -> str:
    raise RuntimeError("an import opens no checkpoint")

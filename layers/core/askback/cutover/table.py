"""The table and bucket of the cutover commands: from the stack's outputs, or as the options name them."""

import argparse
from typing import Any

from askback.adapters.dynamodb.records import DynamoCheckpoints
from askback.adapters.s3_bodies import S3Bodies
from askback.cutover.ledger_marks import CutoverTable
from askback.cutover.standing import CutoverRecord
from askback.operate.stack import StackOperator

TABLE_OUTPUT, BUCKET_OUTPUT = "TableName", "BucketName"
INLINE_LIMIT_BYTES = 8192
"""The functions' default; they read a body from the table and from the bucket."""
DAY_SECONDS = 24 * 3600


def cutover_table(operator: StackOperator, options: argparse.Namespace) -> CutoverTable:
    """Return the writer of cutover rows."""
    return CutoverTable(
        client=operator.client("dynamodb"),
        table=options.table or operator.output(TABLE_OUTPUT),
        retention_seconds=options.retention_days * DAY_SECONDS,
    )


def checkpoints(operator: StackOperator, options: argparse.Namespace) -> DynamoCheckpoints:
    """Return the store from which the functions read recorded requests."""
    bucket = options.bucket or operator.output(BUCKET_OUTPUT)
    s3: Any = operator.client("s3")
    return DynamoCheckpoints(
        client=operator.client("dynamodb"),
        table=options.table or operator.output(TABLE_OUTPUT),
        bodies=S3Bodies(client=lambda: s3, bucket=bucket),
        inline_limit=INLINE_LIMIT_BYTES,
        retention_seconds=options.retention_days * DAY_SECONDS,
        new_checkpoint_id=_no_new_checkpoint,
    )


def read_record(table: CutoverTable) -> CutoverRecord | None:
    """Return the record of the imports, or None before the first import."""
    noted = table.noted()
    return CutoverRecord(**noted) if noted else None


def _no_new_checkpoint() -> str:
    raise RuntimeError("an import must not open a checkpoint")

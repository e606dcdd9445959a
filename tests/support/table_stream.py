"""The table's stream, read from emulated DynamoDB and handed over in the form of Lambda's event."""

import base64
import json
from datetime import datetime
from typing import Any

import boto3

from askback.adapters.dynamodb.keys import ledger_key
from tests.support.function_deployment import Deployment, Handlers
from tests.support.request_bodies import Pause


class TableStream:
    """The writes of the table from when this was made."""

    def __init__(self, deployment: Deployment) -> None:
        self._client = boto3.client("dynamodbstreams")
        self._logs: Any = boto3.client("logs")
        self._arn = deployment.dynamodb.describe_table(TableName=deployment.table)["Table"]["LatestStreamArn"]
        self.log_group = deployment.cloud.functions[0].environment["ASKBACK_DECISION_LOG_GROUP"]
        (shard,) = self._client.describe_stream(StreamArn=self._arn)["StreamDescription"]["Shards"]
        self._from_here: str = self._client.get_shard_iterator(
            StreamArn=self._arn, ShardId=shard["ShardId"], ShardIteratorType="LATEST"
        )["ShardIterator"]

    def records(self) -> list[dict[str, Any]]:
        """Return what was written, as records of Lambda's event."""
        return [_as_lambda_has_it(record) for record in self._read()]

    def of(self, pause: Pause) -> list[dict[str, Any]]:
        """Return the writes of one pause's row."""
        return [each for each in self.records() if each["dynamodb"]["Keys"] == ledger_key(pause.minted["jti"])]

    def audited(self, handlers: Handlers, *pauses: Pause) -> list[dict[str, Any]]:
        """Hand the writes of the pauses to the audit function, and return the lines that it wrote about them."""
        records = [record for pause in pauses for record in self.of(pause)]
        assert handlers.invoke("audit", {"Records": records}) == {"batchItemFailures": []}
        jtis = {pause.minted["jti"] for pause in pauses}
        return [line for line in self.lines() if line["jti"] in jtis]

    def events(self) -> list[dict[str, Any]]:
        """Return the events of the log of decisions, as CloudWatch has them."""
        pages = self._logs.get_paginator("filter_log_events").paginate(logGroupName=self.log_group)
        return [event for page in pages for event in page["events"]]

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(event["message"]) for event in self.events()]

    def _read(self) -> list[Any]:
        iterator = self._from_here
        records: list[Any] = []
        while page := self._client.get_records(ShardIterator=iterator, Limit=1000):
            records += page["Records"]
            if len(page["Records"]) < 1000:
                break
            iterator = page["NextShardIterator"]
        return records


def _as_lambda_has_it(record: Any) -> dict[str, Any]:
    """Return a record as JSON has it: bytes in base64, and a time in epoch seconds."""

    def plain(value: object) -> Any:
        if isinstance(value, bytes):
            return base64.b64encode(value).decode()
        assert isinstance(value, datetime), value
        return int(value.timestamp())

    event: dict[str, Any] = json.loads(json.dumps(record, default=plain))
    return event

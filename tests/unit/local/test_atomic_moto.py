"""moto, made atomic: of many callers exactly one wins a conditional write."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError
from moto import mock_aws
from moto.core.models import DEFAULT_ACCOUNT_ID
from moto.dynamodb.models import dynamodb_backends
from moto.dynamodb.responses import DynamoHandler

from local.emulated import atomic_moto
from local.emulated.emulator import Emulator
from local.emulated.template import REGION

_CALLERS = 16
_ROUNDS = 5


@pytest.fixture(params=["in process", "over HTTP"])
def aws(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    """How to make a client, with moto in either of its two places."""
    monkeypatch.delenv("AWS_ENDPOINT_URL", raising=False)
    settings = {"region_name": REGION, "aws_access_key_id": "local", "aws_secret_access_key": "local"}
    if request.param == "in process":
        atomic_moto.install()
        with mock_aws():
            yield settings
    else:
        with Emulator() as emulator:
            yield settings | {"endpoint_url": emulator.endpoint}


@pytest.fixture(params=[None, 1e-5], ids=["usual switching", "eager switching"])
def switching(request: pytest.FixtureRequest) -> Iterator[None]:
    usual = sys.getswitchinterval()
    sys.setswitchinterval(request.param or usual)
    yield
    sys.setswitchinterval(usual)


@pytest.mark.usefixtures("switching")
def test_one_of_many_wins_a_conditional_write_to_a_table(aws: dict[str, Any]) -> None:
    table: Any = boto3.client("dynamodb", **aws)
    table.create_table(
        TableName="rows",
        AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
        BillingMode="PAY_PER_REQUEST",
    )
    for turn in range(_ROUNDS):
        item = {"pk": {"S": str(turn)}}

        def write(item: dict[str, Any] = item) -> None:
            table.put_item(TableName="rows", Item=item, ConditionExpression="attribute_not_exists(pk)")

        assert _winners(write) == 1


@pytest.mark.usefixtures("switching")
def test_one_of_many_wins_a_write_of_an_object_that_must_not_exist(aws: dict[str, Any]) -> None:
    bucket: Any = boto3.client("s3", **aws)
    bucket.create_bucket(Bucket="objects", CreateBucketConfiguration={"LocationConstraint": REGION})
    for turn in range(_ROUNDS):
        key = f"turns/{turn}"

        def write(key: str = key) -> None:
            bucket.put_object(Bucket="objects", Key=key, Body=b"once", IfNoneMatch="*")

        assert _winners(write) == 1


def test_a_transaction_copies_no_record_of_the_stream_and_a_cancelled_one_leaves_none(aws: dict[str, Any]) -> None:
    client: Any = boto3.client("dynamodb", **aws)
    client.create_table(
        TableName="streamed",
        AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
        BillingMode="PAY_PER_REQUEST",
        StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
    )
    client.put_item(TableName="streamed", Item={"pk": {"S": "first"}})

    def records() -> list[Any]:
        shard: Any = dynamodb_backends[DEFAULT_ACCOUNT_ID][REGION].tables["streamed"].stream_shard
        return list(shard.items)

    before = records()
    put = {"TableName": "streamed", "Item": {"pk": {"S": "second"}}}
    refused = {
        "TableName": "streamed",
        "Item": {"pk": {"S": "first"}},
        "ConditionExpression": "attribute_not_exists(pk)",
    }
    with pytest.raises(ClientError, match="TransactionCanceled"):
        client.transact_write_items(TransactItems=[{"Put": put}, {"Put": refused}])
    assert list(map(id, records())) == list(map(id, before))
    assert "Item" not in client.get_item(TableName="streamed", Key={"pk": {"S": "second"}})


def test_installing_it_again_changes_nothing() -> None:
    atomic_moto.install()
    entry = DynamoHandler.call_action

    atomic_moto.install()

    assert DynamoHandler.call_action is entry


def _winners(write: Callable[[], None]) -> int:
    """How many of the callers succeed that start together; the others fail on the condition."""
    start = threading.Barrier(_CALLERS)
    outcomes: list[str] = []

    def call() -> None:
        start.wait()
        try:
            write()
        except ClientError as error:
            outcomes.append(error.response["Error"]["Code"])
        else:
            outcomes.append("won")

    callers = [threading.Thread(target=call) for _ in range(_CALLERS)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert len(outcomes) == _CALLERS
    assert set(outcomes) <= {"won", "ConditionalCheckFailedException", "PreconditionFailed"}
    return outcomes.count("won")

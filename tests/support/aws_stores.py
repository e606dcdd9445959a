"""The template's table, bucket and secret on moto, in this process, and the real adapters over them.

moto is made atomic first: without that a passing race proves nothing. Everything is created from template.yaml, so that
no test passes on a table that is not the deployed one.
"""

import itertools
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

import boto3
from botocore.config import Config
from moto import mock_aws

from askback.adapters.aws.clients import CLIENT_CONFIG
from askback.adapters.dynamodb.ledger import DynamoIssuanceLedger
from askback.adapters.dynamodb.open_pauses import DynamoOpenPauses
from askback.adapters.dynamodb.outstanding import DynamoOutstandingPauses
from askback.adapters.dynamodb.paused_state import DynamoPausedState
from askback.adapters.dynamodb.records import DynamoCheckpoints
from askback.adapters.dynamodb.waiting_tasks import DynamoWaitingTasks
from askback.adapters.s3_bodies import S3Bodies
from local.emulated import atomic_moto
from local.emulated.cloud import ROOT, replaced_environment
from local.emulated.resources import create_resources
from local.emulated.template import REGION, Resolver, load_template

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_secretsmanager import SecretsManagerClient

RETENTION_SECONDS = 30 * 24 * 3600
INLINE_LIMIT = 8192
ONE_ATTEMPT = CLIENT_CONFIG.merge(Config(retries={"mode": "standard", "total_max_attempts": 1}))
"""The deployed client's settings without its retries, for tests of what a refusal that stays is taken for."""

_ENVIRONMENT = {
    "AWS_ACCESS_KEY_ID": "local",
    "AWS_SECRET_ACCESS_KEY": "local",
    "AWS_DEFAULT_REGION": REGION,
    "AWS_REGION": REGION,
    "AWS_EC2_METADATA_DISABLED": "true",
    "AWS_CONFIG_FILE": os.devnull,
    "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
}


@dataclass(frozen=True, kw_only=True)
class Stores:
    """The names of what was created."""

    table: str
    bucket: str
    secret_id: str


@contextmanager
def aws_environment() -> Iterator[None]:
    """Exactly these AWS settings, whatever the developer's shell holds."""
    with replaced_environment(_ENVIRONMENT):
        yield


@contextmanager
def created_stores() -> Iterator[Stores]:
    """The template's resources on an empty moto, until leaving."""
    atomic_moto.install()
    with aws_environment(), mock_aws():
        resolver = Resolver(_template())
        create_resources(resolver)
        yield Stores(
            table=resolver.resolve({"Ref": "Table"}),
            bucket=resolver.resolve({"Ref": "Bucket"}),
            secret_id=resolver.resolve({"Ref": "KeyRing"}),
        )


@cache
def _template() -> dict[str, Any]:
    return load_template(ROOT / "template.yaml")


def _client(service: Any) -> Any:
    return boto3.client(service, config=CLIENT_CONFIG)


@dataclass(frozen=True, kw_only=True)
class Aws:
    """One test's own clients of the stores, so that a hook on one of them ends with the test.

    `dynamodb`, `s3` and `secrets` are those of the adapters; `observer` is another one, to look with. `waits` has the
    seconds that the ledger would have waited.
    """

    stores: Stores
    dynamodb: "DynamoDBClient" = field(default_factory=lambda: _client("dynamodb"))
    s3: "S3Client" = field(default_factory=lambda: _client("s3"))
    secrets: "SecretsManagerClient" = field(default_factory=lambda: _client("secretsmanager"))
    observer: "DynamoDBClient" = field(default_factory=lambda: _client("dynamodb"))
    waits: list[float] = field(default_factory=list)

    @property
    def bodies(self) -> S3Bodies:
        return S3Bodies(client=lambda: self.s3, bucket=self.stores.bucket)

    def ledger(self) -> DynamoIssuanceLedger:
        return DynamoIssuanceLedger(
            client=self.dynamodb,
            table=self.stores.table,
            bodies=self.bodies,
            inline_limit=INLINE_LIMIT,
            retention_seconds=RETENTION_SECONDS,
            wait=self.waits.append,
        )

    def outstanding(self) -> DynamoOutstandingPauses:
        return DynamoOutstandingPauses(client=self.dynamodb, table=self.stores.table)

    def open_pauses(self) -> DynamoOpenPauses:
        return DynamoOpenPauses(client=self.dynamodb, table=self.stores.table)

    def waiting_tasks(self) -> DynamoWaitingTasks:
        return DynamoWaitingTasks(client=self.dynamodb, table=self.stores.table, retention_seconds=RETENTION_SECONDS)

    def checkpoints(self, *, inline_limit: int = INLINE_LIMIT) -> DynamoCheckpoints:
        ids = itertools.count(1)
        return DynamoCheckpoints(
            client=self.dynamodb,
            table=self.stores.table,
            bodies=self.bodies,
            inline_limit=inline_limit,
            retention_seconds=RETENTION_SECONDS,
            new_checkpoint_id=lambda: f"checkpoint-{next(ids)}",
        )

    def states(self) -> DynamoPausedState:
        return DynamoPausedState(client=self.dynamodb, table=self.stores.table, bodies=self.bodies)

    def items(self) -> list[dict[str, Any]]:
        """Return every item of the table, in the order of their keys."""
        pages = self.observer.get_paginator("scan").paginate(TableName=self.stores.table, ConsistentRead=True)
        items: list[dict[str, Any]] = [dict(item) for page in pages for item in page["Items"]]
        return sorted(items, key=lambda item: (item["pk"]["S"], item["sk"]["S"]))

    def row(self, jti: str) -> dict[str, Any] | None:
        """Return a pause's ledger item as it stands."""
        return next((item for item in self.items() if item["pk"]["S"] == f"pause#{jti}"), None)

    def edit(self, item: dict[str, Any], **attributes: Any) -> None:
        """Overwrite an item by hand, with some attributes replaced."""
        self.observer.put_item(TableName=self.stores.table, Item={**item, **attributes})

    def delete(self, item: dict[str, Any]) -> None:
        """Delete an item by hand, as TTL does."""
        self.observer.delete_item(TableName=self.stores.table, Key={"pk": item["pk"], "sk": item["sk"]})

    def objects(self) -> dict[str, int]:
        """Return the size of every object in the bucket, by key."""
        listed = boto3.client("s3").list_objects_v2(Bucket=self.stores.bucket)
        return {found["Key"]: found["Size"] for found in listed.get("Contents", [])}

    def empty(self) -> None:
        """Remove everything that tests have stored."""
        for item in self.items():
            self.delete(item)
        for key in self.objects():
            boto3.client("s3").delete_object(Bucket=self.stores.bucket, Key=key)

"""The stores of a deployment: its table, its bucket and its key secret, read from the environment.

The DynamoDB client is made when a function starts, because every request needs it. Other clients are made on first
use.
"""

import os
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from askback.adapters.aws.clients import Clients
from askback.adapters.dynamodb.ledger import DynamoIssuanceLedger
from askback.adapters.s3_bodies import S3Bodies
from askback.adapters.secrets.key_ring import FixedKeyRing, KeyRingSource, SecretsManagerKeyRing
from askback.settings import Settings

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


@dataclass(frozen=True, slots=True, kw_only=True)
class Stores:
    """The stores, settings and clients of a function that uses the table."""

    settings: Settings
    clients: Clients
    dynamodb: "DynamoDBClient"
    bodies: S3Bodies
    ledger: DynamoIssuanceLedger
    keys: KeyRingSource


def open_stores() -> Stores:
    """Return the stores that the environment sets; raises InteractionConfigurationError."""
    settings = Settings.from_environment(os.environ)
    clients = Clients()
    dynamodb: DynamoDBClient = clients.make("dynamodb")
    bodies = S3Bodies(client=clients.when_needed("s3"), bucket=settings.bucket_name)
    return Stores(
        settings=settings,
        clients=clients,
        dynamodb=dynamodb,
        bodies=bodies,
        ledger=DynamoIssuanceLedger(
            client=dynamodb,
            table=settings.table_name,
            bodies=bodies,
            inline_limit=settings.inline_limit_bytes,
            retention_seconds=settings.retention_seconds,
        ),
        keys=_keys(settings, clients),
    )


def _keys(settings: Settings, clients: Clients) -> KeyRingSource:
    if settings.local_key_ring:
        return FixedKeyRing(settings.local_key_ring)
    return SecretsManagerKeyRing(
        client=clients.when_needed("secretsmanager"),
        secret_id=settings.key_secret_id,
        clock=time.monotonic,
    )

"""Builds the token service and the records store of a deployment."""

from aws_lambda_powertools.logging import Logger

from askback.adapters.dynamodb.records import DynamoCheckpoints
from askback.adapters.jwt_codec import JwtTokenCodec
from askback.domain.tokens.service import PauseTokenService
from askback.edge.log import pause_namer
from askback.wiring.sources import new_checkpoint_id
from askback.wiring.stores import Stores


def pause_records(stores: Stores) -> DynamoCheckpoints:
    """Return the store of requests and turns: the table, and the bucket for large ones."""
    return DynamoCheckpoints(
        client=stores.dynamodb,
        table=stores.settings.table_name,
        bodies=stores.bodies,
        inline_limit=stores.settings.inline_limit_bytes,
        retention_seconds=stores.settings.retention_seconds,
        new_checkpoint_id=new_checkpoint_id,
    )


def pause_tokens(stores: Stores, logger: Logger) -> PauseTokenService:
    """Return the token service; the log lines have the pause as soon as its token is read."""
    return PauseTokenService(codec=JwtTokenCodec(stores.keys), ledger=stores.ledger, known=pause_namer(logger))

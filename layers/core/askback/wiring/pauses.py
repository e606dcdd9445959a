"""What a deployment has of a pause: its tokens, its recorded request and its recorded turn."""

from dataclasses import dataclass

from aws_lambda_powertools.logging import Logger

from askback.adapters.dynamodb.records import DynamoCheckpoints
from askback.adapters.jwt_codec import JwtTokenCodec
from askback.domain.records.payloads import PausePayloadStore
from askback.domain.records.turns import TurnCheckpointStore
from askback.domain.tokens.service import PauseTokenService
from askback.edge.log import naming
from askback.wiring.sources import new_checkpoint_id
from askback.wiring.stores import Stores


@dataclass(frozen=True, slots=True, kw_only=True)
class PauseRecords:
    """What records requests and turns, and recovers them."""

    checkpoints: DynamoCheckpoints
    payloads: PausePayloadStore
    turns: TurnCheckpointStore


def pause_records(stores: Stores) -> PauseRecords:
    """Return the records in the table and the bucket."""
    checkpoints = DynamoCheckpoints(
        client=stores.dynamodb,
        table=stores.settings.table_name,
        bodies=stores.bodies,
        inline_limit=stores.settings.inline_limit_bytes,
        retention_seconds=stores.settings.retention_seconds,
        new_checkpoint_id=new_checkpoint_id,
    )
    return PauseRecords(
        checkpoints=checkpoints,
        payloads=PausePayloadStore(checkpoints),
        turns=TurnCheckpointStore(checkpoints),
    )


def pause_tokens(stores: Stores, logger: Logger) -> PauseTokenService:
    """Return what issues and reads tokens; the logger's lines name a pause as soon as its token is read."""
    return PauseTokenService(codec=JwtTokenCodec(stores.keys), ledger=stores.ledger, known=naming(logger))

"""Reads everything that is recorded for a pause in one round trip."""

from typing import TYPE_CHECKING, Any

from askback.adapters.dynamodb.batch_read import Identity, identity, read_items
from askback.adapters.dynamodb.keys import Key, ledger_key, record_key
from askback.adapters.dynamodb.ledger_items import read_row
from askback.adapters.dynamodb.records import ItemText
from askback.adapters.s3_bodies import S3Bodies
from askback.domain.pause.claims import PauseClaims
from askback.domain.ports import PausedState
from askback.domain.records.payloads import payload_key
from askback.domain.records.turns import turn_key

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


def record_keys(claims: PauseClaims) -> tuple[Key, Key]:
    """Return the keys of the recorded request and of the recorded turn of a pause.

    Raises:
        PayloadBindingError: the claims name no call and no interrupt, so there is no record.
    """
    place = claims.record_place
    return record_key(**place, key=payload_key(claims)), record_key(**place, key=turn_key(claims))


class DynamoPausedState:
    """The paused-state reader: one consistent BatchGetItem."""

    def __init__(self, *, client: "DynamoDBClient", table: str, bodies: S3Bodies) -> None:
        self._client = client
        self._table = table
        self._bodies = bodies

    async def read(self, claims: PauseClaims) -> PausedState:
        """Return request, turn and ledger row; a body in the bucket is fetched only when its text is read."""
        request, turn = record_keys(claims)
        row = ledger_key(claims.jti)
        found = read_items(self._client, self._table, [request, turn, row])
        return PausedState(
            request=self._text(found, request),
            turn=self._text(found, turn),
            row=read_row(found[identity(row)]) if identity(row) in found else None,
        )

    def _text(self, found: dict[Identity, dict[str, Any]], key: dict[str, Any]) -> ItemText | None:
        item = found.get(identity(key))
        return None if item is None else ItemText(item, self._bodies)

"""Reads the titles of recorded questions, for a list: one batch read, and nothing from the bucket."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from askback.adapters.dynamodb.batch_read import identity, read_items
from askback.adapters.dynamodb.paused_state import record_keys
from askback.adapters.dynamodb.records import DATA, ItemText
from askback.adapters.s3_bodies import S3Bodies
from askback.domain.errors import PausedStateError, PayloadBindingError
from askback.domain.pause.claims import PauseClaims
from askback.domain.people.message import asked_in
from askback.domain.records.payloads import PausePayloadStore

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


class DynamoRequestTitles:
    """The titles of recorded questions that are in the table.

    A question over the inline limit is in the bucket, which the function of the operators may not read: it has none.
    """

    def __init__(self, *, client: "DynamoDBClient", table: str, bodies: S3Bodies) -> None:
        self._client = client
        self._table = table
        self._bodies = bodies
        self._payloads = PausePayloadStore(None)

    async def of(self, pauses: Sequence[PauseClaims]) -> Mapping[str, str]:
        """Return by id the title of each question that can be read and is the one of its claims."""
        keys = {}
        for claims in pauses:
            try:
                keys[claims.jti] = record_keys(claims)[0]
            except PayloadBindingError:
                # A damaged row: it names no call, so it has no record.
                continue
        found = read_items(self._client, self._table, list(keys.values()))
        titles = {}
        for claims in pauses:
            item = found.get(identity(keys[claims.jti])) if claims.jti in keys else None
            if item is None or DATA not in item:
                continue
            try:
                recorded = await self._payloads.verify(claims, ItemText(item, self._bodies))
            except (PausedStateError, PayloadBindingError):
                continue
            titles[claims.jti] = asked_in(recorded.payload)
        return titles

"""Recorded requests and turns in the table, each written once; a body over the inline limit goes into the bucket."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from askback.adapters.aws.errors import CLIENT_ERRORS, classify, condition_failed
from askback.adapters.dynamodb.keys import PK, body_key, record_key
from askback.adapters.s3_bodies import PackedBody, S3Bodies, pack, unpack
from askback.domain.errors import PauseConflict

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

DATA, BODY_KEY, ENCODING, SHA256, SIZE, TTL = "data", "body_key", "encoding", "sha256", "size", "ttl"

_ABSENT_OR_SAME_TEXT = "attribute_not_exists(#pk) OR (#sha256 = :sha256 AND #ttl <= :ttl)"
"""True when nothing is recorded there, or when a retry writes the same text again for as long or longer."""


def record_attributes(body: PackedBody, *, body_key: str | None, ttl: int) -> dict[str, Any]:
    """Return the item's attributes without its key; with `body_key` None the bytes are stored inline."""
    where: dict[str, Any] = {DATA: {"B": body.data}} if body_key is None else {BODY_KEY: {"S": body_key}}
    return {
        **where,
        ENCODING: {"S": body.encoding},
        SHA256: {"S": body.sha256},
        SIZE: {"N": str(body.size)},
        TTL: {"N": str(ttl)},
    }


@dataclass(frozen=True, slots=True)
class ItemText:
    """The text of one item; a body in the bucket is fetched only when it is read."""

    item: Mapping[str, Any]
    bodies: S3Bodies

    async def read(self) -> str:
        """Return the text; raises LookupError, ValueError or StoreUnavailable, as `StoredText` says."""
        try:
            data = self.item[DATA]["B"] if DATA in self.item else self.bodies.get(self.item[BODY_KEY]["S"])
            body = PackedBody(
                data=bytes(data),
                encoding=self.item[ENCODING]["S"],
                sha256=self.item[SHA256]["S"],
                size=int(self.item[SIZE]["N"]),
            )
        except KeyError as error:
            # KeyError is a LookupError, which means "gone"; an item without an attribute is damaged.
            raise ValueError(f"the record has no {error}") from None
        return unpack(body)


class DynamoCheckpoints:
    """The checkpoint port on DynamoDB and S3.

    `inline_limit` is the largest stored body, in bytes, that stays in the table. A record stays `retention_seconds`
    after the end of its pause. `new_checkpoint_id` returns unique ids in order of time.
    """

    def __init__(
        self,
        *,
        client: "DynamoDBClient",
        table: str,
        bodies: S3Bodies,
        inline_limit: int,
        retention_seconds: int,
        new_checkpoint_id: Callable[[], str],
    ) -> None:
        self._client = client
        self._table = table
        self._bodies = bodies
        self._inline_limit = inline_limit
        self._retention_seconds = retention_seconds
        self._new_checkpoint_id = new_checkpoint_id

    async def checkpoint_for(self, thread_id: str, *, has_turn: bool) -> str | None:
        """Return a new checkpoint id for a turn; without a turn there is no checkpoint to bind a token to."""
        return self._new_checkpoint_id() if has_turn else None

    async def write(
        self,
        *,
        thread_id: str,
        checkpoint_id: str,
        key: str,
        text: str,
        expires_at: int,
        task_id: str = "",
        scope_hash: str = "",
    ) -> None:
        """Write the text; the body first, so that a record never refers to a missing body.

        A record of the same text that lives longer stays: a shorter one would be removed while its pause is open.
        """
        body, ttl = pack(text), expires_at + self._retention_seconds
        place = {"thread_id": thread_id, "checkpoint_id": checkpoint_id, "key": key, "scope_hash": scope_hash}
        where = None
        if len(body.data) > self._inline_limit:
            where = body_key(**place, expires_at=expires_at, sha256=body.sha256)
            self._bodies.put(where, body.data)
        try:
            self._client.put_item(
                TableName=self._table,
                Item={**record_key(**place), **record_attributes(body, body_key=where, ttl=ttl)},
                ConditionExpression=_ABSENT_OR_SAME_TEXT,
                ExpressionAttributeNames={"#pk": PK, "#sha256": SHA256, "#ttl": TTL},
                ExpressionAttributeValues={":sha256": {"S": body.sha256}, ":ttl": {"N": str(ttl)}},
                ReturnValuesOnConditionCheckFailure="ALL_OLD",
            )
        except CLIENT_ERRORS as error:
            if condition_failed(error):
                # botocore's type of the response does not know the item that comes with it.
                met = cast("dict[str, Any]", error.response.get("Item") or {})
                if met.get(SHA256) == {"S": body.sha256}:
                    return
                raise PauseConflict(
                    "another text is recorded for this thread, checkpoint and call; use a new call"
                ) from None
            raise self._classified(error) from error

    async def read(self, *, thread_id: str, checkpoint_id: str, key: str, scope_hash: str = "") -> ItemText | None:
        """Return the text recorded under the key, or None; the read is consistent."""
        try:
            found = self._client.get_item(
                TableName=self._table,
                Key=record_key(thread_id=thread_id, checkpoint_id=checkpoint_id, key=key, scope_hash=scope_hash),
                ConsistentRead=True,
            )
        except CLIENT_ERRORS as error:
            raise self._classified(error) from error
        return ItemText(found["Item"], self._bodies) if "Item" in found else None

    def _classified(self, error: Exception) -> Exception:
        return classify(error, resource=f"table {self._table}", endpoint=self._client.meta.endpoint_url)

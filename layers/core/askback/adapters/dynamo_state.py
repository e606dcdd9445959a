"""Everything a pause recorded, in one round trip."""

from typing import TYPE_CHECKING, Any

from askback.adapters.bodies import S3Bodies
from askback.adapters.client_errors import CLIENT_ERRORS, classify
from askback.adapters.item_keys import PK, SK, ledger_key, record_key
from askback.adapters.ledger_items import read_row
from askback.adapters.records import ItemText
from askback.domain.checkpoints import payload_key
from askback.domain.claims import PauseClaims
from askback.domain.errors import StoreUnavailable
from askback.domain.ports import PausedState
from askback.domain.turns import turn_key

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

_ROUNDS = 3
"""How often keys that a throttled table left unread are asked for again before the caller has to."""


class DynamoPausedState:
    """The paused-state reader on one BatchGetItem, read consistently."""

    def __init__(self, *, client: "DynamoDBClient", table: str, bodies: S3Bodies) -> None:
        self._client = client
        self._table = table
        self._bodies = bodies

    async def read(self, claims: PauseClaims) -> PausedState:
        """Return the recorded request, the recorded turn and the ledger row; a body in the bucket is read later."""
        place = {"thread_id": claims.thread_id, "checkpoint_id": claims.checkpoint_id}
        request = record_key(**place, key=payload_key(claims))
        turn = record_key(**place, key=turn_key(claims))
        row = ledger_key(claims.jti)
        found = self._batch_get([request, turn, row])
        return PausedState(
            request=self._text(found, request),
            turn=self._text(found, turn),
            row=read_row(found[_identity(row)]) if _identity(row) in found else None,
        )

    def _text(self, found: dict[tuple[str, str], dict[str, Any]], key: dict[str, Any]) -> ItemText | None:
        item = found.get(_identity(key))
        return None if item is None else ItemText(item, self._bodies)

    def _batch_get(self, keys: list[Any]) -> dict[tuple[str, str], dict[str, Any]]:
        found: dict[tuple[str, str], dict[str, Any]] = {}
        for _ in range(_ROUNDS):
            try:
                page = self._client.batch_get_item(RequestItems={self._table: {"Keys": keys, "ConsistentRead": True}})
            except CLIENT_ERRORS as error:
                raise classify(
                    error, resource=f"table {self._table}", endpoint=self._client.meta.endpoint_url
                ) from error
            for item in page["Responses"].get(self._table, []):
                found[_identity(item)] = item
            unread = page.get("UnprocessedKeys", {}).get(self._table)
            if not unread:
                return found
            keys = list(unread["Keys"])
        raise StoreUnavailable(reason=f"BatchGetItem on table {self._table} left keys unread")


def _identity(item: dict[str, Any]) -> tuple[str, str]:
    return item[PK]["S"], item[SK]["S"]

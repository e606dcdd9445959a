"""Lists a scope's pauses through an index: open ones first, then by time of issue.

One page is one query, independent of the number of stored pauses. The index may be some seconds behind its table.
"""

from typing import TYPE_CHECKING, Any

from askback.adapters.aws.errors import CLIENT_ERRORS, classify
from askback.adapters.dynamodb.keys import PK, jti_of, ledger_key
from askback.adapters.dynamodb.ledger_items import EXP, SCOPE_ORDER, STATUS
from askback.domain.pause.ledger import PauseStatus
from askback.domain.pause.listing import UNREADABLE, ListedPause, ListPlace, PausePage

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

INDEX = "scope"
SCOPE_HASH = "scope_hash"


class ScopeIndex:
    """The pause directory over the scope index."""

    def __init__(self, *, client: "DynamoDBClient", table: str) -> None:
        self._client = client
        self._table = table

    async def of_scope(self, scope_hash: str, *, limit: int, after: ListPlace | None) -> PausePage:
        """Return up to `limit` pauses that come after the place `after`."""
        scope = {"S": scope_hash}
        request: dict[str, Any] = {}
        if after is not None:
            request["ExclusiveStartKey"] = {
                **ledger_key(after.jti),
                SCOPE_HASH: scope,
                SCOPE_ORDER: {"S": after.text()},
            }
        try:
            found = self._client.query(
                TableName=self._table,
                IndexName=INDEX,
                KeyConditionExpression="#scope_hash = :scope",
                ExpressionAttributeNames={"#scope_hash": SCOPE_HASH},
                ExpressionAttributeValues={":scope": scope},
                # One more than the page has: it shows whether there is a next page.
                Limit=limit + 1,
                **request,
            )
        except CLIENT_ERRORS as error:
            raise classify(error, resource=f"table {self._table}", endpoint=self._client.meta.endpoint_url) from error
        shown = [(item, _place(item)) for item in found["Items"][:limit]]
        # A damaged place is no place to go on from: the page after it then begins at the last good one.
        good = [place for _, place in shown if place is not None]
        return PausePage(
            pauses=tuple(_listed(item, place) for item, place in shown),
            next=good[-1] if good and len(found["Items"]) > limit else None,
        )


def _place(item: dict[str, Any]) -> ListPlace | None:
    try:
        return ListPlace.of_text(item[SCOPE_ORDER]["S"])
    except ValueError:
        return None


def _listed(item: dict[str, Any], place: ListPlace | None) -> ListedPause:
    """Return the line of an item; a damaged item, or one of a newer version, has its own line and status."""
    jti, issued_at = jti_of(item[PK]["S"]), None if place is None else place.issued_at
    try:
        status = PauseStatus(item[STATUS]["S"])
        name, expires_at = item["name"]["S"], int(item[EXP]["N"])
    except (LookupError, ValueError):
        name = str(item.get("name", {}).get("S", ""))
        return ListedPause(jti=jti, name=name, status=UNREADABLE, issued_at=issued_at, expires_at=None)
    listed_status = UNREADABLE if place is None else status.value
    return ListedPause(jti=jti, name=name, status=listed_status, issued_at=issued_at, expires_at=expires_at)

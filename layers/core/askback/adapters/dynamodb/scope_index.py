"""Lists a scope's pauses through an index: open ones first, then by time of issue.

One page is one query, independent of the number of stored pauses. The index may be some seconds behind its table.
"""

from typing import TYPE_CHECKING, Any

from askback.adapters.aws.errors import CLIENT_ERRORS, classify
from askback.adapters.dynamodb.keys import PK, jti_of, ledger_key
from askback.adapters.dynamodb.ledger_items import EXP, SCOPE_ORDER, STATUS
from askback.domain.pause.listing import ListedPause, ListPlace, PausePage

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
        places = [ListPlace.of_text(item[SCOPE_ORDER]["S"]) for item in found["Items"]]
        shown = zip(found["Items"][:limit], places, strict=False)
        return PausePage(
            pauses=tuple(_listed(item, place) for item, place in shown),
            next=places[limit - 1] if len(places) > limit else None,
        )


def _listed(item: dict[str, Any], place: ListPlace) -> ListedPause:
    return ListedPause(
        jti=jti_of(item[PK]["S"]),
        name=item["name"]["S"],
        status=item[STATUS]["S"],
        issued_at=place.issued_at,
        expires_at=int(item[EXP]["N"]),
    )

"""Lists a scope's pauses through an index: open ones first, then by time of issue.

A page reads its part of the index and the rows of it, independent of the number of stored pauses. The index may be some
seconds behind its table; the lines are those of the rows.
"""

from typing import TYPE_CHECKING, Any

from askback.adapters.dynamodb.batch_read import MOST_KEYS
from askback.adapters.dynamodb.keys import ledger_key
from askback.adapters.dynamodb.ledger_items import SCOPE_ORDER
from askback.adapters.dynamodb.listed_rows import Item, line_of, queried, walk
from askback.domain.pause.listing import OPEN_FIRST, ListedPause, ListPlace, PausePage, Wanted

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

INDEX = "scope"
SCOPE_HASH = "scope_hash"
AFTER_OPEN = "0$"
"""A text after that of every place of an open pause, and before that of every other place."""


class ScopeIndex:
    """The list of a scope, over the scope index."""

    def __init__(self, *, client: "DynamoDBClient", table: str) -> None:
        self._client = client
        self._table = table

    async def of_scope(
        self,
        scope_hash: str,
        *,
        limit: int,
        after: ListPlace | None,
        wanted: Wanted | None = None,
        open_only: bool | None = None,
    ) -> PausePage:
        """Return up to `limit` pauses that come after the place `after`."""
        if open_only and after is not None and not after.is_open:
            # DynamoDB refuses a place outside what is asked for; after this one, no open pause comes.
            return PausePage(pauses=(), next=None)
        request: dict[str, Any] = {
            "KeyConditionExpression": "#scope_hash = :scope",
            "ExpressionAttributeNames": {"#scope_hash": SCOPE_HASH},
            "ExpressionAttributeValues": {":scope": {"S": scope_hash}},
        }
        if open_only is not None:
            compared = "begins_with(#scope_order, :open)" if open_only else "#scope_order > :open"
            request["KeyConditionExpression"] += f" AND {compared}"
            request["ExpressionAttributeNames"]["#scope_order"] = SCOPE_ORDER
            request["ExpressionAttributeValues"][":open"] = {"S": OPEN_FIRST if open_only else AFTER_OPEN}
        if after is not None and (open_only is not False or not after.is_open):
            request["ExclusiveStartKey"] = {
                **ledger_key(after.jti),
                SCOPE_HASH: {"S": scope_hash},
                SCOPE_ORDER: {"S": after.text()},
            }
        # One more than the page has: it shows whether there is a next page.
        size = (limit if wanted is None else MOST_KEYS) + 1
        walked = walk(
            self._client,
            self._table,
            queried(self._client, self._table, size=size, IndexName=INDEX, **request),
            line=_line,
            wanted=wanted,
            limit=limit,
        )
        # A damaged place is no place to go on from: the page after it then begins at the last good one.
        good = [place for entry in walked.entries if (place := _place(entry)) is not None]
        return PausePage(
            pauses=walked.lines,
            next=good[-1] if good and walked.more else None,
            looked_at=len(walked.entries),
        )


def _line(entry: Item, row: Item | None) -> ListedPause:
    place = _place(entry)
    return line_of(
        entry if row is None else row,
        whole=row is not None,
        issued_at=None if place is None else place.issued_at,
        place_is_good=place is not None,
    )


def _place(item: Item) -> ListPlace | None:
    try:
        return ListPlace.of_text(item[SCOPE_ORDER]["S"])
    except ValueError:
        return None

"""Counts the open pauses of a scope in the scope index, and those of a person in one item for each person and scope.

The item has a count, and an attribute for each pause with the time at which it was entered. One conditional write adds
a pause. Nothing is written when a pause ends: only when the item is full, the rows of its pauses are read, and the
write that adds a pause removes those that have ended. The item has hashes and ids, and no name of a person.
"""

from typing import TYPE_CHECKING, Any, cast

from askback.adapters.aws.errors import CLIENT_ERRORS, classify, condition_failed
from askback.adapters.dynamodb.batch_read import identity, read_items
from askback.adapters.dynamodb.keys import PK, SK, Key, ledger_key
from askback.adapters.dynamodb.ledger_items import EXP, SCOPE_ORDER, STATUS
from askback.adapters.dynamodb.records import TTL
from askback.adapters.dynamodb.scope_index import INDEX, SCOPE_HASH
from askback.domain.errors import HumanInteractionError, StoreUnavailable
from askback.domain.limits import TTL_MAX_SECONDS
from askback.domain.pause.ledger import PauseStatus
from askback.domain.pause.listing import OPEN_FIRST
from askback.domain.ports import ENTRY_WITHOUT_ROW_SECONDS, Place

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

OPEN_SK = "open"
_COUNT = "count"
_ENTRY = "_"
"""How the attribute of a pause begins; the rest is its id."""
_TRIES = 8
"""Other mints remove ended pauses at the same time; each try finds less to remove."""

_NOT_LISTED = "attribute_not_exists(#entry)"
_HAS_ROOM = "(attribute_not_exists(#count) OR #count < :room)"


class DynamoOpenPauses:
    """The open pauses on DynamoDB."""

    def __init__(self, *, client: "DynamoDBClient", table: str) -> None:
        self._client = client
        self._table = table

    async def count(self, scope_hash: str, *, at: int, most: int) -> int:
        """Return how many pauses of the scope are open at `at`, at most `most`."""
        found = 0
        start: dict[str, Any] = {}
        while found < most:
            try:
                page = self._client.query(
                    TableName=self._table,
                    IndexName=INDEX,
                    Select="COUNT",
                    KeyConditionExpression="#scope_hash = :scope AND begins_with(#scope_order, :open)",
                    # An expired pause stays among the open ones until the sweep has ended it.
                    FilterExpression="#exp > :now",
                    ExpressionAttributeNames={f"#{name}": name for name in (SCOPE_HASH, SCOPE_ORDER, EXP)},
                    ExpressionAttributeValues={
                        ":scope": {"S": scope_hash},
                        ":open": {"S": OPEN_FIRST},
                        ":now": {"N": str(at)},
                    },
                    Limit=most,
                    **start,
                )
            except CLIENT_ERRORS as error:
                raise self._classified(error) from error
            found += page["Count"]
            if "LastEvaluatedKey" not in page:
                break
            start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}
        return min(found, most)

    async def enter(self, jti: str, *, person: str, at: int, most: int) -> Place:
        """Enter the pause in the item of a person, unless `most` pauses there are open at `at`."""
        ended: list[str] = []
        for _ in range(_TRIES):
            refused = self._add(jti, person=person, at=at, most=most, ended=ended)
            if refused is None:
                return Place.ENTERED
            if _ENTRY + jti in refused:
                return Place.KNOWN
            listed = {name.removeprefix(_ENTRY): value for name, value in refused.items() if name.startswith(_ENTRY)}
            if len(listed) < most:
                # Another mint has removed what has ended.
                ended = []
                continue
            rows = read_items(self._client, self._table, [ledger_key(each) for each in (*listed, jti)])
            if _row_key(jti) in rows:
                return Place.KNOWN
            ended = [
                each
                for each, entered in listed.items()
                if not _is_open(rows.get(_row_key(each)), entered_at=int(entered["N"]), at=at)
            ]
            if len(listed) - len(ended) >= most:
                return Place.FULL
        raise StoreUnavailable(reason="the list of a person's open pauses changed while it was read")

    async def leave(self, jti: str, *, person: str) -> None:
        """Take the pause out of the item of a person."""
        try:
            self._client.update_item(
                TableName=self._table,
                Key=_key(person),
                UpdateExpression="ADD #count :less REMOVE #entry",
                ConditionExpression="attribute_exists(#entry)",
                ExpressionAttributeNames={"#count": _COUNT, "#entry": _ENTRY + jti},
                ExpressionAttributeValues={":less": {"N": "-1"}},
            )
        except CLIENT_ERRORS as error:
            if not condition_failed(error):
                raise self._classified(error) from error

    def _add(self, jti: str, *, person: str, at: int, most: int, ended: list[str]) -> dict[str, Any] | None:
        """Add the pause and remove the ended ones; return None, or the item that refused this."""
        names = {"#entry": _ENTRY + jti, "#count": _COUNT, "#ttl": TTL}
        removed = {f"#e{number}": _ENTRY + each for number, each in enumerate(ended)}
        removes = " REMOVE " + ", ".join(removed) if removed else ""
        # Without these conditions, two mints that remove the same pause would both subtract it from the count.
        all_listed = [f"attribute_exists({name})" for name in removed]
        try:
            self._client.update_item(
                TableName=self._table,
                Key=_key(person),
                UpdateExpression=f"SET #entry = :at, #ttl = :ttl ADD #count :more{removes}",
                ConditionExpression=" AND ".join([_NOT_LISTED, _HAS_ROOM, *all_listed]),
                ExpressionAttributeNames=names | removed,
                ExpressionAttributeValues={
                    ":at": {"N": str(at)},
                    # No pause that is entered now or was entered before lives longer.
                    ":ttl": {"N": str(at + TTL_MAX_SECONDS)},
                    ":more": {"N": str(1 - len(ended))},
                    ":room": {"N": str(most + len(ended))},
                },
                ReturnValuesOnConditionCheckFailure="ALL_OLD",
            )
        except CLIENT_ERRORS as error:
            if not condition_failed(error):
                raise self._classified(error) from error
            return cast("dict[str, Any]", error.response.get("Item")) or self._read(person)
        return None

    def _read(self, person: str) -> dict[str, Any]:
        return next(iter(read_items(self._client, self._table, [_key(person)]).values()), {})

    def _classified(self, error: Exception) -> HumanInteractionError:
        return classify(error, resource=f"table {self._table}", endpoint=self._client.meta.endpoint_url)


def _key(person: str) -> Key:
    return {PK: {"S": f"person#{person}"}, SK: {"S": OPEN_SK}}


def _row_key(jti: str) -> tuple[str, str]:
    return identity(cast("dict[str, Any]", ledger_key(jti)))


def _is_open(row: dict[str, Any] | None, *, entered_at: int, at: int) -> bool:
    """Return whether a listed pause counts; a row that cannot be read cannot be answered either."""
    if row is None:
        return at < entered_at + ENTRY_WITHOUT_ROW_SECONDS
    return row.get(STATUS) == {"S": PauseStatus.ISSUED.value} and at < float(row.get(EXP, {}).get("N", 0))

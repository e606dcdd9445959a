"""What a cutover from the legacy engine writes into the table, each by a conditional write.

A token that the engine had consumed becomes an answered row, so that the put which would claim it finds a row in its
way. A row that is there already is never touched. What was imported, and until when a token of the engine can be good,
is one item of its own.
"""

from contextlib import suppress
from enum import StrEnum
from typing import TYPE_CHECKING, Any, cast

from botocore.exceptions import ClientError

from askback.adapters.aws.errors import CLIENT_ERRORS, classify, error_code
from askback.adapters.dynamodb import ledger_items as items
from askback.adapters.dynamodb.keys import PK, SK, Key
from askback.adapters.dynamodb.ledger_conditions import NO_ROW
from askback.domain.pause.claims import PauseClaims
from askback.domain.pause.ledger import AcceptedAnswer

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

NOTE_KEY: Key = {PK: {"S": "cutover"}, SK: {"S": "legacy"}}
_LATEST_EXPIRY = "latest_expiry"
_LATER = "attribute_not_exists(#name) OR #name < :value"
"""True when a token can be good for longer than was noted: what is noted never shrinks."""


class Marked(StrEnum):
    """What marking a token as consumed found: nothing, the same mark, or an answer that was accepted here."""

    WRITTEN = "written"
    KNOWN = "known"
    ANSWERED_HERE = "answered here"


class _InTheWay(Exception):
    """A conditional write found what its condition excludes."""

    def __init__(self, item: dict[str, Any]) -> None:
        super().__init__("in the way")
        self.item = item


class CutoverTable:
    """Writes of a cutover; `retention_seconds` is how long a row outlives its token."""

    def __init__(self, *, client: "DynamoDBClient", table: str, retention_seconds: int) -> None:
        self._client = client
        self._table = table
        self._retention_seconds = retention_seconds

    def mark_consumed(self, claims: PauseClaims, answer: AcceptedAnswer) -> Marked:
        """Put the row of a token that was redeemed elsewhere, if there is none; raises as the ledger does."""
        try:
            self._client.put_item(
                TableName=self._table,
                Item=items.legacy_item(claims, answer, in_bucket=False, retention_seconds=self._retention_seconds),
                ConditionExpression=NO_ROW,
                ExpressionAttributeNames={"#pk": PK},
                ReturnValuesOnConditionCheckFailure="ALL_OLD",
            )
        except CLIENT_ERRORS as error:
            found = self._in_the_way(error)
            if not isinstance(found, _InTheWay):
                raise found from error
            same = found.item.get(items.ATTEMPT_ID, {}).get("S") == answer.attempt_id
            return Marked.KNOWN if same else Marked.ANSWERED_HERE
        return Marked.WRITTEN

    def begin(self, importing: str, *, latest_expiry: int) -> None:
        """Note that an import is under way: it does not count as made, and tokens can be good until `latest_expiry`.

        `importing` names the import; what is noted of the last expiry is never made earlier.
        """
        self._note("REMOVE #name", {"#name": importing})
        with suppress(_InTheWay):
            self._note(
                "SET #name = :value",
                {"#name": _LATEST_EXPIRY},
                {":value": {"N": str(latest_expiry)}},
                condition=_LATER,
            )

    def finish(self, importing: str, *, at: int) -> None:
        """Note when an import came to its end (epoch seconds)."""
        self._note("SET #name = :value", {"#name": importing}, {":value": {"N": str(at)}})

    def noted(self) -> dict[str, int]:
        """Return what was noted, by name; empty before the first import."""
        try:
            found = self._client.get_item(TableName=self._table, Key=NOTE_KEY, ConsistentRead=True).get("Item", {})
        except CLIENT_ERRORS as error:
            raise self._classified(error) from error
        return {name: int(value["N"]) for name, value in found.items() if name not in NOTE_KEY}

    def _note(
        self, change: str, names: dict[str, str], values: dict[str, Any] | None = None, *, condition: str = ""
    ) -> None:
        only_if = {"ConditionExpression": condition} if condition else {}
        with_values = {"ExpressionAttributeValues": values} if values else {}
        update: Any = self._client.update_item
        try:
            update(
                TableName=self._table,
                Key=NOTE_KEY,
                UpdateExpression=change,
                ExpressionAttributeNames=names,
                **only_if,
                **with_values,
            )
        except CLIENT_ERRORS as error:
            raise self._in_the_way(error) from error

    def _in_the_way(self, error: Exception) -> Exception:
        """Return what was in the way of a conditional write, or else what the error means."""
        if isinstance(error, ClientError) and error_code(error) == "ConditionalCheckFailedException":
            # botocore's type for an error's response does not know the item that comes with it.
            return _InTheWay(cast("dict[str, Any]", error.response.get("Item", {})))
        return self._classified(error)

    def _classified(self, error: Exception) -> Exception:
        return classify(error, resource=f"table {self._table}", endpoint=self._client.meta.endpoint_url)

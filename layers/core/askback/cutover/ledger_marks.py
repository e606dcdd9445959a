"""The writes of a cutover to the table; the write of a row and of the last expiry is conditional.

A token that the engine consumed becomes an answered row, so a later claim of the token fails on that row. An existing
row is never changed. One further item stores which imports were made, and the last time at which a token of the engine
can expire.
"""

from contextlib import suppress
from enum import StrEnum
from typing import TYPE_CHECKING, Any, cast

from askback.adapters.aws.errors import CLIENT_ERRORS, classify, condition_failed
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
"""True when the new expiry is later than the stored one: the stored expiry never gets earlier."""


class Marked(StrEnum):
    """What the write of a consumed token found: no row, the same mark, or an answer that askback accepted."""

    WRITTEN = "written"
    KNOWN = "known"
    ANSWERED_HERE = "answered here"


class _ConditionFailed(Exception):
    """The condition of a write was false; `item` is the stored item."""

    def __init__(self, item: dict[str, Any]) -> None:
        super().__init__("the condition of the write failed")
        self.item = item


class CutoverTable:
    """The writes of a cutover; a row stays `retention_seconds` after its token has expired."""

    def __init__(self, *, client: "DynamoDBClient", table: str, retention_seconds: int) -> None:
        self._client = client
        self._table = table
        self._retention_seconds = retention_seconds

    def mark_consumed(self, claims: PauseClaims, answer: AcceptedAnswer) -> Marked:
        """Write the row of a token that the engine redeemed, if there is no row; raises as the ledger does."""
        try:
            self._client.put_item(
                TableName=self._table,
                Item=items.legacy_item(claims, answer, in_bucket=False, retention_seconds=self._retention_seconds),
                ConditionExpression=NO_ROW,
                ExpressionAttributeNames={"#pk": PK},
                ReturnValuesOnConditionCheckFailure="ALL_OLD",
            )
        except CLIENT_ERRORS as error:
            found = self._write_error(error)
            if not isinstance(found, _ConditionFailed):
                raise found from error
            same = found.item.get(items.ATTEMPT_ID, {}).get("S") == answer.attempt_id
            return Marked.KNOWN if same else Marked.ANSWERED_HERE
        return Marked.WRITTEN

    def begin(self, importing: str, *, latest_expiry: int) -> None:
        """Record that an import started: it is not complete, and tokens can be valid until `latest_expiry`.

        `importing` is the name of the import. The stored last expiry never gets earlier.
        """
        self._note("REMOVE #name", {"#name": importing})
        with suppress(_ConditionFailed):
            self._note(
                "SET #name = :value",
                {"#name": _LATEST_EXPIRY},
                {":value": {"N": str(latest_expiry)}},
                condition=_LATER,
            )

    def finish(self, importing: str, *, at: int) -> None:
        """Record the time (epoch seconds) at which an import was complete."""
        self._note("SET #name = :value", {"#name": importing}, {":value": {"N": str(at)}})

    def noted(self) -> dict[str, int]:
        """Return the recorded times, each under its name; empty before the first import."""
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
            raise self._write_error(error) from error

    def _write_error(self, error: Exception) -> Exception:
        """Return `_ConditionFailed` for a failed condition, else the domain's error."""
        if condition_failed(error):
            # botocore's type of an error response does not have the `Item` field.
            return _ConditionFailed(cast("dict[str, Any]", error.response.get("Item", {})))
        return self._classified(error)

    def _classified(self, error: Exception) -> Exception:
        return classify(error, resource=f"table {self._table}", endpoint=self._client.meta.endpoint_url)

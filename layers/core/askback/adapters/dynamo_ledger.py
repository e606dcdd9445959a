"""The ledger in the table: rows written once, status moved only by conditional writes.

Write first, read only on conflict: a failed condition brings the row that was in the way with it, so telling why needs
no second read and cannot see a later state.
"""

from typing import TYPE_CHECKING, Any, cast

from botocore.exceptions import ClientError

from askback.adapters.client_errors import CLIENT_ERRORS, classify, error_code
from askback.adapters.item_keys import PK, ledger_key, scope_order
from askback.adapters.ledger_items import (
    DUE_AT,
    DUE_SHARD,
    EXP,
    SCOPE_ORDER,
    answer_attributes,
    issued_item,
    legacy_item,
    read_row,
)
from askback.domain.claims import PauseClaims
from askback.domain.ledger import AcceptedAnswer, LedgerRow, PauseStatus, Receipt, settle_refused_claim

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

_NO_ROW = "attribute_not_exists(#pk)"
"""True when no pause is recorded under the id."""
_ROW_EXISTS = "attribute_exists(#pk)"
"""True when the row is there. Without it an update would create a half-empty row that TTL had removed."""
_IS_ISSUED = "#status = :issued"
"""True until the pause is answered, expired or revoked."""
_NOT_EXPIRED = "#exp > :now"
"""True while the row's own expiry lies ahead. TTL removes rows days late and is never trusted for this."""


class DynamoIssuanceLedger:
    """The issuance ledger on DynamoDB; `retention_seconds` is how long a row outlives its pause."""

    def __init__(self, *, client: "DynamoDBClient", table: str, retention_seconds: int) -> None:
        self._client = client
        self._table = table
        self._retention_seconds = retention_seconds

    async def issue(self, row: LedgerRow) -> LedgerRow:
        """Write the row if there is none, and return the one that is there."""
        existing = self._put_if_absent(issued_item(row, retention_seconds=self._retention_seconds))
        return row if existing is None else read_row(existing)

    async def claim(self, claims: PauseClaims, answer: AcceptedAnswer) -> Receipt:
        """Accept the answer in one conditional write."""
        refused = self._claim_legacy(claims, answer) if claims.legacy else self._claim(claims, answer)
        if refused is None:
            return Receipt(answer=answer, replayed=False)
        # An empty item is a row that is not there.
        return settle_refused_claim(read_row(refused) if refused else None, answer)

    async def find(self, jti: str) -> LedgerRow | None:
        """Return the row, read consistently."""
        try:
            found = self._client.get_item(TableName=self._table, Key=ledger_key(jti), ConsistentRead=True)
        except CLIENT_ERRORS as error:
            raise self._classified(error) from error
        return read_row(found["Item"]) if "Item" in found else None

    def _claim(self, claims: PauseClaims, answer: AcceptedAnswer) -> dict[str, Any] | None:
        sets = {
            **answer_attributes(answer),
            SCOPE_ORDER: {"S": scope_order(is_open=False, issued_at=claims.issued_at or 0, jti=claims.jti)},
        }
        removes = (DUE_AT, DUE_SHARD)
        assignments = ", ".join(f"#{name} = :{name}" for name in sets)
        try:
            self._client.update_item(
                TableName=self._table,
                Key=ledger_key(claims.jti),
                UpdateExpression=f"SET {assignments} REMOVE {', '.join(f'#{name}' for name in removes)}",
                ConditionExpression=f"{_ROW_EXISTS} AND {_IS_ISSUED} AND {_NOT_EXPIRED}",
                ExpressionAttributeNames={f"#{name}": name for name in (PK, EXP, *sets, *removes)},
                ExpressionAttributeValues={
                    ":issued": {"S": PauseStatus.ISSUED.value},
                    ":now": {"N": str(answer.answered_at)},
                    **{f":{name}": value for name, value in sets.items()},
                },
                ReturnValuesOnConditionCheckFailure="ALL_OLD",
            )
        except CLIENT_ERRORS as error:
            return self._row_in_the_way(error)
        return None

    def _claim_legacy(self, claims: PauseClaims, answer: AcceptedAnswer) -> dict[str, Any] | None:
        return self._put_if_absent(legacy_item(claims, answer, retention_seconds=self._retention_seconds))

    def _put_if_absent(self, item: dict[str, Any]) -> dict[str, Any] | None:
        try:
            self._client.put_item(
                TableName=self._table,
                Item=item,
                ConditionExpression=_NO_ROW,
                ExpressionAttributeNames={"#pk": PK},
                ReturnValuesOnConditionCheckFailure="ALL_OLD",
            )
        except CLIENT_ERRORS as error:
            return self._row_in_the_way(error)
        return None

    def _row_in_the_way(self, error: Exception) -> dict[str, Any]:
        if isinstance(error, ClientError) and error_code(error) == "ConditionalCheckFailedException":
            # botocore's type for an error's response does not know the row that comes with it.
            return cast("dict[str, Any]", error.response.get("Item", {}))
        raise self._classified(error) from error

    def _classified(self, error: Exception) -> Exception:
        return classify(error, resource=f"table {self._table}", endpoint=self._client.meta.endpoint_url)

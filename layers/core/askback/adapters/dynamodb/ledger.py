"""The ledger on DynamoDB: a row is created once, and only conditional writes change its status.

Each operation writes first. If the condition fails, DynamoDB returns the row that it checked. So finding the reason
needs no second read, and cannot see a later state of the row.
"""

import hashlib
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, cast

from botocore.exceptions import ClientError

from askback.adapters.aws.errors import CLIENT_ERRORS, classify, error_code
from askback.adapters.dynamodb import ledger_items as items
from askback.adapters.dynamodb.due_index import DueIndex
from askback.adapters.dynamodb.keys import PK, ledger_key
from askback.adapters.dynamodb.ledger_conditions import (
    HAS_NO_WAITER,
    HAS_WAITER,
    IS_ISSUED,
    IS_UNDELIVERABLE,
    MAY_ANNOUNCE,
    NO_ROW,
    NOT_EXPIRED,
    ROW_EXISTS,
    SIGNED_BY_NO_KEY,
    SIGNED_BY_SEEN_KEY,
    Condition,
    as_seen,
    waiter_as_seen,
)
from askback.adapters.s3_bodies import S3Bodies
from askback.domain.errors import PauseExpired, StoreUnavailable
from askback.domain.pause.claims import PauseClaims, PauseIdentity
from askback.domain.pause.ledger import (
    AcceptedAnswer,
    LedgerRow,
    PauseStatus,
    Receipt,
    RowChange,
    settle_refused_claim,
)
from askback.domain.pause.waiters import Waiter

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


class DynamoIssuanceLedger:
    """The issuance ledger on DynamoDB; a row is kept for `retention_seconds` after the expiry of its pause.

    An answer of more than `inline_limit` bytes is written to the bucket before the claim that points at it.
    """

    def __init__(
        self,
        *,
        client: "DynamoDBClient",
        table: str,
        bodies: S3Bodies,
        inline_limit: int,
        retention_seconds: int,
        wait: Callable[[float], object] = time.sleep,
    ) -> None:
        self._client = client
        self._table = table
        self._bodies = bodies
        self._inline_limit = inline_limit
        self._retention_seconds = retention_seconds
        self._due = DueIndex(client=client, table=table, wait=wait)

    async def issue(self, row: LedgerRow) -> LedgerRow:
        """Write the row if none exists; return the row that is then in the table."""
        existing = self._put_if_absent(items.issued_item(row, retention_seconds=self._retention_seconds))
        return row if existing is None else items.read_row(existing)

    async def claim(self, claims: PauseClaims, answer: AcceptedAnswer, *, redeliver_at: int | None = None) -> Receipt:
        """Accept the answer in one conditional write."""
        in_bucket = self._keep_large(claims, answer)
        if claims.legacy:
            if claims.exp <= answer.answered_at:
                raise PauseExpired
            item = items.legacy_item(claims, answer, in_bucket=in_bucket, retention_seconds=self._retention_seconds)
            refused = self._put_if_absent(item)
            claimed = LedgerRow(claims=claims, status=PauseStatus.ANSWERED, answer=answer)
            return self._receipt(refused, claimed, answer)
        waiter = HAS_NO_WAITER if redeliver_at is None else HAS_WAITER
        sets = {
            items.STATUS: {"S": PauseStatus.ANSWERED.value},
            items.SCOPE_ORDER: items.order_attribute(claims, is_open=False),
            **items.answer_attributes(answer, in_bucket=in_bucket),
        }
        if redeliver_at is not None:
            sets |= {**items.due_attributes(claims.jti, redeliver_at), items.ATTEMPTS: {"N": "1"}}
        refused, after = self._update(
            claims.jti,
            sets=sets,
            removes=() if redeliver_at is not None else (items.DUE_AT, items.DUE_SHARD),
            condition=f"{ROW_EXISTS} AND {IS_ISSUED} AND {NOT_EXPIRED} AND {waiter}",
            tests=(PK, items.STATUS, items.EXP, items.WAITER_KIND),
            values={":issued": {"S": PauseStatus.ISSUED.value}, ":now": {"N": str(answer.answered_at)}},
        )
        return self._receipt(refused, None if after is None else items.read_row(after), answer)

    async def find(self, jti: str) -> LedgerRow | None:
        """Return the row; the read is consistent."""
        try:
            found = self._client.get_item(TableName=self._table, Key=ledger_key(jti), ConsistentRead=True)
        except CLIENT_ERRORS as error:
            raise self._classified(error) from error
        return items.read_row(found["Item"]) if "Item" in found else None

    async def response_text_of(self, row: LedgerRow) -> str:
        """Return the answer's text from the row or, for a large answer, from the bucket, after a check of its hash."""
        if row.answer is None:
            raise LookupError("the pause has no answer")
        if row.answer.response_text is not None:
            return row.answer.response_text
        data = self._bodies.get(items.response_body_key(row.claims, row.answer.response_hash))
        if hashlib.sha256(data).hexdigest() != row.answer.response_hash:
            raise ValueError("the stored answer is not the one that was accepted")
        return data.decode()

    async def replace_waiter(self, row: LedgerRow, waiter: Waiter) -> bool:
        """Replace the waiter of an open pause, unless another mint has replaced it since the row was read."""
        return self._amend_open(row, items.waiter_attributes(waiter), waiter_as_seen(row))

    async def replace_key(self, row: LedgerRow, key_id: str) -> bool:
        """Replace the signing key of an open pause, unless another request has replaced it since the row was read."""
        sets = {items.KEY_ID: {"S": key_id}}
        seen = Condition(text=SIGNED_BY_NO_KEY, tests=(items.KEY_ID,))
        if row.key_id:
            values = {":seen_kid": {"S": row.key_id}}
            seen = Condition(text=SIGNED_BY_SEEN_KEY, tests=(items.KEY_ID,), values=values)
        return self._amend_open(row, sets, seen)

    async def mark_announced(self, row: LedgerRow, *, event_id: str) -> bool:
        """Note the event that announces the pause, unless another one under the same key has.

        Only the mark and the key of the row are named, and no row is returned: the role may touch nothing else.
        """
        signed_by = items.announcing_key(row.key_id)
        try:
            self._client.update_item(
                TableName=self._table,
                Key=ledger_key(row.claims.jti),
                UpdateExpression="SET #announced = :announced",
                ConditionExpression=f"{ROW_EXISTS} AND {MAY_ANNOUNCE}",
                ExpressionAttributeNames={"#pk": PK, "#announced": items.ANNOUNCED},
                ExpressionAttributeValues={
                    ":announced": {"S": f"{signed_by}{event_id}"},
                    ":signed_by": {"S": signed_by},
                },
            )
        except CLIENT_ERRORS as error:
            if isinstance(error, ClientError) and error_code(error) == "ConditionalCheckFailedException":
                return False
            raise self._classified(error) from error
        return True

    async def advance(self, seen: LedgerRow, change: RowChange) -> bool:
        """Apply the change, unless another process has changed the row."""
        if seen.due_at is None:
            return False
        sets, removes = items.change_attributes(seen, change)
        seen_row = as_seen(seen)
        refused, _ = self._update(
            seen.claims.jti,
            sets=sets,
            removes=removes,
            condition=seen_row.text,
            tests=seen_row.tests,
            values=seen_row.values,
        )
        return refused is None

    async def redrive(self, seen: LedgerRow, *, at: int) -> bool:
        """Make an undeliverable row due for delivery again, unless another request has done so."""
        refused, _ = self._update(
            seen.claims.jti,
            sets=items.redriven_attributes(seen.redriven(at=at)),
            removes=(),
            condition=IS_UNDELIVERABLE,
            tests=(items.STATUS,),
            values={":undeliverable": {"S": PauseStatus.UNDELIVERABLE.value}},
        )
        return refused is None

    async def due(self, *, at: int, limit: int) -> Sequence[LedgerRow | PauseIdentity]:
        """Return the due rows: the sparse index finds them, and a consistent read of the table returns them."""
        return [items.read_row_or_identity(item) for item in self._due.rows(at=at, limit=limit)]

    async def put_off(self, pause: PauseIdentity, *, at: int, until: int) -> bool:
        """Move the due time of a row that is due at `at`, by its key alone."""
        return self._due.put_off(pause.jti, at=at, until=until)

    def _amend_open(self, row: LedgerRow, sets: dict[str, Any], seen: Condition) -> bool:
        refused, _ = self._update(
            row.claims.jti,
            sets=sets,
            removes=(),
            condition=f"{ROW_EXISTS} AND {IS_ISSUED} AND {seen.text}",
            tests=(PK, items.STATUS, *seen.tests),
            values={":issued": {"S": PauseStatus.ISSUED.value}, **seen.values},
        )
        return refused is None

    def _receipt(self, refused: dict[str, Any] | None, claimed: LedgerRow | None, answer: AcceptedAnswer) -> Receipt:
        if claimed is not None and refused is None:
            return Receipt(answer=answer, replayed=False, row=claimed)
        # An empty item means that there is no row.
        existing = items.read_row(refused) if refused else None
        if existing and existing.status is PauseStatus.ISSUED and existing.claims.exp > answer.answered_at:
            raise StoreUnavailable(reason="the waiter of the pause changed between the read and the claim")
        return settle_refused_claim(existing, answer)

    def _keep_large(self, claims: PauseClaims, answer: AcceptedAnswer) -> bool:
        data = (answer.response_text or "").encode()
        if len(data) <= self._inline_limit:
            return False
        self._bodies.put(items.response_body_key(claims, answer.response_hash), data)
        return True

    def _update(
        self,
        jti: str,
        *,
        sets: dict[str, Any],
        removes: Sequence[str],
        condition: str,
        tests: Sequence[str],
        values: dict[str, Any],
    ) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
        """Return the row that failed the condition, or None; and the row after the write, or None.

        `tests` are the attributes in the condition.
        """
        clauses = []
        if sets:
            clauses.append("SET " + ", ".join(f"#{name} = :{name}" for name in sets))
        if removes:
            clauses.append("REMOVE " + ", ".join(f"#{name}" for name in removes))
        try:
            written = self._client.update_item(
                TableName=self._table,
                Key=ledger_key(jti),
                UpdateExpression=" ".join(clauses),
                ConditionExpression=condition,
                ExpressionAttributeNames={f"#{name}": name for name in {*sets, *removes, *tests}},
                ExpressionAttributeValues=values | {f":{name}": value for name, value in sets.items()},
                ReturnValues="ALL_NEW",
                ReturnValuesOnConditionCheckFailure="ALL_OLD",
            )
        except CLIENT_ERRORS as error:
            return self._row_in_the_way(error), None
        return None, written["Attributes"]

    def _put_if_absent(self, item: dict[str, Any]) -> dict[str, Any] | None:
        try:
            self._client.put_item(
                TableName=self._table,
                Item=item,
                ConditionExpression=NO_ROW,
                ExpressionAttributeNames={"#pk": PK},
                ReturnValuesOnConditionCheckFailure="ALL_OLD",
            )
        except CLIENT_ERRORS as error:
            return self._row_in_the_way(error)
        return None

    def _row_in_the_way(self, error: Exception) -> dict[str, Any]:
        if isinstance(error, ClientError) and error_code(error) == "ConditionalCheckFailedException":
            # botocore's type of an error response does not have the row that DynamoDB returns with it.
            return cast("dict[str, Any]", error.response.get("Item", {}))
        raise self._classified(error) from error

    def _classified(self, error: Exception) -> Exception:
        return classify(error, resource=f"table {self._table}", endpoint=self._client.meta.endpoint_url)

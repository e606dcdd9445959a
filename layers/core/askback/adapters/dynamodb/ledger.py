"""The ledger on DynamoDB: a row is created once, and only conditional writes change its status.

The ledger writes first and reads only on a conflict. The reply of a failed condition has the row that the write met. So
the reason needs no second read, and cannot come from a later state. A read follows only if the reply came without that
row, or if every reply of the write was lost.

The client sends a write again when its reply was lost. The second write then meets the row that the first has written.
So a claim writes its attempt id into the row, and every later step its step id. A request that finds its own id there
has written the row.
"""

import hashlib
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast

from askback.adapters.aws.errors import CLIENT_ERRORS, classify, condition_failed
from askback.adapters.dynamodb import ledger_items as items
from askback.adapters.dynamodb.batch_read import read_items
from askback.adapters.dynamodb.due_index import DueIndex
from askback.adapters.dynamodb.keys import PK, ledger_key
from askback.adapters.dynamodb.ledger_conditions import (
    HAS_NO_QUORUM,
    HAS_NO_WAITER,
    HAS_WAITER,
    IS_GIVEN_UP,
    IS_UNDELIVERABLE,
    LACKS_TURN,
    MAY_ANNOUNCE,
    NO_ROW,
    ROW_EXISTS,
    SIGNED_BY_NO_KEY,
    SIGNED_BY_SEEN_KEY,
    Condition,
    answerable,
    as_seen,
    changes_as_seen,
    link_good,
    may_change_people,
    still_issued,
    terms_as_seen,
    votes_as_seen,
    waiter_as_seen,
)
from askback.adapters.dynamodb.replacement import write_both
from askback.adapters.dynamodb.roster_items import announced_change
from askback.adapters.dynamodb.vote_items import QUORUM, vote_attributes
from askback.adapters.s3_bodies import S3Bodies
from askback.domain.errors import (
    HumanInteractionError,
    InteractionConfigurationError,
    PauseExpired,
    StoreUnavailable,
    UnknownPause,
)
from askback.domain.pause.claims import PauseClaims, PauseIdentity
from askback.domain.pause.ledger import (
    AcceptedAnswer,
    LedgerRow,
    PauseStatus,
    Receipt,
    RowChange,
    VoteWrite,
    settle_refused_claim,
)
from askback.domain.pause.quorum import Counted
from askback.domain.pause.waiters import Waiter
from askback.domain.ports import DueRows

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


@dataclass(frozen=True, slots=True, kw_only=True)
class _Met:
    """The row that a write met, {} when there is none.

    `lost` is set when the write was not refused, but every reply of it was lost: it may have landed, or may still land.
    """

    row: dict[str, Any]
    lost: Exception | None = None


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
        """Write the row if there is none, and return the stored row."""
        item = items.issued_item(row, retention_seconds=self._retention_seconds)
        existing = self._put_if_absent(row.claims.jti, item)
        if existing is None:
            return row
        if existing.lost is not None:
            raise existing.lost
        if not existing.row:
            raise StoreUnavailable(reason="the row that refused the write is gone")
        return items.read_row(existing.row)

    async def supersede(self, row: LedgerRow, seen: LedgerRow, change: RowChange) -> LedgerRow | None:
        """Write the row if there is none, and change the row that was seen, in one transaction."""
        if seen.due_at is None:
            return None
        sets, removes = items.change_attributes(seen, change)
        try:
            written = write_both(
                self._client,
                self._table,
                item=items.issued_item(row, retention_seconds=self._retention_seconds),
                jti=seen.claims.jti,
                sets=sets,
                removes=removes,
                seen=as_seen(seen),
            )
        except CLIENT_ERRORS as error:
            raise self._classified(error) from error
        if written.in_the_way is None:
            return None if written.changed_since else row
        existing = dict(written.in_the_way) or self._read(row.claims.jti)
        if not existing:
            raise StoreUnavailable(reason="the row that refused the write is gone")
        return items.read_row(existing)

    async def claim(
        self,
        claims: PauseClaims,
        answer: AcceptedAnswer,
        *,
        redeliver_at: int | None = None,
        waiter: Waiter | None = None,
        seen: LedgerRow | None = None,
    ) -> Receipt:
        """Accept the answer in one conditional write."""
        in_bucket = self._keep_large(claims, answer)
        if claims.legacy:
            if claims.exp <= answer.answered_at:
                raise PauseExpired
            item = items.legacy_item(claims, answer, in_bucket=in_bucket, retention_seconds=self._retention_seconds)
            refused = self._put_if_absent(claims.jti, item)
            claimed = LedgerRow(claims=claims, status=PauseStatus.ANSWERED, answer=answer)
            return self._receipt(refused, claimed, answer, claims)
        only = Condition(text=HAS_NO_QUORUM, tests=(QUORUM,)).also(link_good(claims.recipient))
        refused, after = self._end(
            claims,
            answer,
            in_bucket=in_bucket,
            redeliver_at=redeliver_at,
            waiter=waiter,
            only=only if seen is None else only.also(changes_as_seen(seen)),
        )
        return self._receipt(refused, None if after is None else items.read_row(after), answer, claims)

    async def vote(
        self,
        seen: LedgerRow,
        claims: PauseClaims,
        counted: Counted,
        answer: AcceptedAnswer | None,
        *,
        redeliver_at: int | None = None,
        waiter: Waiter | None = None,
    ) -> VoteWrite:
        """Write a vote, and with it the answer if it ends the pause, in one conditional write."""
        only = votes_as_seen(seen).also(link_good(claims.recipient))
        votes = vote_attributes(counted.votes)
        if answer is None:
            refused, after = self._update(
                claims.jti, sets=votes, removes=(), seen=answerable(counted.vote.at).also(only)
            )
        else:
            refused, after = self._end(
                claims,
                answer,
                # A vote has a limit, and the row has its text already.
                in_bucket=False,
                redeliver_at=redeliver_at,
                waiter=waiter,
                only=only,
                also=votes,
            )
        if refused is None:
            return VoteWrite(row=items.read_row(after or {}), written=True)
        if not refused.row:
            raise refused.lost or UnknownPause
        row = items.read_row(refused.row)
        # If only the reply was lost, the vote stands in the row.
        if refused.lost is not None and counted.vote.attempt_id not in {vote.attempt_id for vote in row.votes}:
            raise refused.lost
        return VoteWrite(row=row, written=False)

    def _end(
        self,
        claims: PauseClaims,
        answer: AcceptedAnswer,
        *,
        in_bucket: bool,
        redeliver_at: int | None,
        waiter: Waiter | None,
        only: Condition,
        also: Mapping[str, Any] = MappingProxyType({}),
    ) -> tuple[_Met | None, dict[str, Any] | None]:
        """Write the answer of an open pause, and begin its first delivery, if the condition `only` holds too."""
        waits = Condition(text=HAS_NO_WAITER if redeliver_at is None else HAS_WAITER, tests=(items.WAITER_KIND,))
        if waiter is not None:
            waits = waiter_as_seen(waiter)
        sets = {
            items.STATUS: {"S": PauseStatus.ANSWERED.value},
            items.SCOPE_ORDER: items.order_attribute(claims, is_open=False),
            **items.answer_attributes(answer, in_bucket=in_bucket),
            **also,
        }
        if redeliver_at is not None:
            sets |= {**items.due_attributes(claims.jti, redeliver_at), items.ATTEMPTS: {"N": "1"}}
        return self._update(
            claims.jti,
            sets=sets,
            removes=() if redeliver_at is not None else (items.DUE_AT, items.DUE_SHARD),
            seen=answerable(answer.answered_at).also(waits).also(only),
        )

    async def find(self, jti: str) -> LedgerRow | None:
        """Return the row, read consistently."""
        item = self._read(jti)
        return items.read_row(item) if item else None

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
        sets = items.waiter_attributes(waiter) | items.terms_attributes(replace(row, waiter=waiter))
        return self._amend_open(row, sets, terms_as_seen(row))

    async def replace_key(self, row: LedgerRow, key_id: str) -> bool:
        """Replace the signing key of an open pause, unless another request has replaced it since the row was read."""
        sets = {items.KEY_ID: {"S": key_id}}
        seen = Condition(text=SIGNED_BY_NO_KEY, tests=(items.KEY_ID,))
        if row.key_id:
            values = {":seen_kid": {"S": row.key_id}}
            seen = Condition(text=SIGNED_BY_SEEN_KEY, tests=(items.KEY_ID,), values=values)
        return self._amend_open(row, sets, seen)

    async def note_turn(self, row: LedgerRow, turn_hash: str) -> bool:
        """Note that the turn of an open pause is recorded, unless another mint has noted it."""
        seen = Condition(
            text=LACKS_TURN,
            tests=(items.TURN_RECORDED, items.REQUEST_HASH),
            values={":no_turn": {"BOOL": False}, ":seen_request": {"S": row.claims.request_hash}},
        )
        return self._amend_open(row, items.turn_attributes(turn_hash, recorded=True), seen)

    async def revoke_links(self, row: LedgerRow, recipients: Sequence[str]) -> bool:
        """Record the recipients whose links are revoked, unless the revoked links or the waiter have changed."""
        revoked = replace(row, revoked_links=tuple(recipients))
        sets = {items.REVOKED_LINKS: items.names(revoked.revoked_links), **items.terms_attributes(revoked)}
        return self._amend_open(row, sets, terms_as_seen(row))

    async def mark_announced(self, row: LedgerRow, *, event_id: str, reminder: bool = False, change: int = 0) -> bool:
        """Note the event that announces the pause or a change of it, or reminds, unless another one has.

        Only the mark and the key of the row are named, and no row is returned: the role may touch nothing else.
        """
        signed_by = items.announcing_key(row.key_id)
        mark = announced_change(change) if change else (items.REMINDED if reminder else items.ANNOUNCED)
        try:
            self._client.update_item(
                TableName=self._table,
                Key=ledger_key(row.claims.jti),
                UpdateExpression="SET #announced = :announced",
                ConditionExpression=f"{ROW_EXISTS} AND {MAY_ANNOUNCE}",
                ExpressionAttributeNames={"#pk": PK, "#announced": mark},
                ExpressionAttributeValues={
                    ":announced": {"S": f"{signed_by}{event_id}"},
                    ":signed_by": {"S": signed_by},
                },
            )
        except CLIENT_ERRORS as error:
            if condition_failed(error):
                return False
            raise self._classified(error) from error
        return True

    async def advance(self, seen: LedgerRow, change: RowChange) -> bool:
        """Apply the change unless another worker has changed the row.

        If the write landed and its reply was lost, the step id in the row shows that it was this write.
        """
        if seen.due_at is None:
            return False
        sets, removes = items.change_attributes(seen, change)
        people = None if change.people is None else may_change_people(seen)
        return self._step(seen.claims.jti, sets=sets, removes=removes, seen=as_seen(seen).also(people))

    async def redrive(self, seen: LedgerRow, *, at: int) -> bool:
        """Make an undeliverable row due for delivery again, unless another operator has done it."""
        undelivered = Condition(
            text=IS_UNDELIVERABLE,
            tests=(items.STATUS,),
            values={":undeliverable": {"S": PauseStatus.UNDELIVERABLE.value}},
        )
        if seen.given_up:
            undelivered = Condition(text=IS_GIVEN_UP, tests=(items.GIVEN_UP,), values={":given_up": {"BOOL": True}})
        return self._step(
            seen.claims.jti,
            sets=items.redriven_attributes(seen.redriven(at=at)),
            removes=[items.GIVEN_UP] if seen.given_up else (),
            seen=undelivered,
        )

    async def due(self, *, at: int, limit: int) -> DueRows:
        """Return the due rows: the sparse index finds them, and a consistent read of the table returns them."""
        found = self._due.rows(at=at, limit=limit)
        rows = [items.read_row_or_identity(item) for item in found.items]
        return DueRows(rows=rows, faults=found.faults, rows_unread=found.unread)

    async def put_off(self, pause: PauseIdentity, *, at: int, until: int) -> bool:
        """Move the due time of a row that is due at `at`, by its key alone."""
        return self._due.put_off(pause.jti, at=at, until=until)

    def _amend_open(self, row: LedgerRow, sets: dict[str, Any], seen: Condition) -> bool:
        refused, _ = self._update(row.claims.jti, sets=sets, removes=(), seen=still_issued().also(seen))
        if refused is not None and refused.lost is not None:
            raise refused.lost
        return refused is None

    def _step(self, jti: str, *, sets: dict[str, Any], removes: Sequence[str], seen: Condition) -> bool:
        """Make a conditional write with a new step id; return whether any of its tries landed.

        Raises:
            StoreUnavailable: every reply was lost, and the row does not say that the write has landed.
        """
        step = secrets.token_urlsafe(6)
        refused, _ = self._update(jti, sets=sets | {items.STEP: {"S": step}}, removes=removes, seen=seen)
        if refused is None or refused.row.get(items.STEP) == {"S": step}:
            return True
        if refused.lost is not None:
            raise refused.lost
        return False

    def _receipt(
        self, refused: _Met | None, claimed: LedgerRow | None, answer: AcceptedAnswer, claims: PauseClaims
    ) -> Receipt:
        if claimed is not None and refused is None:
            return Receipt(answer=answer, replayed=False, row=claimed)
        existing = items.read_row(refused.row) if refused is not None and refused.row else None
        if existing is None and refused is not None and refused.lost is not None:
            raise refused.lost
        if existing and existing.status is PauseStatus.ISSUED and existing.expires_at > answer.answered_at:
            existing.require_link(claims)
            raise StoreUnavailable(
                reason="the waiter or the people of the pause changed between the read and the claim"
            )
        return settle_refused_claim(existing, answer)

    def _keep_large(self, claims: PauseClaims, answer: AcceptedAnswer) -> bool:
        data = (answer.response_text or "").encode()
        if len(data) <= self._inline_limit:
            return False
        self._bodies.put(items.response_body_key(claims, answer.response_hash), data)
        return True

    def _update(
        self, jti: str, *, sets: dict[str, Any], removes: Sequence[str], seen: Condition
    ) -> tuple[_Met | None, dict[str, Any] | None]:
        """Return the row that refused the write, or None, and the row after the write, or None."""
        try:
            written = self._client.update_item(
                TableName=self._table,
                Key=ledger_key(jti),
                **seen.update(sets, removes),
                ReturnValues="ALL_NEW",
                ReturnValuesOnConditionCheckFailure="ALL_OLD",
            )
        except CLIENT_ERRORS as error:
            return self._row_met(error, jti), None
        return None, written["Attributes"]

    def _put_if_absent(self, jti: str, item: dict[str, Any]) -> _Met | None:
        try:
            self._client.put_item(
                TableName=self._table,
                Item=item,
                ConditionExpression=NO_ROW,
                ExpressionAttributeNames={"#pk": PK},
                ReturnValuesOnConditionCheckFailure="ALL_OLD",
            )
        except CLIENT_ERRORS as error:
            return self._row_met(error, jti)
        return None

    def _row_met(self, error: Exception, jti: str) -> _Met:
        """Return the row that a write met; raises the error of a write that did nothing, or whose effect is unknown."""
        if condition_failed(error):
            # botocore's type of the response does not know the row that comes with it. A reply without a row says
            # nothing about the row, so it is read.
            return _Met(row=cast("dict[str, Any]", error.response.get("Item")) or self._read(jti))
        refusal = self._classified(error)
        if refusal.did_nothing:
            raise refusal from error
        try:
            return _Met(row=self._read(jti), lost=refusal)
        except (StoreUnavailable, InteractionConfigurationError):
            raise refusal from error

    def _read(self, jti: str) -> dict[str, Any]:
        """Return the row's item as it is now, {} when there is none; the read is consistent."""
        found = read_items(self._client, self._table, [ledger_key(jti)])
        return next(iter(found.values()), {})

    def _classified(self, error: Exception) -> HumanInteractionError:
        return classify(error, resource=f"table {self._table}", endpoint=self._client.meta.endpoint_url)

"""Counts the open pauses of each signing key in the due index.

Every open pause has a due time (its expiry, or an earlier one), so the due index has an entry for each of them and for
few other rows. The index has all the attributes that are counted, so no row is read. The index is some seconds behind
the table, and a query on it cannot be consistent. A caller that needs certainty counts again later, or reads the key's
`until`: a key that does not sign any more has no open pause after that time.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from askback.adapters.aws.errors import CLIENT_ERRORS, classify
from askback.adapters.dynamodb.due_index import INDEX
from askback.adapters.dynamodb.keys import DUE_SHARD_NAMES
from askback.adapters.dynamodb.ledger_items import DUE_SHARD, EXP, KEY_ID, STATUS
from askback.domain.pause.ledger import PauseStatus
from askback.domain.ports import KeyUse

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

_OPEN = "#status = :issued AND #exp > :now"
"""True for a pause that can still be answered; an expired one does not count, even before the sweep has ended it."""


class DynamoOutstandingPauses:
    """Reads every shard of the due index to its end."""

    def __init__(self, *, client: "DynamoDBClient", table: str) -> None:
        self._client = client
        self._table = table

    async def outstanding_by_key(self, *, at: int) -> Mapping[str, KeyUse]:
        """Return by key id how many pauses are open at `at`, and their last expiry."""
        counts: Counter[str] = Counter()
        latest: dict[str, int] = {}
        try:
            for shard in DUE_SHARD_NAMES:
                for entry in self._open(shard, at=at):
                    key_id = entry.get(KEY_ID, {}).get("S", "")
                    counts[key_id] += 1
                    latest[key_id] = max(latest.get(key_id, 0), int(float(entry[EXP]["N"])))
        except CLIENT_ERRORS as error:
            raise classify(error, resource=f"table {self._table}", endpoint=self._client.meta.endpoint_url) from error
        return {
            key_id: KeyUse(key_id=key_id, outstanding=count, latest_expiry=latest[key_id])
            for key_id, count in counts.items()
        }

    def _open(self, shard: str, *, at: int) -> Iterator[dict[str, Any]]:
        pages = self._client.get_paginator("query").paginate(
            TableName=self._table,
            IndexName=INDEX,
            KeyConditionExpression="#due_shard = :shard",
            FilterExpression=_OPEN,
            ProjectionExpression="#kid, #exp",
            ExpressionAttributeNames={f"#{name}": name for name in (DUE_SHARD, STATUS, EXP, KEY_ID)},
            ExpressionAttributeValues={
                ":shard": {"S": shard},
                ":issued": {"S": PauseStatus.ISSUED.value},
                ":now": {"N": str(at)},
            },
        )
        for page in pages:
            yield from page["Items"]

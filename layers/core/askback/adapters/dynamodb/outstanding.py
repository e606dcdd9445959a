"""Counts the open pauses of each signing key in the due index.

Every open pause has a due time (its expiry, or an earlier one), so the due index has an entry for each of them and for
few other rows. The index has all the attributes that are counted, so no row is read. The index is some seconds behind
the table, and a query on it cannot be consistent. A caller that needs certainty counts again later, or reads the key's
`until`: a key that does not sign any more has no open pause after that time.
"""

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

from askback.adapters.dynamodb.ledger_items import EXP, KEY_ID
from askback.adapters.dynamodb.open_entries import open_entries
from askback.domain.ports import KeyUse

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


class DynamoOutstandingPauses:
    """Reads every shard of the due index to its end."""

    def __init__(self, *, client: "DynamoDBClient", table: str) -> None:
        self._client = client
        self._table = table

    async def outstanding_by_key(self, *, at: int) -> Mapping[str, KeyUse]:
        """Return by key id how many pauses are open at `at`, and their last expiry."""
        counts: Counter[str] = Counter()
        latest: dict[str, int] = {}
        for page in open_entries(self._client, self._table, at=at, attributes=(KEY_ID, EXP)):
            for entry in page:
                key_id = entry.get(KEY_ID, {}).get("S", "")
                counts[key_id] += 1
                latest[key_id] = max(latest.get(key_id, 0), int(float(entry[EXP]["N"])))
        return {
            key_id: KeyUse(key_id=key_id, outstanding=count, latest_expiry=latest[key_id])
            for key_id, count in counts.items()
        }

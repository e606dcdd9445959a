"""Counts the open pauses, and finds the age of the oldest, in the due index: it has an entry for each of them.

The index does not have the time of issue, so a row is read for it: once for each pause in the life of a process, for
that time never changes. A pause that is answered before it is first counted costs nothing here.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from askback.adapters.dynamodb.batch_read import MOST_KEYS, read_some_items
from askback.adapters.dynamodb.keys import PK, jti_of, ledger_key
from askback.adapters.dynamodb.open_entries import open_entries
from askback.domain.ports import OpenPauseCensus

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

ROWS_MAX = 1000
"""How many rows one census reads, at most; the others are read by the next ones."""
KNOWN_MAX = 100_000
"""Of how many pauses a process keeps the time of issue; about 20 MB."""


class DynamoOpenCensus:
    """Takes the census; it keeps what it has read of the rows for the next time."""

    def __init__(self, *, client: "DynamoDBClient", table: str) -> None:
        self._client = client
        self._table = table
        self._issued_at: dict[str, int] = {}

    async def take(self, *, at: int, may_go_on: Callable[[], bool]) -> OpenPauseCensus:
        """Count what is open at `at` (epoch seconds), until the index ends or `may_go_on` says no.

        Raises:
            StoreUnavailable, InteractionConfigurationError: the index or the rows could not be read.
        """
        known: dict[str, int] = {}
        unknown: list[str] = []
        count, complete = 0, True
        for page in open_entries(self._client, self._table, at=at, attributes=(PK,)):
            for entry in page:
                jti = jti_of(entry[PK]["S"])
                count += 1
                if jti in self._issued_at:
                    known[jti] = self._issued_at[jti]
                else:
                    unknown.append(jti)
            if not may_go_on():
                complete = False
                break
        for start in range(0, min(len(unknown), ROWS_MAX), MOST_KEYS):
            if not may_go_on():
                break
            known |= self._read(unknown[start : min(start + MOST_KEYS, ROWS_MAX)])
        self._issued_at = dict(list(known.items())[:KNOWN_MAX])
        return OpenPauseCensus(
            open_pauses=count,
            oldest_issued_at=min(known.values(), default=None),
            complete=complete and len(known) == count,
        )

    def _read(self, jtis: list[str]) -> dict[str, int]:
        found, _ = read_some_items(self._client, self._table, [ledger_key(jti) for jti in jtis])
        # A damaged row has no such time, or none that is a number; it counts as open all the same.
        return {
            jti_of(item[PK]["S"]): int(float(item["issued_at"]["N"]))
            for item in found.values()
            if "N" in item.get("issued_at", {})
        }

"""The emulated table, and what an invocation's writes to it cost.

Writes are priced by the items before and after them, never by what the emulator says they consumed. Before an
invocation and after it the table is read; an item that is written twice in between is in the answer of its first write.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from tests.built.benchmarks.calls import Call
from tests.support.write_units import Index, Item, indexes_of, write_units

Key = tuple[str, str]

_BATCH = 25
"""The most items of one BatchWriteItem."""


class Table:
    """The emulated table's items and indexes."""

    def __init__(self, client: Any, name: str) -> None:
        self._client = client
        self._name = name
        self.indexes = indexes_of(client.describe_table(TableName=name)["Table"])

    def items(self) -> Mapping[Key, Item]:
        """Every item there is now, by key."""
        pages = self._client.get_paginator("scan").paginate(TableName=self._name)
        return MappingProxyType({_key(item): item for page in pages for item in page["Items"]})

    def put(self, items: Sequence[Item]) -> None:
        """Write items as they are."""
        for start in range(0, len(items), _BATCH):
            requests = [{"PutRequest": {"Item": item}} for item in items[start : start + _BATCH]]
            if self._client.batch_write_item(RequestItems={self._name: requests})["UnprocessedItems"]:
                raise RuntimeError("the emulator left items unwritten")


def units_written(
    calls: Sequence[Call], before: Mapping[Key, Item], after: Mapping[Key, Item], indexes: Sequence[Index]
) -> dict[str, int]:
    """Return the units of an invocation's writes by `table` and by index name."""
    total = dict.fromkeys(["table", *(index.name for index in indexes)], 0)
    current = dict(before)
    writes = [call for call in calls if call.written_key is not None]
    for number, call in enumerate(writes):
        key = _key(call.written_key or {})
        is_last = all(_key(later.written_key or {}) != key for later in writes[number + 1 :])
        written = after.get(key) if is_last else call.item_after
        if written is None and not is_last:
            raise RuntimeError(f"{call.operation} does not tell what it wrote, and the item is written again")
        for place, units in write_units(current.get(key), written, indexes).items():
            total[place] += units
        if written is not None:
            current[key] = written
    return total


def _key(item: Mapping[str, Any]) -> Key:
    return item["pk"]["S"], item["sk"]["S"]

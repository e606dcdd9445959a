"""What DynamoDB charges for a write, from the items before and after it and the table's indexes; and for a read.

Sources, in the DynamoDB developer guide: "DynamoDB item sizes and formats" for the sizes, "Read and write operations"
for the units, "Using global secondary indexes: write capacity" for the indexes. In short: one unit for each started
KiB of the larger of the old and the new item, one for each index entry that is put, deleted or changed, and two for an
entry whose index key changed, because it is deleted in one place and put in another. An entry that stays as it was
costs nothing.
"""

import base64
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

Item = Mapping[str, Mapping[str, Any]]
"""Attribute names to typed values, as the service's own JSON has them or as boto3's client does."""

WRITE_UNIT_BYTES = 1024
READ_UNIT_BYTES = 4096
"""Of a strongly consistent read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Index:
    """A global secondary index: its key attributes, and what else it carries; None carries everything."""

    name: str
    keys: tuple[str, ...]
    carried: frozenset[str] | None

    def entry(self, item: Item | None) -> Item | None:
        """Return the item's entry, or None when it has none: an index is sparse."""
        if item is None or not all(key in item for key in self.keys):
            return None
        return {name: value for name, value in item.items() if self.carried is None or name in self.carried}


def indexes_of(table: Mapping[str, Any]) -> tuple[Index, ...]:
    """Read the indexes from a table's description."""
    table_keys = {key["AttributeName"] for key in table["KeySchema"]}
    found = []
    for index in table.get("GlobalSecondaryIndexes", []):
        keys = tuple(key["AttributeName"] for key in index["KeySchema"])
        projection = index["Projection"]
        carried = frozenset({*table_keys, *keys, *projection.get("NonKeyAttributes", [])})
        everything = projection["ProjectionType"] == "ALL"
        found.append(Index(name=index["IndexName"], keys=keys, carried=None if everything else carried))
    return tuple(found)


def write_units(before: Item | None, after: Item | None, indexes: Sequence[Index]) -> dict[str, int]:
    """Return the units of one write by where they are spent: `table`, then each index by name."""
    units = {"table": max(_units(before, WRITE_UNIT_BYTES), _units(after, WRITE_UNIT_BYTES), 1)}
    for index in indexes:
        units[index.name] = _index_units(index, index.entry(before), index.entry(after))
    return units


def read_units(item: Item | None) -> int:
    """Return the units of one strongly consistent read; looking for an item that is not there costs one."""
    return max(1, _units(item, READ_UNIT_BYTES))


def page_read_units(entries: Sequence[Item]) -> float:
    """Return the units of one page of a query on an index, from whole entries.

    Such a query is eventually consistent, which halves the units; an empty page costs as much as one of 4 KiB.
    """
    return max(1, math.ceil(sum(item_size(entry) for entry in entries) / READ_UNIT_BYTES)) / 2


def item_size(item: Item) -> int:
    """Return the bytes of an item: names and values."""
    return sum(len(name.encode()) + _value_size(value) for name, value in item.items())


def _index_units(index: Index, old: Item | None, new: Item | None) -> int:
    if old == new:
        return 0
    put_or_deleted = _units(old, WRITE_UNIT_BYTES) + _units(new, WRITE_UNIT_BYTES)
    if old is None or new is None or any(old[key] != new[key] for key in index.keys):
        return put_or_deleted
    return max(_units(old, WRITE_UNIT_BYTES), _units(new, WRITE_UNIT_BYTES))


def _units(item: Item | None, unit: int) -> int:
    return 0 if item is None else math.ceil(item_size(item) / unit)


def _value_size(value: Mapping[str, Any]) -> int:
    ((kind, content),) = value.items()
    match kind:
        case "S":
            return len(content.encode())
        case "B":
            # Text is the wire's base64; bytes are what a client makes of it.
            return len(base64.b64decode(content)) if isinstance(content, str) else len(content)
        case "N":
            return _number_size(content)
        case "BOOL" | "NULL":
            return 1
        case "M":
            return 3 + sum(1 + len(name.encode()) + _value_size(part) for name, part in content.items())
        case "L":
            return 3 + sum(1 + _value_size(part) for part in content)
    raise ValueError(f"no size is known for type {kind}")


def _number_size(text: str) -> int:
    # One byte for each two significant digits and one more, and a byte for a sign.
    sign, digits, _ = Decimal(text).normalize().as_tuple()
    return math.ceil(len(digits) / 2) + 1 + sign

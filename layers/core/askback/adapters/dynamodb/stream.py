"""Reads the table's stream, as Lambda hands it over: the writes of ledger rows, with the row before and after.

A row that cannot be read becomes a value of its own: an error here would hold up the whole stream.
"""

import base64
import binascii
from collections.abc import Iterator, Mapping
from typing import Any

from askback.adapters.dynamodb.keys import LEDGER_SK, PK, SK, is_ledger_partition, jti_of
from askback.adapters.dynamodb.ledger_items import DUE_AT, DUE_SHARD, read_row
from askback.domain.errors import RowUnreadable
from askback.domain.pause.decisions import RowImage, RowWrite, Unreadable

_EXPIRED_BY = "dynamodb.amazonaws.com"
"""The principal of a deletion that the table's time to live made."""


def read_writes(event: Mapping[str, Any]) -> list[RowWrite]:
    """Return the writes of ledger rows in an event of the stream; records of other items are left out."""
    return list(_writes(event))


def _writes(event: Mapping[str, Any]) -> Iterator[RowWrite]:
    for record in event["Records"]:
        change = record["dynamodb"]
        partition, sort = (change["Keys"][name].get("S", "") for name in (PK, SK))
        if not is_ledger_partition(partition) or sort != LEDGER_SK:
            continue
        yield RowWrite(
            id=record["eventID"],
            place=change["SequenceNumber"],
            written_at=int(change["ApproximateCreationDateTime"]),
            jti=jti_of(partition),
            before=_image(change.get("OldImage")),
            after=_image(change.get("NewImage")),
            by_expiry=(record.get("userIdentity") or {}).get("principalId") == _EXPIRED_BY,
        )


def _image(raw: Mapping[str, Any] | None) -> RowImage:
    if raw is None:
        return None
    try:
        return read_row({name: _value(value) for name, value in raw.items()})
    except (RowUnreadable, binascii.Error):
        # The sweep moves the due time of a damaged row again and again. That is no new damage.
        return Unreadable(content={name: value for name, value in raw.items() if name not in (DUE_AT, DUE_SHARD)})


def _value(value: Any) -> Any:
    """Return an attribute with its bytes decoded; the event is JSON and has them in base64."""
    return {"B": base64.b64decode(value["B"], validate=True)} if "B" in value else value

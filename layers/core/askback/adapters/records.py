"""A recorded text as a table item: inline, or a pointer to its body in the bucket."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from askback.adapters.bodies import PackedBody, S3Bodies, unpack

if TYPE_CHECKING:
    from collections.abc import Mapping

DATA, BODY_KEY, ENCODING, SHA256, SIZE, TTL = "data", "body_key", "encoding", "sha256", "size", "ttl"


def record_attributes(body: PackedBody, *, body_key: str | None, ttl: int) -> dict[str, Any]:
    """Return the item's attributes beside its key; `body_key` of None keeps the bytes inline."""
    where: dict[str, Any] = {DATA: {"B": body.data}} if body_key is None else {BODY_KEY: {"S": body_key}}
    return {
        **where,
        ENCODING: {"S": body.encoding},
        SHA256: {"S": body.sha256},
        SIZE: {"N": str(body.size)},
        TTL: {"N": str(ttl)},
    }


@dataclass(frozen=True, slots=True)
class ItemText:
    """The text of one item; a body in the bucket is fetched only when it is read."""

    item: "Mapping[str, Any]"
    bodies: S3Bodies

    async def read(self) -> str:
        """Return the text; raises LookupError, ValueError or StoreUnavailable as `RecordedText` says."""
        try:
            data = self.item[DATA]["B"] if DATA in self.item else self.bodies.get(self.item[BODY_KEY]["S"])
            body = PackedBody(
                data=bytes(data),
                encoding=self.item[ENCODING]["S"],
                sha256=self.item[SHA256]["S"],
                size=int(self.item[SIZE]["N"]),
            )
        except KeyError as error:
            # KeyError is a LookupError; an item with a part missing is damaged, not gone.
            raise ValueError(f"the record lacks its {error}") from None
        return unpack(body)

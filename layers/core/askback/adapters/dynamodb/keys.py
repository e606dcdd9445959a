"""The table's keys: different parts always give different keys.

A record's partition is `place#` and the first 32 hex digits of a hash of scope, thread and checkpoint. It is short,
whatever the ids are: a record pays for its key by the KiB. Its sort key is the metadata key without change.

The partition of an execution's tasks is `execution#` and such a hash of its ARN; the sort key of a task has the id of
its pause.

A pause of the legacy engine, or of a version before the scope was a part of the place, has the partition
`record#<bytes of the thread>#<thread>#<checkpoint>`: the length says where the thread id ends, even when an id contains
`#`. `askback.domain.pause.ids` says how a reader tells the two forms apart.
"""

import hashlib
from typing import Final, TypedDict

from askback.domain.pause.ids import digest
from askback.domain.pause.listing import ListPlace

PK, SK = "pk", "sk"
LEDGER_SK = "pause"
DUE_SHARDS = 8
DUE_SHARD_NAMES = tuple(f"due#{number}" for number in range(DUE_SHARDS))
_PAUSE = "pause#"
_PLACE_DIGITS = 32


class TextAttribute(TypedDict):
    """A DynamoDB string."""

    S: str


Key = dict[str, TextAttribute]


def ledger_key(jti: str) -> Key:
    """Return the key of a pause's ledger row."""
    return {PK: {"S": f"{_PAUSE}{jti}"}, SK: {"S": LEDGER_SK}}


def jti_of(partition: str) -> str:
    """Return the id of the pause whose ledger row is in this partition."""
    return partition.removeprefix(_PAUSE)


ERASURE_SALT_KEY: Final = {PK: TextAttribute(S="erasure#salt"), SK: TextAttribute(S="salt")}
"""The key of the salt for the pseudonyms of erased names."""


def is_ledger_partition(partition: str) -> bool:
    """Return whether this partition has the ledger row of a pause."""
    return partition.startswith(_PAUSE)


def record_key(*, thread_id: str, checkpoint_id: str, key: str, scope_hash: str = "") -> Key:
    """Return the key of a text recorded under a metadata key of a checkpoint; without a scope, the key of old forms."""
    if scope_hash:
        partition = "place#" + digest("record", scope_hash, thread_id, checkpoint_id)[:_PLACE_DIGITS]
    else:
        partition = f"record#{len(thread_id.encode())}#{thread_id}#{checkpoint_id}"
    return {PK: {"S": partition}, SK: {"S": key}}


def waiting_partition(execution: str) -> str:
    """Return the partition of the tasks that wait in an execution; its ARN may be longer than a key."""
    return "execution#" + digest("execution", execution)[:_PLACE_DIGITS]


def body_key(
    *, thread_id: str, checkpoint_id: str, key: str, expires_at: int, sha256: str, scope_hash: str = ""
) -> str:
    """Return the object key of a body: a hash of its place and expiry, then the hash of its text.

    The key contains no id in clear text. It contains place and expiry because a lifecycle rule counts from the first
    write of an object. So two pauses with the same body have two objects, and so do two mints of one pause when the
    records of the first are gone.
    """
    place = {"thread_id": thread_id, "checkpoint_id": checkpoint_id, "scope_hash": scope_hash}
    return f"{body_prefix(**place, key=key, expires_at=expires_at)}{sha256}"


def body_prefix(*, thread_id: str, checkpoint_id: str, key: str, expires_at: int, scope_hash: str = "") -> str:
    """Return how the object keys of all bodies of one place begin."""
    place = (thread_id, checkpoint_id, key, str(expires_at))
    return f"turns/{digest(*place, scope_hash) if scope_hash else digest(*place)}/"


def due_shard(jti: str) -> str:
    """Return the due index shard of a pause; shards spread the writes over several partitions."""
    return DUE_SHARD_NAMES[hashlib.sha256(jti.encode()).digest()[0] % DUE_SHARDS]


def scope_order(*, is_open: bool, issued_at: int, jti: str) -> str:
    """Return the place of a pause in its scope's list: open ones first, then by time of issue."""
    return ListPlace(is_open=is_open, issued_at=issued_at, jti=jti).text()

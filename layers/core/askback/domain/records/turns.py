"""The recorded turn of a pause, from which another process continues the run.

Messages are plain mappings in the format of any provider. The code stores them and does not interpret them. It uses no
message class of a framework and no pickle, so an upgrade of a library cannot make paused runs unreadable.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from askback.domain.errors import (
    InteractionConfigurationError,
    StoreUnavailable,
    TurnMismatch,
    TurnMissing,
    TurnUnreadable,
)
from askback.domain.json_text import canonical_text, read_json, sha256_hex
from askback.domain.pause.claims import PauseClaims
from askback.domain.ports import CheckpointPort, StoredText

TURN_VERSION = 1
TURN_HASH_LENGTH = 32
"""Hex digits of a turn's hash in the ledger row: 128 bits of the SHA-256, 16 bytes in a row that must stay small."""

_IDENTITY = (
    "run_id",
    "session_id",
    "thread_id",
    "checkpoint_id",
    "scope_hash",
    "tool_call_id",
    "interrupt_id",
    "name",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnCheckpoint:
    """A paused turn: its identity (the same fields are in the token), the prompt, and the messages until the pause."""

    run_id: str
    session_id: str
    thread_id: str
    checkpoint_id: str
    scope_hash: str
    tool_call_id: str
    interrupt_id: str
    name: str
    prompt: str
    messages: tuple[Mapping[str, Any], ...]
    version: int = field(default=TURN_VERSION)

    def encode(self) -> str:
        """Return deterministic JSON: sorted keys, no spaces, ASCII. Equal turns give equal texts."""
        record = {f.name: getattr(self, f.name) for f in fields(self)}
        record["messages"] = list(self.messages)
        return canonical_text(record)

    def digest(self) -> str:
        """Return the hash of this turn that the ledger row has."""
        return _digest(self.encode())

    @classmethod
    def decode(cls, raw: str | bytes) -> "TurnCheckpoint":
        """Read an encoded turn.

        Raises:
            ValueError: not a JSON object; a version that is not the integer 1; an identity field or a prompt that is
                missing or is not a text; or messages that are not a list of objects.
        """
        record = read_json(raw)
        if not isinstance(record, dict):
            raise ValueError("a turn must be a JSON object")
        version = record.get("version")
        # In Python `True` and `1.0` equal 1, so the type is compared too.
        if type(version) is not int or version != TURN_VERSION:
            raise ValueError(f"this build reads turns of version {TURN_VERSION} only")
        for name in (*_IDENTITY, "prompt"):
            if not isinstance(record.get(name), str):
                raise ValueError(f"a turn's {name} must be text")
        messages = record.get("messages")
        if not isinstance(messages, list) or not all(isinstance(message, dict) for message in messages):
            raise ValueError("a turn's messages must be a list of objects")
        return cls(**{name: record[name] for name in (*_IDENTITY, "prompt")}, messages=tuple(messages), version=version)

    def require_match(self, claims: PauseClaims) -> None:
        """Refuse a turn that belongs to another pause than the token.

        Otherwise the answer to one run's question would go into the transcript of another run.

        Raises:
            TurnMismatch: with the names of the fields that differ.
        """
        differing = [name for name in _IDENTITY if getattr(self, name) != getattr(claims, name)]
        if differing:
            raise TurnMismatch(f"the recorded turn and the token differ in {', '.join(differing)}")


def _digest(text: str) -> str:
    return sha256_hex(text)[:TURN_HASH_LENGTH]


def turn_key(claims: "PauseClaims | TurnCheckpoint") -> str:
    """Return the metadata key of a turn; its recorded request is under the same checkpoint."""
    return f"turn_state:{claims.tool_call_id or claims.interrupt_id}"


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnReference:
    """The place of a recorded turn, for a run that gets an outcome without messages.

    `scope_hash` is empty for a pause whose records have no scope in their place.
    """

    thread_id: str
    checkpoint_id: str
    key: str
    scope_hash: str = ""

    def to_dict(self) -> dict[str, str]:
        """Return the reference in the form that an outcome contains."""
        scope = {"scope_hash": self.scope_hash} if self.scope_hash else {}
        return {"thread_id": self.thread_id, "checkpoint_id": self.checkpoint_id, "key": self.key, **scope}


def turn_reference(claims: PauseClaims) -> TurnReference:
    """Return the reference to the turn of a pause."""
    return TurnReference(**claims.record_place, key=turn_key(claims))


class TurnCheckpointStore:
    """Records turns under their token's checkpoint, and returns a turn only for its own token."""

    def __init__(self, checkpoints: CheckpointPort | None) -> None:
        self._checkpoints = checkpoints

    async def record(self, claims: PauseClaims, turn: TurnCheckpoint, *, task_id: str = "") -> str:
        """Write the turn and return its hash; return an empty text if the store did not confirm the write.

        Raises:
            TurnMismatch: the turn belongs to another pause than the claims.
            PauseConflict: another turn is recorded for the same call.
        """
        turn.require_match(claims)
        if self._checkpoints is None:
            return ""
        text = turn.encode()
        try:
            await self._checkpoints.write(
                **claims.record_place,
                key=turn_key(claims),
                text=text,
                expires_at=claims.exp,
                task_id=task_id,
            )
        except (StoreUnavailable, InteractionConfigurationError):
            return ""
        return _digest(text)

    async def load(self, claims: PauseClaims) -> TurnCheckpoint | None:
        """Return the recorded turn of a pause, or None if none is recorded; raises as `rebuild` does."""
        if self._checkpoints is None:
            return None
        recorded = await self._checkpoints.read(**claims.record_place, key=turn_key(claims))
        return await self.recover(claims, recorded, required=False)

    async def fetch(self, reference: TurnReference) -> TurnCheckpoint:
        """Return the turn that an outcome refers to.

        Raises:
            InteractionConfigurationError: there is no checkpoint port.
            TurnMissing: no turn is recorded there, or its body is missing.
            TurnUnreadable: as in `rebuild`.
            TurnMismatch: the recorded turn belongs to another place.
        """
        if self._checkpoints is None:
            raise InteractionConfigurationError("no checkpoint store is wired; the turn cannot be loaded")
        recorded = await self._checkpoints.read(**reference.to_dict())
        if recorded is None:
            raise TurnMissing("no turn is recorded under this reference")
        turn = _decoded(await _text(recorded))
        scope = turn.scope_hash if reference.scope_hash else ""
        own = TurnReference(
            thread_id=turn.thread_id, checkpoint_id=turn.checkpoint_id, key=turn_key(turn), scope_hash=scope
        )
        if own != reference:
            raise TurnMismatch("the recorded turn and the reference have different places")
        return turn

    async def recover(
        self, claims: PauseClaims, recorded: StoredText | None, *, required: bool, turn_hash: str = ""
    ) -> TurnCheckpoint | None:
        """Return the turn in `recorded`, or None if no turn was recorded and none is `required`.

        `turn_hash` is the hash in the ledger row; it is empty for a row of a version that recorded none.

        Raises:
            TurnMissing: a turn is required and none is recorded.
            TurnMissing, TurnUnreadable, TurnMismatch: as in `rebuild`.
        """
        if recorded is not None:
            return await self.rebuild(claims, recorded, turn_hash=turn_hash)
        if required:
            raise TurnMissing("no paused turn is recorded for this token; the agent must ask again")
        return None

    async def rebuild(self, claims: PauseClaims, recorded: StoredText, *, turn_hash: str = "") -> TurnCheckpoint:
        """Return the turn in `recorded`, after its identity is compared with the token and its hash with the row.

        First the recorded text is hashed. If that hash differs, the turn is encoded again: some stores normalise JSON.

        Raises:
            TurnMissing: the body of the turn is missing in the store.
            TurnUnreadable: this build cannot decode the turn.
            TurnMismatch: the turn belongs to another pause, or its prompt or messages were changed.
        """
        text = await _text(recorded)
        # Before it is decoded, so that a large text need not be kept beside its messages.
        intact = not turn_hash or _digest(text) == turn_hash
        turn = _decoded(text)
        del text
        turn.require_match(claims)
        # A store may write the same JSON in another form.
        if not intact and turn.digest() != turn_hash:
            raise TurnMismatch("the recorded turn is not the one that the pause was minted with")
        return turn


async def _text(recorded: StoredText) -> str:
    try:
        return await recorded.read()
    except LookupError:
        raise TurnMissing("the body of the paused turn is gone; the agent must ask again") from None
    except ValueError as error:
        raise TurnUnreadable(f"the paused turn cannot be read: {error}") from None


def _decoded(text: str) -> TurnCheckpoint:
    try:
        return TurnCheckpoint.decode(text)
    except ValueError as error:
        raise TurnUnreadable(f"the paused turn cannot be read: {error}") from None

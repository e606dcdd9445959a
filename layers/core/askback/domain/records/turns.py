"""What a paused turn leaves behind, so that another process can go on from it.

Messages are plain mappings of any provider's format. They are carried and never interpreted: no framework's message
class and no pickle, so that upgrading a library cannot make a backlog of paused runs unreadable.
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
from askback.domain.json_text import canonical_text, read_json
from askback.domain.pause.claims import PauseClaims
from askback.domain.ports import CheckpointPort, StoredText

TURN_VERSION = 1

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
    """A paused turn: whose it is (all of which stands in the token too), the prompt, and the messages so far."""

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

    @classmethod
    def decode(cls, raw: str | bytes) -> "TurnCheckpoint":
        """Read an encoded turn.

        Raises:
            ValueError: not a JSON object, a version other than exactly the integer 1, an identity field or the prompt
            that
                is absent or not text, or messages that are not a list of objects.
        """
        record = read_json(raw)
        if not isinstance(record, dict):
            raise ValueError("a turn must be a JSON object")
        version = record.get("version")
        # `True` and `1.0` equal 1, so the type is compared too.
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
        """Refuse a turn that is not the one the token names.

        Going on from it would answer one run's question into another run's transcript.

        Raises:
            TurnMismatch: naming the fields that differ.
        """
        differing = [name for name in _IDENTITY if getattr(self, name) != getattr(claims, name)]
        if differing:
            raise TurnMismatch(f"the recorded turn has another {', '.join(differing)} than the token")


def turn_key(claims: "PauseClaims | TurnCheckpoint") -> str:
    """Return the metadata key of a paused turn, beside the recorded request of the same checkpoint."""
    return f"turn_state:{claims.tool_call_id or claims.interrupt_id}"


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnReference:
    """Where a turn is recorded, for a run that gets its outcome without the messages."""

    thread_id: str
    checkpoint_id: str
    key: str

    def to_dict(self) -> dict[str, str]:
        """Return the reference as it stands in an outcome."""
        return {"thread_id": self.thread_id, "checkpoint_id": self.checkpoint_id, "key": self.key}


def turn_reference(claims: "PauseClaims | TurnCheckpoint") -> TurnReference:
    """Return where the turn of a pause is recorded."""
    return TurnReference(thread_id=claims.thread_id, checkpoint_id=claims.checkpoint_id, key=turn_key(claims))


class TurnCheckpointStore:
    """Keeps paused turns under their token's checkpoint, and gives one back only to the token it belongs to."""

    def __init__(self, checkpoints: CheckpointPort | None) -> None:
        self._checkpoints = checkpoints

    async def record(self, claims: PauseClaims, turn: TurnCheckpoint, *, task_id: str = "") -> bool:
        """Write the turn; returns True only when the store said that it is written.

        Raises:
            TurnMismatch: the turn is not the one the claims name.
            PauseConflict: another turn is recorded for the same call.
        """
        turn.require_match(claims)
        if self._checkpoints is None:
            return False
        try:
            await self._checkpoints.write(
                thread_id=claims.thread_id,
                checkpoint_id=claims.checkpoint_id,
                key=turn_key(claims),
                text=turn.encode(),
                expires_at=claims.exp,
                task_id=task_id,
            )
        except (StoreUnavailable, InteractionConfigurationError):
            return False
        return True

    async def load(self, claims: PauseClaims) -> TurnCheckpoint | None:
        """Return the recorded turn of a pause, or None when none was recorded; otherwise as `rebuild`."""
        if self._checkpoints is None:
            return None
        recorded = await self._checkpoints.read(
            thread_id=claims.thread_id, checkpoint_id=claims.checkpoint_id, key=turn_key(claims)
        )
        return await self.recover(claims, recorded, required=False)

    async def fetch(self, reference: TurnReference) -> TurnCheckpoint:
        """Return the turn that an outcome refers to.

        Raises:
            InteractionConfigurationError: no checkpoint port is wired.
            TurnMissing, TurnUnreadable: as `rebuild`.
            TurnMismatch: what is recorded there is a turn of another place.
        """
        if self._checkpoints is None:
            raise InteractionConfigurationError("no checkpoint store is wired; the turn cannot be loaded")
        recorded = await self._checkpoints.read(**reference.to_dict())
        if recorded is None:
            raise TurnMissing("no turn is recorded under this reference")
        turn = await _decoded(recorded)
        if turn_reference(turn) != reference:
            raise TurnMismatch("the recorded turn belongs to another place than the reference")
        return turn

    async def recover(
        self, claims: PauseClaims, recorded: StoredText | None, *, required: bool
    ) -> TurnCheckpoint | None:
        """Return what `recorded` rebuilds to, or None when nothing was recorded and nothing is `required`.

        Raises:
            TurnMissing: a turn is required and none is recorded; otherwise as `rebuild`.
        """
        if recorded is not None:
            return await self.rebuild(claims, recorded)
        if required:
            raise TurnMissing("no paused turn is recorded for this token; the agent must ask again")
        return None

    async def rebuild(self, claims: PauseClaims, recorded: StoredText) -> TurnCheckpoint:
        """Return the turn in `recorded`, compared field by field with the token.

        Raises:
            TurnMissing: its body is gone from the store.
            TurnUnreadable: it cannot be decoded by this build.
            TurnMismatch: it belongs to another pause.
        """
        turn = await _decoded(recorded)
        turn.require_match(claims)
        return turn


async def _decoded(recorded: StoredText) -> TurnCheckpoint:
    try:
        return TurnCheckpoint.decode(await recorded.read())
    except LookupError:
        raise TurnMissing("the body of the paused turn is gone; the agent must ask again") from None
    except ValueError as error:
        raise TurnUnreadable(f"the paused turn cannot be read: {error}") from None

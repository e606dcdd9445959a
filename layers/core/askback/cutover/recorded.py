"""A request that the legacy engine recorded for a pause: the exact text, under the engine's key.

The engine keeps no list of its outstanding pauses. So the export contains every request that a valid token can refer
to. A token whose hash does not match the request is refused when it is redeemed.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from askback.cutover.lines import FieldRefused, require_known, text
from askback.domain.json_text import read_json
from askback.domain.limits import IDENTIFIER_MAX_BYTES, THREAD_ID_MAX_BYTES, TOOL_CALL_ID_MAX_BYTES

ASK_USER_KEY, INTERRUPT_KEY = "ask_user_request:", "interrupt_payload:"
"""The prefixes of the engine's keys; the id of the call or the interrupt follows."""
TEXT_MAX_BYTES = 16 * 1024 * 1024

_KNOWN = frozenset({"thread_id", "checkpoint_id", "key", "text"})
_LIMITS = {ASK_USER_KEY: TOOL_CALL_ID_MAX_BYTES, INTERRUPT_KEY: IDENTIFIER_MAX_BYTES}


def is_frozen(key: str) -> bool:
    """Return whether a channel of a saver is a key under which the engine records requests."""
    return any(key.startswith(prefix) and key != prefix for prefix in _LIMITS)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedRequest:
    """The place of a recorded request, and its exact text."""

    thread_id: str
    checkpoint_id: str
    key: str
    text: str

    def to_record(self) -> dict[str, str]:
        """Return the request as a record of an export."""
        return {
            "thread_id": self.thread_id,
            "checkpoint_id": self.checkpoint_id,
            "key": self.key,
            "text": self.text,
        }

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> "RecordedRequest":
        """Read a record; raises FieldRefused for a record that cannot belong to a token."""
        require_known(record, _KNOWN)
        request = cls(
            thread_id=text(record, "thread_id", limit=THREAD_ID_MAX_BYTES),
            checkpoint_id=text(record, "checkpoint_id", limit=IDENTIFIER_MAX_BYTES),
            key=_key(record),
            text=text(record, "text", limit=TEXT_MAX_BYTES),
        )
        try:
            payload = read_json(request.text)
        except ValueError as error:
            raise FieldRefused(f"text: {error}") from None
        if not isinstance(payload, dict):
            raise FieldRefused("text must be a JSON object")
        return request


def _key(record: Mapping[str, Any]) -> str:
    key = record.get("key")
    for prefix, limit in _LIMITS.items():
        if isinstance(key, str) and key.startswith(prefix) and key != prefix:
            return text(record, "key", limit=len(prefix) + limit)
    raise FieldRefused(f"key must be {ASK_USER_KEY} or {INTERRUPT_KEY}, followed by an id")

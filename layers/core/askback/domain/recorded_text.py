"""The text of a paused request, and its hash; both are made once, when a pause is minted.

A mapping is recorded in the order of its caller, because people read it in that order. It is hashed with sorted keys,
so that the same question in another order is the same question. A model is recorded as the text that is hashed.
"""

import json
from collections.abc import Mapping
from dataclasses import InitVar, dataclass, field
from typing import TYPE_CHECKING, Any

from askback.domain.json_text import sha256_hex

if TYPE_CHECKING:
    # Not every function that reads a recorded request loads pydantic.
    from pydantic import BaseModel


@dataclass(frozen=True, slots=True)
class RecordedText:
    """A text that is recorded as it stands, and the SHA-256 of its hashed form in lower-case hex.

    `hashed` is the form that is hashed; without it, the text itself is hashed.
    """

    text: str
    hashed: InitVar[str | None] = None
    sha256: str = field(init=False)

    def __post_init__(self, hashed: str | None) -> None:
        # Computed here and nowhere else, so that a hash can never stand beside another text.
        object.__setattr__(self, "sha256", sha256_hex(self.text if hashed is None else hashed))


def recorded_text(payload: "BaseModel | Mapping[str, Any]") -> RecordedText:
    """Return what is recorded of a payload: a mapping in its own order, a model as `hashed_text` gives it."""
    if isinstance(payload, Mapping):
        return RecordedText(json.dumps(payload, default=str), hashed_text(payload))
    return RecordedText(hashed_text(payload))


def hashed_text(payload: "BaseModel | Mapping[str, Any]") -> str:
    """Return the text of a payload that is hashed.

    For a model it is `model_dump_json()`, for a mapping `json.dumps(payload, sort_keys=True, default=str)`: the forms
    of the legacy engine, fixed by the hashes in its tokens.
    """
    if isinstance(payload, Mapping):
        return json.dumps(payload, sort_keys=True, default=str)
    return payload.model_dump_json()

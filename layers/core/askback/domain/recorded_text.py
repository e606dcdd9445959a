"""The text of a paused request: what is hashed and what is recorded are one text, made once.

A second serialisation of the same object may give other bytes (key order, spaces, number forms), and then the recorded
request would not have the hash in its token. So the text is made when a pause is minted and carried as it stands.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from askback.domain.json_text import sha256_hex

if TYPE_CHECKING:
    # Not every function that reads a recorded request loads pydantic.
    from pydantic import BaseModel


@dataclass(frozen=True, slots=True)
class RecordedText:
    """A text that is recorded as it stands, and its hash: SHA-256 of its UTF-8 bytes, in lower-case hex."""

    text: str
    sha256: str = field(init=False)

    def __post_init__(self) -> None:
        # Computed here and nowhere else, so that a hash can never stand beside another text.
        object.__setattr__(self, "sha256", sha256_hex(self.text))


def hashed_text(payload: "BaseModel | Mapping[str, Any]") -> str:
    """Return the text of a payload that is hashed and recorded.

    For a model it is `model_dump_json()`, for a mapping `json.dumps(payload, sort_keys=True, default=str)`: the forms
    of the legacy engine, fixed by the hashes in its tokens.
    """
    if isinstance(payload, Mapping):
        return json.dumps(payload, sort_keys=True, default=str)
    return payload.model_dump_json()

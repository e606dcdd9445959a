"""What both directions read and write alike."""

from collections.abc import Mapping
from typing import Any, Final

from askback.domain.errors import InvalidRequest

METADATA: Final = "askback"
"""The key of our part in the metadata of interrupts and entries."""


def text_of(value: Mapping[str, Any], name: str, *, of: str = "interrupt") -> str:
    """Return a text of an interrupt or an entry; raises InvalidRequest with the path if there is none."""
    text = value.get(name)
    if not isinstance(text, str) or not text:
        raise InvalidRequest.of_field(f"{of}.{name}", "must be a string that is not empty")
    return text

"""The parts of messages: what is written for the other agent, and what is read from it."""

from collections.abc import Mapping
from typing import Any, Final

from askback.domain.errors import InvalidRequest
from askback.domain.json_text import Json

METADATA: Final = "askback"
"""The key of our part in the metadata of a message."""
JSON_TYPE: Final = "application/json"


def text_part(text: str) -> dict[str, Any]:
    """Return a part with a text."""
    return {"text": text, "mediaType": "text/plain"}


def data_part(data: Json) -> dict[str, Any]:
    """Return a part with JSON data."""
    return {"data": data, "mediaType": JSON_TYPE}


def texts_and_data(message: Mapping[str, Any]) -> tuple[list[str], list[Json]]:
    """Return the texts and the data of a message in their order; files are left out.

    Raises:
        InvalidRequest: the message has no list of parts, or a text is not a text.
    """
    parts = message.get("parts")
    if not isinstance(parts, list) or not all(isinstance(part, Mapping) for part in parts):
        raise InvalidRequest.of_field("message.parts", "must be a list of parts")
    texts = [part["text"] for part in parts if "text" in part]
    if not all(isinstance(text, str) for text in texts):
        raise InvalidRequest.of_field("message.parts.text", "must be a string")
    return texts, [part["data"] for part in parts if "data" in part]


def text_of(value: Mapping[str, Any], name: str, *, of: str) -> str:
    """Return a text of a message or a task; raises InvalidRequest with the path if there is none."""
    text = value.get(name)
    if not isinstance(text, str) or not text:
        raise InvalidRequest.of_field(f"{of}.{name}", "must be a string that is not empty")
    return text

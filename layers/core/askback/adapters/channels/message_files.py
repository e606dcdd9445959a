"""Reads the texts of messages: `messages/<language>.json` has those of one language."""

import json
from pathlib import Path

from askback.domain.errors import InteractionConfigurationError
from askback.domain.people.message_texts import MessageTexts

FOLDER = Path(__file__).parent / "messages"


def message_texts(language: str) -> MessageTexts:
    """Return the texts of a language such as `en`; raises InteractionConfigurationError for one without texts."""
    file = FOLDER / f"{language}.json"
    if not file.is_file():
        reason = "ASKBACK_MESSAGE_LANGUAGE is not a language that messages have"
        raise InteractionConfigurationError("the messages have no texts in this language", reason=reason)
    return MessageTexts(language=language, **json.loads(file.read_text(encoding="utf-8")))

"""Reads the texts of messages: `messages/<language>.json` has those of one language, `messages.json` the adopter's."""

import json
import re
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

from askback.domain.errors import InteractionConfigurationError
from askback.domain.people.message_texts import MessageTexts

FOLDER = Path(__file__).parent / "messages"
OWN_FILE = "messages.json"
"""The file in the folder of the adopter's layer: an object of languages, each an object of texts."""
OWN_FILE_MAX_BYTES = 64 * 1024
_BREAKS = {"Cc", "Cs", "Zl", "Zp"}
"""The categories of signs that end a line, and of halves of a sign: a heading is the subject of a mail."""
TEXT_MAX_CHARACTERS = 500
HEADINGS = ("asked", "reminder", "expires_soon")
HEADING_MAX_CHARACTERS = 99
"""SNS takes a subject of less than 100 characters."""


def message_texts(language: str, *, folder: str = "", not_used: Callable[[str], None] = lambda _: None) -> MessageTexts:
    """Return the texts of a language such as `en`, those of the adopter's folder before the built-in ones.

    People must get their messages, whatever an adopter's file holds: for a file that cannot be used, `not_used` gets
    the reason, and the texts are the built-in ones.

    Raises:
        InteractionConfigurationError: there are no texts in this language.
    """
    if language not in {file.stem for file in FOLDER.glob("*.json")}:
        reason = "ASKBACK_MESSAGE_LANGUAGE is not a language that messages have"
        raise InteractionConfigurationError("the messages have no texts in this language", reason=reason)
    built_in = _built_in(language)
    try:
        own = _own_texts(folder).get(language, {})
    except (OSError, ValueError, RecursionError) as error:
        not_used(f"ASKBACK_PAGE_FOLDER: {OWN_FILE} is not used: {error}")
        own = {}
    return MessageTexts(language=language, **{**built_in, **own})


def checked_texts(own: Any) -> dict[str, dict[str, str]]:
    """Return an adopter's texts by language.

    Raises:
        ValueError: a language or a key does not exist, or a text cannot stand in the place of the built-in one.
    """
    if not isinstance(own, dict) or not all(isinstance(texts, dict) for texts in own.values()):
        raise ValueError("must be an object of languages, each an object of texts")
    for language, texts in own.items():
        if not (FOLDER / f"{language}.json").is_file() or not language.isalpha():
            raise ValueError(f"{language!r} is not a language that messages have")
        built_in = _built_in(language)
        for key, text in texts.items():
            if key not in built_in or key == "direction":
                raise ValueError(f"{language} has {key!r}, which is not a text of messages")
            if fault := _fault(key, text, built_in[key]):
                raise ValueError(f"{language}.{key} must {fault}")
    return own


def _fault(key: str, text: Any, built_in: str) -> str:
    """Return what a text must be to stand in the place of the built-in one, or nothing."""
    if not (isinstance(text, str) and text.strip()) or _BREAKS & {unicodedata.category(sign) for sign in text}:
        return "be one line that is not blank"
    if len(text) > (limit := HEADING_MAX_CHARACTERS if key in HEADINGS else TEXT_MAX_CHARACTERS):
        return f"have at most {limit} characters"
    # Also the way in which a number is written, such as {hour:02}: any other could fail when the message is sent.
    if sorted(set(_places(text))) != sorted(set(_places(built_in))):
        return f"have exactly these placeholders: {', '.join(sorted(set(_places(built_in)))) or 'none'}"
    if key == "months" and len(text.split()) != 12:
        return "have twelve words"
    if key == "foreign" and not {"“", "”"} <= set(text):
        return "name both marks, “ and ”"
    return ""


def _places(text: str) -> list[str]:
    # A brace of its own counts as a placeholder, because the text could not be filled in with it.
    return re.findall(r"\{[^{}]*\}|[{}]", text)


def _own_texts(folder: str) -> dict[str, dict[str, str]]:
    file = Path(folder) / OWN_FILE
    if not folder or not file.is_file():
        return {}
    content = file.read_bytes()
    if len(content) > OWN_FILE_MAX_BYTES:
        raise ValueError(f"must have at most {OWN_FILE_MAX_BYTES} bytes")
    return checked_texts(json.loads(content.decode()))


def _built_in(language: str) -> dict[str, str]:
    texts: dict[str, str] = json.loads((FOLDER / f"{language}.json").read_text(encoding="utf-8"))
    return texts

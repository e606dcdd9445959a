"""What an agent says about its question, besides the question: who asks, why, and what each answer does.

The page and the messages show it. It is recorded in the text of the request under a name of its own, so the hash that a
token and an answer carry covers it: who decided, has seen it. A request without it is recorded as before.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

ABOUT_KEY = "askback:about"
"""The name in the recorded request; no payload may have it."""
LONGEST = {
    "asker": 80,
    "reason": 500,
    "if_approved": 200,
    "if_rejected": 200,
    "if_answered": 200,
    "contact": 200,
}
"""The limit of each text, in characters."""


class Risk(StrEnum):
    """How much an answer can do; for HIGH, the page asks once more before it sends an answer that acts."""

    NORMAL = "normal"
    HIGH = "high"


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """The texts about a question; an empty one is not shown.

    `asker` names the agent or the product. `if_approved`, `if_rejected` and `if_answered` say what happens then.
    `contact` is whom a reader can ask. `markdown` names the texts of the payload that are Markdown. `takes_questions`
    says that a person can ask back: the program that asks reads these questions and replies.
    """

    asker: str = ""
    reason: str = ""
    risk: Risk = Risk.NORMAL
    if_approved: str = ""
    if_rejected: str = ""
    if_answered: str = ""
    contact: str = ""
    markdown: tuple[str, ...] = ()
    takes_questions: bool = False

    def recorded(self) -> dict[str, Any]:
        """Return the object that is recorded: only what is given."""
        return {name: value for name, value in asdict(self).items() if value not in ("", (), Risk.NORMAL, False)}

    @classmethod
    def of_recorded(cls, found: Any) -> "About":
        """Return what was recorded; what a newer version has recorded besides is left out."""
        if not isinstance(found, Mapping):
            return NO_ABOUT
        texts = {name: found[name] for name in LONGEST if isinstance(found.get(name), str)}
        risk = Risk.HIGH if found.get("risk") == Risk.HIGH.value else Risk.NORMAL
        names = found.get("markdown")
        markdown = tuple(name for name in names if isinstance(name, str)) if isinstance(names, list) else ()
        return cls(risk=risk, markdown=markdown, takes_questions=found.get("takes_questions") is True, **texts)


NO_ABOUT = About()


def split_request(recorded: dict[str, Any]) -> tuple[dict[str, Any], About]:
    """Return the payload of a recorded request, and what is said about it."""
    if ABOUT_KEY not in recorded:
        return recorded, NO_ABOUT
    payload = {name: value for name, value in recorded.items() if name != ABOUT_KEY}
    return payload, About.of_recorded(recorded[ABOUT_KEY])

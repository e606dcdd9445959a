"""Interactions of these tests' own: answers of every JSON kind, for whoever holds the link."""

from typing import Any, Final

from pydantic import BaseModel

from askback.domain.interactions.registry import InteractionRegistration, InteractionRegistry
from askback.interactions import ASK_USER_REGISTRATION


class Prompt(BaseModel):
    text: str


def _kind(name: str, answer: Any) -> InteractionRegistration:
    return InteractionRegistration(name=name, payload_schema=Prompt, response_schema=answer, allow_link=True)


ANSWER_KINDS: Final = InteractionRegistry(
    [ASK_USER_REGISTRATION, _kind("free_text", str), _kind("yes_no", bool), _kind("anything", Any)]
)

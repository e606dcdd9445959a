"""The checks of what an agent says about its question, and the text that is recorded with it."""

from collections.abc import Mapping
from typing import Any

from askback.domain.errors import FieldError, InvalidRequest
from askback.domain.interactions.registry import InteractionRegistration, NewPayload, Presentation
from askback.domain.recorded_text import RecordedText, recorded_text
from askback.domain.records.about import ABOUT_KEY, LONGEST, NO_ABOUT, About
from askback.domain.visible_text import text_fault

MARKDOWN_MAX = 10
"""The most names of texts that are Markdown."""

_EFFECTS = {True: ("if_answered",), False: ("if_approved", "if_rejected")}
"""For an approval and for every other question: the effects that it cannot have."""
_MARKDOWN_IN = {
    Presentation.ASK_USER: ("question", "description", "preview"),
    Presentation.APPROVAL: ("summary",),
    Presentation.FORM: ("description",),
}
"""The running texts of the built-in interactions. Arguments of an action are values, so they are never among them."""


def recorded_with(about: About, new: NewPayload, registration: InteractionRegistration) -> RecordedText:
    """Return what is recorded of a new payload of the interaction and of what is said about it.

    Raises:
        InvalidRequest: with each wrong field.
    """
    if ABOUT_KEY in new.shown:
        raise InvalidRequest.of_field("payload", f"must not have the name {ABOUT_KEY!r}")
    if about == NO_ABOUT:
        return new.recorded
    if errors := _errors(about, new.shown, registration):
        raise InvalidRequest("what is said about the question cannot be used", errors=errors)
    return recorded_text({**new.shown, ABOUT_KEY: about.recorded()})


def _errors(about: About, payload: Mapping[str, Any], registration: InteractionRegistration) -> list[FieldError]:
    errors, presentation = [], registration.presentation
    for name, longest in LONGEST.items():
        text = getattr(about, name)
        if text and (wrong := text_fault(text, longest=longest)):
            errors.append(FieldError(f"about.{name}", wrong))
    approves = presentation is Presentation.APPROVAL
    errors += [
        FieldError(f"about.{name}", "is for an approval" if not approves else "is for a question that is no approval")
        for name in _EFFECTS[approves]
        if getattr(about, name)
    ]
    if about.takes_questions and not registration.allow_questions:
        errors.append(FieldError("about.takes_questions", "is not possible: the interaction does not allow it"))
    if len(about.markdown) > MARKDOWN_MAX:
        errors.append(FieldError("about.markdown", f"must have at most {MARKDOWN_MAX} names"))
    elif not set(about.markdown) <= set(allowed := _markdown_texts(payload, presentation)):
        only = f"can name these texts only: {', '.join(allowed) or 'none'}"
        errors.append(FieldError("about.markdown", only, bare_message="names what is no text of the payload"))
    return errors


def _markdown_texts(payload: Mapping[str, Any], presentation: Presentation) -> tuple[str, ...]:
    own = tuple(name for name, value in payload.items() if isinstance(value, str))
    return _MARKDOWN_IN.get(presentation, own)

"""What this deployment can ask: one registration for each interaction, and how its bodies are read.

The differences between interactions are data on the registration, so that there is one path to pause and one to resume.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from pydantic import BaseModel, TypeAdapter, ValidationError

from askback.domain.errors import (
    AnswerInvalid,
    FieldError,
    InvalidRequest,
    PayloadUnreadable,
    UnknownInteraction,
)
from askback.domain.json_text import Json, canonical_text, require_json
from askback.domain.limits import PAYLOAD_MAX_BYTES, RESPONSE_MAX_BYTES, require_name


@dataclass(frozen=True, slots=True, kw_only=True)
class PausePlace:
    """Where a pause is recorded; ids that are stamped into its payload follow from this."""

    thread_id: str
    checkpoint_id: str
    tool_call_id: str


class Presentation(StrEnum):
    """How a page asks: a form of its own for each built-in interaction, or one drawn from the answer's JSON Schema."""

    ASK_USER = "ask_user"
    APPROVAL = "approval"
    FORM = "form"
    SCHEMA = "schema"


def _unchanged(payload: Mapping[str, Any], place: PausePlace) -> Mapping[str, Any]:
    return payload


def _as_given(response: Json, payload: BaseModel) -> Json:
    return response


def _nothing_wrong(*bodies: Any) -> Sequence[FieldError]:
    return ()


@dataclass(frozen=True, kw_only=True)
class InteractionRegistration:
    """One kind of question.

    `payload_schema` is the pydantic model of what is asked; `response_schema` any type pydantic reads (a model, `bool`,
    `str`, an enum). `validate_response` compares a valid answer with the validated request; `validate_new_payload`
    holds a new request to more than its schema does. `complete_response` turns a legal answer into what is recorded,
    where that says more than the person sent. `prepare` lets the server set parts of a payload, `prepare_default` parts
    of an answer that is given in advance. `presentation` is how a page asks for the answer. `hash_model` hashes the
    model's own text (the legacy form of `ask_user`) instead of the mapping. `allow_cross_scope` lets another scope
    redeem, audited. `allow_link` lets the holder of an answer link answer without being signed in.
    """

    name: str
    payload_schema: type[BaseModel]
    response_schema: Any
    validate_response: Callable[[Any, Any], Sequence[FieldError]] = _nothing_wrong
    validate_new_payload: Callable[[Any], Sequence[FieldError]] = _nothing_wrong
    complete_response: Callable[[Any, Any], Json] | None = None
    prepare: Callable[[Mapping[str, Any], PausePlace], Mapping[str, Any]] = _unchanged
    prepare_default: Callable[[Json, Any], Json] = _as_given
    presentation: Presentation = Presentation.SCHEMA
    hash_model: bool = False
    allow_cross_scope: bool = False
    allow_link: bool = False
    _adapters: dict[str, TypeAdapter[Any]] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        require_name(self.name)

    def read_new_payload(self, payload: Mapping[str, Any], place: PausePlace) -> BaseModel | dict[str, Any]:
        """Return what is to be hashed and recorded for a payload that an agent supplied.

        Raises:
            InvalidRequest: naming each field that is wrong, or the size limit of 256 KiB.
        """
        prepared = self.prepare(payload, place)
        require_json(prepared, at="payload", whole_text=True)
        text = canonical_text(prepared)
        if len(text) > PAYLOAD_MAX_BYTES:
            raise InvalidRequest.of_field("payload", f"must be at most {PAYLOAD_MAX_BYTES} bytes")
        try:
            model = self._adapter("payload").validate_json(text, strict=True)
        except ValidationError as error:
            raise InvalidRequest(
                f"the payload does not fit the interaction {self.name!r}", errors=_field_errors(error, "payload")
            ) from None
        errors = self.validate_new_payload(model)
        if errors:
            raise InvalidRequest(f"the payload does not fit the interaction {self.name!r}", errors=errors)
        if self.hash_model:
            return model  # type: ignore[no-any-return]
        return model.model_dump(mode="json")  # type: ignore[no-any-return]

    def read_recorded_payload(self, payload: dict[str, Any]) -> BaseModel:
        """Return the model of a recorded payload; raises PayloadUnreadable when the schema no longer reads it."""
        try:
            return self._adapter("payload").validate_json(canonical_text(payload), strict=True)  # type: ignore[no-any-return]
        except ValidationError as error:
            names = ", ".join(item.field for item in _field_errors(error, "payload"))
            raise PayloadUnreadable(
                f"the recorded request does not fit the registered {self.name!r} any more: {names}"
            ) from None

    def read_response(self, response: Json, payload: BaseModel) -> Json:
        """Return the answer as JSON after both its checks: its own schema, then the question.

        Raises:
            AnswerInvalid: naming each field that is wrong; allowed values are named too.
        """
        try:
            require_json(response, at="response", whole_text=True)
        except InvalidRequest as error:
            raise AnswerInvalid(error.detail, errors=error.errors) from None
        text = canonical_text(response)
        if len(text) > RESPONSE_MAX_BYTES:
            message = f"must be at most {RESPONSE_MAX_BYTES} bytes"
            raise AnswerInvalid(f"response: {message}", errors=(FieldError("response", message),))
        adapter = self._adapter("response")
        try:
            model = adapter.validate_json(text, strict=True)
        except ValidationError as error:
            raise AnswerInvalid("the answer has the wrong form", errors=_field_errors(error, "response")) from None
        errors = self.validate_response(payload, model)
        if errors:
            raise AnswerInvalid("the answer does not fit the question", errors=errors)
        if self.complete_response is not None:
            return self.complete_response(payload, model)
        return adapter.dump_python(model, mode="json")

    def answer_schema(self) -> dict[str, Any] | None:
        """Return the JSON Schema of an answer for a page that draws its fields from it, else None."""
        if self.presentation is not Presentation.SCHEMA:
            return None
        return self._adapter("response").json_schema()

    def _adapter(self, kind: str) -> TypeAdapter[Any]:
        # Built on first use: a function that only mints never needs the schema of an answer.
        if kind not in self._adapters:
            self._adapters[kind] = TypeAdapter(self.payload_schema if kind == "payload" else self.response_schema)
        return self._adapters[kind]


class InteractionRegistry:
    """The registered interactions, by name."""

    def __init__(self, registrations: Iterable[InteractionRegistration]) -> None:
        self._by_name: dict[str, InteractionRegistration] = {}
        for registration in registrations:
            if registration.name in self._by_name:
                raise ValueError(f"the interaction {registration.name!r} is registered twice")
            self._by_name[registration.name] = registration

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    def named(self, name: str) -> InteractionRegistration:
        """Return the registration; raises UnknownInteraction."""
        try:
            return self._by_name[name]
        except KeyError:
            raise UnknownInteraction(name) from None


def _field_errors(error: ValidationError, root: str) -> tuple[FieldError, ...]:
    # Without `input` and `ctx`: an error must not repeat what was sent. One of pydantic's messages does.
    details = error.errors(include_url=False, include_context=False, include_input=False)
    return tuple(
        FieldError(_path(root, item["loc"]), _OWN_MESSAGES.get(item["type"], item["msg"])) for item in details[:20]
    )


_OWN_MESSAGES = {"union_tag_invalid": "Input is of none of the expected kinds"}


def _path(root: str, location: Sequence[int | str]) -> str:
    return root + "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in location)

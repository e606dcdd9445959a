"""The registry of interactions: one registration for each, and the reading of its payloads and answers.

All differences between interactions are data of the registration. So all interactions use the same code to pause and
to resume.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from pydantic import BaseModel, TypeAdapter, ValidationError

from askback.domain.errors import (
    AnswerInvalid,
    FieldError,
    InteractionConfigurationError,
    InvalidRequest,
    PayloadUnreadable,
    UnknownInteraction,
)
from askback.domain.field_errors import FieldErrors, Location, field_errors
from askback.domain.interactions.answer_schema import answer_schema
from askback.domain.interactions.floor import NO_FLOOR, Floor
from askback.domain.interactions.model_faults import model_faults
from askback.domain.json_text import Json, canonical_text, require_json_within
from askback.domain.limits import PAYLOAD_MAX_BYTES, RESPONSE_MAX_BYTES, require_name
from askback.domain.recorded_text import RecordedText, recorded_text
from askback.domain.written_numbers import has_digits, with_digits


@dataclass(frozen=True, slots=True, kw_only=True)
class PausePlace:
    """The place at which a pause is recorded; the server derives ids in the payload from it."""

    thread_id: str
    checkpoint_id: str
    tool_call_id: str


class Presentation(StrEnum):
    """How the page asks: with the form of a built-in interaction, or with fields from the answer's JSON Schema."""

    ASK_USER = "ask_user"
    APPROVAL = "approval"
    FORM = "form"
    SCHEMA = "schema"


@dataclass(frozen=True, slots=True, kw_only=True)
class NewPayload:
    """A payload that an agent supplied, checked: as its model, as the object that is shown, and as what is recorded."""

    request: BaseModel
    shown: Mapping[str, Any]
    recorded: RecordedText


def _unchanged(payload: Mapping[str, Any], place: PausePlace) -> Mapping[str, Any]:
    return payload


def _as_given(response: Json, payload: BaseModel) -> Json:
    return response


def _nothing_wrong(*bodies: Any) -> Sequence[FieldError]:
    return ()


def _approves_nothing(response: Json) -> bool:
    return False


def _whole(response: Json) -> Json:
    return response


class RegistrationInvalid(ValueError):
    """A registration cannot be used. The text has only names and types, so it can be logged."""


@dataclass(frozen=True, kw_only=True)
class InteractionRegistration:
    """One kind of question: the form of its payload, the form of its answer, and the rules between the two.

    A name and two types are enough:

        class Refund(BaseModel):
            amount: float

        InteractionRegistration(name="approve_refund", payload_schema=Refund, response_schema=bool)

    Everything else has a default. The functions below are called with values that their schema has already accepted;
    they must not call other services, because the person and the agent wait for them.

    Raises InvalidRequest for a name that is not 1 to 64 lower-case letters, digits and `_`, a letter first.
    """

    name: str
    """The name in a mint request. Pauses are recorded with it, so a name in use must keep its meaning."""
    payload_schema: type[BaseModel]
    """The pydantic model of the payload. It reads strictly: "5" is not a number. While pauses of an earlier version of
    the model are open, it must read their payloads too; else their answers are `payload-unreadable`."""
    response_schema: Any
    """The type of an answer: anything that pydantic reads from JSON (a model, `bool`, `str`, an enum, a list)."""
    validate_response: Callable[[Any, Any], Sequence[FieldError]] = _nothing_wrong
    """`(payload, response) -> errors`: the errors of this answer to this question. Each error has a field, such as
    `response.amount`. The person gets the errors as `answer-invalid`, and can answer again."""
    validate_new_payload: Callable[[Any], Sequence[FieldError]] = _nothing_wrong
    """`(payload) -> errors`: rules for new questions only. They do not apply to recorded ones, so a rule can be added
    while pauses are open."""
    complete_response: Callable[[Any, Any], Json] | None = None
    """`(payload, response) -> JSON`: the answer that is recorded and given to the agent, if it must contain more than
    the person sent. Without it, the answer is recorded as `response_schema` read it."""
    prepare: Callable[[Mapping[str, Any], PausePlace], Mapping[str, Any]] = _unchanged
    """`(payload, place) -> payload`: sets the parts that the server sets. It is called before the schema, so the
    payload can have any form. A repeated mint must get the same result: use no clock and no random number."""
    prepare_default: Callable[[Json, Any], Json] = _as_given
    """`(response, payload) -> response`: sets the parts of a default answer (`on_expiry`) that its author cannot
    know."""
    approves: Callable[[Json], bool] = _approves_nothing
    """`(response) -> bool`: whether a recorded answer lets the proposed action run. A default answer that approves is
    refused, because the agent that asks also writes the default answer: without a person, it would approve itself."""
    runs: Callable[[Json], Json] = _whole
    """`(response) -> JSON`: what a recorded answer that approves lets run. The votes of several people count together
    if this is the same for all of them."""
    allow_default_approval: bool = False
    """Whether a default answer may approve all the same."""
    floor: Floor = NO_FLOOR
    """The least that every pause of this interaction demands, such as how well an answerer must be known."""
    presentation: Presentation = Presentation.SCHEMA
    """How the page asks. `SCHEMA` draws the fields from the JSON Schema of `response_schema`; the others need the
    payload and the answer of the built-in interaction with that name."""
    hash_model: bool = False
    """Whether the model's own text is hashed instead of the mapping: the legacy form of `ask_user`. Leave it out."""
    allow_cross_scope: bool = False
    """Whether a caller of another scope can redeem the pause. Each time is audited."""
    allow_questions: bool = True
    """Whether a mint can say that the person may ask back instead of answering (`about.takes_questions`)."""
    allow_link: bool = False
    """Whether the holder of an answer link can answer without a sign-in. Without it, only people who sign in and
    backends can."""
    _adapters: dict[str, TypeAdapter[Any]] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        require_name(self.name)

    def require_usable(self) -> None:
        """Build both schemas at the start, and not at the first answer; raises RegistrationInvalid.

        The JSON Schema is not built here: it takes longer than everything else, and the mint never needs it.
        """
        model: Any = self.payload_schema
        if not (isinstance(model, type) and issubclass(model, BaseModel)):
            raise RegistrationInvalid(f"the payload_schema of {self.name!r} is not a pydantic model")
        for kind in ("payload", "response"):
            try:
                self._adapter(kind)
            except Exception as error:  # noqa: BLE001 - pydantic runs the type's own code, which can raise any error
                raise RegistrationInvalid(f"the {kind}_schema of {self.name!r}: {type(error).__name__}") from None
        for kind, schema in (("payload", model), ("response", self.response_schema)):
            for fault in model_faults(schema, read_again=kind == "payload"):
                raise RegistrationInvalid(f"the {kind}_schema of {self.name!r}: {fault}")

    def read_new_payload(self, payload: Mapping[str, Any], place: PausePlace) -> NewPayload:
        """Return a payload that an agent supplied with what is recorded for it: the one text that is also hashed.

        Raises:
            InvalidRequest: naming each field that is wrong, or the size limit of 256 KiB.
        """
        prepared = self.prepare(payload, place)
        text = require_json_within(prepared, at="payload", max_bytes=PAYLOAD_MAX_BYTES, whole_text=True)
        try:
            model = self._adapter("payload").validate_json(text, strict=True)
        except ValidationError as error:
            found = self._field_errors(error, "payload")
            raise InvalidRequest(
                f"the payload does not fit the interaction {self.name!r}", errors=found.shown, more_errors=found.more
            ) from None
        errors = self.validate_new_payload(model)
        if errors:
            raise InvalidRequest(f"the payload does not fit the interaction {self.name!r}", errors=errors)
        shown = model.model_dump(mode="json", by_alias=True)
        self._require_read_again(shown)
        return NewPayload(request=model, shown=shown, recorded=recorded_text(model if self.hash_model else shown))

    def _require_read_again(self, shown: dict[str, Any]) -> None:
        # The built-in models are tested; an adopter's may have serializers whose effect only a payload shows.
        if self.presentation is not Presentation.SCHEMA:
            return
        try:
            self.read_recorded_payload(shown)
        except PayloadUnreadable as error:
            raise InteractionConfigurationError(
                f"the interaction {self.name!r} cannot be used", reason=f"its own model cannot read it again: {error}"
            ) from None

    def read_recorded_payload(self, payload: dict[str, Any]) -> BaseModel:
        """Return the model of a recorded payload; raises PayloadUnreadable when the schema no longer reads it."""
        try:
            return self._adapter("payload").validate_json(canonical_text(payload), strict=True)  # type: ignore[no-any-return]
        except ValidationError as error:
            names = self._field_errors(error, "payload").names()
            text = f"the recorded request does not fit the registered {self.name!r} any more"
            unreadable = PayloadUnreadable(f"{text}: {names}")
            unreadable.bare_detail = text
            raise unreadable from None

    def read_response(self, response: Json, payload: BaseModel) -> Json:
        """Check the answer against its schema and then against the question, and return it as JSON.

        Raises:
            AnswerInvalid: with each wrong field and the allowed values.
        """
        try:
            text = require_json_within(response, at="response", max_bytes=RESPONSE_MAX_BYTES, whole_text=True)
        except InvalidRequest as error:
            raise AnswerInvalid(error.detail, errors=error.errors, bare_detail=error.bare_detail) from None
        adapter = self._adapter("response")
        try:
            model = adapter.validate_json(text, strict=True)
        except ValidationError as error:
            found = self._field_errors(error, "response")
            raise AnswerInvalid("the answer has the wrong form", errors=found.shown, more_errors=found.more) from None
        errors = self.validate_response(payload, model)
        if errors:
            raise AnswerInvalid("the answer does not fit the question", errors=errors)
        if not has_digits(response):
            return self._recorded(payload, model, adapter)
        # pydantic reads a number as a float, and forgets the digits that the person has written.
        return with_digits(self._recorded(payload, _with_digits(model, response), adapter), response)

    def _recorded(self, payload: BaseModel, model: Any, adapter: TypeAdapter[Any]) -> Json:
        if self.complete_response is not None:
            return self.complete_response(payload, model)
        return adapter.dump_python(model, mode="json", by_alias=True)

    @property
    def says_yes_and_no(self) -> bool:
        """Whether the registration says which answers approve, so that several people can vote."""
        return self.approves is not _approves_nothing

    def answer_schema(self) -> dict[str, Any] | None:
        """Return the JSON Schema of an answer if the page draws its fields from it, else None."""
        if self.presentation is not Presentation.SCHEMA:
            return None
        return answer_schema(self._adapter("response"))

    def _field_errors(self, error: ValidationError, kind: str) -> FieldErrors:
        schema = self._adapter(kind).json_schema
        return field_errors(error, lambda location: _path(kind, location), whole=kind, schema=schema)

    def _adapter(self, kind: str) -> TypeAdapter[Any]:
        # Built on first use: a function that only mints never needs the schema of an answer.
        if kind not in self._adapters:
            self._adapters[kind] = TypeAdapter(self.payload_schema if kind == "payload" else self.response_schema)
        return self._adapters[kind]


@dataclass(frozen=True, slots=True)
class WithoutBuiltIn:
    """An entry in a list of registrations: the deployment must not offer this built-in interaction."""

    name: str


class InteractionRegistry:
    """The registered interactions, each under its name."""

    def __init__(self, registrations: Iterable[InteractionRegistration]) -> None:
        self._by_name: dict[str, InteractionRegistration] = {}
        for registration in registrations:
            if registration.name in self._by_name:
                raise RegistrationInvalid(f"the interaction {registration.name!r} is registered twice")
            self._by_name[registration.name] = registration

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    def named(self, name: str) -> InteractionRegistration:
        """Return the registration; raises UnknownInteraction."""
        try:
            return self._by_name[name]
        except KeyError:
            raise UnknownInteraction(name, tuple(self._by_name)) from None

    def extended(self, own: Iterable[InteractionRegistration | WithoutBuiltIn]) -> "InteractionRegistry":
        """Return a registry of these built-in interactions and an adopter's own.

        An own registration replaces the built-in one with the same name. So an adopter keeps a name when a later
        version adds a built-in interaction with that name.

        Raises:
            RegistrationInvalid: an entry is neither of the two, or cannot be used; a name is registered twice;
                a `WithoutBuiltIn` does not name a built-in interaction.
        """
        built_in, added = dict(self._by_name), list[InteractionRegistration]()
        for entry in own:
            if isinstance(entry, WithoutBuiltIn):
                if built_in.pop(entry.name, None) is None:
                    raise RegistrationInvalid(f"{entry.name!r} is not a built-in interaction, or is left out twice")
            elif isinstance(entry, InteractionRegistration):
                entry.require_usable()
                added.append(entry)
            else:
                raise RegistrationInvalid(f"{type(entry).__name__} is not a registration")
        names = {registration.name for registration in added}
        return InteractionRegistry([*(built_in[name] for name in built_in if name not in names), *added])


def _with_digits(model: Any, given: Json) -> Any:
    """Return the model of an answer, or another value that pydantic has read, with the digits of its numbers."""
    if not (isinstance(model, BaseModel) and isinstance(given, dict)):
        return with_digits(model, given)
    fields = type(model).model_fields
    changed = {
        name: with_digits(getattr(model, name), given.get(field.alias or name)) for name, field in fields.items()
    }
    # Only what has changed: a model remembers which of its fields were set.
    return model.model_copy(update={name: value for name, value in changed.items() if has_digits(value)})


def _path(root: str, location: Location) -> str:
    return root + "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in location)

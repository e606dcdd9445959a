"""The built-in interaction `form`: a payload with a flat schema, and an answer whose values fit the schema.

There is one schema, in the recorded request. The page draws its fields from it, and the server checks the answer
against it.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from askback.domain.errors import FieldError
from askback.domain.interactions.form_fields import DOES_NOT_FIT, FieldName, FormField, SchemaModel, fault
from askback.domain.interactions.new_fields import new_field_errors
from askback.domain.interactions.registry import PausePlace
from askback.domain.visible_text import is_blank

FIELDS_MAX = 30

FormResponse = dict[str, Any]
"""A value for each field; a field that is not required may be missing."""


class FormSchema(SchemaModel):
    """An object of 1 to 30 fields; an answer can contain only these fields."""

    type: Literal["object"]
    properties: Annotated[dict[FieldName, FormField], Field(min_length=1, max_length=FIELDS_MAX)]
    required: list[str] | None = Field(default=None, max_length=FIELDS_MAX)
    additional_properties: Literal[False] | None = None

    @model_validator(mode="after")
    def _required_fields_exist(self) -> Self:
        if not set(self.required or ()) <= set(self.properties):
            raise ValueError("required names a field that is not among the properties")
        return self


class FormRequest(SchemaModel):
    """The request: a title of 1 to 200 characters, a description of up to 2,000, the fields, and their order."""

    title: str = Field(min_length=1, max_length=200)
    description: str | None = Field(default=None, max_length=2000)
    form: FormSchema = Field(alias="schema")
    order: list[str] = Field(max_length=FIELDS_MAX)

    @model_validator(mode="after")
    def _order_is_of_the_fields(self) -> Self:
        if sorted(self.order) != sorted(self.form.properties):
            raise ValueError("order must name every property of the schema once")
        return self


def stamp_order(payload: Mapping[str, Any], place: PausePlace) -> Mapping[str, Any]:
    """Return the payload with an `order` of its fields, because a recorded object's keys are sorted.

    A payload that has an `order` is returned without change.
    """
    schema = payload.get("schema")
    properties = schema.get("properties") if isinstance(schema, Mapping) else None
    if not isinstance(properties, Mapping) or "order" in payload:
        return payload
    return {**payload, "order": list(properties)}


def check_form(request: FormRequest) -> list[FieldError]:
    """Return the errors of a new form: fields that no person can fill in, or that look the same, and a blank title."""
    blank = [FieldError("payload.title", "must not be blank")] if is_blank(request.title) else []
    return [*blank, *new_field_errors(request.form.properties, at="payload.schema.properties")]


def check_values(request: FormRequest, response: FormResponse) -> list[FieldError]:
    """Return the errors of the values of these fields; an empty list when they are valid."""
    fields, required = request.form.properties, request.form.required or ()
    errors = [
        FieldError(f"response.{name}", "must be given", "response.*") for name in required if name not in response
    ]
    # Said once: an answer can have fifty thousand fields that the form does not have.
    if not response.keys() <= fields.keys():
        errors.append(
            FieldError(
                "response",
                f"can have these fields only: {', '.join(fields)}",
                bare_message="has a field that the form does not have",
            )
        )
    for name, field in fields.items():
        if name in response and (wrong := fault(field, response[name])):
            errors.append(FieldError(f"response.{name}", wrong, "response.*", DOES_NOT_FIT))
    return errors

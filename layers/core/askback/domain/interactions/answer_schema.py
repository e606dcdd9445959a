"""The JSON Schema of an answer, from which the page draws its fields."""

from typing import Any

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue


class _AnswerSchema(GenerateJsonSchema):
    """pydantic's own schema, in which a decimal is marked.

    Without the mark it would be the same as that of `float | str`, and the page could not draw a field for a number.
    """

    def decimal_schema(self, schema: Any) -> JsonSchemaValue:
        return {**super().decimal_schema(schema), "format": "decimal"}


def answer_schema(adapter: TypeAdapter[Any]) -> dict[str, Any]:
    """Return the JSON Schema of a type; a `Decimal` has the format `decimal`."""
    return adapter.json_schema(schema_generator=_AnswerSchema)

"""What makes an adopter's model lose or change what it has read, found when it is registered.

A payload is recorded as its model writes it and is read by the same model again when it is answered. An answer is
recorded as its model writes it, and there is no other copy. So a model must write every field that it reads, under the
name that it reads, and no secret: pydantic writes `**********` for one.
"""

import dataclasses
from collections.abc import Iterator
from typing import Any, get_args, get_type_hints

from pydantic import BaseModel, Secret, SecretBytes, SecretStr
from pydantic.fields import FieldInfo

_SECRETS = (Secret, SecretBytes, SecretStr)


def model_faults(schema: Any, *, read_again: bool) -> Iterator[str]:
    """Yield what is wrong, by the names of models and fields; `read_again` is for what its own model reads again."""
    for kind in _kinds(schema, set()):
        if issubclass(kind, _SECRETS):
            yield f"{kind.__name__} is written as asterisks"
        elif issubclass(kind, BaseModel):
            for name, field in kind.model_fields.items():
                yield from (f"{kind.__name__}.{name} {fault}" for fault in _field_faults(name, field))
            if read_again and kind.model_computed_fields and kind.model_config.get("extra") == "forbid":
                yield f"{kind.__name__} forbids extra fields and would not read its own computed fields again"


def _field_faults(name: str, field: FieldInfo) -> Iterator[str]:
    if field.exclude:
        yield "is excluded, so it is not recorded"
    read, written = field.validation_alias or name, field.serialization_alias or name
    if read != written:
        yield "is read under another name than it is written"


def _kinds(schema: Any, seen: set[int]) -> Iterator[type]:
    """Yield every class that a type is made of, once."""
    if id(schema) in seen:
        return
    seen.add(id(schema))
    inner: list[Any] = [*get_args(schema), getattr(schema, "__value__", None)]
    if isinstance(schema, type):
        yield schema
        if issubclass(schema, BaseModel):
            inner += [field.annotation for field in schema.model_fields.values()]
        elif dataclasses.is_dataclass(schema) or hasattr(schema, "__total__"):
            inner += get_type_hints(schema).values()
    else:
        inner.append(getattr(schema, "__origin__", None))
    for part in inner:
        if part is not None:
            yield from _kinds(part, seen)

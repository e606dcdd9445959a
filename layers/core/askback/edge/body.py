"""The base of all request bodies: strict reading, and refusals with the name of each field but never its value."""

from typing import Annotated, Any, ClassVar, TypeVar

from pydantic import BaseModel, ConfigDict, FailFast, ValidationError

from askback.domain.errors import InvalidRequest
from askback.domain.field_errors import Location, field_errors
from askback.domain.json_text import is_whole
from askback.domain.pause.scope import Scope
from askback.edge.lambda_events import RouteRequest


class Body(BaseModel):
    """A request body: no value is converted to another type, and unknown fields are refused."""

    HALVES_ALLOWED: ClassVar[frozenset[str]] = frozenset()
    """Text fields that may have half a surrogate pair: those that are carried as JSON, and tokens, which are only
    compared. Every other text can become a stored attribute or a part of a call, which are UTF-8."""

    # Validators are built on first use: models that are only parts of others never need their own.
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, defer_build=True)


class ScopeBody(Body):
    """A scope in a request."""

    tenant_id: str
    sub_tenant_id: str | None = None
    namespace: str | None = None

    def scope(self) -> Scope:
        """Return the checked scope."""
        return Scope(tenant_id=self.tenant_id, sub_tenant_id=self.sub_tenant_id, namespace=self.namespace)


Names = Annotated[list[str], FailFast()]
"""Names. A body has room for 330,000 wrong ones, and an error for each of them takes 100 MB."""

BodyT = TypeVar("BodyT", bound=Body)


def read_body(model: type[BodyT], request: RouteRequest) -> BodyT:
    """Return the body of a request; raises InvalidRequest with each wrong, missing or unknown field."""
    try:
        body = model.model_validate(request.body)
    except ValidationError as error:
        found = field_errors(error, _path, whole="body", schema=model.model_json_schema)
        text = "the request has wrong, missing or unknown fields"
        raise InvalidRequest(
            f"{text}: {found.names()}",
            bare_detail=f"{text}: {found.bare_names()}",
            errors=found.shown,
            more_errors=found.more,
        ) from None
    _require_whole_texts(body, "")
    return body


def _require_whole_texts(body: Body, at: str) -> None:
    for name, field in type(body).model_fields.items():
        # A field of any type has JSON. Its own reader checks it.
        if field.annotation is not Any and name not in body.HALVES_ALLOWED:
            _require_whole(getattr(body, name), at + name)


def _require_whole(value: object, at: str) -> None:
    if isinstance(value, Body):
        _require_whole_texts(value, f"{at}.")
    elif isinstance(value, str):
        if not is_whole(value):
            raise InvalidRequest.of_field(at, "must not contain half a surrogate pair")
    elif isinstance(value, list):
        for index, item in enumerate(value):
            if isinstance(item, str | Body):
                _require_whole(item, f"{at}[{index}]")


def _path(location: Location) -> str:
    return ".".join(map(str, location))

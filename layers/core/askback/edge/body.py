"""The base of all request bodies: strict reading, and refusals with the name of each field but never its value."""

from typing import TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from askback.domain.errors import FieldError, InvalidRequest
from askback.domain.pause.scope import Scope
from askback.edge.lambda_events import RouteRequest

ERRORS_SHOWN = 20


class Body(BaseModel):
    """A request body: no value is converted to another type, and unknown fields are refused."""

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


BodyT = TypeVar("BodyT", bound=Body)


def read_body(model: type[BodyT], request: RouteRequest) -> BodyT:
    """Return the body of a request; raises InvalidRequest with each wrong, missing or unknown field."""
    try:
        return model.model_validate(request.body)
    except ValidationError as error:
        details = error.errors(include_url=False, include_context=False, include_input=False)
        errors = tuple(FieldError(".".join(map(str, item["loc"])), item["msg"]) for item in details[:ERRORS_SHOWN])
        names = ", ".join(item.field for item in errors)
        raise InvalidRequest(f"the request has wrong, missing or unknown fields: {names}", errors=errors) from None

"""The operator of a request, for the row and the log."""

from askback.domain.errors import InvalidRequest
from askback.domain.limits import IDENTIFIER_MAX_BYTES, require_identifier
from askback.domain.pause.person_names import ASKER, RUN_ENDED, person_key
from askback.edge.body import Body, BodyT, read_body
from askback.edge.lambda_events import Caller, CallerAuth, RouteRequest


class OperatorBody(Body):
    """The field of a direct invocation that states the operator; over HTTP the gateway knows the principal."""

    operator: str | None = None


def read_with_operator(plain: type[BodyT], direct: type[BodyT], request: RouteRequest) -> tuple[BodyT, str | None]:
    """Return the body of a request, and the operator that a direct caller states in it.

    `direct` is the body `plain` with the field of `OperatorBody`; it is read for a direct caller alone.

    Raises:
        InvalidRequest: with each wrong, missing or unknown field.
    """
    body = read_body(direct if request.caller.auth is CallerAuth.DIRECT else plain, request)
    return body, body.operator if isinstance(body, OperatorBody) else None


def operator_of(caller: Caller, stated: str | None) -> str:
    """Return who sent the request; raises InvalidRequest for a stated name that is no identifier.

    Over HTTP, the operator is the principal that the gateway has verified. A direct caller can state the operator,
    because Lambda does not give the function its caller.
    """
    if caller.auth is CallerAuth.DIRECT:
        name = caller.auth.value if stated is None else stated
    else:
        # An ARN can be longer than the field in the row.
        name = caller.arn[:IDENTIFIER_MAX_BYTES] or caller.auth.value
    if person_key(name) in (ASKER, RUN_ENDED):
        raise InvalidRequest.of_field("operator", "must not be a name by which askback records who revoked a pause")
    return require_identifier(name, field="operator")

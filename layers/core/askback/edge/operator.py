"""The operator of a request, for the row and the log."""

from askback.domain.errors import InvalidRequest
from askback.domain.limits import IDENTIFIER_MAX_BYTES, require_identifier
from askback.domain.pause.person_names import ASKER, person_key
from askback.edge.lambda_events import Caller, CallerAuth


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
    if person_key(name) == ASKER:
        raise InvalidRequest.of_field("operator", "must not be the name of the program that asked")
    return require_identifier(name, field="operator")

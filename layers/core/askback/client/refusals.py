"""Reads problem documents back into the errors that they were made from.

A client catches the same classes as code in the process of the domain. A code without a class in this version is an
`UnknownProblem`, because a deployment can be newer than its callers.
"""

from askback.client.transport import CallFailed, Reply, Unforeseen, UnknownProblem
from askback.domain.errors import REFUSALS, HumanInteractionError

INTERNAL = "internal"
"""The code of an unexpected error in the deployment; it has no class."""

_BY_CODE = {refusal.code: refusal for refusal in reversed(REFUSALS)}
_BY_CODE_AND_STATUS = {(refusal.code, refusal.status): refusal for refusal in REFUSALS}
_MAY_PASS = frozenset({429, 500, 502, 503, 504})
"""The statuses of a gateway or of Lambda that is busy, or whose function ended during the request."""


def error_in(reply: Reply) -> HumanInteractionError | CallFailed | None:
    """Return the error in a reply, or None for a success."""
    if reply.status < 400:
        return None
    document = reply.document
    code, detail = document.get("code"), document.get("detail")
    if not (isinstance(code, str) and isinstance(detail, str)):
        # Not from askback: its text may contain parts of the request.
        return UnknownProblem(
            f"refused with status {reply.status}; the refusal is not from askback",
            status=reply.status,
            retryable=reply.status in _MAY_PASS,
        )
    refusal = _BY_CODE_AND_STATUS.get((code, reply.status)) or _BY_CODE.get(code)
    if refusal is not None:
        return refusal.from_problem(document)
    kind = Unforeseen if code == INTERNAL else UnknownProblem
    return kind(detail, code=code, status=reply.status, retryable=document.get("retryable") is True)

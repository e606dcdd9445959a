"""Problem documents, read back into the errors that they were made from.

A caller outside catches the same classes as one in process. A code that this version has no class for is an
`UnknownProblem`, because a deployment may be newer than its callers.
"""

from askback.client.transport import CallFailed, Reply, Unforeseen, UnknownProblem
from askback.domain.errors import REFUSALS, HumanInteractionError

INTERNAL = "internal"
"""The code of a failure that the deployment has no class for either."""

_BY_CODE = {refusal.code: refusal for refusal in reversed(REFUSALS)}
_BY_CODE_AND_STATUS = {(refusal.code, refusal.status): refusal for refusal in REFUSALS}
_MAY_PASS = frozenset({429, 500, 502, 503, 504})
"""What a gateway or Lambda says when it is busy, or when the function died under the request."""


def error_in(reply: Reply) -> HumanInteractionError | CallFailed | None:
    """Return the error in a reply, or None when it is a success."""
    if reply.status < 400:
        return None
    document = reply.document
    code, detail = document.get("code"), document.get("detail")
    if not (isinstance(code, str) and isinstance(detail, str)):
        # Not askback's: its text may repeat what was sent.
        return UnknownProblem(
            f"refused with status {reply.status}, and not by askback",
            status=reply.status,
            retryable=reply.status in _MAY_PASS,
        )
    refusal = _BY_CODE_AND_STATUS.get((code, reply.status)) or _BY_CODE.get(code)
    if refusal is not None:
        return refusal.from_problem(document)
    kind = Unforeseen if code == INTERNAL else UnknownProblem
    return kind(detail, code=code, status=reply.status, retryable=document.get("retryable") is True)

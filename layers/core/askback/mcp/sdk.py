"""What differs between the versions of the MCP SDK for Python: 2 has revision 2026-07-28 and its rounds, 1 has not.

With the newer revision, a tool returns an `InputRequiredResult` and the client calls it again. Clients of an older
revision, and servers of version 1, take a request in the middle of the call, on the connection of this call.
"""

from collections.abc import Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from mcp import types

from askback.mcp.forms import Form

# Version 1 has nothing of what follows: type checkers see version 2.
if TYPE_CHECKING or find_spec("mcp.server.mcpserver") is not None:
    from mcp.server.mcpserver.exceptions import ToolError
    from mcp.server.request_state import RequestStateSecurity
    from mcp.shared.exceptions import NoBackChannelError
    from mcp.types import InputRequiredResult
else:
    from mcp.server.fastmcp.exceptions import ToolError

    InputRequiredResult = Any
    NoBackChannelError = ()  # a server of version 1 always has a way back to its client

__all__ = [
    "InputRequiredResult",
    "ToolError",
    "call_again",
    "declares",
    "elicited",
    "has_rounds",
    "reply_in",
    "state_security",
]

_KEY = "person"
"""The key of the one thing that a call asks its client for."""
LONGEST_QUESTION_SECONDS = 31 * 86_400
"""A question is open for 30 days at most; the day more is for clocks and late retries."""


def state_security(keys: Sequence[bytes | str]) -> "RequestStateSecurity":
    """Return the policy for `MCPServer(request_state_security=…)`: the state outlives the process, as questions do.

    Without it, the SDK seals with a key of the process and for ten minutes, and refuses a client that comes back later.
    A key has 32 random bytes or more. All processes of a server have the same keys: the first seals, all open.
    """
    return RequestStateSecurity(keys=keys, ttl=LONGEST_QUESTION_SECONDS)


def declares(ctx: Any, *, url: bool) -> bool:
    """Return whether the client takes addresses (`url`) or forms; a client that declares neither mode takes forms."""
    capabilities = getattr(ctx, "client_capabilities", None)
    if capabilities is None:
        params = getattr(ctx.session, "client_params", None)
        capabilities = None if params is None else params.capabilities
    modes = None if capabilities is None else capabilities.elicitation
    if modes is None:
        return False
    return modes.url is not None if url else modes.form is not None or modes.url is None


def has_rounds(ctx: Any) -> bool:
    """Return whether the client of this call speaks a revision in which a tool returns what it needs."""
    return (getattr(ctx, "protocol_version", None) or "") >= "2026-07-28"


def reply_in(ctx: Any) -> Any:
    """Return what the client has sent back for the form or the address of the round before; None if it sent nothing."""
    return (getattr(ctx, "input_responses", None) or {}).get(_KEY)


def call_again(shown: Form, fault: str, *, state: str) -> InputRequiredResult:
    """Return the result that makes the client show this, and then call again with `state`."""
    message = _message(shown, fault)
    params = (
        types.ElicitRequestURLParams(message=message, url=shown.url)
        if shown.url
        else types.ElicitRequestFormParams(message=message, requested_schema=shown.schema)
    )
    return InputRequiredResult(input_requests={_KEY: types.ElicitRequest(params=params)}, request_state=state)


async def elicited(ctx: Any, shown: Form, fault: str, *, jti: str) -> Any:
    """Make the client show this in the middle of the call; return its reply, or None if there is no way to it."""
    message = _message(shown, fault)
    try:
        # By place: the two versions have other names for the same arguments.
        if shown.url:
            return await ctx.session.elicit_url(message, shown.url, jti, ctx.request_id)
        return await ctx.session.elicit_form(message, shown.schema, ctx.request_id)
    except NoBackChannelError:
        return None


def _message(shown: Form, fault: str) -> str:
    return f"{fault}\n\n{shown.message}" if fault else shown.message

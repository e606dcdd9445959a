"""A server and a client of version 1 of the MCP SDK, run by its own interpreter: prints what each call gave, as JSON.

Its environment has no pytest, and version 1 has no rounds: a client is asked in the middle of the call.
"""

import asyncio
import json
from typing import Any

from mcp.server.fastmcp import Context, FastMCP
from mcp.shared.memory import create_connected_server_and_client_session as connected
from mcp.types import ElicitResult

from askback import approval, approve
from askback.mcp.people import People
from askback.testing.deployment import InProcessDeployment


def build(askback: InProcessDeployment, answerer: str | None) -> FastMCP:
    """Return the server as a new process has it."""
    client = askback.async_client()
    people = People(client=client, backend=client, scope="acme", sign_in_url="https://sign-in.example.com/")
    server = FastMCP("refunds")

    @server.tool()
    async def refund(order: str, ctx: Context) -> str:
        """Pay an order back, after a person has approved it."""
        asked = approval("Refund?", action="refund", arguments={"order": order})
        decision = await people.ask(ctx, asked, key=f"refund/{order}", ttl_seconds=86_400, answerer=answerer)
        return f"{decision.response['decision']} by {decision.answered_by} ({decision.assurance})"

    return server


async def call(askback: InProcessDeployment, *, answerer: str | None = None, elicit: Any = None) -> str:
    """Return the text of one call, by a new client of a new server."""
    async with connected(build(askback, answerer)._mcp_server, elicitation_callback=elicit) as client:  # noqa: SLF001
        result = await client.call_tool("refund", {"order": "A-1009"})
        return str(result.content[0].text)


async def story() -> list[str]:
    """Return the texts of a call whose user decides, and of two calls about which another person decides."""

    async def says_no(context: Any, params: Any) -> ElicitResult:
        return ElicitResult(action="accept", content={"decision": "reject"})

    async def opens(context: Any, params: Any) -> ElicitResult:
        return ElicitResult(action="accept")

    here = await call(InProcessDeployment(), answerer="ada@example.com", elicit=says_no)
    elsewhere = InProcessDeployment()
    texts = [here, await call(elsewhere), await call(elsewhere, elicit=opens)]
    elsewhere.clock.advance(82_800)
    elsewhere.answer(elsewhere.pauses[0], approve(), by="grace@example.com")
    return [*texts, await call(elsewhere)]


print(json.dumps(asyncio.run(story())))

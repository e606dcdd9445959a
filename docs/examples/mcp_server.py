"""An MCP server whose refund waits for a person. It uses the MCP SDK; askback keeps the question.

    mcp_server.py --state DIR --decides other      another person decides, through a link or signed in
    mcp_server.py --state DIR --decides user       the user of the client decides, in a form of the client

The server speaks over its standard streams, and a client starts it. ASKBACK_URL is the address of the deployment.
STATE_KEY is a secret of 32 bytes or more that every process of this server has. BACKEND_PROFILE names the AWS profile
that may answer for the user. DIR takes the place of your database.
"""

import argparse
import os
from pathlib import Path

import botocore.session
from mcp.server.mcpserver import Context, MCPServer
from mcp.types import InputRequiredResult

from askback import AsyncAskbackClient, HttpTransport, approval
from askback.mcp.people import People
from askback.mcp.sdk import state_security

DAY_SECONDS = 24 * 3600
USER = "ada@example.com"


def build_server(state: Path, *, decides: str) -> MCPServer:
    """Build the server; every process builds the same one. The payments are files in `state`."""
    # Two roles: the one that asks cannot answer.
    backend = botocore.session.Session(profile=os.environ.get("BACKEND_PROFILE"))
    people = People(
        client=AsyncAskbackClient(HttpTransport()),
        backend=AsyncAskbackClient(HttpTransport(session=backend)),
        scope="acme/eu",
    )
    server = MCPServer("refunds", request_state_security=state_security([os.environ["STATE_KEY"]]))

    @server.tool()
    async def pay_refund(order: str, ctx: Context) -> str | InputRequiredResult:
        """Pay a refund, after a person has approved it. An open question is no approval: call again later."""
        decision = await people.ask(
            ctx,
            approval(f"Refund {order}?", action="pay_refund", arguments={"order": order}),
            key=f"refund/{order}",
            ttl_seconds=2 * DAY_SECONDS,
            answerer=USER if decides == "user" else None,
        )
        if isinstance(decision, InputRequiredResult):
            return decision
        # An answer is no approval, and a default answer is no person.
        if decision.by_policy or decision.response["decision"] != "approve":
            return f"not paid: {decision.answered_by} has rejected it"
        return f"paid for {order}, {pay_once(state, decision.jti)}"

    return server


def pay_once(state: Path, key: str) -> str:
    """Pay under the id of the question: an answer can come back more than once, and the payment cannot."""
    try:
        (state / key).touch(exist_ok=False)
    except FileExistsError:
        return "as before"
    return "now"


def main() -> None:
    """Serve one client."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--state", type=Path, required=True)
    parser.add_argument("--decides", choices=("user", "other"), required=True)
    options = parser.parse_args()
    build_server(options.state, decides=options.decides).run()


if __name__ == "__main__":
    main()

"""A server of the MCP SDK with one tool that needs a person, and a client of it, in one process and without a network.

The server shares nothing with the next one but the key of the sealed state: a test makes a new one for each round.
"""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any, TypeVar

from mcp import Client
from mcp.server.mcpserver import Context, MCPServer
from mcp.types import CallToolResult, ElicitResult, InputRequiredResult

from askback import Asked, Scope, approval
from askback.mcp.people import People
from askback.mcp.sdk import state_security
from askback.testing.deployment import InProcessDeployment

ResultT = TypeVar("ResultT")

KEY = b"k" * 32
SIGN_IN = "https://sign-in.example.com/?lang=de"
ORDER = {"order": "A-1009"}


def refund_question(order: str) -> Asked:
    """Return the question of the tool."""
    return approval(f"Refund {order}?", action="refund", arguments={"order": order})


@dataclass(kw_only=True)
class RefundServer:
    """The server of a test: `answerer` decides in a form of the client; without it, other people decide.

    `runs` has the order of each run of the guarded part, `paid` what was paid under the key of each question.
    """

    askback: InProcessDeployment
    answerer: str | None = None
    scope: Scope | str = "acme"
    options: dict[str, Any] = field(default_factory=dict)
    question: Callable[[str], Asked] = refund_question
    runs: list[str] = field(default_factory=list)
    paid: dict[str, str] = field(default_factory=dict)
    answers: list[Any] = field(default_factory=list)

    def build(self) -> MCPServer:
        """Return the server as a new process has it."""
        client = self.askback.async_client()
        people = People(client=client, backend=client, scope=self.scope, sign_in_url=SIGN_IN)
        server = MCPServer("refunds", request_state_security=state_security([KEY]))

        @server.tool()
        async def refund(order: str, ctx: Context) -> str | InputRequiredResult:
            """Pay an order back, after a person has approved it."""
            decision = await people.ask(
                ctx,
                self.question(order),
                key=f"refund/{order}",
                answerer=self.answerer,
                **{"ttl_seconds": 86_400, **self.options},
            )
            if isinstance(decision, InputRequiredResult):
                return decision
            self.answers.append(decision)
            if decision.by_policy or decision.response.get("decision") != "approve":
                return "not paid"
            self.runs.append(order)
            self.paid.setdefault(decision.jti, order)
            return "paid"

        return server

    def call(self, *, elicit: Any = None, mode: str = "auto", rounds: int = 10) -> CallToolResult:
        """Return the result of the call, by a new client of a new server that drives the rounds itself."""

        async def run() -> CallToolResult:
            client = Client(self.build(), elicitation_callback=elicit, mode=mode, input_required_max_rounds=rounds)
            async with client:
                return await client.call_tool("refund", ORDER)

        return alone(run)

    def round(
        self,
        *,
        elicit: Any = None,
        state: str | None = None,
        reply: ElicitResult | None = None,
        arguments: dict[str, str] = ORDER,
    ) -> CallToolResult | InputRequiredResult:
        """Return the result of one round, by a new client of a new server; the test keeps the state in between."""

        async def run() -> CallToolResult | InputRequiredResult:
            async with Client(self.build(), elicitation_callback=elicit) as client:
                return await client.session.call_tool(
                    "refund",
                    arguments,
                    allow_input_required=True,
                    request_state=state,
                    input_responses=None if reply is None else {"person": reply},
                )

        return alone(run)


def alone(run: Callable[[], Coroutine[Any, Any, ResultT]]) -> ResultT:
    """Run a client to its end; an error of its call comes out of the groups that its tasks put around it."""
    try:
        return asyncio.run(run())
    except BaseExceptionGroup as group:
        error: BaseException = group
        while isinstance(error, BaseExceptionGroup):
            [error] = error.exceptions
        raise error from None


async def unused(context: Any, params: Any) -> ElicitResult:
    """Declare elicitation, in a client whose test makes each round itself."""
    raise AssertionError("the test makes the rounds")


def text_of(result: CallToolResult | InputRequiredResult) -> str:
    """Return the text of a result that ends the call."""
    assert isinstance(result, CallToolResult)
    return "".join(block.text for block in result.content if block.type == "text")

"""A client of the MCP SDK, version 2, as a program: it makes some calls, prints each result as JSON, and ends.

Its one argument is JSON: where the server is (`url`, or the `command` that starts it), the `mode` of the connection,
and the `calls`, each with a `tool` and its `arguments`, and for a later round `state` and `reply`.
"""

import asyncio
import json
import sys
from typing import Any

from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.types import ElicitResult


async def _decides_later(context: Any, params: Any) -> ElicitResult:
    raise AssertionError("this client takes the rounds one by one")


async def _run(plan: dict[str, Any]) -> None:
    server: Any = plan.get("url")
    if server is None:
        command, *arguments = plan["command"]
        server = StdioServerParameters(command=command, args=arguments, env=plan["env"])
    elicit = _decides_later if plan.get("elicits") else None
    async with Client(server, mode=plan.get("mode", "auto"), elicitation_callback=elicit) as client:
        tools = await client.list_tools()
        print(json.dumps([tool.name for tool in tools.tools]), flush=True)
        for call in plan["calls"]:
            reply = call.get("reply")
            result = await client.session.call_tool(
                call["tool"],
                call["arguments"],
                allow_input_required=True,
                request_state=call.get("state"),
                input_responses=None if reply is None else {"person": ElicitResult(**reply)},
            )
            print(result.model_dump_json(by_alias=True, exclude_none=True), flush=True)


asyncio.run(_run(json.loads(sys.argv[1])))

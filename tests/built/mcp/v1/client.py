"""A client of version 1 as a program: it makes the `calls` to the server at `url`, and prints each result as JSON."""

import asyncio
import json
import sys
from typing import Any

from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client


async def _run(plan: dict[str, Any]) -> None:
    async with streamable_http_client(plan["url"]) as (read, write, _), ClientSession(read, write) as client:
        await client.initialize()
        tools = await client.list_tools()
        print(json.dumps([tool.name for tool in tools.tools]), flush=True)
        for call in plan["calls"]:
            result = await client.call_tool(call["tool"], call["arguments"])
            print(result.model_dump_json(by_alias=True, exclude_none=True), flush=True)


asyncio.run(_run(json.loads(sys.argv[1])))

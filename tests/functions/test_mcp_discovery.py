"""What the server says of itself before a client calls a tool."""

import pytest

from tests.support.mcp_calls import META, McpClient
from tests.support.waiting_world import World


@pytest.fixture
def client(world: World) -> McpClient:
    return McpClient(handlers=world.handlers)


def test_the_server_says_who_it_is_where_the_newer_revision_looks_for_it(client: McpClient) -> None:
    result = client.send("server/discover").result

    assert result["_meta"][f"{META}serverInfo"]["name"] == "askback"
    assert "serverInfo" not in result


def test_the_handshake_of_the_older_revision_says_it_in_its_result(world: World) -> None:
    old = McpClient(handlers=world.handlers, revision="2025-11-25")

    result = old.send("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {}}).result

    assert result["serverInfo"]["name"] == "askback"
    assert "_meta" not in result

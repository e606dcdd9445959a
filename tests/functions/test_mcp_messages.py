"""The protocol itself: what a message must look like in each of its generations, and what is said to a wrong one."""

import base64
import json
from typing import Any

import pytest
from pydantic import BaseModel, Field

from askback.edge.mcp.catalogue import input_schema
from tests.support.mcp_calls import META, STATELESS, McpClient, read
from tests.support.waiting_world import World

OLD = "2025-11-25"


@pytest.fixture
def client(world: World) -> McpClient:
    return McpClient(handlers=world.handlers)


@pytest.fixture
def old(world: World) -> McpClient:
    return McpClient(handlers=world.handlers, revision=OLD)


def encoded(text: str) -> str:
    return f"=?base64?{base64.b64encode(text.encode()).decode()}?="


class TestWithoutSessions:
    def test_a_server_says_what_it_is_and_can(self, client: McpClient) -> None:
        found = client.send("server/discover").result
        assert found["supportedVersions"] == [STATELESS, OLD, "2025-06-18"]
        assert found["capabilities"] == {"tools": {}, "extensions": {f"{META}tasks": {}}}
        assert found["_meta"][f"{META}serverInfo"]["name"] == "askback"
        assert "approved: true" in found["instructions"]

    def test_the_tools_are_listed_for_a_while_with_plain_schemas(self, client: McpClient) -> None:
        listed = client.send("tools/list").result
        assert [each["name"] for each in listed["tools"]] == [
            "ask_human",
            "get_answer",
            "revoke_question",
            "list_my_open_questions",
        ]
        assert (listed["resultType"], listed["cacheScope"]) == ("complete", "public")
        assert listed["ttlMs"] > 0
        for each in listed["tools"]:
            assert each["inputSchema"]["type"] == "object"
            assert each["inputSchema"]["additionalProperties"] is False
            assert all(field["description"] for field in each["inputSchema"]["properties"].values())
            assert "$ref" not in json.dumps(each)

    @pytest.mark.parametrize("name", ["ask_human", encoded("ask_human"), "  ask_human\t"])
    def test_a_header_can_name_the_tool_in_more_than_one_way(self, client: McpClient, name: str) -> None:
        params = {"name": "ask_human", "arguments": {"question": "Why?"}}
        assert client.send("tools/call", params, mcp_name=name).result["structuredContent"]["status"] == "open"

    @pytest.mark.parametrize(
        "headers",
        [
            {"mcp_method": "tools/list"},
            {"mcp_method": ""},
            {"mcp_name": "get_answer"},
            {"mcp_name": ""},
            {"mcp_name": "=?base64?YXNrX2h1bWFu!?="},
            {"mcp_name": "=?base64?YXNrX2h1bWFu\n?="},
            {"mcp_protocol_version": OLD},
            {"mcp_protocol_version": ""},
            {"mcp_protocol_version": "2099-01-01"},
        ],
    )
    def test_headers_that_say_something_else_than_the_body_are_refused(
        self, client: McpClient, headers: dict[str, str]
    ) -> None:
        params = {"name": "ask_human", "arguments": {"question": "Why?"}}
        assert client.send("tools/call", params, **headers).error == (400, -32020)

    def test_an_old_revision_in_the_header_alone_is_refused_with_those_that_are_supported(
        self, client: McpClient
    ) -> None:
        body = {"jsonrpc": "2.0", "id": 7, "method": "tools/list"}
        reply = client.post(body, **{"mcp-protocol-version": "2024-11-05"})
        assert reply.error == (400, -32022)
        assert reply.document["error"]["data"]["requested"] == "2024-11-05"

    def test_a_revision_that_is_not_supported_is_refused_with_those_that_are(self, client: McpClient) -> None:
        meta = {f"{META}protocolVersion": "2099-01-01", f"{META}clientCapabilities": {}}
        body = {"jsonrpc": "2.0", "id": 7, "method": "tools/list", "params": {"_meta": meta}}
        reply = client.post(body, **{"mcp-protocol-version": "2099-01-01", "mcp-method": "tools/list"})
        assert reply.error == (400, -32022)
        assert reply.document["id"] == 7
        assert reply.document["error"]["data"]["requested"] == "2099-01-01"
        assert STATELESS in reply.document["error"]["data"]["supported"]

    @pytest.mark.parametrize("meta", [None, {}, {f"{META}protocolVersion": STATELESS}, "text", []])
    def test_a_request_says_its_revision_and_what_its_client_can(self, client: McpClient, meta: Any) -> None:
        params = {} if meta is None else {"_meta": meta}
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": params}
        headers = {"mcp-protocol-version": STATELESS, "mcp-method": "tools/list"}
        assert client.post(body, **headers).error == (400, -32602)

    @pytest.mark.parametrize("method", ["initialize", "ping", "prompts/list", "resources/read", "tasks/list", "x"])
    def test_a_method_that_there_is_not_is_not_found(self, client: McpClient, method: str) -> None:
        assert client.send(method).error == (404, -32601)

    @pytest.mark.parametrize("params", [{"name": "x"}, {"arguments": {}}, {"name": "ask_human", "arguments": []}])
    def test_a_call_names_a_tool_and_its_arguments(self, client: McpClient, params: dict[str, Any]) -> None:
        assert client.send("tools/call", params).error == (400, -32602)

    def test_the_list_has_one_page(self, client: McpClient) -> None:
        assert client.send("tools/list", {"cursor": "x"}).error == (400, -32602)


class TestWithAHandshake:
    @pytest.mark.parametrize(("asked", "agreed"), [(OLD, OLD), ("2025-06-18", "2025-06-18"), ("2024-11-05", OLD)])
    def test_the_two_agree_on_a_revision_and_no_session_begins(self, old: McpClient, asked: str, agreed: str) -> None:
        params = {"protocolVersion": asked, "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
        reply = old.send("initialize", params)
        assert reply.result["protocolVersion"] == agreed
        assert reply.result["serverInfo"]["name"] == "askback"
        assert reply.result["capabilities"] == {"tools": {}}
        assert "mcp-session-id" not in reply.headers

    def test_results_have_no_member_of_the_newer_revision(self, old: McpClient) -> None:
        assert set(old.send("tools/list").result) == {"tools"}
        asked = old.tool("ask_human", question="Why?").result
        assert set(asked) == {"content", "structuredContent"}
        assert old.send("ping").result == {}

    @pytest.mark.parametrize("method", ["server/discover", "tasks/get", "tasks/cancel"])
    def test_methods_of_the_newer_revision_are_not_there(self, old: McpClient, method: str) -> None:
        assert old.send(method).error == (200, -32601)

    def test_an_error_does_not_end_the_session_of_the_client(self, old: McpClient) -> None:
        assert old.send("prompts/list").error == (200, -32601)
        assert old.send("tools/call", {"name": "x"}).error == (200, -32602)

    def test_without_a_header_it_is_the_older_revision(self, client: McpClient) -> None:
        body = {"jsonrpc": "2.0", "id": "a", "method": "ping"}
        assert client.post(body).document == {"jsonrpc": "2.0", "id": "a", "result": {}}


class TestMessages:
    @pytest.mark.parametrize("method", ["notifications/initialized", "notifications/cancelled", "x"])
    def test_a_notification_gets_no_document(self, client: McpClient, method: str) -> None:
        for revision in (STATELESS, OLD, ""):
            reply = client.post({"jsonrpc": "2.0", "method": method}, **{"mcp-protocol-version": revision})
            assert (reply.status, reply.document) == (202, {})

    @pytest.mark.parametrize(
        "body",
        [
            {},
            {"jsonrpc": "1.0", "id": 1, "method": "ping"},
            {"jsonrpc": "2.0", "id": 1},
            {"jsonrpc": "2.0", "id": None, "method": "ping"},
            {"jsonrpc": "2.0", "id": True, "method": "ping"},
            {"jsonrpc": "2.0", "id": [1], "method": "ping"},
            {"jsonrpc": "2.0", "id": 1, "result": {}},
        ],
    )
    def test_what_is_no_message_is_refused(self, client: McpClient, body: dict[str, Any]) -> None:
        assert client.post(body).error == (400, -32600)

    def test_parameters_are_an_object(self, client: McpClient) -> None:
        assert client.post({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []}).error == (400, -32602)

    @pytest.mark.parametrize("body", ["", "[]", '[{"jsonrpc": "2.0", "id": 1, "method": "ping"}]', "{", '{"a": NaN}'])
    def test_what_is_no_object_is_a_problem_like_on_every_route(self, client: McpClient, body: str) -> None:
        reply = client.post(body)
        assert (reply.status, reply.document["code"]) == (400, "bad-request")

    @pytest.mark.parametrize("path", ["/mcp", "/user/mcp"])
    @pytest.mark.parametrize("method", ["GET", "DELETE"])
    def test_there_is_no_stream_and_no_session(self, world: World, path: str, method: str) -> None:
        event = world.handlers.event(path, method=method)
        reply = read(world.handlers.gateway("mcp" if path == "/mcp" else "user_mcp", event))
        assert (reply.status, reply.headers["allow"], reply.document) == (405, "POST", {})

    def test_a_request_of_another_web_site_is_refused(self, client: McpClient) -> None:
        body = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        assert client.post(body, origin="https://evil.example.com", host="api.example.com").status == 403
        assert client.post(body, origin="https://api.example.com", host="api.example.com").status == 200

    def test_only_the_gateway_is_believed(self, world: World) -> None:
        event = world.handlers.event("/mcp", {"jsonrpc": "2.0", "id": 1, "method": "ping"})
        for kind in ("mcp", "user_mcp"):
            assert world.handlers.refused(kind, event)["code"] == "bad-request"
            assert world.handlers.refused(kind, {"question": "Why?"})["code"] == "bad-request"


class TestSchemas:
    def test_a_field_of_several_types_keeps_them_and_loses_only_null(self) -> None:
        class Amount(BaseModel):
            value: str | int | None = Field(None, description="How much.")

        [value] = input_schema(Amount)["properties"].values()
        assert value == {"anyOf": [{"type": "string"}, {"type": "integer"}], "description": "How much."}

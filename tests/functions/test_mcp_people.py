"""Agents of people who sign in: whose token is accepted, and what the agent can do with it."""

import base64
import hmac
import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import jwt
import pytest
from jwt.utils import base64url_encode

from askback.domain.pause.scope import Scope
from tests.support.function_deployment import Handlers
from tests.support.mcp_calls import McpClient, Reply, read
from tests.support.request_bodies import SCOPE
from tests.support.token_issuer import Issuer, an_issuer, new_key
from tests.support.waiting_world import World

QUESTION: dict[str, Any] = {
    "question": "Refund 49.90 EUR?",
    "action": {"name": "refund", "arguments": {"amount": 49.9}},
}
SITE = {"host": "api.example.com", "x-forwarded-proto": "https"}
METADATA = "https://api.example.com/.well-known/oauth-protected-resource/user/mcp"


@pytest.fixture(scope="module")
def issuer() -> Iterator[Issuer]:
    with an_issuer() as up:
        yield up


@pytest.fixture
def handlers(world: World, issuer: Issuer) -> Handlers:
    issuer.down = False
    issuer.fetched.clear()
    return world.load(ASKBACK_MCP_ISSUER=issuer.url)


def signed_with_a_public_key(claims: dict[str, Any], key: str) -> str:
    """Return a token whose HMAC key is a text that everyone can read; PyJWT refuses to make one."""
    header, payload = ({"alg": "HS256", "typ": "JWT", "kid": "key-1"}, claims)
    signed = ".".join(base64url_encode(json.dumps(part).encode()).decode() for part in (header, payload))
    mac = hmac.digest(key.encode(), signed.encode(), "sha256")
    return f"{signed}.{base64url_encode(mac).decode()}"


def ping(handlers: Handlers, token: str) -> Reply:
    body = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    return McpClient(handlers=handlers, token=token, revision="2025-11-25").post(body, **SITE)


class TestSignIn:
    def test_without_a_token_a_client_learns_where_to_sign_in(self, handlers: Handlers, issuer: Issuer) -> None:
        event = handlers.event("/user/mcp", {"jsonrpc": "2.0", "id": 1, "method": "ping"}, headers=SITE)
        reply = read(handlers.gateway("user_mcp", event))
        assert (reply.status, reply.document["code"]) == (401, "unauthenticated")
        assert reply.headers["www-authenticate"] == f'Bearer error="invalid_token", resource_metadata="{METADATA}"'
        assert issuer.fetched == []

    @pytest.mark.parametrize("path", ["", "/user/mcp"])
    def test_the_metadata_names_the_resource_and_the_issuer(
        self, handlers: Handlers, issuer: Issuer, path: str
    ) -> None:
        event = handlers.event(f"/.well-known/oauth-protected-resource{path}", method="GET", headers=SITE)
        assert read(handlers.gateway("user_mcp", event)).document == {
            "resource": "https://api.example.com/user/mcp",
            "resource_name": "askback",
            "authorization_servers": [issuer.url],
            "bearer_methods_supported": ["header"],
        }

    def test_a_valid_token_is_accepted_and_the_keys_are_read_once(self, handlers: Handlers, issuer: Issuer) -> None:
        assert [ping(handlers, issuer.token()).status for _ in range(3)] == [200, 200, 200]
        assert issuer.fetched == ["/.well-known/openid-configuration", "/keys"]

    @pytest.mark.parametrize(
        "over",
        [
            {"aud": "another"},
            {"aud": ["askback-mcp", "askback-app"]},
            {"aud": ...},
            {"iss": "https://evil.example.com"},
            {"iss": ...},
            {"exp": 1_600_000_000},
            {"exp": ...},
            {"nbf": 4_000_000_000},
            {"sub": ...},
            {"tenant_id": ...},
            {"tenant_id": 7},
            {"sub": "link"},
            {"key": new_key()},
            {"key_id": "key-2"},
        ],
        ids=",".join,
    )
    def test_every_other_token_is_refused(self, handlers: Handlers, issuer: Issuer, over: dict[str, Any]) -> None:
        reply = ping(handlers, issuer.token(**over))
        assert reply.status in (400, 401), reply.document
        assert reply.status == 400 or METADATA in reply.headers["www-authenticate"]

    def test_a_token_that_says_it_is_unsigned_or_signed_with_the_public_key_is_refused(
        self, handlers: Handlers, issuer: Issuer
    ) -> None:
        claims = jwt.decode(issuer.token(), options={"verify_signature": False})
        public = json.dumps(issuer.published("/keys"))
        unsigned = jwt.encode(claims, "", algorithm="none", headers={"kid": "key-1"})
        confused = signed_with_a_public_key(claims, public)
        for token in (unsigned, confused, "x", "a.b.c", "x" * 20_000, base64.b64encode(b"{}").decode()):
            assert ping(handlers, token).status == 401
        assert issuer.fetched == []

    def test_an_issuer_that_cannot_be_reached_is_no_refusal(self, handlers: Handlers, issuer: Issuer) -> None:
        issuer.down = True
        reply = ping(handlers, issuer.token())
        assert (reply.status, reply.document["code"], reply.headers["retry-after"]) == (503, "store-unavailable", "1")
        issuer.down = False
        assert ping(handlers, issuer.token()).status == 200

    def test_a_client_id_stands_for_the_audience_as_at_the_gateway(self, handlers: Handlers, issuer: Issuer) -> None:
        assert ping(handlers, issuer.token(aud=..., client_id="askback-mcp")).status == 200

    def test_without_an_audience_of_its_own_the_function_is_misconfigured(self, world: World, issuer: Issuer) -> None:
        for audience in ("", "askback-app"):
            handlers = world.load(ASKBACK_MCP_ISSUER=issuer.url, ASKBACK_MCP_AUDIENCE=audience)
            assert ping(handlers, issuer.token(aud="askback-app")).document["code"] == "misconfigured"


class TestWhoseAgent:
    def test_the_person_is_asked_in_the_scope_of_the_token(
        self, world: World, handlers: Handlers, issuer: Issuer
    ) -> None:
        agent = McpClient(handlers=handlers, token=issuer.token())
        jti = agent.tool("ask_human", **QUESTION).facts["pause"]
        row = world.handlers.get(f"/pauses/{jti}").document
        assert Scope(**SCOPE).matches(row["scope_hash"])
        links = world.handlers.post(f"/pauses/{jti}/links", {}).document
        assert [each["recipient"] for each in links["recipients"]] == ["ada"]
        own = links["recipients"][0]["answer_token"]
        answer = {"answer_token": own, "response": {"decision": "approve"}}
        assert world.handlers.post("/answers", answer).status == 200
        facts = agent.tool("get_answer", pause=jti).facts
        assert (facts["approved"], facts["answered_by"], facts["assurance"]) == (True, "ada", "personal_link")

    def test_another_client_of_the_same_person_reads_the_answer_and_another_person_does_not(
        self, handlers: Handlers, issuer: Issuer
    ) -> None:
        agent = McpClient(handlers=handlers, token=issuer.token(client="one"))
        jti = agent.tool("ask_human", **QUESTION).facts["pause"]
        assert replace(agent, token=issuer.token(client="two")).tool("get_answer", pause=jti).facts["status"] == "open"
        for over in ({"sub": "bob"}, {"tenant_id": "other"}, {"namespace": ...}):
            other = replace(agent, token=issuer.token(**over))
            assert other.tool("get_answer", pause=jti).facts["error"] == "unknown-pause"
        signed = McpClient(handlers=handlers)
        assert signed.tool("get_answer", pause=jti).facts["error"] == "unknown-pause"

    def test_a_person_who_signs_in_answers_with_a_token_for_that(
        self, world: World, handlers: Handlers, issuer: Issuer
    ) -> None:
        jti = McpClient(handlers=handlers, token=issuer.token()).tool("ask_human", **QUESTION).facts["pause"]
        body = {"jti": jti, "response": {"decision": "reject"}}
        assert world.handlers.post("/user/answers", body).document["assurance"] == "signed_in"

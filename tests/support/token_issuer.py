"""An OpenID provider on this machine: it publishes its keys, and signs tokens for people."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import RSAAlgorithm

from tests.support.request_bodies import SCOPE

AUDIENCE = "askback-mcp"
KEY_ID = "key-1"


@dataclass(kw_only=True)
class Issuer:
    """The provider at `url`. `fetched` has the paths that were read; `down` lets it answer 503."""

    url: str
    key: rsa.RSAPrivateKey
    fetched: list[str] = field(default_factory=list)
    down: bool = False

    def token(self, *, key: rsa.RSAPrivateKey | None = None, key_id: str = KEY_ID, **over: Any) -> str:
        """Return a token of Ada for the MCP server, with claims replaced; a claim of `...` is left out."""
        now = int(time.time())
        claims = {"iss": self.url, "aud": AUDIENCE, "sub": "ada", **SCOPE, "iat": now, "exp": now + 600, **over}
        given = {name: value for name, value in claims.items() if value is not ...}
        return jwt.encode(given, key or self.key, algorithm="RS256", headers={"kid": key_id})

    def published(self, path: str) -> dict[str, Any] | None:
        """Return the document at a path."""
        if path == "/.well-known/openid-configuration":
            return {"issuer": self.url, "jwks_uri": f"{self.url}/keys"}
        if path == "/keys":
            public = json.loads(RSAAlgorithm.to_jwk(self.key.public_key()))
            return {"keys": [{**public, "kid": KEY_ID, "use": "sig", "alg": "RS256"}]}
        return None


def new_key() -> rsa.RSAPrivateKey:
    """Return a key for signatures."""
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


@contextmanager
def an_issuer() -> Iterator[Issuer]:
    """Serve until leaving."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            issuer.fetched.append(self.path)
            document = None if issuer.down else issuer.published(self.path)
            body = json.dumps(document or {}).encode()
            self.send_response(503 if issuer.down else 200 if document else 404)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  its name
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        issuer = Issuer(url=f"http://127.0.0.1:{server.server_port}", key=new_key())
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield issuer
        finally:
            server.shutdown()

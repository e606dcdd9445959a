"""Tokens as HS256 JWTs (RFC 7519, in the compact form of RFC 7515), with PyJWT.

There is exactly one algorithm. It is fixed here and never read from a token. PyJWT checks only structure and signature;
the domain reads the claims strictly and checks them with its own clock.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

from jwt.api_jws import PyJWS
from jwt.exceptions import PyJWTError
from jwt.utils import base64url_decode

from askback.adapters.secrets.key_ring import KeyRingSource
from askback.domain.errors import TokenRejected
from askback.domain.json_text import read_json
from askback.domain.limits import TOKEN_MAX_BYTES
from askback.domain.ports import SignedBody

_ALGORITHM = "HS256"
_COMPACT = re.compile(r"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+")


class JwtTokenCodec:
    """The token codec over a key ring: new pauses are signed with the current key, every key of the ring verifies."""

    def __init__(self, keys: KeyRingSource) -> None:
        self._keys = keys
        self._jws = PyJWS(algorithms=[_ALGORITHM])

    async def current_key_id(self) -> str:
        """Return the id of the key that signs new pauses."""
        return self._keys.ring().current

    async def has_key(self, key_id: str) -> bool:
        """Return whether the ring has a key of this id; when the cached ring lacks it, the ring is fetched again."""
        return key_id in self._keys.ring_with(key_id).keys

    async def sign(self, claims: Mapping[str, Any], *, key_id: str) -> str:
        """Return the compact token, with the signing key's id in its header."""
        key = self._keys.ring_with(key_id).keys.get(key_id)
        if key is None:
            raise LookupError("the key ring has no key of this id")
        payload = json.dumps(claims, separators=(",", ":")).encode()
        return self._jws.encode(payload, key, algorithm=_ALGORITHM, headers={"typ": "JWT", "kid": key_id})

    async def verify(self, envelope: str) -> SignedBody:
        """Return the signed claims; a token without a key id is checked with the legacy key only."""
        if len(envelope) > TOKEN_MAX_BYTES or not _COMPACT.fullmatch(envelope):
            raise TokenRejected
        try:
            # Only the key id is read here, because PyJWT would parse the whole token for it; `decode` checks the rest.
            header = read_json(base64url_decode(envelope.partition(".")[0]))
            if not isinstance(header, dict) or "crit" in header:
                # RFC 7515 section 4.1.11: we support no extension. PyJWT before 2.12 does not check `crit`.
                raise TokenRejected
            key_id = header.get("kid")
            key = self._key(key_id)
            payload = self._jws.decode(envelope, key, algorithms=[_ALGORITHM])
            claims = read_json(payload)
        except (PyJWTError, ValueError):
            raise TokenRejected from None
        if not isinstance(claims, dict):
            raise TokenRejected
        return SignedBody(claims=claims, legacy=key_id is None)

    def _key(self, key_id: object) -> bytes:
        key: bytes | None
        if key_id is None:
            key = self._keys.ring().legacy
        elif isinstance(key_id, str):
            key = self._keys.ring_with(key_id).keys.get(key_id)
        else:
            key = None
        if key is None:
            raise TokenRejected
        return key

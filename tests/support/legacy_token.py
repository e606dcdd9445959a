"""The token that the legacy engine would have made for a pause."""

import json

import jwt

from tests.support.request_bodies import Pause


def legacy_token(pause: Pause, key_ring: str) -> str:
    """Return the token, signed with the legacy key of a ring; it has no time of issue and no audience."""
    claims = jwt.decode(pause.minted["pause_token"], options={"verify_signature": False})
    legacy = {name: value for name, value in claims.items() if name not in ("iat", "aud")}
    legacy["scope_hash"] = legacy["scope_hash"][:16]
    return jwt.encode(legacy, json.loads(key_ring)["legacy"], algorithm="HS256")

"""Bearer tokens of an OpenID provider, verified with its published keys, with PyJWT.

A route of the gateway has an authorizer for that, which cannot tell a client where to sign in. The server for the Model
Context Protocol must tell it, so its function verifies the token itself.

Source: RFC 8725 (JWT best practices), RFC 9068 (access tokens), OpenID Connect Discovery 1.0.
"""

import json
import urllib.request
from collections.abc import Mapping
from typing import Any

import jwt

from askback.domain.errors import StoreUnavailable, Unauthenticated

TOKEN_MAX_CHARACTERS = 16_384
_ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"]
"""Only algorithms with a public key: with another one, the published key could sign."""
_LEEWAY_SECONDS = 30
_FETCH_SECONDS = 5
_DISCOVERY_MAX_BYTES = 100_000


class BearerTokens:
    """Verifies the tokens of one issuer for one audience.

    `refused_audience` is an audience that no accepted token may have besides: a token that is also good for answering
    would let an agent answer its own question.
    """

    def __init__(self, *, issuer: str, audience: str, refused_audience: str) -> None:
        self._issuer = issuer
        self._audience = audience
        self._refused = refused_audience
        self._keys: jwt.PyJWKClient | None = None

    def claims(self, authorization: str | None) -> Mapping[str, Any]:
        """Return the claims of the token in an `Authorization` header.

        Raises:
            Unauthenticated: there is no token, or it is not a valid one of this issuer for this audience.
            StoreUnavailable: the issuer's keys cannot be read.
        """
        scheme, _, token = (authorization or "").partition(" ")
        token = token.strip()
        if scheme.lower() != "bearer" or not 0 < len(token) <= TOKEN_MAX_CHARACTERS:
            raise Unauthenticated("this route needs a bearer token")
        try:
            # Before a key is fetched for it: most of what is no token ends here.
            if jwt.get_unverified_header(token).get("alg") not in _ALGORITHMS:
                raise Unauthenticated("the bearer token is not signed in a way that is accepted")
            claims: dict[str, Any] = jwt.decode(
                token,
                self._key_of(token),
                algorithms=_ALGORITHMS,
                issuer=self._issuer,
                leeway=_LEEWAY_SECONDS,
                # The audience is compared below: some providers name the client in its place.
                options={"require": ["exp", "iss"], "verify_aud": False},
            )
        except jwt.PyJWKClientConnectionError:
            raise StoreUnavailable(reason="the keys of the issuer cannot be read") from None
        except (jwt.PyJWTError, ValueError, TypeError):
            raise Unauthenticated("the bearer token is not valid here") from None
        audiences = _audiences(claims)
        if self._audience not in audiences or self._refused in audiences:
            raise Unauthenticated("the bearer token is for another audience")
        return claims

    def _key_of(self, token: str) -> jwt.PyJWK:
        if self._keys is None:
            self._keys = jwt.PyJWKClient(self._keys_address(), timeout=_FETCH_SECONDS)
        return self._keys.get_signing_key_from_jwt(token)

    def _keys_address(self) -> str:
        address = f"{self._issuer.rstrip('/')}/.well-known/openid-configuration"
        try:
            with urllib.request.urlopen(address, timeout=_FETCH_SECONDS) as reply:  # noqa: S310 - the operator's address
                found = json.loads(reply.read(_DISCOVERY_MAX_BYTES))
            return str(found["jwks_uri"])
        except (OSError, ValueError, KeyError, TypeError):
            raise StoreUnavailable(reason="the configuration of the issuer cannot be read") from None


def _audiences(claims: Mapping[str, Any]) -> list[Any]:
    # An access token of Amazon Cognito can have a `client_id` and no `aud`; the gateway's authorizer takes it so too.
    given = claims.get("aud", claims.get("client_id"))
    return given if isinstance(given, list) else [given]

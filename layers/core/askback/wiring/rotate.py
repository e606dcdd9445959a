"""The composition root of the rotate function, which rotates the key ring; it does not use the table."""

import os
import secrets
import string
from collections.abc import Callable
from dataclasses import dataclass

from aws_lambda_powertools.logging import Logger

from askback.adapters.aws.clients import Clients
from askback.adapters.jwt_codec import JwtTokenCodec
from askback.adapters.secrets.key_ring import FixedKeyRing
from askback.adapters.secrets.versions import SecretsManagerVersions
from askback.domain.errors import InteractionConfigurationError
from askback.domain.keys.rotation import KeyRotation
from askback.settings import Settings
from askback.wiring.sources import now

KEY_LENGTH = 64
_ALPHABET = string.ascii_letters + string.digits


@dataclass(frozen=True, slots=True, kw_only=True)
class RotateServices:
    """The services of the rotate function."""

    rotation: KeyRotation


def build(logger: Logger, *, clock: Callable[[], int] = now) -> RotateServices:
    """Build the rotation of the deployment's key ring; raises InteractionConfigurationError."""
    settings = Settings.from_environment(os.environ)
    if not settings.key_secret_id:
        raise InteractionConfigurationError("the deployment has no key secret", reason="the key ring is a local one")
    rotation = KeyRotation(
        versions=SecretsManagerVersions(
            client=Clients().when_needed("secretsmanager"), secret_id=settings.key_secret_id
        ),
        secret_id=settings.key_secret_id,
        codec_over=lambda text: JwtTokenCodec(FixedKeyRing(text)),
        clock=clock,
        new_key=new_key,
    )
    return RotateServices(rotation=rotation)


def new_key() -> bytes:
    """Return a random key of letters and digits, like the one that Secrets Manager makes at the first deployment."""
    return "".join(secrets.choice(_ALPHABET) for _ in range(KEY_LENGTH)).encode()

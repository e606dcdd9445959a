"""The composition root of the key rotation, apart from the other functions' so that they do not import it."""

import os
import secrets
import string
from collections.abc import Callable

from askback.adapters.aws.clients import Clients
from askback.adapters.jwt_codec import JwtTokenCodec
from askback.adapters.secrets.key_ring import FixedKeyRing
from askback.adapters.secrets.versions import SecretsManagerVersions
from askback.domain.errors import InteractionConfigurationError
from askback.domain.keys.rotation import KeyRotation
from askback.settings import Settings
from askback.wiring.services import now

KEY_LENGTH = 64
_ALPHABET = string.ascii_letters + string.digits


def key_rotation(clock: Callable[[], int] = now) -> KeyRotation:
    """Build the rotation of this deployment's key ring; raises InteractionConfigurationError."""
    settings = Settings.from_environment(os.environ)
    if not settings.key_secret_id:
        raise InteractionConfigurationError("the deployment has no key secret", reason="the key ring is a local one")
    return KeyRotation(
        versions=SecretsManagerVersions(
            client=Clients().when_needed("secretsmanager"), secret_id=settings.key_secret_id
        ),
        secret_id=settings.key_secret_id,
        codec_over=lambda text: JwtTokenCodec(FixedKeyRing(text)),
        clock=clock,
        new_key=new_key,
    )


def new_key() -> bytes:
    """Return a key like the one that Secrets Manager draws for the first deployment: letters and digits."""
    return "".join(secrets.choice(_ALPHABET) for _ in range(KEY_LENGTH)).encode()

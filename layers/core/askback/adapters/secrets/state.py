"""The state of the key secret without its value: for this, no permission to read a key is needed."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from askback.adapters.aws.errors import CLIENT_ERRORS, classify
from askback.domain.keys.facts import RingFacts, SecretState

if TYPE_CHECKING:
    from mypy_boto3_secretsmanager import SecretsManagerClient


class SecretsManagerState:
    """The state of one secret."""

    def __init__(self, *, client: "Callable[[], SecretsManagerClient]", secret_id: str) -> None:
        self._client = client
        self._secret_id = secret_id

    async def state(self) -> SecretState:
        """Return whether the secret rotates, the stages of its versions, and the facts that its tags have."""
        client = self._client()
        try:
            found = client.describe_secret(SecretId=self._secret_id)
        except CLIENT_ERRORS as error:
            raise classify(error, resource="the key secret", endpoint=client.meta.endpoint_url) from error
        tags = {tag["Key"]: tag["Value"] for tag in found.get("Tags", ()) if "Key" in tag and "Value" in tag}
        return SecretState(
            rotates=found.get("RotationEnabled", False),
            stages={version: frozenset(names) for version, names in found.get("VersionIdsToStages", {}).items()},
            tagged=RingFacts.of_tags(tags),
        )

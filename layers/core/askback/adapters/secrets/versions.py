"""The versions of a Secrets Manager secret, for its rotation function.

The client sends a call again when its reply was lost. Secrets Manager then refuses to move a stage that the first call
has moved. So before such a refusal is believed, the stages are read: a stage that is where it should be was moved.
"""

from botocore.exceptions import ClientError

from askback.adapters.aws.errors import CLIENT_ERRORS, classify, error_code
from askback.adapters.secrets.state import SecretsManagerState
from askback.domain.errors import InteractionConfigurationError, StoreUnavailable
from askback.domain.keys.facts import CURRENT, RingFacts
from askback.domain.keys.rotation import PENDING, RingVersion


class SecretsManagerVersions(SecretsManagerState):
    """The versions of one secret."""

    async def current(self) -> RingVersion:
        """Return the version staged AWSCURRENT."""
        try:
            found = self._client().get_secret_value(SecretId=self._secret_id, VersionStage=CURRENT)
        except CLIENT_ERRORS as error:
            raise self._classified(error) from error
        if "SecretString" not in found:
            raise InteractionConfigurationError(
                "the deployment has no usable signing key", reason="the key secret has no text value"
            )
        return RingVersion(version_id=found["VersionId"], text=found["SecretString"])

    async def pending(self, version_id: str) -> str | None:
        """Return the text of a version staged AWSPENDING, None without a value; a binary value gives an empty text."""
        try:
            found = self._client().get_secret_value(
                SecretId=self._secret_id, VersionId=version_id, VersionStage=PENDING
            )
        except CLIENT_ERRORS as error:
            # The version exists and has the stage, so its value is what is missing.
            if _is(error, "ResourceNotFoundException"):
                return None
            raise self._classified(error) from error
        return found.get("SecretString", "")

    async def store_pending(self, version_id: str, text: str) -> None:
        """Store the value of a version once: Secrets Manager refuses another value for the same version."""
        try:
            self._client().put_secret_value(
                SecretId=self._secret_id, ClientRequestToken=version_id, SecretString=text, VersionStages=[PENDING]
            )
        except CLIENT_ERRORS as error:
            if _is(error, "ResourceExistsException"):
                raise StoreUnavailable(reason="another run of this step has already stored a ring") from error
            raise self._classified(error) from error

    async def make_current(self, version_id: str, *, instead_of: str) -> None:
        """Move AWSCURRENT to the version; Secrets Manager refuses when AWSCURRENT is not at `instead_of`."""
        try:
            self._client().update_secret_version_stage(
                SecretId=self._secret_id,
                VersionStage=CURRENT,
                MoveToVersionId=version_id,
                RemoveFromVersionId=instead_of,
            )
        except CLIENT_ERRORS as error:
            if _is(error, "InvalidParameterException"):
                if CURRENT in await self._stages_of(version_id):
                    return
                raise StoreUnavailable(reason="another change moved AWSCURRENT first") from error
            raise self._classified(error) from error

    async def let_go(self, version_id: str) -> None:
        """Remove AWSPENDING from the version."""
        try:
            self._client().update_secret_version_stage(
                SecretId=self._secret_id, VersionStage=PENDING, RemoveFromVersionId=version_id
            )
        except CLIENT_ERRORS as error:
            if _is(error, "InvalidParameterException", "ResourceNotFoundException"):
                if PENDING not in await self._stages_of(version_id):
                    return
                raise StoreUnavailable(reason="another change moved AWSPENDING first") from error
            raise self._classified(error) from error

    async def publish(self, facts: RingFacts) -> None:
        """Write the facts into the tags; too many for them are not written, and those of before are not believed."""
        tags = facts.to_tags()
        if not tags:
            return
        try:
            self._client().tag_resource(
                SecretId=self._secret_id, Tags=[{"Key": name, "Value": value} for name, value in tags.items()]
            )
        except CLIENT_ERRORS as error:
            raise self._classified(error) from error

    async def _stages_of(self, version_id: str) -> frozenset[str]:
        return (await self.state()).stages.get(version_id, frozenset())

    def _classified(self, error: Exception) -> Exception:
        return classify(error, resource="the key secret", endpoint=self._client().meta.endpoint_url)


def _is(error: Exception, *codes: str) -> bool:
    return isinstance(error, ClientError) and error_code(error) in codes

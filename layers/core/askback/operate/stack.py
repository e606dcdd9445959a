"""Calls a deployed stack with the operator's own credentials: its inbox and links functions, and its key secret.

Only the operator's commands import this; no function does. Keys are read and written back; they are never printed.
"""

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import boto3
from botocore.exceptions import BotoCoreError, ClientError

from askback.domain.errors import InteractionConfigurationError
from askback.domain.keys.facts import RingFacts
from askback.domain.keys.ring import KeyRing

CURRENT, RETIRING = "AWSCURRENT", "askback-retiring"
INBOX_OUTPUT, LINKS_OUTPUT, SECRET_OUTPUT = "InboxFunctionArn", "LinksFunctionArn", "KeyRingArn"
TABLE_OUTPUT, BUCKET_OUTPUT = "TableName", "BucketName"
DECISIONS_OUTPUT = "DecisionLogGroupName"


class Refused(Exception):
    """The stack refused; `document` is the problem, the text is for the operator."""

    def __init__(self, code: str, detail: str, document: Mapping[str, Any] | None = None) -> None:
        super().__init__(f"{code}: {detail}")
        self.document = document or {"code": code, "detail": detail}


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRing:
    """The current ring: its version of the secret, and when the secret last changed (epoch seconds)."""

    version_id: str
    changed_at: int
    ring: KeyRing = field(repr=False)


class StackOperator:
    """Calls one stack.

    `stack` is the CloudFormation stack. Its outputs name the functions and the secret, unless the arguments do.
    """

    def __init__(
        self,
        *,
        session: boto3.session.Session,
        stack: str,
        function: str | None = None,
        links_function: str | None = None,
        secret: str | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._session = session
        self._stack = stack
        self._function = function
        self._links_function = links_function
        self._secret = secret
        self._clock = clock

    def now(self) -> int:
        """Return the time in epoch seconds."""
        return int(self._clock())

    @property
    def stack(self) -> str:
        """The stack's name."""
        return self._stack

    def client(self, service: str) -> Any:
        """Return a client with the operator's credentials; call it inside `client_errors_as_refusals`."""
        # The stubs' overloads take literal names only.
        create: Any = self._session.client
        with client_errors_as_refusals():
            return create(service)

    def who(self) -> str:
        """Return the ARN of the operator's identity."""
        with client_errors_as_refusals():
            return self._session.client("sts").get_caller_identity()["Arn"]

    def ask(self, action: str, **fields: Any) -> dict[str, Any]:
        """Invoke the inbox function and return its reply; raises Refused."""
        return self._invoke(self._function or self.output(INBOX_OUTPUT), {"action": action, **fields})

    def links(self, jti: str, *, recipients: Sequence[str] | None) -> dict[str, Any]:
        """Invoke the links function, which logs the caller's ARN, and return its reply; raises Refused."""
        request = {"action": "links", "jti": jti, "recipients": recipients, "operator": self.who()}
        return self._invoke(self._links_function or self.output(LINKS_OUTPUT), request)

    def _invoke(self, function: str, fields: Mapping[str, Any]) -> dict[str, Any]:
        request = {name: value for name, value in fields.items() if value is not None}
        with client_errors_as_refusals():
            reply = self._session.client("lambda").invoke(FunctionName=function, Payload=json.dumps(request).encode())
            text = reply["Payload"].read()
        document: dict[str, Any] = json.loads(text)
        if reply.get("FunctionError"):
            raise _refusal(document)
        return document

    def stored_ring(self) -> StoredRing:
        """Return the current ring; raises Refused."""
        secrets, secret_id = self._session.client("secretsmanager"), self._secret_id()
        with client_errors_as_refusals():
            changed = secrets.describe_secret(SecretId=secret_id)
            found = secrets.get_secret_value(SecretId=secret_id, VersionStage=CURRENT)
        try:
            ring = KeyRing.parse(found.get("SecretString", ""))
        except InteractionConfigurationError as error:
            raise Refused(error.code, error.reason) from None
        changed_at = int(changed.get("LastChangedDate", changed["CreatedDate"]).timestamp())
        return StoredRing(version_id=found["VersionId"], changed_at=changed_at, ring=ring)

    def replace_ring(self, seen: StoredRing, ring: KeyRing) -> str:
        """Replace the ring that was read, and return the version of the new one.

        The new ring is first stored as a version that is not current. Then Secrets Manager makes it current, only if
        the version that was read is still current. So a rotation in between is never undone. At last the public facts
        of the ring are written into the tags of the secret.

        Raises:
            Refused: the ring did not change.
        """
        secrets, secret_id = self._session.client("secretsmanager"), self._secret_id()
        with client_errors_as_refusals():
            written = secrets.put_secret_value(SecretId=secret_id, SecretString=ring.encode(), VersionStages=[RETIRING])
            stored = written["VersionId"]
            try:
                secrets.update_secret_version_stage(
                    SecretId=secret_id,
                    VersionStage=CURRENT,
                    MoveToVersionId=stored,
                    RemoveFromVersionId=seen.version_id,
                )
            except ClientError as error:
                if error.response["Error"]["Code"] != "InvalidParameterException":
                    raise
                # The refusal also comes when an earlier attempt of this call succeeded and its reply was lost.
                if not self._counts(stored):
                    raise Refused(
                        "ring-changed", "another change of the ring came first; nothing was done, try again"
                    ) from None
            finally:
                self._unstage(stored)
        self._publish(RingFacts.of_ring(ring, version_id=stored))
        return stored

    def _counts(self, version_id: str) -> bool:
        found = self._session.client("secretsmanager").describe_secret(SecretId=self._secret_id())
        return CURRENT in found["VersionIdsToStages"].get(version_id, [])

    def _unstage(self, version_id: str) -> None:
        """Remove our stage from a version; errors are ignored, because storing the next ring removes it too."""
        with suppress(ClientError, BotoCoreError):
            self._session.client("secretsmanager").update_secret_version_stage(
                SecretId=self._secret_id(), VersionStage=RETIRING, RemoveFromVersionId=version_id
            )

    def _publish(self, facts: RingFacts) -> None:
        """Write the facts of the ring; errors are ignored: the ring has changed, and the next rotation writes them."""
        tags: Any = [{"Key": name, "Value": value} for name, value in facts.to_tags().items()]
        with suppress(ClientError, BotoCoreError):
            if tags:
                self._session.client("secretsmanager").tag_resource(SecretId=self._secret_id(), Tags=tags)

    def _secret_id(self) -> str:
        return self._secret or self.output(SECRET_OUTPUT)

    def output(self, name: str) -> str:
        """Return an output of the stack; raises Refused."""
        with client_errors_as_refusals():
            (found,) = self._session.client("cloudformation").describe_stacks(StackName=self._stack)["Stacks"]
        outputs = {output["OutputKey"]: output["OutputValue"] for output in found.get("Outputs", [])}
        if name not in outputs:
            raise Refused("not-askback", f"the stack {self._stack} has no output {name}")
        return outputs[name]


def connected(
    *,
    stack: str,
    function: str | None,
    secret: str | None,
    region: str | None,
    profile: str | None,
    links_function: str | None = None,
) -> StackOperator:
    """Return the operator of a stack, with the credentials of a profile or of the environment; raises Refused."""
    with client_errors_as_refusals():
        session = boto3.session.Session(profile_name=profile, region_name=region)
    return StackOperator(session=session, stack=stack, function=function, links_function=links_function, secret=secret)


@contextmanager
def client_errors_as_refusals() -> Iterator[None]:
    """Turn errors of boto3 into `Refused`, with the text of AWS."""
    try:
        yield
    except ClientError as error:
        found = error.response["Error"]
        raise Refused(found["Code"], found.get("Message", "")) from None
    except BotoCoreError as error:
        raise Refused(type(error).__name__, str(error)) from None


def _refusal(raised: Mapping[str, Any]) -> Refused:
    try:
        problem = json.loads(raised["errorMessage"])
        return Refused(problem["code"], problem["detail"], problem)
    except (KeyError, TypeError, ValueError):
        # Not a problem document of the function: the function could not start, or it ran out of time.
        return Refused(str(raised.get("errorType", "failed")), "the function failed; read its log")

"""Secrets Manager as it rotates a key secret, on the emulator: its stages, and the four steps in their order.

The emulator differs in some things, which are made up for here. It sends the secret's name where Secrets Manager sends
its ARN; it finishes a rotation whatever the steps say, so steps that may fail are not run by it; it starts another one
while one is under way, which Secrets Manager refuses; and it takes the version that was rotated last for the current
one, so a value that is put by hand is staged by hand.
"""

import json
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Self

import boto3

from local.emulated.cloud import Cloud
from local.emulated.template import ACCOUNT, REGION
from local.emulated.workflows.lambda_functions import serving

STEPS = ("createSecret", "setSecret", "testSecret", "finishSecret")
FIRST_KEY = "the first key of a deployment, which only tests use"
Invoke = Callable[[dict[str, Any]], Any]
"""Invokes the rotation function."""
_NAME = "rotate"


@dataclass
class Rotations:
    """A cloud in which Secrets Manager finds a rotation function; who answers for it is told with each rotation."""

    cloud: Cloud
    answer: Invoke = lambda _: None

    @classmethod
    @contextmanager
    def served(cls) -> Iterator[Self]:
        """Everything started, until leaving."""
        with Cloud() as cloud, cls.served_in(cloud) as rotations:
            yield rotations

    @classmethod
    @contextmanager
    def served_in(cls, cloud: Cloud) -> Iterator[Self]:
        """A rotation function in this cloud, until leaving."""
        rotations = cls(cloud)
        with serving({_NAME: rotations._ask}):
            yield rotations

    def _ask(self, event: dict[str, Any]) -> Any:
        return self.answer(event)


@dataclass
class KeySecret:
    """A key secret, of its own unless another one is named; its client is one that no wire touches."""

    rotations: Rotations
    arn: str = ""
    client: Any = field(default_factory=lambda: boto3.session.Session().client("secretsmanager"))

    def __post_init__(self) -> None:
        if self.arn:
            return
        first = {"current": "initial", "key:initial": FIRST_KEY}
        created = self.client.create_secret(Name=f"keys-{uuid.uuid4()}", SecretString=json.dumps(first))
        self.arn = created["ARN"]

    def ring(self, stage: str = "AWSCURRENT") -> dict[str, str]:
        """Return the ring at a stage."""
        text = self.client.get_secret_value(SecretId=self.arn, VersionStage=stage)["SecretString"]
        ring: dict[str, str] = json.loads(text)
        return ring

    def ring_of(self, version: str) -> dict[str, str]:
        """Return the ring that a version holds."""
        text = self.client.get_secret_value(SecretId=self.arn, VersionId=version)["SecretString"]
        ring: dict[str, str] = json.loads(text)
        return ring

    def keys(self) -> set[str]:
        """Return the ids of the keys that count."""
        return {name.removeprefix("key:") for name in self.ring() if name.startswith("key:")}

    def put(self, ring: Mapping[str, str]) -> None:
        """Change the ring by hand, as an operator does."""
        text, before = json.dumps(dict(ring)), self.version()
        put = self.client.put_secret_value(SecretId=self.arn, SecretString=text, VersionStages=["NEW"])
        self.client.update_secret_version_stage(
            SecretId=self.arn,
            VersionStage="AWSCURRENT",
            MoveToVersionId=put["VersionId"],
            RemoveFromVersionId=before,
        )

    def stages(self) -> dict[str, set[str]]:
        """Return the versions that have stages."""
        found = self.client.describe_secret(SecretId=self.arn)["VersionIdsToStages"]
        return {version: set(stages) for version, stages in found.items() if stages}

    def version(self, stage: str = "AWSCURRENT") -> str:
        """Return the version at a stage."""
        (version,) = [version for version, stages in self.stages().items() if stage in stages]
        return version

    def is_pending(self) -> bool:
        """Tell whether a rotation is under way."""
        return any("AWSPENDING" in stages for stages in self.stages().values())

    def event(self, step: str, token: str) -> dict[str, Any]:
        """Return what Secrets Manager sends for a step."""
        return {"Step": step, "SecretId": self.arn, "ClientRequestToken": token}

    def begin(self) -> str:
        """Start a rotation without any of its steps: there is a pending version, and it is empty."""
        token = str(uuid.uuid4())
        self._rotate(lambda _: None, token)
        return token

    def rotate(self, invoke: Invoke) -> str:
        """Rotate, and return the new version."""
        token = str(uuid.uuid4())
        done: list[str] = []

        def ask(event: dict[str, Any]) -> Any:
            done.append(event["Step"])
            return invoke(self.event(event["Step"], event["ClientRequestToken"]))

        self._rotate(ask, token)
        assert done == list(STEPS)
        assert self.version() == token
        return token

    def try_schedule(self, invoke: Invoke) -> list[Any]:
        """Set a schedule up without rotating: a copy of the current ring is tested, and removed."""
        said: list[Any] = []
        token = str(uuid.uuid4())
        self._rotate(
            lambda event: said.append(invoke(self.event(event["Step"], event["ClientRequestToken"]))),
            token,
            at_once=False,
        )
        self.let_go(token)
        return said

    def let_go(self, token: str) -> None:
        """Take AWSPENDING from a version."""
        self.client.update_secret_version_stage(SecretId=self.arn, VersionStage="AWSPENDING", RemoveFromVersionId=token)

    def _rotate(self, answer: Invoke, token: str, *, at_once: bool = True) -> None:
        assert not self.is_pending(), "Secrets Manager refuses this while another rotation is under way"
        self.rotations.answer = answer
        self.client.rotate_secret(
            SecretId=self.arn,
            ClientRequestToken=token,
            RotationLambdaARN=f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:{_NAME}",
            RotationRules={"AutomaticallyAfterDays": 90},
            RotateImmediately=at_once,
        )

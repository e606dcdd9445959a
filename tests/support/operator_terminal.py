"""An operator's terminal: the command runs against a stack that emulated AWS knows, through CloudFormation."""

import io
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import boto3

from askback.domain.keys.facts import RingFacts
from askback.domain.keys.ring import KeyRing
from askback.operate.__main__ import main
from askback.operate.retirement import SETTLING_SECONDS
from askback.operate.stack import StackOperator
from local.emulated.workflows.lambda_functions import serving
from tests.support.waiting_world import World

OLD, NEW = "the older key, which only tests use, 32+", "the newer key, which only tests use, 32+"
RING = {"current": "new", "key:new": NEW, "key:old": OLD, "until:old": "1790000000", "legacy": OLD}


@dataclass
class Ran:
    """How a command ended: its exit code, and what it wrote where."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> dict[str, Any]:
        document: dict[str, Any] = json.loads(self.out or self.err)
        return document


@dataclass
class Terminal:
    """Where an operator types, with a stack that the emulated CloudFormation knows and a ring of its own."""

    world: World
    stack: str
    secret: str
    secrets: Any = field(default_factory=lambda: boto3.session.Session().client("secretsmanager"))
    after_seconds: int = SETTLING_SECONDS
    """How long after the ring last changed the command runs."""

    def run(self, *arguments: str) -> Ran:
        out, err = io.StringIO(), io.StringIO()
        code = main(["--stack", self.stack, *arguments], connect=self.connect, out=out, err=err)
        assert not [key for key in (OLD, NEW) if key in out.getvalue() + err.getvalue()]
        return Ran(code, out.getvalue(), err.getvalue())

    def connect(self, **named: Any) -> StackOperator:
        session = boto3.session.Session(region_name=named.pop("region"), profile_name=named.pop("profile"))
        changed = self.secrets.describe_secret(SecretId=self.secret)["LastChangedDate"].timestamp()
        return StackOperator(session=session, clock=lambda: changed + self.after_seconds, **named)

    def ring(self) -> dict[str, str]:
        """Return the ring that counts."""
        current = self.secrets.get_secret_value(SecretId=self.secret, VersionStage="AWSCURRENT")
        ring: dict[str, str] = json.loads(current["SecretString"])
        return ring

    def stages(self) -> set[str]:
        versions = self.secrets.describe_secret(SecretId=self.secret)["VersionIdsToStages"]
        return {stage for stages in versions.values() for stage in stages}


def described_ring(name: str, ring: dict[str, str]) -> str:
    """Return a new secret with the ring, whose facts are in its tags, as a rotation leaves it."""
    secrets = boto3.client("secretsmanager")
    created = secrets.create_secret(Name=name, SecretString=json.dumps(ring))
    facts = RingFacts.of_ring(KeyRing.parse(json.dumps(ring)), version_id=created["VersionId"])
    tags: Any = [{"Key": key, "Value": value} for key, value in facts.to_tags().items()]
    secrets.tag_resource(SecretId=created["ARN"], Tags=tags)
    return created["ARN"]


@contextmanager
def a_terminal(world: World, name: str) -> Iterator[Terminal]:
    """Let there be a stack of this name, until leaving."""
    secret = described_ring(name, RING)
    handlers = world.load(ASKBACK_KEY_SECRET_ID=secret)
    world.handlers = handlers
    environment = world.deployment.cloud.functions[0].environment
    outputs = {
        "InboxFunctionArn": f"{name}-inbox",
        "LinksFunctionArn": f"{name}-links",
        "KeyRingArn": secret,
        "DecisionLogGroupName": environment["ASKBACK_DECISION_LOG_GROUP"],
        "TableName": environment["ASKBACK_TABLE_NAME"],
        "BucketName": environment["ASKBACK_BUCKET_NAME"],
    }
    template = {
        "Resources": {"Nothing": {"Type": "AWS::SQS::Queue"}},
        "Outputs": {key: {"Value": value} for key, value in outputs.items()},
    }
    boto3.client("cloudformation").create_stack(StackName=name, TemplateBody=json.dumps(template))
    functions = {
        f"{name}-inbox": lambda event: handlers.invoke("inbox", event),
        f"{name}-links": lambda event: handlers.invoke("links", event),
    }
    with serving(functions):
        yield Terminal(world=world, stack=name, secret=secret)
    world.handlers = world.load()


def row_of(ran: Ran, first: str) -> list[str]:
    """Return the cells of the table's row that begins with this."""
    (row,) = [line.split() for line in ran.out.splitlines() if line.startswith(first)]
    return row

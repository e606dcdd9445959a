"""A deployed stack with a ring of its own, and an operator who takes over from the engine step by step."""

import io
import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import boto3
from pydantic import BaseModel

from askback.cutover.__main__ import main
from askback.domain.interactions.registry import InteractionRegistration, InteractionRegistry
from askback.interactions import ASK_USER_REGISTRATION
from askback.operate.stack import StackOperator
from tests.support.function_deployment import Deployment, Handlers
from tests.support.operator_terminal import Ran

SECRET = "a legacy key that only tests use, 32+"
RING = {"current": "new", "key:new": "the key of this deployment, for tests, 32+"}


class Approval(BaseModel):
    """The payload schema that the engine knew by the same name."""

    reason: str
    amount: float
    lines: list[dict[str, Any]]
    note: str | None


class Decision(BaseModel):
    """Its response schema."""

    approved: bool


REGISTRY = InteractionRegistry(
    [
        ASK_USER_REGISTRATION,
        InteractionRegistration(name="approval_required", payload_schema=Approval, response_schema=Decision),
    ]
)


@dataclass(kw_only=True)
class Cutover:
    """The stack, the operator's clock, and the functions, which are loaded again when their ring has changed."""

    deployment: Deployment
    stack: str
    secret: str
    folder: Path
    now: int = field(default_factory=lambda: int(time.time()))
    before_put: Callable[..., None] | None = None
    """Called before each put of the operator's; what it raises is what the table answered."""

    def run(self, *arguments: str, key: str = "") -> Ran:
        """Run the command; whatever it prints, the engine's secret is not in it."""
        out, err = io.StringIO(), io.StringIO()
        stack = ("--stack", self.stack)
        code = main([*arguments, *stack], connect=self._connect, key=io.StringIO(key), out=out, err=err)
        assert SECRET not in out.getvalue() + err.getvalue()
        return Ran(code, out.getvalue(), err.getvalue())

    def imported(self, kind: str, records: Sequence[Mapping[str, Any]], *more: str) -> Ran:
        """Import records from a file of lines of JSON."""
        file = self.folder / f"{kind}.jsonl"
        file.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
        return self.run(kind, str(file), "--frozen-at", str(self.now), *more)

    def cut_over(self, *, requests: Sequence[Mapping[str, Any]], consumed: Sequence[Mapping[str, Any]]) -> Handlers:
        """Take every step and return the functions that then serve."""
        assert self.imported("requests", requests).code == 0
        assert self.imported("consumed", consumed).code == 0
        assert self.run("admit", key=SECRET).code == 0
        return self.load()

    def load(self, *, after_seconds: int = 0) -> Handlers:
        """Load the functions afresh, some time later."""
        return self.deployment.load(
            registry=REGISTRY,
            clock=lambda: self.now + after_seconds,
            only=frozenset({"resume", "inbox"}),
            ASKBACK_KEY_SECRET_ID=self.secret,
        )

    def _connect(self, **named: Any) -> StackOperator:
        session = boto3.session.Session(region_name=named.pop("region"), profile_name=named.pop("profile"))
        if self.before_put:
            session.events.register("before-call.dynamodb.PutItem", self.before_put)
        return StackOperator(session=session, clock=lambda: self.now, **named)


@contextmanager
def cut_over_to(deployment: Deployment, *, name: str, folder: Path) -> Iterator[Cutover]:
    """Let there be a stack of this name over the deployment's table and bucket."""
    secret = boto3.client("secretsmanager").create_secret(Name=name, SecretString=json.dumps(RING))["ARN"]
    outputs = {"TableName": deployment.table, "BucketName": deployment.bucket, "KeyRingArn": secret}
    template = {
        "Resources": {"Nothing": {"Type": "AWS::SQS::Queue"}},
        "Outputs": {key: {"Value": value} for key, value in outputs.items()},
    }
    boto3.client("cloudformation").create_stack(StackName=name, TemplateBody=json.dumps(template))
    yield Cutover(deployment=deployment, stack=name, secret=secret, folder=folder)

"""One deployment whose keys rotate and whose time passes when a test says so."""

import asyncio
import io
import itertools
from dataclasses import dataclass, field
from typing import Any

import boto3

from askback.adapters.dynamodb.outstanding import DynamoOutstandingPauses
from askback.domain.keys.next_ring import key_id_of
from askback.domain.ports import KeyUse
from tests.support.function_deployment import Handlers
from tests.support.key_secret import KeySecret
from tests.support.memory_deployment import NOW

DAY = 24 * 3600
LEGACY = {"legacy": "a legacy key that only tests use, 32 bytes"}
_worlds = itertools.count()


@dataclass
class World:
    """The functions and their key secret, no rotation of which has begun."""

    secret: KeySecret
    output: io.StringIO = field(default_factory=io.StringIO)
    start: int = field(default_factory=lambda: NOW + next(_worlds) * 100 * DAY)
    """Later than anything that another test's pauses live for; they share the table."""

    def __post_init__(self) -> None:
        self.now = self.start

    def process(self, *functions: str, **environment: Any) -> Handlers:
        """Return the functions in processes that have read no ring yet."""
        return Handlers(
            self.secret.rotations.cloud,
            self.output,
            only=frozenset(functions or ("mint", "resume")),
            clock=lambda: self.now,
            **{"ASKBACK_KEY_SECRET_ID": self.secret.arn, "ASKBACK_RETURN_LINKS": "true", **environment},
        )

    def step(self, step: str, token: str) -> Any:
        return self.invoke(self.secret.event(step, token))

    def invoke(self, event: Any, **environment: str) -> Any:
        """Invoke the rotation function in a process of its own."""
        return self.process("rotate", **environment).invoke("rotate", event)

    def rotate(self) -> str:
        """Rotate, which has to succeed, and return the id of the key that signs now."""
        before = self.secret.keys()
        new = key_id_of(self.secret.rotate(self.invoke))
        assert new in self.secret.keys() - before
        return new

    def uses(self) -> dict[str, KeyUse]:
        """Return what is outstanding by key."""
        table = self.secret.rotations.cloud.functions[0].environment["ASKBACK_TABLE_NAME"]
        outstanding = DynamoOutstandingPauses(client=boto3.session.Session().client("dynamodb"), table=table)
        return dict(asyncio.run(outstanding.outstanding_by_key(at=self.now)))

"""One pause and its resume through the built functions, on an emulated AWS with the template's resources.

Requests enter by the template's own routes. Each function runs in a process of its own, so that its processor time is
its own. What a request wrote is priced by the table's content before and after the invocation, never by what the
emulator says it consumed.
"""

import json
import os
import random
import subprocess
import uuid
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Self

import boto3

from local.cloud import Cloud
from local.events import Request
from local.gateway import Gateway
from tests.benchmarks.artifact import Artifact
from tests.benchmarks.calls import Call, read_calls, sequential_round_trips
from tests.benchmarks.pseudo_text import SEED, Message
from tests.benchmarks.write_units import Index, Item, indexes_of, write_units

LATENCY_SECONDS = 0.05
"""By how much each AWS request is held back: far longer than what a function does between two of them."""
SCOPE = {"tenant_id": "acme", "sub_tenant_id": "eu", "namespace": "billing"}
QUESTION = {
    "question": "Refund 49.90 EUR for order A-1009?",
    "header": "Refund",
    "options": [
        {"label": "Approve", "description": "Pay it out to the card of the order."},
        {"label": "Reject", "description": "Keep the payment and tell the customer why."},
    ],
}

Key = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Invocation:
    """What one invocation did; units of writes are by `table` and by index name, processor time in seconds."""

    calls: tuple[Call, ...]
    write_units: Mapping[str, int]
    cpu: float
    log_bytes: int

    @property
    def round_trips(self) -> int:
        return sequential_round_trips(self.calls)

    @property
    def read_units(self) -> int:
        return sum(call.read_units() for call in self.calls)

    def count(self, service: str, operation: str = "") -> int:
        """How many requests went to a service, or to one operation of it."""
        wanted = f"{service}.{operation}" if operation else None
        return sum(call.operation == wanted if wanted else call.service == service for call in self.calls)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cycle:
    """A pause and its resume."""

    mint: Invocation
    resume: Invocation

    @property
    def both(self) -> tuple[Invocation, Invocation]:
        return self.mint, self.resume

    @property
    def write_units(self) -> int:
        return sum(sum(invocation.write_units.values()) for invocation in self.both)

    @property
    def aws_calls(self) -> int:
        return sum(len(invocation.calls) for invocation in self.both)


class Deployment:
    """The built functions behind the template's routes; a context manager."""

    cloud: Cloud

    def __init__(self, artifact: Artifact) -> None:
        self._artifact = artifact
        self._exit = ExitStack()
        self._ids = random.Random(SEED)  # noqa: S311  repeatable ids, nothing secret

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            self.cloud = stack.enter_context(Cloud())
            self._functions = {
                function.name: stack.enter_context(
                    _Probed(
                        self._artifact.command(
                            "probe",
                            str(LATENCY_SECONDS),
                            str(self._artifact.layer),
                            str(self._artifact.function(function)),
                        ),
                        os.environ | function.environment,
                    )
                )
                for function in self.cloud.functions
            }
            self._gateway = Gateway(routes=self.cloud.routes, cors=None, functions=self._functions, tracebacks=True)
            client: Any = boto3.client("dynamodb")
            self._table = Table(client, self.cloud.functions[0].environment["ASKBACK_TABLE_NAME"])
            self._exit = stack.pop_all()
        return self

    def __exit__(self, *details: object) -> None:
        self._exit.close()

    def cycle(self, messages: list[Message]) -> Cycle:
        """Ask a question with these messages as the paused turn, and answer it."""
        here = {"scope": SCOPE, "run_id": self._new_id(), "session_id": self._new_id()}
        call = messages[-1]["tool_calls"][0]["id"]
        asked = here | {
            "name": "ask_user",
            "tool_call_id": call,
            "ttl_seconds": 3600,
            "payload": {"questions": [QUESTION]},
            "messages": messages,
        }
        minted, mint = self._post("/pauses", asked)
        question = minted["payload"]["questions"][0]["id"]
        answer = here | {
            "pause_token": minted["pause_token"],
            "response": {"answers": [{"question_id": question, "selections": ["Approve"]}]},
        }
        resumed, resume = self._post("/resume", answer)
        if resumed["turn"]["messages"] != messages:
            raise RuntimeError("the resumed turn is not the one that was paused")
        return Cycle(mint=mint, resume=resume)

    def _new_id(self) -> str:
        # As long as ids are in practice: they stand in every row, and rows are charged by the KiB.
        return str(uuid.UUID(int=self._ids.getrandbits(128), version=4))

    def _post(self, path: str, body: dict[str, Any]) -> tuple[dict[str, Any], Invocation]:
        before = self._table.items()
        headers = (("content-type", "application/json"),)
        response = self._gateway.answer(
            Request(method="POST", target=path, headers=headers, body=json.dumps(body).encode())
        )
        if response.status >= 300:
            raise RuntimeError(f"POST {path} answered {response.status}: {response.body.decode()[:1000]}")
        report = next(probed.report.pop() for probed in self._functions.values() if probed.report)
        calls = read_calls(report["calls"])
        invocation = Invocation(
            calls=calls,
            write_units=_write_units(calls, before, self._table.items(), self._table.indexes),
            cpu=report["cpu"],
            log_bytes=report["log_bytes"],
        )
        return json.loads(response.body), invocation


class Table:
    """The emulated table's items and indexes."""

    def __init__(self, client: Any, name: str) -> None:
        self._client = client
        self._name = name
        self.indexes = indexes_of(client.describe_table(TableName=name)["Table"])

    def items(self) -> Mapping[Key, Item]:
        """Every item there is now, by key."""
        pages = self._client.get_paginator("scan").paginate(TableName=self._name)
        return MappingProxyType({_key(item): item for page in pages for item in page["Items"]})


def _write_units(
    calls: tuple[Call, ...], before: Mapping[Key, Item], after: Mapping[Key, Item], indexes: tuple[Index, ...]
) -> dict[str, int]:
    written = [_key(call.written_key) for call in calls if call.written_key is not None]
    if len(set(written)) != len(written):
        # Between two writes of one item its content is not known here.
        raise RuntimeError("an invocation wrote one item twice")
    total = dict.fromkeys(["table", *(index.name for index in indexes)], 0)
    for key in written:
        for place, units in write_units(before.get(key), after.get(key), indexes).items():
            total[place] += units
    return total


def _key(item: Mapping[str, Any]) -> Key:
    return item["pk"]["S"], item["sk"]["S"]


class _Probed:
    """A function in a process of its own, called with an event; `report` holds what the last call did."""

    def __init__(self, command: list[str], environment: Mapping[str, str]) -> None:
        self._command = command
        self._environment = environment
        self.report: list[dict[str, Any]] = []

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            self._command, env=self._environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        return self

    def __exit__(self, *details: object) -> None:
        self._process.communicate()

    def __call__(self, event: Any) -> Any:
        if self._process.stdin is None or self._process.stdout is None:
            raise RuntimeError("the process has no pipes")
        self._process.stdin.write(json.dumps(event) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"the function's process ended with {self._process.wait()}")
        self.report.append(json.loads(line))
        return self.report[0]["result"]

"""The built functions behind the template's routes, on an emulated AWS with the template's resources.

Requests enter by the template's own routes, and by Step Functions where a workflow asks: the emulator executes state
machines and invokes the same functions. Each function runs in a process of its own.
"""

import json
import os
import random
import uuid
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any, Self, TypeVar

import boto3

from local.emulated.cloud import Cloud
from local.emulated.gateway import Gateway
from local.emulated.http_events import Request
from local.emulated.routes import find_route
from local.emulated.workflows.interpreter import executing
from local.emulated.workflows.lambda_functions import serving
from tests.built.benchmarks.artifact import Artifact
from tests.built.benchmarks.calls import read_calls
from tests.built.benchmarks.invocation import Invocation
from tests.built.benchmarks.probed import Probed
from tests.built.benchmarks.pseudo_text import SEED
from tests.built.benchmarks.stored import Table, units_written

LATENCY_SECONDS = 0.05
"""By how much each AWS request is held back: far longer than what a function does between two of them."""

T = TypeVar("T")


class Deployment:
    """A context manager; `event_bus` is the bus that pauses are announced on, empty for none."""

    cloud: Cloud
    table: Table

    def __init__(self, artifact: Artifact, *, event_bus: str = "") -> None:
        self._artifact = artifact
        self._event_bus = event_bus
        self._exit = ExitStack()
        self._ids = random.Random(SEED)  # noqa: S311  repeatable ids, nothing secret

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            self.cloud = stack.enter_context(Cloud(parameters={"EventBusName": self._event_bus, "ReturnLinks": "true"}))
            self._names = {function.code.name: function.name for function in self.cloud.functions}
            self._functions = {
                function.name: stack.enter_context(
                    Probed(
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
            stack.enter_context(executing())
            stack.enter_context(serving(self._functions))
            self._gateway = Gateway(routes=self.cloud.routes, cors=None, functions=self._functions, tracebacks=True)
            client: Any = boto3.client("dynamodb")
            self.table = Table(client, self.cloud.functions[0].environment["ASKBACK_TABLE_NAME"])
            self._exit = stack.pop_all()
        return self

    def __exit__(self, *details: object) -> None:
        self._exit.close()

    def new_id(self) -> str:
        """Return an id as long as ids are in practice: they stand in every row, and rows are charged by the KiB."""
        return str(uuid.UUID(int=self._ids.getrandbits(128), version=4))

    def function_name(self, folder: str) -> str:
        """Return what the function in this folder is invoked by."""
        return self._names[folder]

    def post(self, path: str, body: dict[str, Any]) -> tuple[dict[str, Any], Invocation]:
        """Send a request to the API, and return the reply and what the function behind the route did."""
        found = find_route(self.cloud.routes, "POST", path)
        if found is None:
            raise LookupError(f"the template has no route POST {path}")
        headers = (("content-type", "application/json"),)
        request = Request(method="POST", target=path, headers=headers, body=json.dumps(body).encode())
        response, _, invocation = self.measured(
            found[0].function, lambda: self._gateway.answer(request), over_http=True
        )
        if response.status >= 300:
            raise RuntimeError(f"POST {path} answered {response.status}: {response.body.decode()[:1000]}")
        return json.loads(response.body), invocation

    def invoke(self, folder: str, event: Any) -> tuple[Any, Invocation]:
        """Invoke a function directly, and return its result and what it did."""
        name = self.function_name(folder)
        result, _, invocation = self.measured(name, lambda: self._functions[name](event))
        return result, invocation

    def measured(self, name: str, begin: Callable[[], T], *, over_http: bool = False) -> tuple[T, Any, Invocation]:
        """Begin something that makes a function run once; return what that gave, the result, and what it did."""
        before = self.table.items()
        given = begin()
        report = self._functions[name].report()
        calls = read_calls(report["calls"])
        invocation = Invocation(
            calls=calls,
            write_units=units_written(calls, before, self.table.items(), self.table.indexes),
            cpu=report["cpu"],
            log_bytes=report["log_bytes"],
            over_http=over_http,
        )
        return given, report["result"], invocation

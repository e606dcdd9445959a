"""A deployment with a bus and a function to call, runs that wait for it, and a clock of its own."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

from askback.domain.interactions.registry import InteractionRegistry
from askback.domain.pause.waiters import Waiter, WaiterKind
from askback.interactions import REGISTRY
from local.emulated.template import ACCOUNT, REGION
from local.emulated.workflows.interpreter import executing
from tests.support.function_deployment import Deployment, Handlers
from tests.support.request_bodies import Pause
from tests.support.waiting_runs import (
    BUS,
    CallbackRuns,
    EndingRuns,
    FunctionRuns,
    Listener,
    Runs,
    TaskRuns,
    callback_runs,
    function_runs,
)
from tests.support.waiting_tasks import Tasks

AGENT = f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:agent"
LONG_AGO = 1_600_000_000
"""Years before the pauses of other tests, which share the table, become due."""
DAY = 24 * 3600
KINDS = ("tasks", "callbacks", "functions")
"""The kinds of runs that an answer can be delivered to."""
_ADDRESS = {
    WaiterKind.STEP_FUNCTIONS: "task_token",
    WaiterKind.LAMBDA_DURABLE: "callback_id",
    WaiterKind.LAMBDA: "function",
}


def body_of(waiter: Waiter) -> dict[str, str]:
    """Return a waiter as a mint request names it."""
    return {"kind": waiter.kind.value, _ADDRESS[waiter.kind]: waiter.address}


@dataclass(kw_only=True)
class World:
    """Everybody who takes part in a delivery; `now` is the functions' time in epoch seconds."""

    deployment: Deployment
    handlers: Handlers
    tasks: TaskRuns
    callbacks: CallbackRuns
    functions: FunctionRuns
    listener: Listener
    now: int = LONG_AGO

    def runs(self, kind: str) -> Runs:
        """Return the runs of one of the `KINDS`."""
        runs: Runs = getattr(self, kind)
        return runs

    def ending_runs(self, kind: str) -> EndingRuns:
        """Return the runs of a kind that can end; a function has no such end."""
        runs: EndingRuns = getattr(self, kind)
        return runs

    def sweep(self, *, after: int = 0) -> dict[str, Any]:
        """Let some seconds pass and the sweep come by; return its report."""
        self.now += after
        report: dict[str, Any] = self.handlers.invoke("sweep", {})
        return report

    def row(self, pause: Pause) -> dict[str, Any]:
        """Return the pause's item as plain values."""
        item = self.deployment.item(self.deployment.row_key(pause))
        return {name: next(iter(value.values())) for name, value in item.items()}

    def settle(self) -> None:
        """Let nothing be due of what earlier tests left, and no outcome or announcement wait to be read."""
        for _ in range(60):
            if not self.sweep(after=DAY)["done"]:
                break
        self.functions.forget()
        self.listener.heard()

    def load(self, registry: InteractionRegistry = REGISTRY, **environment: str) -> Handlers:
        """Load the functions once more, at this world's time and with its bus and its function."""
        told = {"ASKBACK_EVENT_BUS": BUS, "ASKBACK_WAITER_FUNCTIONS": AGENT} | environment
        return self.deployment.load(registry=registry, clock=lambda: self.now, **told)


@contextmanager
def a_world(deployment: Deployment) -> Iterator[World]:
    """Let every kind of run be there, until leaving."""
    with ExitStack() as stack:
        stack.enter_context(executing())
        world = World(
            deployment=deployment,
            handlers=deployment.handlers,
            tasks=TaskRuns(Tasks()),
            callbacks=stack.enter_context(callback_runs()),
            functions=stack.enter_context(function_runs()),
            listener=Listener(),
        )
        world.handlers = world.load()
        yield world

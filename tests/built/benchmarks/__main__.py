"""Measure everything once and print the table: `python -m tests.built.benchmarks [--json FILE]`.

The exit status is 1 when a budget is broken and 2 when something that has to be made first is not there. Nothing here
is part of the test run: a time that a test asserted would fail on a busy machine and prove nothing on an idle one.
"""

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.built.benchmarks import (
    budgets,
    cold_start,
    delivery_rows,
    first_reply,
    layer_size,
    memory,
    page_view,
    prices,
    profile,
    refusals,
    resume_cpu,
    rows,
    several,
    sweep_reads,
)
from tests.built.benchmarks.artifact import Artifact, NotReadyError, built
from tests.built.benchmarks.cycle import Workflow, plain_cycle
from tests.built.benchmarks.deployment import Deployment
from tests.built.benchmarks.invocation import Cycle
from tests.built.benchmarks.pseudo_text import transcript
from tests.built.benchmarks.report import Row, broken, render

_REPEATS = 9
_SMALL = transcript(budgets.SMALL_KB * budgets.KB)
_NOTES = f"""\
* recorded earlier with langgraph-checkpoint-aws's DynamoDBSaver, not measured in this run
Prices: {prices.REGION}, {prices.AS_OF}, list, without free tiers; durations are derived (see money.py)
Cold starts and resumes: processor time, best of several fresh processes in turn"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """The table, and what the request functions' cold starts consist of, which is looked at when it is asked for."""

    rows: list[Row]
    profiles: Callable[[], Iterator[str]]


def measure() -> Measured:
    """Measure everything; raises NotReadyError."""
    deployed = _deployed(built())
    return Measured(rows=[*deployed.rows, *_in_memory(), *_refused(), *_in_a_browser()], profiles=deployed.profiles)


def _deployed(artifact: Artifact) -> Measured:
    _tell("cycles")
    with Deployment(artifact) as deployment:
        functions = deployment.cloud.functions
        first, *warm = _repeated(lambda: plain_cycle(deployment, _SMALL))
        small = _best(warm)
        cycles = {size: plain_cycle(deployment, transcript(size * budgets.KB)) for size in budgets.SAVER_WRITE_UNITS}
        _tell("workflows")
        workflow = Workflow(deployment)
        _, reading = workflow.cycle(_SMALL)
        waited = _best(_repeated(lambda: workflow.cycle(_SMALL)[0]))
        workflows = {size: workflow.cycle(transcript(size * budgets.KB))[0] for size in budgets.WORKFLOW_KB}
        _tell("decisions by several")
        decisions = several.measure(deployment)
        environment = os.environ | functions[0].environment
        _tell("memory")
        peaks = memory.measure(artifact, environment)
        _tell("first replies")
        replies = first_reply.measure(artifact, deployment, _SMALL)
    _tell("sweeps")
    announced = _announced(artifact)
    with Deployment(artifact) as deployment:
        reads = sweep_reads.measure(deployment, _SMALL)
    _tell("cold starts")
    starting = environment | {"AWS_ENDPOINT_URL": ""}
    cold = cold_start.measure(artifact, functions, starting)
    table = [
        *rows.call_rows(first, small),
        *delivery_rows.workflow_call_rows(waited, reading, announced),
        *decisions,
        *rows.write_unit_rows(cycles, "write units of a pause and its resume, indexes included"),
        *rows.write_unit_rows(workflows, "write units with a Step Functions waiter, indexes included"),
        *delivery_rows.place_rows(small, waited),
        *rows.money_rows(small, cold.of_requests),
        *delivery_rows.workflow_money_rows(waited, small, announced, cold.of_requests),
        *delivery_rows.sweep_rows(reads),
        *delivery_rows.sweep_money_rows(reads.idle),
        *rows.cold_start_rows(cold),
        *rows.first_reply_rows(replies),
        *rows.layer_rows(layer_size.bytes_by_package(artifact.layer)),
        *rows.memory_rows(peaks),
    ]
    return Measured(rows=table, profiles=lambda: profile.of_requests(artifact, functions, starting))


def _announced(artifact: Artifact) -> delivery_rows.Announced:
    with Deployment(artifact, event_bus="default") as deployment:
        return delivery_rows.Announced(
            plain=plain_cycle(deployment, _SMALL), workflow=Workflow(deployment).cycle(_SMALL)[0]
        )


def _repeated(cycle: Callable[[], Cycle]) -> list[Cycle]:
    return [cycle() for _ in range(_REPEATS)]


def _best(cycles: list[Cycle]) -> Cycle:
    # Of several the quickest counts: noise only adds.
    return Cycle(
        mint=min((cycle.mint for cycle in cycles), key=lambda mint: (mint.round_trips, mint.cpu)),
        resume=min((cycle.resume for cycle in cycles), key=lambda resume: (resume.round_trips, resume.cpu)),
    )


def _in_memory() -> list[Row]:
    _tell("resumes in memory")
    return list(rows.cpu_rows(resume_cpu.measure()))


def _refused() -> list[Row]:
    _tell("refusals")
    return refusals.measure()


def _in_a_browser() -> list[Row]:
    _tell("the answer page")
    return list(page_view.page_rows(page_view.measure()))


def _tell(what: str) -> None:
    print(f"measuring {what} ...", file=sys.stderr)


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.built.benchmarks", description=__doc__.partition("\n")[0])
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the numbers there")
    options = parser.parse_args()
    try:
        measured = measure()
    except NotReadyError as missing:
        print(missing, file=sys.stderr)
        return 2
    print(f"\n{render(measured.rows)}\n\n{_NOTES}")
    if options.json:
        numbers = json.dumps([row.to_dict() for row in measured.rows], indent=2)
        options.json.write_text(f"{numbers}\n", encoding="utf-8")
    over = broken(measured.rows)
    if any(row.group == rows.COLD_START for row in over):
        print("\nWhere the cold starts go\n", *measured.profiles(), sep="\n")
    for row in over:
        print(f"over budget: {row.group}: {row.what.strip()}", file=sys.stderr)
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())

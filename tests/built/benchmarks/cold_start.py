"""Cold start: what importing and wiring a function costs, against a minimal function with one DynamoDB client.

Processor time, not elapsed time: a cold start waits for nothing, and on a machine that others use too only processor
time stays the same. Runs are interleaved and the best of each is taken, because noise only ever adds.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from local.emulated.functions import Function
from tests.built.benchmarks.artifact import FLOOR, Artifact, floor_function, without_bytecode

RUNS = 15
RUNS_WITHOUT_BYTECODE = 5
REQUEST_FUNCTIONS = ("mint", "resume")
"""The functions that somebody waits for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ColdStarts:
    """Best processor time in seconds by function, and of the `FLOOR`; as built, and without byte-code."""

    built: Mapping[str, float]
    without_bytecode: Mapping[str, float]

    @property
    def of_requests(self) -> dict[str, float]:
        """The functions that somebody waits for, as built."""
        return {name: self.built[name] for name in REQUEST_FUNCTIONS}


def measure(artifact: Artifact, functions: tuple[Function, ...], environment: Mapping[str, str]) -> ColdStarts:
    """Import every function in fresh processes; `environment` has what a deployed function is given."""
    with floor_function(artifact) as floor, without_bytecode(artifact) as bare:
        return ColdStarts(
            built=_best(artifact, floor, functions, environment, RUNS),
            without_bytecode=_best(bare, bare.folder / FLOOR, functions, environment, RUNS_WITHOUT_BYTECODE),
        )


def _best(
    artifact: Artifact, floor: Path, functions: tuple[Function, ...], environment: Mapping[str, str], runs: int
) -> dict[str, float]:
    targets = {FLOOR: floor} | {function.code.name: artifact.function(function) for function in functions}
    best = dict.fromkeys(targets, float("inf"))
    for _ in range(runs):
        for name, folder in targets.items():
            took = artifact.run("cold_start", str(artifact.layer), str(folder), environment=environment)
            best[name] = min(best[name], took["cpu"])
    return best

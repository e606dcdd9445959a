"""Where a cold start goes: the time that each package takes to import, beyond what the floor imports too.

Taken with `-X importtime`, which makes everything a little slower: what it is good for is the shares.
"""

import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from local.emulated.functions import Function
from tests.built.benchmarks.artifact import CHILDREN, ROOT, Artifact, floor_function
from tests.built.benchmarks.cold_start import REQUEST_FUNCTIONS

RUNS = 5
SHOWN = 10
WIRING = "(not imports: clients and services)"
_LINE = re.compile(r"import time:\s+(?P<own>\d+) \|\s+\d+ \|\s+(?P<module>\S+)")
_OTHERS = "standard library"


def of_requests(artifact: Artifact, functions: tuple[Function, ...], environment: Mapping[str, str]) -> Iterator[str]:
    """Yield the profiles of the functions that somebody waits for, as lines."""
    with floor_function(artifact) as floor:
        for function in functions:
            if function.code.name in REQUEST_FUNCTIONS:
                spent = contributions(artifact, artifact.function(function), floor, environment)
                yield from render(function.code.name, spent)


def contributions(artifact: Artifact, function: Path, floor: Path, environment: Mapping[str, str]) -> Counter[str]:
    """Return microseconds by package of what a function imports and the floor does not, the best of several runs."""
    own, base = (
        _best(_import_times(artifact, folder, environment) for _ in range(RUNS)) for folder in (function, floor)
    )
    return by_package({module: spent for module, spent in own.items() if module not in base}, own["app"] - base["app"])


def by_package(modules: Mapping[str, int], wiring: int) -> Counter[str]:
    """Sum up times of modules by package; the function's own module is the wiring that it does, and nothing else."""
    spent = Counter({WIRING: max(wiring, 0)})
    for module, own in modules.items():
        spent[_package(module)] += own
    return spent


def parse(lines: str) -> dict[str, int]:
    """Return each module's own microseconds from what `-X importtime` printed."""
    return {found["module"]: int(found["own"]) for found in _LINE.finditer(lines)}


def render(name: str, spent: Counter[str]) -> Iterator[str]:
    """Yield the lines of a function's profile, the largest contribution first."""
    yield f"{name}, beyond the floor:"
    for package, microseconds in spent.most_common(SHOWN):
        yield f"  {microseconds / 1000:7.1f} ms  {package}"


def _import_times(artifact: Artifact, function: Path, environment: Mapping[str, str]) -> dict[str, int]:
    command = [artifact.python, "-IB", "-X", "importtime", str(CHILDREN / "cold_start.py")]
    command += [str(artifact.layer), str(function)]
    done = subprocess.run(command, env=dict(environment), capture_output=True, text=True, check=True, cwd=ROOT)
    return parse(done.stderr)


def _best(runs: Iterable[Mapping[str, int]]) -> dict[str, int]:
    best: dict[str, int] = {}
    for run in runs:
        best |= {module: min(own, best.get(module, own)) for module, own in run.items()}
    return best


def _package(module: str) -> str:
    top = module.partition(".")[0]
    return _OTHERS if top in sys.stdlib_module_names and top != "asyncio" else top

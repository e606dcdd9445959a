"""Processor time of a resume with in-memory ports, against the legacy engine's own path for the same question.

Both run in processes of their own on one version of Python, many resumes in one go, several times in turn; the best of
each counts. The budget is set against the legacy path that neither loads nor consumes anything, which ours does; the
legacy engine's whole in-memory resume stands beside it. A turn is rebuilt by ours only: the legacy engine keeps none.
"""

import os
import sys
from dataclasses import dataclass

from tests.built.benchmarks.artifact import CHILDREN, ROOT, NotReadyError, run_json

_ROUNDS, _BATCHES, _RESUMES = 5, 10, 200
LEGACY_PYTHON = ROOT / ".venv-legacy" / "bin" / "python"


@dataclass(frozen=True, slots=True, kw_only=True)
class ResumeCpu:
    """Seconds of processor time for one resume."""

    without_turn: float
    with_turn: float
    legacy: float
    legacy_in_memory: float


def measure() -> ResumeCpu:
    """Run both sides in turn; raises NotReadyError when the legacy engine is not installed on the same Python."""
    if not LEGACY_PYTHON.exists():
        raise NotReadyError("the legacy engine is not installed: run make bench")
    version = "import json, sys; print(json.dumps(sys.version))"
    if run_json([str(LEGACY_PYTHON), "-c", version]) != sys.version:
        raise NotReadyError("the legacy engine is installed on another Python than this one")
    best: dict[str, float] = {}
    for _ in range(_ROUNDS):
        for name, seconds in (_child(sys.executable, "resume_cpu") | _child(str(LEGACY_PYTHON), "legacy_cpu")).items():
            best[name] = min(best.get(name, seconds), seconds)
    return ResumeCpu(
        without_turn=best["without_turn"],
        with_turn=best["with_turn"],
        legacy=best["path"],
        legacy_in_memory=best["in_memory"],
    )


def _child(python: str, name: str) -> dict[str, float]:
    environment = os.environ | {"PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'layers' / 'core'}"}
    took: dict[str, float] = run_json(
        [python, "-B", str(CHILDREN / f"{name}.py"), str(_BATCHES), str(_RESUMES)], environment
    )
    return took

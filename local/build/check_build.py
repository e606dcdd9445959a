"""Checks a build: `python3.13 -sEBm local.build.check_build BUILD_FOLDER ARCHITECTURE`.

A successful build can still lack the package, a dependency, the machine code for its processor, or its byte-code.
Lambda would show this only at the first call, or by being slow. Standard library only: this runs on the Python version
that Lambda uses.
"""

import importlib
import os
import platform
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import distributions
from pathlib import Path

from local.build import bytecode, unused_files

MACHINES = {"arm64": "aarch64", "x86_64": "x86_64"}
FUNCTIONS = (
    "MintFunction",
    "ResumeFunction",
    "SweepFunction",
    "EndedFunction",
    "InboxFunction",
    "LinksFunction",
    "McpFunction",
    "UserMcpFunction",
    "PageFunction",
    "NotifyFunction",
    "AuditFunction",
    "RotateFunction",
)
IMPORTS = ("askback", "aws_lambda_powertools", "boto3", "jwt", "pydantic")
ENVIRONMENT = {
    "AWS_DEFAULT_REGION": "us-east-1",
    "ASKBACK_TABLE_NAME": "check",
    "ASKBACK_BUCKET_NAME": "check",
    "ASKBACK_KEY_SECRET_ID": "check",
}
"""Enough to import a function and build its services; no AWS call is made."""
_PINNED = re.compile(r"^([a-z0-9-]+)==(\S+)", re.MULTILINE)


def faults(build: Path, architecture: str) -> list[str]:
    """Return one sentence for each part that is missing or made for another processor."""
    layer = build / "CoreLayer" / "python"
    found = [f"{name} has no app.py" for name in FUNCTIONS if not (build / name / "app.py").is_file()]
    if not (layer / "askback" / "__init__.py").is_file():
        found.append("the layer has no askback package")

    found += _other_versions("the layer", layer, Path("layers/core/requirements.txt"))
    found += _other_versions("notify", build / "NotifyFunction", Path("functions/notify/requirements.txt"))

    machine_code = [path for path in layer.rglob("*.so") if "cpython" in path.name]
    if not machine_code:
        found.append("the layer has no compiled module, so its processor is not known")
    ending = f"cpython-313-{MACHINES[architecture]}-linux-gnu.so"
    wrong = [path.name for path in machine_code if ending not in path.name]
    found += [f"{name} is not for Python 3.13 on {architecture}" for name in wrong]

    found += [f"the layer still has {file.relative_to(layer)}" for file in unused_files.unused(build)]
    found += bytecode.faults(build)

    if not found and platform.machine() == MACHINES[architecture]:
        for package in bytecode.packages(build):
            if (package / "app.py").is_file():
                found += [
                    f"{package.name} compiles {name} when it starts" for name in compiled_at_start(package, layer)
                ]
        sys.path.insert(0, str(layer))
        found += [
            f"{name} is not imported from the layer"
            for name in IMPORTS
            if layer not in Path(importlib.import_module(name).__file__ or "").parents
        ]
    return found


def _other_versions(part: str, folder: Path, requirements: Path) -> Iterator[str]:
    present = {d.name.lower().replace("_", "-"): d.version for d in distributions(path=[str(folder)])}
    for name, version in _PINNED.findall(requirements.read_text(encoding="utf-8")):
        if present.get(name) != version:
            yield f"{part} has {present.get(name, 'no version')} of {name} instead of {version}"


def compiled_at_start(function: Path, layer: Path) -> list[str]:
    """Import a function in a new process and return the built modules that Python had to compile."""
    command = [sys.executable, "-IBc", _START, str(function), str(layer)]
    done = subprocess.run(command, env=os.environ | ENVIRONMENT, capture_output=True, text=True, check=True)
    return done.stdout.split()


_START = """
import sys

compiled = []
sys.path[:0] = sys.argv[1:]
sys.addaudithook(lambda event, given: compiled.append(str(given[1])) if event == "compile" else None)
import app
print(*(name for name in compiled if name.startswith(tuple(sys.argv[1:]))), sep="\\n")
"""


def main() -> int:
    build, architecture = Path(sys.argv[1]).resolve(), sys.argv[2]
    found = faults(build, architecture)
    for fault in found:
        print(f"{sys.argv[1]}: {fault}", file=sys.stderr)
    if not found:
        print(f"{sys.argv[1]}: complete, for Python 3.13 on {architecture}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

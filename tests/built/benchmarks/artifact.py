"""What `sam build` made for this machine, and the Python 3.13 that runs it as Lambda would.

The benchmark measures the built artifact and not the source tree: another Python, an extra package or a missing one
would give numbers that no deployment has. Its byte-code is the build's own. Function and layer lie on the path in
Lambda's order, and nothing else does.
"""

import json
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from local.emulated.functions import Function

ROOT = Path(__file__).resolve().parents[3]
BUILD = ROOT / ".aws-sam" / "native" / "build"
CHILDREN = Path(__file__).parent / "children"
FLOOR = "floor"
"""A minimal function, which no function that uses DynamoDB can be faster than."""


class NotReadyError(Exception):
    """Something that `make bench` makes first is not there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifact:
    """A folder with the layer and the functions, and the interpreter to run them with."""

    folder: Path
    python: str

    @property
    def layer(self) -> Path:
        """What is unpacked to /opt/python."""
        return self.folder / "CoreLayer" / "python"

    def function(self, function: Function) -> Path:
        """What is unpacked to /var/task."""
        return self.folder / function.logical_id

    def command(self, child: str, *arguments: str) -> list[str]:
        """The command line of one of the children: no user site, no PYTHON variables, no .pyc written."""
        return [self.python, "-IB", str(CHILDREN / f"{child}.py"), *arguments]

    def run(self, child: str, *arguments: str, environment: Mapping[str, str]) -> Any:
        """Run a child to its end and read the JSON it printed."""
        return run_json(self.command(child, *arguments), environment)


def run_json(command: list[str], environment: Mapping[str, str] | None = None) -> Any:
    """Run a program and read the JSON it printed; what it wrote to standard error is shown when it fails."""
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, cwd=ROOT)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} failed:\n{done.stderr}")
    return json.loads(done.stdout)


def built() -> Artifact:
    """Return the build for this machine; raises NotReadyError."""
    if not (BUILD / "CoreLayer").is_dir():
        raise NotReadyError(f"there is no build in {BUILD.relative_to(ROOT)}: run make bench")
    return Artifact(folder=BUILD, python=find_python())


@contextmanager
def without_bytecode(artifact: Artifact) -> Iterator[Artifact]:
    """A copy as `sam build` alone leaves it."""
    with tempfile.TemporaryDirectory(prefix="askback-bench-") as folder:
        copy = Path(folder, "build")
        shutil.copytree(artifact.folder, copy, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copytree(CHILDREN / FLOOR, copy / FLOOR, ignore=shutil.ignore_patterns("__pycache__"))
        yield Artifact(folder=copy, python=artifact.python)


@contextmanager
def floor_function(artifact: Artifact) -> Iterator[Path]:
    """The folder of a minimal function, compiled as the build's are; it runs with the build's layer."""
    with tempfile.TemporaryDirectory(prefix="askback-bench-") as folder:
        built = shutil.copytree(CHILDREN / FLOOR, Path(folder, FLOOR), ignore=shutil.ignore_patterns("__pycache__"))
        subprocess.run([artifact.python, "-sEBm", "local.build.bytecode", folder], cwd=ROOT, check=True)
        yield built


def find_python() -> str:
    """A real Python 3.13, which is the runtime's; pyenv's shims are scripts and are passed over."""
    found = shutil.which("python3.13")
    candidates = [Path(found)] if found and "shims" not in Path(found).parts else []
    candidates += sorted(Path.home().glob(".pyenv/versions/3.13*/bin/python3.13"))
    if not candidates:
        raise NotReadyError("no Python 3.13 found on PATH or under ~/.pyenv/versions")
    return str(candidates[0])

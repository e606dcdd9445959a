"""The domain stands alone, AWS lives behind the adapters, and only the wiring knows both."""

import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.unit.architecture.sources import PACKAGE, ROOT, circles, imports, python_files


@dataclass(frozen=True)
class Wall:
    """What may be imported behind it: parts of askback, and packages that are not of the standard library."""

    own: tuple[str, ...]
    packages: tuple[str, ...] = ()
    impure: bool = True

    def let_in(self, name: str) -> bool:
        """Tell whether a module behind this wall may import `name`."""
        top = name.split(".", maxsplit=1)[0]
        if top == "askback":
            return any(name == own or name.startswith(f"{own}.") for own in self.own)
        if top in sys.stdlib_module_names:
            return self.impure or top not in _IMPURE
        return top in self.packages or (top.startswith("mypy_boto3_") and "botocore" in self.packages)


_IMPURE = {"logging", "os", "time", "random", "secrets", "uuid", "socket", "threading", "subprocess", "pathlib", "http"}

DOMAIN_ORDER = (
    "pause",
    "interactions",
    "records",
    "tokens",
    "keys",
    "delivery",
    "people",
    "mint",
    "resume",
    "operators",
    "agent",
)
"""The domain's folders in the order in which data flows: a folder imports the ones before it, never one behind it."""


def _of_the_domain(*folders: str) -> tuple[str, ...]:
    loose = (path.stem for path in (PACKAGE / "domain").glob("*.py") if path.stem != "__init__")
    return tuple(f"askback.domain.{name}" for name in (*loose, *folders))


WALLS = {
    # The ports name values of `pause`, for the type checker alone.
    "domain": Wall(own=_of_the_domain("pause"), packages=("pydantic",), impure=False),
    **{
        f"domain/{name}": Wall(own=_of_the_domain(*DOMAIN_ORDER[: place + 1]), packages=("pydantic",), impure=False)
        for place, name in enumerate(DOMAIN_ORDER)
    },
    "settings.py": Wall(own=("askback.domain",)),
    "interactions.py": Wall(own=("askback.domain",), packages=("pydantic",)),
    "adapters": Wall(
        own=("askback.domain", "askback.adapters"),
        packages=("boto3", "botocore", "jwt", "aws_lambda_powertools", "standardwebhooks"),
    ),
    "edge": Wall(
        own=("askback.domain", "askback.settings", "askback.edge"), packages=("pydantic", "aws_lambda_powertools")
    ),
    "wiring": Wall(
        own=tuple(
            f"askback.{name}"
            for name in ("__version__", "domain", "settings", "interactions", "adapters", "edge", "wiring")
        ),
        packages=("boto3", "botocore", "aws_lambda_powertools"),
    ),
    # The client is for other people's programs, so it is light: of the adapters it knows how a client of AWS is made.
    "client": Wall(
        own=("askback.__getattr__", "askback.domain", "askback.adapters.aws", "askback.client"), packages=("botocore",)
    ),
    # Protocols as plain JSON: the standard library alone, so that the client can be installed without the domain's
    # pydantic.
    "agui": Wall(own=("askback.domain", "askback.agui"), impure=False),
    "a2a": Wall(own=("askback.domain", "askback.a2a"), impure=False),
    "langgraph": Wall(own=("askback.domain", "askback.langgraph"), packages=("langgraph",)),
    "mcp": Wall(own=("askback.client", "askback.domain", "askback.mcp"), packages=("mcp",)),
    "operate": Wall(own=("askback.domain", "askback.adapters", "askback.operate"), packages=("boto3", "botocore")),
    "cutover": Wall(
        own=tuple(f"askback.{name}" for name in ("domain", "adapters", "edge.metrics", "operate", "cutover")),
        packages=("botocore",),
    ),
    # A deployment in the process of a test: it wires what the wiring wires, over ports in memory.
    "testing": Wall(
        own=tuple(
            f"askback.{name}"
            for name in (
                "domain",
                "settings",
                "interactions",
                "adapters.jwt_codec",
                "adapters.secrets.key_ring",
                "edge",
                "client",
                "testing",
            )
        ),
        packages=("pytest",),
    ),
    # The public names, for type checkers alone: tests/unit/test_public_names.py shows that it loads nothing itself.
    "__init__.py": Wall(own=("askback.client", "askback.domain")),
}
"""What each folder of the layer may import; the folders of the domain have walls of their own."""
_FUNCTIONS = Wall(
    own=tuple(f"askback.{name}" for name in ("domain", "settings", "edge", "wiring")),
    packages=("aws_lambda_powertools",),
)
_PAGE = Wall(own=(), packages=("brand",))
"""Around the page: it loads nothing of the layer."""
_EXAMPLE = Wall(own=(), packages=("boto3", "aws_durable_execution_sdk_python"))
"""Around the example: it stands for another team's run, which knows the mint by its name alone."""
APART = tuple(
    f"askback.{name}" for name in ("a2a", "agui", "client", "langgraph", "mcp", "operate", "cutover", "testing")
)
"""Programs beside the deployed functions: nothing that a function loads imports them."""


def _part(path: Path) -> str:
    """Return the innermost part of the layer with a wall of its own around a file."""
    first, *rest = path.relative_to(PACKAGE).parts
    return f"{first}/{rest[0]}" if rest and f"{first}/{rest[0]}" in WALLS else first


@pytest.mark.parametrize("path", python_files(PACKAGE), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_every_module_of_the_layer_stays_behind_its_wall(path: Path) -> None:
    wall = WALLS[_part(path)]
    assert [name for name in imports(path.read_text(encoding="utf-8")) if not wall.let_in(name)] == []


@pytest.mark.parametrize("path", python_files(ROOT / "functions"), ids=lambda path: path.parent.name)
def test_every_function_is_made_of_the_edge_and_the_wiring_alone(path: Path) -> None:
    wall = {"durable_example": _EXAMPLE, "page": _PAGE}.get(path.parent.name, _FUNCTIONS)
    assert [name for name in imports(path.read_text(encoding="utf-8")) if not wall.let_in(name)] == []


def test_nothing_that_a_function_loads_imports_a_program_beside_it() -> None:
    """They bring boto3, argument parsers and frameworks, and powers that no function has."""
    # The package itself names the client for type checkers, and loads nothing of it: tests/unit/test_public_names.py.
    files = set(python_files(PACKAGE, ROOT / "functions")) - {PACKAGE / "__init__.py"}
    deployed = [path for path in files if f"askback.{_top(path)}" not in APART]
    importing = {
        path for path in deployed for name in imports(path.read_text(encoding="utf-8")) if name.startswith(APART)
    }
    assert importing == set()


def _top(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0] if PACKAGE in path.parents else ""


def test_every_part_of_the_layer_has_a_wall_and_every_wall_a_part() -> None:
    assert {_part(path) for path in python_files(PACKAGE)} == set(WALLS)


def test_no_modules_import_each_other_in_a_circle() -> None:
    """A circle has no order to read it in, and works or fails by which module happens to be loaded first."""
    assert circles(python_files(PACKAGE, ROOT / "functions", ROOT / "local", ROOT / "tests")) == []


@pytest.mark.parametrize(
    ("part", "source"),
    [
        ("domain", "import boto3"),
        ("domain", "import os"),
        ("domain", "def later():\n    import time"),
        ("domain", "from askback.domain.tokens.scope_binder import Redeemer"),
        ("domain/pause", "from askback.adapters import s3_bodies"),
        ("domain/pause", "from askback.domain.tokens.scope_binder import ScopeBinder"),
        ("domain/mint", "from askback.wiring import services"),
        ("domain/mint", "from askback.domain.resume.outcome import ResumeOutcome"),
        ("domain/mint", "from . import command"),
        ("domain/tokens", "import jwt.api_jws"),
        ("adapters", "from askback.edge.serve import serve"),
        ("adapters", "from askback.settings import Settings"),
        ("adapters", "from langgraph.types import Command"),
        ("langgraph", "from askback.adapters.s3_bodies import S3Bodies"),
        ("langgraph", "import boto3"),
        ("mcp", "from askback.edge.serve import serve"),
        ("client", "from mcp import types"),
        ("agui", "from ag_ui.core import Interrupt"),
        ("agui", "from askback.client.client import AskbackClient"),
        ("a2a", "from google.protobuf import json_format"),
        ("edge", "from askback.adapters.s3_bodies import S3Bodies"),
        ("edge", "from askback.wiring.stores import open_stores"),
        ("edge", "if True:\n    import botocore.exceptions"),
        ("cutover", "import boto3"),
        ("cutover", "from langgraph.types import Interrupt"),
        ("cutover", "from askback.edge.serve import serve"),
        ("settings.py", "import boto3"),
        ("wiring", "from local import serve"),
        ("client", "from askback.adapters.dynamodb.ledger import DynamoIssuanceLedger"),
        ("client", "import pydantic"),
        ("operate", "from askback.edge.log import begin"),
    ],
)
def test_a_wall_lets_nothing_through(part: str, source: str) -> None:
    assert not all(WALLS[part].let_in(name) for name in imports(source))


@pytest.mark.parametrize(
    "source",
    [
        "import boto3",
        "from askback.adapters.s3_bodies import S3Bodies",
        "from askback.client.client import AskbackClient",
        "from pydantic import BaseModel",
        "import jwt",
        "import tests",
    ],
)
def test_the_wall_around_the_functions_lets_nothing_through(source: str) -> None:
    assert not all(_FUNCTIONS.let_in(name) for name in imports(source))


@pytest.mark.parametrize("source", ["from askback.domain import errors", "import askback", "import jwt"])
def test_the_example_knows_nothing_of_the_layer(source: str) -> None:
    assert not any(_EXAMPLE.let_in(name) for name in imports(source))

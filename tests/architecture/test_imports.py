"""The domain stands alone, AWS lives behind the adapters, and only the wiring knows both."""

import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.architecture.sources import PACKAGE, ROOT, imports, python_files


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
        return top in self.packages or (top.startswith("mypy_boto3_") and "boto3" in self.packages)


_IMPURE = {"logging", "os", "time", "random", "secrets", "uuid", "socket", "threading", "subprocess", "pathlib", "http"}
_EDGE = (
    "askback.domain",
    "askback.bodies",
    "askback.deferred",
    "askback.edge",
    "askback.events",
    "askback.inbox_replies",
    "askback.inbox_requests",
    "askback.legacy",
    "askback.mint_requests",
    "askback.observing",
    "askback.requests",
    "askback.replies",
    "askback.running",
    "askback.settings",
    "askback.starting",
)
_REQUESTS = Wall(own=_EDGE, packages=("pydantic", "aws_lambda_powertools"))
_FUNCTIONS = Wall(
    own=(
        *(name for name in _EDGE if name != "askback.bodies"),
        "askback.wiring",
        "askback.notify_wiring",
        "askback.rotation_wiring",
        "askback.interactions",
    ),
    packages=("aws_lambda_powertools",),
)
_CLIENT = (
    "askback.domain",
    "askback.calling",
    "askback.events",
    "askback.problems",
    "askback.repeating",
    "askback.results",
)
_EXAMPLE = Wall(own=(), packages=("boto3", "aws_durable_execution_sdk_python"))
"""Around the example: it stands for somebody else's run, which knows the mint by its name alone."""
WALLS = {
    "domain": Wall(own=("askback.domain",), packages=("pydantic",), impure=False),
    "adapters": Wall(
        own=("askback.domain", "askback.adapters", "askback.calling"),
        packages=("boto3", "botocore", "jwt", "aws_lambda_powertools"),
    ),
    "adapters/langgraph": Wall(own=("askback.domain", "askback.adapters.langgraph"), packages=("langgraph",)),
    "interactions.py": Wall(own=("askback.domain",), packages=("pydantic",)),
    "settings.py": Wall(own=("askback.domain",)),
    "bodies.py": _REQUESTS,
    "deferred.py": Wall(own=("askback.domain", "askback.wiring")),
    "edge.py": _REQUESTS,
    "events.py": _REQUESTS,
    "inbox_replies.py": _REQUESTS,
    "inbox_requests.py": _REQUESTS,
    "mint_requests.py": _REQUESTS,
    "observing.py": Wall(own=("askback.domain",), packages=("aws_lambda_powertools",)),
    "requests.py": _REQUESTS,
    "replies.py": _REQUESTS,
    "legacy.py": Wall(own=("askback.domain",)),
    "cutover": Wall(own=("askback.domain", "askback.adapters", "askback.cutover", "askback.legacy")),
    "operate.py": Wall(own=("askback.domain", "askback.adapters.stack_operator", "askback.operator_output")),
    "operator_output.py": Wall(own=()),
    "starting.py": Wall(own=(), impure=False),
    "overlapping.py": Wall(own=("askback.running",), impure=False),
    "running.py": Wall(own=(), impure=False),
    # The client is for other people's programs: it is light, and it knows AWS by the port of its transports alone.
    "calling.py": Wall(own=("askback.domain",)),
    "problems.py": Wall(own=_CLIENT),
    "results.py": Wall(own=_CLIENT),
    "repeating.py": Wall(own=_CLIENT),
    "client.py": Wall(own=_CLIENT),
    "wiring.py": Wall(own=("askback",), packages=("boto3", "botocore", "aws_lambda_powertools")),
    "notify_wiring.py": Wall(own=("askback",)),
    "rotation_wiring.py": Wall(own=("askback",)),
    "__init__.py": Wall(own=()),
}


FRAMEWORKS = "askback.adapters.langgraph"
"""What is imported by a framework's users alone: its packages are in no deployment."""


def _part(path: Path) -> str:
    """Return the innermost part of the layer with a wall of its own around a file."""
    first, *rest = path.relative_to(PACKAGE).parts
    return f"{first}/{rest[0]}" if rest and f"{first}/{rest[0]}" in WALLS else first


def _wall_around(path: Path) -> Wall:
    return WALLS[_part(path)]


@pytest.mark.parametrize("path", python_files(PACKAGE), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_every_module_of_the_layer_stays_behind_its_wall(path: Path) -> None:
    wall = _wall_around(path)
    assert [name for name in imports(path.read_text(encoding="utf-8")) if not wall.let_in(name)] == []


@pytest.mark.parametrize("path", python_files(ROOT / "functions"), ids=lambda path: path.parent.name)
def test_every_function_is_made_of_the_edge_and_the_wiring_alone(path: Path) -> None:
    wall = _EXAMPLE if path.parent.name == "durable_example" else _FUNCTIONS
    assert [name for name in imports(path.read_text(encoding="utf-8")) if not wall.let_in(name)] == []


def test_the_operators_commands_are_imported_by_nothing_that_a_function_loads() -> None:
    """They bring boto3 and an argument parser, and powers that no function has."""
    ours = (
        "askback.operate",
        "askback.operator_output",
        "askback.adapters.stack_operator",
        "askback.cutover",
        "askback.adapters.cutover_table",
        "askback.adapters.redemption_metric",
    )
    commands = {PACKAGE / f"{name.removeprefix('askback.').replace('.', '/')}.py" for name in ours}
    others = (
        {*python_files(PACKAGE), *python_files(ROOT / "functions")} - commands - {*python_files(PACKAGE / "cutover")}
    )
    importing = {path for path in others for name in imports(path.read_text(encoding="utf-8")) if name.startswith(ours)}
    assert importing == set()


def test_every_part_of_the_layer_has_a_wall_and_every_wall_a_part() -> None:
    assert {_part(path) for path in python_files(PACKAGE)} == set(WALLS)


def test_nothing_that_is_deployed_imports_a_framework() -> None:
    deployed = [path for path in python_files(PACKAGE, ROOT / "functions") if "langgraph" not in path.parts]
    importing = [path for path in deployed if any(name.startswith(FRAMEWORKS) for name in _imports(path))]
    assert importing == []


def _imports(path: Path) -> list[str]:
    return list(imports(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    ("part", "source"),
    [
        ("domain", "import boto3"),
        ("domain", "import os"),
        ("domain", "def later():\n    import time"),
        ("domain", "from askback.adapters import s3_bodies as bodies"),
        ("domain", "from askback import wiring"),
        ("domain", "from . import errors"),
        ("domain", "import jwt.api_jws"),
        ("adapters", "from askback.edge import serve"),
        ("adapters", "from askback.settings import Settings"),
        ("adapters", "from langgraph.types import Command"),
        ("adapters/langgraph", "from askback.adapters.s3_bodies import S3Bodies"),
        ("adapters/langgraph", "import boto3"),
        ("edge.py", "from askback.adapters.s3_bodies import S3Bodies"),
        ("edge.py", "from askback.wiring import services"),
        ("edge.py", "if True:\n    import botocore.exceptions"),
        ("mint_requests.py", "from askback.adapters.delivery import AwsDelivery"),
        ("bodies.py", "from askback.wiring import services"),
        ("cutover", "import boto3"),
        ("cutover", "from langgraph.types import Interrupt"),
        ("settings.py", "import boto3"),
        ("wiring.py", "from local import serve"),
        ("client.py", "from askback.adapters.signed_http import SignedHttpTransport"),
        ("client.py", "import pydantic"),
        ("results.py", "import boto3"),
    ],
)
def test_a_wall_lets_nothing_through(part: str, source: str) -> None:
    assert not all(WALLS[part].let_in(name) for name in imports(source))


@pytest.mark.parametrize(
    "source",
    [
        "import boto3",
        "from askback.adapters import s3_bodies as bodies",
        "from askback.bodies import Body",
        "import jwt",
        "import tests",
    ],
)
def test_the_wall_around_the_functions_lets_nothing_through(source: str) -> None:
    assert not all(_FUNCTIONS.let_in(name) for name in imports(source))


@pytest.mark.parametrize("source", ["from askback.domain import errors", "import askback", "import jwt"])
def test_the_example_knows_nothing_of_the_layer(source: str) -> None:
    assert not any(_EXAMPLE.let_in(name) for name in imports(source))

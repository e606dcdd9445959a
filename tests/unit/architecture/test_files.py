"""No module is a drawer for odds and ends, and no package runs code when it is imported."""

import ast
from pathlib import Path

import pytest

from tests.unit.architecture.sources import PACKAGE, PROGRAMS, ROOT, python_files

FILES = python_files(*PROGRAMS, ROOT / "tests")
PUBLIC = {PACKAGE / "__init__.py", PACKAGE / "client/__init__.py"}
"""The packages that programs import names from. They load a name when it is used; tests/unit/test_public_names.py."""
DRAWERS = {"util", "utils", "helper", "helpers", "common", "misc", "shared", "tools"}


def test_no_module_is_a_drawer() -> None:
    names = {part for path in FILES for part in (*path.relative_to(ROOT).parts[:-1], path.stem)}
    assert names & DRAWERS == set()


@pytest.mark.parametrize(
    "path",
    [path for path in FILES if path.name == "__init__.py" and path not in PUBLIC],
    ids=lambda path: str(path.relative_to(ROOT)),
)
def test_a_package_holds_a_docstring_and_nothing_else(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert ast.get_docstring(tree)
    assert len(tree.body) == 1


def test_the_package_carries_the_repositorys_licence() -> None:
    """A distribution is built from the layer's folder alone."""
    assert (PACKAGE.parent / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()

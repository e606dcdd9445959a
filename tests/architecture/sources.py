"""The repository's own Python files, and what each of them imports."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
PACKAGE = ROOT / "layers/core/askback"
PROGRAMS = (PACKAGE, ROOT / "functions", ROOT / "local")


def python_files(*folders: Path) -> list[Path]:
    """Return every Python file below the folders."""
    return sorted(path for folder in folders for path in folder.rglob("*.py"))


def imports(source: str) -> Iterator[str]:
    """Yield the dotted name of everything that a source imports, anywhere in it; relative imports begin with a dot."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            yield from (f"{module}.{alias.name}" for alias in node.names)

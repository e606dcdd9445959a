"""The repository's own Python files, what each of them imports, and which import each other in a circle."""

import ast
import graphlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[3]
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


def circles(paths: Sequence[Path]) -> list[str]:
    """Return the modules of a circle of imports, in order, or nothing; imports for types alone close no circle."""
    modules = {_module(path): path for path in paths}
    graph = {
        name: {found for imported in imports(_run(path)) if (found := _nearest(imported, modules)) not in (None, name)}
        for name, path in modules.items()
    }
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        return [str(name) for name in error.args[1]]
    return []


def _module(path: Path) -> str:
    below = path.relative_to(PACKAGE.parent if PACKAGE in path.parents else ROOT)
    return ".".join(part for part in below.with_suffix("").parts if part != "__init__")


def _nearest(name: str, modules: Mapping[str, Path]) -> str | None:
    """Return the module that `name` is, or that the name stands in."""
    return next((found for found in (name, name.rpartition(".")[0]) if found in modules), None)


def _run(path: Path) -> str:
    """Return the source without what only a type checker reads, and without imports that a call makes later."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    tree.body = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    return ast.unparse(tree)

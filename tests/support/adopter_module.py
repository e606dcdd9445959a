"""Modules of an adopter, written for one test, and a process that has not loaded them before."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NAME = "adopters_module"


@contextmanager
def on_the_path(folder: Path, *modules: str) -> Iterator[None]:
    """Have the folder's modules on the path, as those of a layer are; afterwards no module of these is loaded."""
    sys.path.append(str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        for name in modules:
            sys.modules.pop(name, None)


@contextmanager
def adopter_module(folder: Path, source: str) -> Iterator[str]:
    """Write the source as a module, have it on the path, and yield its name."""
    (folder / f"{NAME}.py").write_text(source, encoding="utf-8")
    with on_the_path(folder, NAME):
        yield NAME

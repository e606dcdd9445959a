"""Compiles the byte-code of a `sam build`: `python3.13 -sEBm local.build.bytecode BUILD_FOLDER`.

`sam build` adds no byte-code. A function's package is read-only, so a function would compile all modules again at each
cold start, and that takes longer than the rest of the start. Byte-code fits one minor version of Python, so the
runtime's version must make it; the processor does not matter. The byte-code is unchecked: a deployed package never
changes, and a check would cost time for each module. After a change of a built file, build again.

Each module records the path where Lambda unpacks it. With the builder's paths, two machines would build two different
layers from one source, and Python would correct the paths of every module while it loads.

Standard library only: this runs on the Python version that Lambda uses.
"""

import compileall
import importlib.util
import marshal
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from py_compile import PycInvalidationMode
from types import CodeType

RUNTIME = (3, 13)
LAYER = "/opt"
FUNCTION = "/var/task"
"""Where Lambda unpacks a layer and a function."""

LEFT_AS_SOURCE = re.compile(
    r"/(aws_lambda_powertools/(event_handler/|metrics/provider/datadog/|utilities/(?!__init__|jmespath_utils/)"
    r"|middleware_factory/|tracing/base\.py|logging/(utils|buffer/handler|formatters/datadog)\.py"
    r"|shared/(cache_dict|cookies|dynamodb_deserializer|headers_serializer|json_encoder)\.py)"
    r"|pydantic/((deprecated|experimental|v1)/|(color|dataclasses|mypy|root_model|validate_call_decorator)\.py"
    r"|_internal/_(dataclasses|decorators_v1|validate_call)\.py)|annotated_types/test_cases\.py|jwt/help\.py"
    r"|askback/((client|cutover|langgraph|mcp|operate|testing)/|adapters/dynamodb/(person_)?erasure\.py"
    r"|domain/agent/|wiring/in_process\.py|domain/records/separate_reads\.py))"
)
"""Modules that no function imports; their byte-code would be a sixth of the layer. They can still be imported."""

_UNCHECKED = 0b01
"""The PEP 552 flags of a .pyc with a hash of the source that Python does not check when it loads the module."""
_HEADER_BYTES = 16


def compile_build(build: Path) -> bool:
    """Compile every function and layer of the build; return whether all files compiled."""
    return all(
        compileall.compile_dir(
            package,
            force=True,
            quiet=1,
            rx=LEFT_AS_SOURCE,
            stripdir=str(package),
            prependdir=_place(package),
            invalidation_mode=PycInvalidationMode.UNCHECKED_HASH,
        )
        for package in packages(build)
    )


def packages(build: Path) -> list[Path]:
    """Return the folders that become a layer or a function."""
    return sorted(path for path in build.iterdir() if path.is_dir())


def faults(build: Path) -> list[str]:
    """Return one sentence for each module whose byte-code is missing or would not be used."""
    return [
        f"{source.relative_to(build)}: {fault}"
        for package in packages(build)
        for source in _sources(package)
        if (fault := _fault(source, f"{_place(package)}/{source.relative_to(package).as_posix()}"))
    ]


def _sources(package: Path) -> Iterator[Path]:
    for source in sorted(package.rglob("*.py")):
        if not LEFT_AS_SOURCE.search(source.as_posix()):
            yield source


def _fault(source: Path, place: str) -> str:
    compiled = Path(importlib.util.cache_from_source(str(source)))
    if not compiled.is_file():
        return "has no byte-code"
    content = compiled.read_bytes()
    if content[:4] != importlib.util.MAGIC_NUMBER:
        return "has byte-code of another Python"
    if int.from_bytes(content[4:8], "little") != _UNCHECKED:
        return "has byte-code that is checked against its source"
    if content[8:_HEADER_BYTES] != importlib.util.source_hash(source.read_bytes()):
        return "has byte-code of another source"
    code = marshal.loads(content[_HEADER_BYTES:])  # noqa: S302  what this build made itself
    if not isinstance(code, CodeType) or code.co_filename != place:
        return f"has byte-code that does not name {place}"
    return ""


def _place(package: Path) -> str:
    return LAYER if (package / "python").is_dir() else FUNCTION


def main() -> int:
    """Run the command line."""
    if sys.version_info[:2] != RUNTIME:
        print("run this with the Python version of the functions", file=sys.stderr)
        return 1
    return 0 if compile_build(Path(sys.argv[1]).resolve()) else 1


if __name__ == "__main__":
    sys.exit(main())

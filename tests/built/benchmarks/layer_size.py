"""How large the layer is, unzipped, without boto3 and what only boto3 brings: Lambda's runtime has those."""

from collections import Counter
from pathlib import Path

MB = 1_000_000
RUNTIME_HAS = frozenset(
    {"boto3", "botocore", "s3transfer", "jmespath", "dateutil", "python_dateutil", "six", "urllib3"}
)


def bytes_by_package(layer: Path) -> Counter[str]:
    """Return the bytes of each top-level package, its metadata and its byte-code included."""
    sizes: Counter[str] = Counter()
    for path in layer.rglob("*"):
        if path.is_file():
            sizes[_package(path.relative_to(layer))] += path.stat().st_size
    return sizes


def without_runtime(sizes: Counter[str]) -> int:
    """Return the bytes that are not in the runtime anyway."""
    return sum(size for package, size in sizes.items() if package not in RUNTIME_HAS)


def _package(path: Path) -> str:
    # pydantic_core-2.50.5.dist-info, six.py and __pycache__/six.cpython-313.pyc belong to pydantic_core and six.
    first = path.name if path.parts[0] == "__pycache__" else path.parts[0]
    return first.partition(".")[0] if first.endswith((".py", ".pyc")) else first.partition("-")[0]

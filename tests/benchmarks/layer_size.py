"""How large the layer is, unzipped, without boto3 and what only boto3 brings: Lambda's runtime has those."""

from collections import Counter
from pathlib import Path

MB = 1_000_000
RUNTIME_HAS = frozenset(
    {"boto3", "botocore", "s3transfer", "jmespath", "dateutil", "python_dateutil", "six", "urllib3"}
)


def bytes_by_package(layer: Path) -> Counter[str]:
    """Return the bytes of each top-level package, its metadata included; bytecode is left out."""
    sizes: Counter[str] = Counter()
    for path in layer.rglob("*"):
        if path.is_file() and path.suffix != ".pyc":
            sizes[_package(path.relative_to(layer).parts[0])] += path.stat().st_size
    return sizes


def without_runtime(sizes: Counter[str]) -> int:
    """Return the bytes that are not in the runtime anyway."""
    return sum(size for package, size in sizes.items() if package not in RUNTIME_HAS)


def _package(name: str) -> str:
    # pydantic_core-2.50.5.dist-info and six.py belong to pydantic_core and six.
    return name.removesuffix(".py").partition("-")[0]

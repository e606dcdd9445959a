"""Memory for a large turn, as a multiple of the turn.

Counted by tracemalloc and not as the process's resident size: every copy of a turn is one Python object, and counting
those gives the same number each time, where resident size depends on what the allocator still holds.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from tests.built.benchmarks.artifact import Artifact

IMAGE_BYTES = 15_000_000
"""20 MB as base64."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Peaks:
    """Bytes: the encoded turn, and what minting and resuming it took at most over the base."""

    turn: int
    mint: int
    resume: int


def measure(artifact: Artifact, environment: Mapping[str, str]) -> Peaks:
    """Mint and resume the turn in a fresh process; `environment` is a deployed function's."""
    return Peaks(**artifact.run("memory", str(artifact.layer), str(IMAGE_BYTES), environment=environment))

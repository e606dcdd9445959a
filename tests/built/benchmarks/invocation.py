"""What one invocation of a function did, and a pause with its answer: the numbers that everything else is made of."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from tests.built.benchmarks.calls import Call, sequential_round_trips


@dataclass(frozen=True, slots=True, kw_only=True)
class Invocation:
    """What one invocation did; units of writes are by `table` and by index name, processor time in seconds."""

    calls: tuple[Call, ...]
    write_units: Mapping[str, int]
    cpu: float
    log_bytes: int
    over_http: bool
    """Whether it came through the HTTP API, which charges for it."""

    @property
    def round_trips(self) -> int:
        return sequential_round_trips(self.calls)

    @property
    def read_units(self) -> float:
        return sum(call.read_units() for call in self.calls)

    @property
    def operations(self) -> Counter[str]:
        """How many requests there were of each operation, in order of the first one."""
        return Counter(call.operation for call in self.calls)

    def count(self, service: str, operation: str = "") -> int:
        """How many requests went to a service, or to one operation of it."""
        wanted = f"{service}.{operation}" if operation else None
        return sum(call.operation == wanted if wanted else call.service == service for call in self.calls)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cycle:
    """A pause and its resume; with a waiter, its answer and the delivery."""

    mint: Invocation
    resume: Invocation

    @property
    def both(self) -> tuple[Invocation, Invocation]:
        return self.mint, self.resume

    @property
    def write_units(self) -> int:
        return sum(self.write_units_by_place.values())

    @property
    def write_units_by_place(self) -> Counter[str]:
        """Units by `table` and by index name."""
        return Counter(self.mint.write_units) + Counter(self.resume.write_units)

    @property
    def aws_calls(self) -> int:
        return sum(len(invocation.calls) for invocation in self.both)

    def count(self, service: str, operation: str = "") -> int:
        """How many requests of both went to a service, or to one operation of it."""
        return sum(invocation.count(service, operation) for invocation in self.both)

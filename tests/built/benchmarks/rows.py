"""Measurements into rows of the table."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from tests.built.benchmarks import budgets, layer_size, money
from tests.built.benchmarks.artifact import FLOOR
from tests.built.benchmarks.cold_start import REQUEST_FUNCTIONS, ColdStarts
from tests.built.benchmarks.invocation import Cycle
from tests.built.benchmarks.memory import Peaks
from tests.built.benchmarks.report import Row
from tests.built.benchmarks.resume_cpu import ResumeCpu
from tests.built.benchmarks.runtime import FirstReply

COLD_START = "cold start, against boto3 and one DynamoDB client"


def call_rows(first: Cycle, small: Cycle) -> Iterator[Row]:
    """AWS requests of the small turn; `first` is the first cycle of fresh functions."""
    group = f"AWS requests, {budgets.SMALL_KB} KB transcript"
    for name, invocation, calls, trips in (
        ("mint", small.mint, budgets.MINT_CALLS, budgets.MINT_ROUND_TRIPS),
        ("resume", small.resume, budgets.RESUME_CALLS, budgets.RESUME_ROUND_TRIPS),
    ):
        yield Row(group=group, what=f"{name}: requests", value=len(invocation.calls), unit="", budget=calls)
        yield Row(group=group, what=f"{name}: in sequence", value=invocation.round_trips, unit="", budget=trips)
    yield Row(
        group=group,
        what="pause and resume, against the saver",
        value=small.aws_calls,
        unit="",
        against=budgets.SAVER_CALLS,
        recorded=True,
        budget=budgets.CALLS_AGAINST_SAVER,
    )
    keys = first.count("secretsmanager")
    yield Row(group=group, what="more in a first cycle: reads of the keys", value=keys, unit="")


def write_unit_rows(cycles: Mapping[int, Cycle], group: str) -> Iterator[Row]:
    """DynamoDB write units of a pause and how it goes on, by size of the transcript in KB, under a heading."""
    for size, cycle in cycles.items():
        objects = cycle.count("s3")
        yield Row(
            group=group,
            what=f"{size} KB transcript, against the saver" + (f" (and {objects} S3 requests)" if objects else ""),
            value=cycle.write_units,
            unit="",
            against=budgets.SAVER_WRITE_UNITS[size],
            recorded=True,
            budget=budgets.WRITE_UNITS_AGAINST_SAVER[size],
        )


def money_rows(cycle: Cycle, cold_start_seconds: Mapping[str, float]) -> Iterator[Row]:
    """Dollars for a million pauses of the small turn."""
    group = f"dollars for a million pauses and resumes, {budgets.SMALL_KB} KB transcript"
    spent = money.per_million_pauses(cycle, cold_start_seconds=cold_start_seconds)
    for what, dollars in spent.items():
        yield Row(group=group, what=what, value=dollars, unit="")
    yield Row(group=group, what="total", value=sum(spent.values()), unit="", budget=budgets.DOLLARS_PER_MILLION_PAUSES)
    for what, dollars in money.observing_per_million_pauses(cycle).items():
        yield Row(group=group, what=f"besides, for watching it: {what}", value=dollars, unit="")


def cold_start_rows(cold: ColdStarts) -> Iterator[Row]:
    """Import and wiring of each function, in milliseconds of processor time."""
    for kind, best in (("as built", cold.built), ("without byte-code", cold.without_bytecode)):
        # Nobody waits for the others: they are measured and not judged.
        for name in _in_order(best):
            judged = best is cold.built and name in REQUEST_FUNCTIONS
            yield Row(
                group=COLD_START,
                what=f"{name}, {kind}",
                value=best[name] * 1000,
                unit="ms",
                against=best[FLOOR] * 1000,
                budget=budgets.COLD_START if judged else None,
            )


def first_reply_rows(best: Mapping[str, FirstReply]) -> Iterator[Row]:
    """From the start of a process to its first reply, in milliseconds."""
    group = "first reply of a new process, against that of the floor"
    floor = best[FLOOR]
    for name in _in_order(best):
        for what, took, least in (
            ("processor time", best[name].cpu, floor.cpu),
            ("elapsed", best[name].elapsed, floor.elapsed),
        ):
            yield Row(group=group, what=f"{name}: {what}", value=took * 1000, unit="ms", against=least * 1000)


def _in_order(names: Iterable[str]) -> list[str]:
    return [*REQUEST_FUNCTIONS, *sorted(set(names) - {FLOOR, *REQUEST_FUNCTIONS})]


def layer_rows(sizes: Counter[str]) -> Iterator[Row]:
    """Unzipped size of the layer."""
    group = "layer, unzipped"
    own = layer_size.without_runtime(sizes) / layer_size.MB
    yield Row(group=group, what="without what the runtime has", value=own, unit="MB", budget=budgets.LAYER_MB)
    yield Row(group=group, what="all of it", value=sum(sizes.values()) / layer_size.MB, unit="MB")


def cpu_rows(cpu: ResumeCpu) -> Iterator[Row]:
    """Processor time of one resume in microseconds."""
    group = "one resume with in-memory ports, against the legacy engine"
    for what, seconds, legacy, budget in (
        ("against its token, hash and validate path", cpu.without_turn, cpu.legacy, budgets.RESUME_CPU),
        ("against its whole in-memory resume", cpu.without_turn, cpu.legacy_in_memory, None),
        ("the same, with a turn rebuilt", cpu.with_turn, cpu.legacy_in_memory, None),
    ):
        yield Row(group=group, what=what, value=seconds * 1e6, unit="us", against=legacy * 1e6, budget=budget)


def memory_rows(peaks: Peaks) -> Iterator[Row]:
    """Peak memory over the base, as a multiple of the turn."""
    group = "peak memory, a turn with one image"
    for name, peak in (("mint", peaks.mint), ("resume", peaks.resume)):
        yield Row(
            group=group,
            what=name,
            value=peak / 1e6,
            unit="MB",
            against=peaks.turn / 1e6,
            budget=budgets.MEMORY_PER_TURN,
        )

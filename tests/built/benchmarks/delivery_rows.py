"""Measurements of delivering and sweeping into rows of the table."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tests.built.benchmarks import budgets, money
from tests.built.benchmarks.invocation import Cycle, Invocation
from tests.built.benchmarks.report import Row
from tests.built.benchmarks.sweep_reads import DUE_ROWS, GROWTH, STORED_ROWS, SweepReads


@dataclass(frozen=True, slots=True, kw_only=True)
class Announced:
    """Cycles of a deployment that announces its pauses on a bus: without a waiter, and with a workflow's."""

    plain: Cycle
    workflow: Cycle


def workflow_call_rows(cycle: Cycle, reading: Invocation, announced: Announced) -> Iterator[Row]:
    """AWS requests of the small turn with a Step Functions waiter; `reading` is the run's fetching of its turn."""
    group = f"AWS requests with a Step Functions waiter, {budgets.SMALL_KB} KB transcript"
    for name, invocation, calls, trips in (
        ("mint", cycle.mint, budgets.MINT_CALLS, budgets.MINT_ROUND_TRIPS),
        (
            "answer and delivery",
            cycle.resume,
            budgets.RESUME_CALLS + budgets.WAITER_CALLS,
            budgets.RESUME_ROUND_TRIPS + budgets.WAITER_CALLS,
        ),
    ):
        yield Row(group=group, what=f"{name}: requests", value=len(invocation.calls), unit="", budget=calls)
        for operation, count in invocation.operations.items():
            yield Row(group=group, what=f"  {operation}", value=count, unit="")
        yield Row(group=group, what=f"{name}: in sequence", value=invocation.round_trips, unit="", budget=trips)
    yield Row(
        group=group,
        what="all of them, against the saver, which delivers nothing",
        value=cycle.aws_calls,
        unit="",
        against=budgets.SAVER_CALLS,
        recorded=True,
    )
    yield Row(group=group, what="a run that fetches its turn: requests", value=len(reading.calls), unit="")
    for what, invocation in (
        ("mint", announced.workflow.mint),
        ("answer and delivery", announced.workflow.resume),
        ("resume without a waiter", announced.plain.resume),
    ):
        sent = invocation.count("events", "PutEvents")
        yield Row(group=group, what=f"more with a bus, in sequence too: {what}", value=sent, unit="")


def place_rows(plain: Cycle, workflow: Cycle) -> Iterator[Row]:
    """Where the write units of the small turn are spent, with a waiter against without."""
    group = f"where they are spent, {budgets.SMALL_KB} KB transcript, with a waiter against without"
    for place, units in plain.write_units_by_place.items():
        yield Row(
            group=group,
            what=place if place == "table" else f"index {place}",
            value=workflow.write_units_by_place[place],
            unit="",
            against=units,
        )


def workflow_money_rows(
    cycle: Cycle, plain: Cycle, announced: Announced, cold_start_seconds: Mapping[str, float]
) -> Iterator[Row]:
    """Dollars for a million pauses of the small turn that a workflow waits for; `plain` is one without a waiter."""
    group = f"dollars for a million pauses with a Step Functions waiter, {budgets.SMALL_KB} KB transcript"
    spent = money.per_million_pauses(cycle, cold_start_seconds=cold_start_seconds)
    for what, dollars in spent.items():
        yield Row(group=group, what=what, value=dollars, unit="")
    total = sum(spent.values())
    yield Row(group=group, what="total", value=total, unit="", budget=budgets.DOLLARS_PER_MILLION_PAUSES)
    without = sum(money.per_million_pauses(plain, cold_start_seconds=cold_start_seconds).values())
    yield Row(group=group, what="total, against that without a waiter", value=total, unit="", against=without)
    for what, dollars in money.observing_per_million_pauses(cycle).items():
        yield Row(group=group, what=f"besides, for watching it: {what}", value=dollars, unit="")
    bus = money.announcing_per_million_pauses(announced.workflow)
    yield Row(group=group, what="besides, with a bus: events and the time to send them", value=bus, unit="")
    state = money.workflow_per_million_pauses()
    yield Row(group=group, what="besides, the workflow's own: each state it enters", value=state, unit="")


def sweep_rows(reads: SweepReads) -> Iterator[Row]:
    """Reads of the sweep, which must follow what is due and not what is stored."""
    group = f"reads of a sweep, {DUE_ROWS} rows due"
    few, many = f"{STORED_ROWS:,} rows stored", f"{STORED_ROWS * GROWTH:,} rows stored, against that"
    for what, before, after in (
        ("requests", _read_requests(reads.few), _read_requests(reads.many)),
        ("entries and rows read", _items_read(reads.few), _items_read(reads.many)),
        ("read units", reads.few.read_units, reads.many.read_units),
    ):
        yield Row(group=group, what=f"{what}, {few}", value=before, unit="")
        yield Row(
            group=group, what=f"{what}, {many}", value=after, unit="", against=before, budget=budgets.SWEEP_GROWTH
        )
    yield Row(group=group, what="nothing due: requests, all in sequence", value=_read_requests(reads.idle), unit="")
    yield Row(group=group, what="nothing due: read units", value=reads.idle.read_units, unit="")


def sweep_money_rows(idle: Invocation) -> Iterator[Row]:
    """Dollars a month for sweeping every minute, whatever the pauses."""
    group = "dollars a month for the sweep, every minute, nothing due"
    spent = money.sweeping_a_month(idle)
    for what, dollars in spent.items():
        yield Row(group=group, what=what, value=dollars, unit="")
    yield Row(group=group, what="total", value=sum(spent.values()), unit="")
    for what, dollars in money.observing_sweeps_a_month(idle).items():
        yield Row(group=group, what=f"besides, for watching it: {what}", value=dollars, unit="")


def _read_requests(run: Invocation) -> int:
    return run.count("dynamodb", "Query") + run.count("dynamodb", "BatchGetItem")


def _items_read(run: Invocation) -> int:
    return sum(call.items_read for call in run.calls)

"""The table: one line for each number, its budget beside it, and whether it keeps to it."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One number.

    With `against` the number is judged by its ratio to that, else by itself. `recorded` says that `against` is a figure
    from an earlier measurement and not from this run. Without a budget the row is information.
    """

    group: str
    what: str
    value: float
    unit: str
    against: float | None = None
    recorded: bool = False
    budget: float | None = None

    @property
    def judged(self) -> float:
        return self.value if self.against is None else self.value / self.against

    @property
    def verdict(self) -> str:
        if self.budget is None:
            return ""
        return "ok" if self.judged <= self.budget else "OVER"

    def to_dict(self) -> dict[str, Any]:
        """Return the row with its ratio and verdict, for JSON."""
        ratio = None if self.against is None else self.judged
        return {**asdict(self), "ratio": ratio, "verdict": self.verdict or None}


_HEAD = ("", "measured", "against", "ratio", "budget", "")


def render(rows: Sequence[Row]) -> str:
    """Return the table as text; an asterisk marks a figure that was recorded and not measured in this run."""
    lines: list[tuple[str, ...]] = [_HEAD]
    group = None
    for row in rows:
        if row.group != group:
            group = row.group
            lines.append((group.upper(), "", "", "", "", ""))
        lines.append(_cells(row))
    widths = [max(len(line[column]) for line in lines) for column in range(len(_HEAD))]
    return "\n".join(_aligned(line, widths) for line in lines)


def broken(rows: Iterable[Row]) -> list[Row]:
    """Return the rows that are over their budget."""
    return [row for row in rows if row.verdict == "OVER"]


def _cells(row: Row) -> tuple[str, ...]:
    against = "" if row.against is None else f"{_number(row.against)}{'*' if row.recorded else ''}"
    ratio = "" if row.against is None else f"{row.judged:.2f}"
    budget = "" if row.budget is None else f"<= {_number(row.budget)}"
    return (f"  {row.what}", f"{_number(row.value)} {row.unit}".rstrip(), against, ratio, budget, row.verdict)


def _aligned(line: tuple[str, ...], widths: list[int]) -> str:
    name, *rest = (
        cell.ljust(width) if column == 0 else cell.rjust(width)
        for column, (cell, width) in enumerate(zip(line, widths, strict=True))
    )
    return "  ".join([name, *rest]).rstrip()


def _number(value: float) -> str:
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.2f}"

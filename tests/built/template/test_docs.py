"""The operators' pages name everything that the template lets them set and every alarm that can wake them."""

import re
from pathlib import Path

from local.emulated.cloud import ROOT
from local.emulated.template import load_template

TEMPLATE = load_template(ROOT / "template.yaml")
ALARMS = {name for name, resource in TEMPLATE["Resources"].items() if resource["Type"] == "AWS::CloudWatch::Alarm"}


def test_every_parameter_is_in_the_table_with_its_default() -> None:
    rows = _rows("deploy.md", "parameters")
    told = {
        name: default
        for names, defaults, _ in rows
        for name, default in zip(_code(names), _defaults(defaults, len(_code(names))), strict=True)
    }
    assert told == {name: str(parameter["Default"]) for name, parameter in TEMPLATE["Parameters"].items()}


def test_every_alarm_is_in_the_table_with_what_to_do() -> None:
    rows = _rows("operate.md", "alarms")
    assert {name for names, _, _ in rows for name in _code(names)} == ALARMS
    assert all(when and do for _, when, do in rows)


def _rows(page: str, table: str) -> list[tuple[str, str, str]]:
    text = Path(ROOT / "docs" / page).read_text(encoding="utf-8")
    lines = text.partition(f"<!-- {table}:")[2].splitlines()[1:]
    cells = [line.strip("|").split("|") for line in lines[: lines.index("")] if line.startswith("|")][2:]
    return [(first.strip(), second.strip(), third.strip()) for first, second, third in cells]


def _code(cell: str) -> list[str]:
    return re.findall(r"`([^`]*)`", cell)


def _defaults(cell: str, count: int) -> list[str]:
    return [""] * count if cell == "empty" else _code(cell)

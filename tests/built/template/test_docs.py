"""The operators' pages name everything that the template lets them set and every alarm that can wake them."""

import re
from pathlib import Path

from local.emulated.cloud import ROOT
from local.emulated.template import load_template

TEMPLATE = load_template(ROOT / "template.yaml")
ALARMS = {name for name, resource in TEMPLATE["Resources"].items() if resource["Type"] == "AWS::CloudWatch::Alarm"}

SIZES_AND_COSTS = {
    "MessageTimeZone",
    "BrandName",
    "BrandColor",
    "SenderName",
    "Architecture",
    "InlineLimitBytes",
    "Tracing",
    "OpenAlarmHours",
    "OpenPausesAlarmAbove",
    "OldestOpenAlarmSeconds",
    "MessageLanguage",
    "DeployExample",
}
"""Parameters that protect nothing. A new one is here, or in the table of defaults with what it risks."""


def test_every_parameter_is_in_the_table_with_its_default() -> None:
    rows = _rows("deploy.md", "parameters")
    told = {
        name: default
        for names, defaults, *_ in rows
        for name, default in zip(_code(names), _defaults(defaults, len(_code(names))), strict=True)
    }
    assert told == {name: str(parameter["Default"]) for name, parameter in TEMPLATE["Parameters"].items()}


def test_every_default_that_protects_is_in_one_table_and_every_other_parameter_is_not_about_protection() -> None:
    rows = _rows("deploy.md", "defaults")
    said = {
        name: default
        for names, defaults, *_ in rows
        for name, default in zip(_code(names), _defaults(defaults, len(_code(names))), strict=True)
    }
    parameters = {name: str(parameter["Default"]) for name, parameter in TEMPLATE["Parameters"].items()}
    assert said == {name: default for name, default in parameters.items() if name not in SIZES_AND_COSTS}
    assert parameters.keys() >= SIZES_AND_COSTS
    assert all(protects and risks for *_, protects, risks in rows)


def test_every_alarm_has_a_section_with_what_to_do() -> None:
    page = (ROOT / "docs" / "operate.md").read_text(encoding="utf-8")
    sections = page.partition("<!-- alarms:")[2].partition("\n## ")[0].split("\n### ")[1:]
    assert {name for section in sections for name in _code(section.splitlines()[0])} == ALARMS
    for section in sections:
        assert "\n**Raised when** " in section
        assert "\n**Do:** " in section


def _rows(page: str, table: str) -> list[list[str]]:
    text = Path(ROOT / "docs" / page).read_text(encoding="utf-8")
    lines = text.partition(f"<!-- {table}:")[2].splitlines()[1:]
    cells = [line.strip("|").split("|") for line in lines[: lines.index("")] if line.startswith("|")][2:]
    return [[cell.strip() for cell in row] for row in cells]


def _code(cell: str) -> list[str]:
    return re.findall(r"`([^`]*)`", cell)


def _defaults(cell: str, count: int) -> list[str]:
    return [""] * count if cell == "empty" else _code(cell)

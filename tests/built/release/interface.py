"""Parameters and outputs of the template in the spelling of each language, independent of what writes the wrappers."""

import re
from typing import Any, Final

from tests.support.template import TEMPLATE

OUTPUTS: Final = tuple(TEMPLATE["Outputs"])
PARAMETERS: Final = tuple(TEMPLATE["Parameters"])


def snake(name: str) -> str:
    return "_".join(re.findall("[A-Z][a-z]*", name)).lower()


def camel(name: str) -> str:
    return name[:1].lower() + name[1:]


def kind(name: str) -> str:
    """Return what a parameter takes: number, switch, list or text."""
    declared = TEMPLATE["Parameters"][name]
    if declared["Type"] == "String" and set(declared.get("AllowedValues", ())) == {"true", "false"}:
        return "switch"
    return {"Number": "number", "CommaDelimitedList": "list", "String": "text"}[declared["Type"]]


def value(name: str) -> Any:
    """Return a value for a parameter, as a program has it."""
    return {"text": "a ${b} %{c}", "number": 7, "switch": False, "list": ["a", "b"]}[kind(name)]


def as_text(name: str) -> str:
    """Return that value as CloudFormation takes it."""
    return {"text": "a ${b} %{c}", "number": "7", "switch": "false", "list": "a,b"}[kind(name)]

"""The parameters and outputs of the template, written for the type checkers and programs that the wrappers are for.

Names and kinds come from the template alone, so a wrapper cannot offer less or more than the template has. Defaults and
constraints are not repeated: what is not set is left to the template, and CloudFormation checks the values.
"""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

_KINDS: Final[Mapping[str, tuple[str, str, str]]] = {
    "text": ("string", "str", "string"),
    "number": ("number", "int", "number"),
    "switch": ("bool", "bool", "boolean"),
    "list": ("list(string)", "list[str]", "string[]"),
}
"""The type of each kind in Terraform, Python and TypeScript."""
_TO_TEXT: Final = {"text": "{}", "number": "tostring({})", "switch": "tostring({})", "list": 'join(",", {})'}
"""How Terraform makes of each kind the text that CloudFormation takes."""
_WIDTH: Final = 112


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One parameter or output: its name in the template, what it is, and the kind of its values."""

    name: str
    about: str
    kind: str = "text"

    @property
    def snake(self) -> str:
        return re.sub(r"(?<!^)(?=[A-Z])", "_", self.name).lower()

    @property
    def camel(self) -> str:
        return self.name[0].lower() + self.name[1:]


def parameters(template: Mapping[str, Any]) -> list[Entry]:
    """Return the parameters of a template in its order."""
    return [
        Entry(name=name, about=" ".join(_about(name, found).split()), kind=_kind(found))
        for name, found in template["Parameters"].items()
    ]


def outputs(template: Mapping[str, Any]) -> list[Entry]:
    """Return the outputs of a template in its order."""
    return [Entry(name=name, about=_about(name, found)) for name, found in template["Outputs"].items()]


def _about(name: str, found: Mapping[str, Any]) -> str:
    text: str = found.get("Description", f"{name} of the stack").rstrip(".")
    return f"{text}, where the parameters ask for it." if "Condition" in found else f"{text}."


def _kind(found: Mapping[str, Any]) -> str:
    if found.get("AllowedValues") == ["true", "false"]:
        return "switch"
    return {"Number": "number", "CommaDelimitedList": "list"}.get(found["Type"], "text")


def terraform_variables(template: Mapping[str, Any]) -> str:
    """Return `variables.tf`: a variable for each parameter, and what CloudFormation gets of it."""
    found = parameters(template)
    width = max(len(each.name) for each in found)
    lines = [
        line
        for each in found
        for line in (
            f'variable "{each.snake}" {{',
            f"  description = {_hcl(each.about)}",
            f"  type        = {_KINDS[each.kind][0]}",
            "  default     = null",
            "}",
            "",
        )
    ]
    lines += ["locals {", f'  release = "{_version(template)}"', "", "  parameters = {"]
    for each in found:
        variable = f"var.{each.snake}"
        text = _TO_TEXT[each.kind].format(variable)
        value = text if text == variable else f"{variable} == null ? null : {text}"
        lines.append(f"    {each.name:{width}} = {value}")
    return _terraform(*lines, "  }", "}")


def terraform_outputs(template: Mapping[str, Any]) -> str:
    """Return `outputs.tf`: each output of the stack; null where the stack does not have it."""
    return _terraform(
        *(
            line
            for each in outputs(template)
            for line in (
                f'output "{each.snake}" {{',
                f"  description = {_hcl(each.about)}",
                f'  value       = lookup(aws_cloudformation_stack.askback.outputs, "{each.name}", null)',
                "}",
                "",
            )
        )
    )


def _terraform(*lines: str) -> str:
    return "\n".join(("# Written from the template when the release was made.", "", *lines)).rstrip() + "\n"


def _hcl(text: str) -> str:
    """Return a text as a literal of HCL, in which nothing is a template."""
    return json.dumps(text, ensure_ascii=False).replace("${", "$${").replace("%{", "%%{")


def _version(template: Mapping[str, Any]) -> str:
    version: str = template["Metadata"]["AWS::ServerlessRepo::Application"]["SemanticVersion"]
    return version


def python_module(template: Mapping[str, Any]) -> str:
    """Return `template.py` of the Python construct: typed parameters, and a property for each output."""
    lines = [
        '"""The parameters and outputs of the template of this release, written from it."""',
        "",
        "from collections.abc import Callable",
        "from typing import Final, TypedDict",
        "",
        f'VERSION: Final = "{_version(template)}"',
        "",
        "",
        "class Parameters(TypedDict, total=False):",
        '    """What a deployment can choose. What is not set has the template\'s default."""',
        "",
    ]
    for each in parameters(template):
        lines += [f"    {each.snake}: {_KINDS[each.kind][1]} | None", *_quoted(each.about)]
    lines += [
        "",
        "",
        "class Outputs:",
        '    """The outputs of the stack, each as a value that you can pass on."""',
        "",
        "    def __init__(self, read: Callable[[str], str]) -> None:",
        "        self._read = read",
    ]
    for each in outputs(template):
        lines += ["", "    @property", f"    def {each.snake}(self) -> str:"]
        lines += [*_quoted(each.about, indent=8), f'        return self._read("{each.name}")']
    return "\n".join(lines) + "\n"


def _quoted(text: str, indent: int = 4) -> Iterator[str]:
    margin = " " * indent
    folded = textwrap.wrap(f'"""{text}', _WIDTH - indent)
    yield from (margin + line for line in folded[:-1])
    yield f'{margin}{folded[-1]}"""'


def typescript_types(template: Mapping[str, Any]) -> str:
    """Return `template.d.ts` of the TypeScript construct."""
    lines = ["// Written from the template when the release was made.", ""]
    for title, name, entries, mark in (
        ("What a deployment can choose. What is not set has the template's default.", "Parameters", parameters, "?"),
        ("The outputs of the stack, each as a value that you can pass on.", "Outputs", outputs, ""),
    ):
        lines += [f"/** {title} */", f"export interface {name} {{"]
        for each in entries(template):
            about = textwrap.wrap(each.about.replace("*/", "* /"), _WIDTH - 5)
            lines += (
                [f"  /** {about[0]} */"] if len(about) == 1 else ["  /**", *(f"   * {line}" for line in about), "   */"]
            )
            lines.append(f"  readonly {each.camel}{mark}: {_KINDS[each.kind][2]};")
        lines += ["}", ""]
    return "\n".join(lines).rstrip() + "\n"

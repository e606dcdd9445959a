"""Prints the retained resources of template.yaml as a template: `python -m local.build.state_template`.

A deleted stack leaves its table, bucket and keys behind. CloudFormation can import them into a new stack; the template
of an import may contain no other resource. Deploy the full template after the import (docs/deploy.md).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from local.emulated.cloud import ROOT
from local.emulated.template import load_template

_SECTIONS = ("Parameters", "Mappings")


def state_template(template: Mapping[str, Any]) -> dict[str, Any]:
    """Return a template of the retained resources, with the parameters and mappings they use and without transform."""
    retained = {
        name: resource
        for name, resource in template["Resources"].items()
        if resource.get("DeletionPolicy") == "Retain" and "Condition" not in resource
    }
    names = set(_named(retained))
    sections = {
        section: {name: entry for name, entry in template.get(section, {}).items() if name in names}
        for section in _SECTIONS
    }
    return {"AWSTemplateFormatVersion": "2010-09-09", **sections, "Resources": retained}


def _named(value: Any) -> Iterator[str]:
    """Yield the names in `Ref` and `Fn::FindInMap`, at any depth."""
    if isinstance(value, list):
        for item in value:
            yield from _named(item)
    elif isinstance(value, dict):
        if isinstance(value.get("Ref"), str):
            yield value["Ref"]
        if "Fn::FindInMap" in value:
            yield value["Fn::FindInMap"][0]
        for item in value.values():
            yield from _named(item)


def main() -> None:
    """Write the template as JSON to standard output."""
    json.dump(state_template(load_template(ROOT / "template.yaml")), sys.stdout, indent=2)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()

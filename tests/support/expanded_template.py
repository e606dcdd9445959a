"""The template as CloudFormation gets it: what `sam deploy` makes of the serverless resources."""

from functools import cache
from typing import Any

import pytest
from samtranslator.parser.parser import Parser
from samtranslator.translator.translator import Translator

from local.emulated.template import REGION, Resolver, load_template
from tests.support.template import ROOT

_CODE = ("CodeUri", "ContentUri", "DefinitionUri")

Resources = dict[str, dict[str, Any]]


@cache
def expanded(kind: str) -> Resources:
    """Return the resources of one type by logical id, with their functions and references as they are written."""
    return {name: found for name, found in _template()["Resources"].items() if found["Type"] == kind}


def resolving(**parameters: str) -> Resolver:
    """Return what works the expanded template out under these parameters; attributes come as `Name.Attribute`."""
    resolver = Resolver(_template(), parameters)
    for name in _template()["Resources"]:
        resolver.bind(name, name, Arn=f"{name}.Arn", QueueName=f"{name}.QueueName")
    return resolver


@cache
def _template() -> dict[str, Any]:
    return expanded_whole(load_template(ROOT / "template.yaml"))


def expanded_whole(template: dict[str, Any]) -> dict[str, Any]:
    """Return a template as CloudFormation gets it, wherever its code is; changes what it is given."""
    for name, resource in template["Resources"].items():
        for field in _CODE:
            if field in resource.get("Properties", {}):
                resource["Properties"][field] = {"Bucket": "code", "Key": name}
    with pytest.MonkeyPatch.context() as patch:
        # The translator asks boto3 for the region and nothing else.
        patch.setenv("AWS_DEFAULT_REGION", REGION)
        translated: dict[str, Any] = Translator({}, Parser()).translate(template, {})
    return translated

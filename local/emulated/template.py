"""Reads template.yaml and resolves its values for this machine.

The template is the only description of the deployment. A local run reads its tables, environment
variables and routes from it, so a local run cannot use a resource that the template does not have.
It does not translate the template: it resolves the values that a local run needs, and refuses
functions that it does not support.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import yaml

REGION: Final = "eu-west-1"
ACCOUNT: Final = "123456789012"
STACK: Final = "askback-local"

_PSEUDO: Final = {
    "AWS::AccountId": ACCOUNT,
    "AWS::Partition": "aws",
    "AWS::Region": REGION,
    "AWS::StackId": f"arn:aws:cloudformation:{REGION}:{ACCOUNT}:stack/{STACK}/local",
    "AWS::StackName": STACK,
    "AWS::URLSuffix": "amazonaws.com",
}
# Functions whose result depends only on their resolved arguments.
_PURE: Final[Mapping[str, Callable[[list[Any]], Any]]] = {
    "And": all,
    "Equals": lambda pair: str(pair[0]) == str(pair[1]),
    "Join": lambda pair: pair[0].join(str(item) for item in pair[1]),
    "Not": lambda one: not one[0],
    "Or": any,
    "Select": lambda pair: pair[1][int(pair[0])],
    "Split": lambda pair: pair[1].split(pair[0]),
}
_PLACEHOLDER = re.compile(r"\$\{(!?)([^}]+)\}")
_NO_VALUE: Final = object()


class TemplateError(Exception):
    """A local run does not support a part of the template; the message says which."""


class _Loader(yaml.SafeLoader):
    """YAML with CloudFormation's short tags; each is read as its long form."""


def _tag(loader: _Loader, suffix: str, node: yaml.Node) -> dict[str, Any]:
    value: Any
    if isinstance(node, yaml.ScalarNode):
        value = loader.construct_scalar(node)
    elif isinstance(node, yaml.SequenceNode):
        value = loader.construct_sequence(node, deep=True)
    elif isinstance(node, yaml.MappingNode):
        value = loader.construct_mapping(node, deep=True)
    if suffix == "GetAtt" and isinstance(value, str):
        value = value.split(".", 1)
    return {suffix if suffix in ("Ref", "Condition") else f"Fn::{suffix}": value}


_Loader.add_multi_constructor("!", _tag)


def load_template(path: Path) -> dict[str, Any]:
    """Return the template as plain data, with short tags in their long form."""
    # A subclass of SafeLoader: it builds only plain data and the tags above.
    document = yaml.load(path.read_text(encoding="utf-8"), Loader=_Loader)  # noqa: S506
    if not isinstance(document, dict):
        raise TemplateError(f"{path} is not a template")
    return document


class Resolver:
    """The values of one template with one set of parameters.

    A resource's physical name is `askback-local-<logical id>` in lower case, unless `bind` sets another
    one. Its attributes come only from `bind`: only the code that creates the resource knows them.
    """

    def __init__(self, template: Mapping[str, Any], parameters: Mapping[str, str] | None = None) -> None:
        self._template = template
        declared: Mapping[str, Any] = template.get("Parameters", {})
        if unknown := sorted(set(parameters or {}) - set(declared)):
            raise TemplateError(f"template.yaml has no parameter {', '.join(unknown)}")
        self._refs: dict[str, Any] = dict(_PSEUDO)
        self._attributes: dict[tuple[str, str], str] = {}
        for name, declaration in declared.items():
            value = (parameters or {}).get(name, declaration.get("Default"))
            if value is not None:
                self._refs[name] = _parameter(value, declaration.get("Type", "String"))

    def bind(self, logical_id: str, ref: str, **attributes: str) -> None:
        """Set the values of `Ref` and `GetAtt` of a created resource."""
        self._refs[logical_id] = ref
        self._attributes.update({(logical_id, name): value for name, value in attributes.items()})

    def resources(self, kind: str) -> dict[str, dict[str, Any]]:
        """Return the resources of one type whose condition is true: logical id to unresolved properties."""
        return {
            name: resource.get("Properties", {})
            for name, resource in self._template["Resources"].items()
            if resource["Type"] == kind and self.holds(resource.get("Condition"))
        }

    def holds(self, condition: str | None) -> bool:
        """Return whether a named condition is true; None counts as true."""
        if condition is None:
            return True
        return bool(self.resolve(self._template["Conditions"][condition]))

    def local_name(self, logical_id: str) -> str:
        """Return the physical name of a resource that has no name in the template."""
        return f"{STACK}-{logical_id}".lower()

    def resolve(self, value: Any) -> Any:
        """Return the value with every function resolved and without `AWS::NoValue` entries."""
        resolved = self._resolve(value)
        return None if resolved is _NO_VALUE else resolved

    def _resolve(self, value: Any) -> Any:
        if isinstance(value, list):
            items = [self._resolve(item) for item in value]
            return [item for item in items if item is not _NO_VALUE]
        if not isinstance(value, dict):
            return value
        if len(value) == 1:
            name, argument = next(iter(value.items()))
            if name == "Ref":
                return self._ref(argument)
            if name == "Condition" and isinstance(argument, str):
                return self.holds(argument)
            if name.startswith("Fn::"):
                return self._function(name.removeprefix("Fn::"), argument)
        entries = {name: self._resolve(item) for name, item in value.items()}
        return {name: item for name, item in entries.items() if item is not _NO_VALUE}

    def _function(self, name: str, argument: Any) -> Any:
        if name == "If":  # only one branch: the other may refer to a resource that does not exist
            condition, yes, no = argument
            return self._resolve(yes if self.holds(condition) else no)
        if name == "Sub":
            return self._sub(argument)
        argument = self._resolve(argument)
        if name == "GetAtt":
            return self._attribute(*argument)
        if name == "FindInMap":
            table, first, second = argument[:3]
            return self._resolve(self._template["Mappings"][table][first][second])
        if name not in _PURE:
            raise TemplateError(f"a local run does not support Fn::{name}")
        return _PURE[name](argument)

    def _sub(self, argument: Any) -> str:
        text, own = argument if isinstance(argument, list) else (argument, {})

        def replace(match: re.Match[str]) -> str:
            literal, name = match.groups()
            if literal:
                return f"${{{name}}}"
            if name in own:
                return str(self._resolve(own[name]))
            owner, dot, attribute = name.partition(".")
            return str(self._attribute(owner, attribute) if dot else self._ref(name))

        return _PLACEHOLDER.sub(replace, text)

    def _ref(self, name: str) -> Any:
        if name == "AWS::NoValue":
            return _NO_VALUE
        if name in self._refs:
            return self._refs[name]
        if name in self._template["Resources"]:
            return self.local_name(name)
        raise TemplateError(f"a local run has no value for {name}; set it as a parameter")

    def _attribute(self, owner: str, attribute: str) -> str:
        try:
            return self._attributes[owner, attribute]
        except KeyError:
            raise TemplateError(f"a local run has no value for {owner}.{attribute}") from None


def _parameter(value: Any, kind: str) -> Any:
    if kind == "CommaDelimitedList" or kind.startswith("List<"):
        return [part.strip() for part in str(value).split(",")]
    return str(value)

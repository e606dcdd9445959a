"""The template and code of a release as plain CloudFormation, offline: what the Serverless transform would do."""

import json
from collections.abc import Callable, Mapping, Set
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from samtranslator.parser.parser import Parser
from samtranslator.translator.translator import Translator

from local.emulated.cloud import ROOT, replaced_environment
from local.emulated.template import REGION, Resolver
from local.release.artifacts import TEMPLATE_NAME, write_artifacts

BUILD: Final = ROOT / ".aws-sam" / "native" / "build"
_LEFT_OUT: Final = (
    "AWS::CloudWatch::Alarm",
    "AWS::CloudWatch::Dashboard",
    "AWS::SecretsManager::RotationSchedule",
)
_NO_VALUE: Final = {"Ref": "AWS::NoValue"}

Template = dict[str, Any]
Upload = Callable[[str, bytes], object]
"""Takes a name and bytes to where the template's parameters say that CloudFormation finds them."""


def expanded(upload: Upload, parameters: Mapping[str, str]) -> Template:
    """Return the template of a release with its files uploaded and every serverless resource expanded."""
    with TemporaryDirectory() as place:
        # Packed and unpacked on one machine, many times.
        write_artifacts({"native": BUILD}, Path(place), level=0)
        for path in Path(place).iterdir():
            upload(path.name, path.read_bytes())
        template = json.loads((Path(place) / TEMPLATE_NAME).read_text(encoding="utf-8"))
    # The translator asks boto3 for the region and nothing else.
    with replaced_environment({"AWS_DEFAULT_REGION": REGION}):
        translated: Template = Translator({}, Parser()).translate(template, dict(parameters))
    return translated


def for_ministack(template: Template, parameters: Mapping[str, str]) -> Template:
    """Say in other words what MiniStack's CloudFormation does not read.

    It knows no OpenAPI documents, no joins in conditions and no policy resource of one role alone, takes a secret's
    name for its `Ref`, and has neither metric math nor rotation schedules: alarms, the dashboard that shows them and
    the schedule of the key's rotation are left out.
    """
    resolver = Resolver(template, parameters)
    conditions = {name: resolver.holds(name) for name in template["Conditions"]}
    secrets = {name for name, found in template["Resources"].items() if found["Type"] == "AWS::SecretsManager::Secret"}
    template = _naming_by_arn(template, secrets)
    resources: dict[str, Any] = {}
    for name, resource in template["Resources"].items():
        if resource["Type"] in _LEFT_OUT:
            continue
        resources[name] = resource
        if resource["Type"] == "AWS::IAM::RolePolicy":
            properties = dict(resource["Properties"])
            properties["Roles"] = [properties.pop("RoleName")]
            resources[name] = resource | {"Type": "AWS::IAM::Policy", "Properties": properties}
        if resource["Type"] == "AWS::ApiGatewayV2::Api":
            document = resource["Properties"].pop("Body")
            resource["Properties"] |= {"Name": name, "ProtocolType": "HTTP"}
            for path, methods in document["paths"].items():
                for method, operation in (_chosen(methods, conditions) or {}).items():
                    resources |= _route(name, f"{method.upper()} {path}", operation, number=len(resources))
    known = {name: {"Fn::Equals": ["true", str(holds).lower()]} for name, holds in conditions.items()}
    return template | {"Conditions": known, "Resources": resources}


def _route(api: str, key: str, operation: Mapping[str, Any], *, number: int) -> dict[str, Any]:
    integration = operation["x-amazon-apigateway-integration"]
    unsigned = {"NONE": []} in operation.get("security", [])
    return {
        f"Integration{number}": {
            "Type": "AWS::ApiGatewayV2::Integration",
            "Properties": {
                "ApiId": {"Ref": api},
                "IntegrationType": "AWS_PROXY",
                "IntegrationUri": integration["uri"],
                "PayloadFormatVersion": integration["payloadFormatVersion"],
            },
        },
        f"Route{number}": {
            "Type": "AWS::ApiGatewayV2::Route",
            "Properties": {
                "ApiId": {"Ref": api},
                "RouteKey": key,
                "AuthorizationType": "NONE" if unsigned else "AWS_IAM",
                "Target": {"Fn::Join": ["/", ["integrations", {"Ref": f"Integration{number}"}]]},
            },
        },
    }


def _naming_by_arn(value: Any, names: Set[str]) -> Any:
    match value:
        case {"Ref": name} if name in names:
            return {"Fn::GetAtt": [name, "Arn"]}
        case dict():
            return {key: _naming_by_arn(item, names) for key, item in value.items()}
        case list():
            return [_naming_by_arn(item, names) for item in value]
    return value


def _chosen(value: Any, conditions: Mapping[str, bool]) -> Any:
    if isinstance(value, dict) and "Fn::If" in value:
        condition, yes, no = value["Fn::If"]
        return _chosen(yes if conditions[condition] else no, conditions)
    return None if value == _NO_VALUE else value

"""askback as a construct of the AWS CDK: a nested stack of the template of a release, with its parameters typed.

The template is the release's own. The construct changes one thing in it: where the code is, because the CDK uploads the
code as assets of your app. CloudFormation checks the values of the parameters when you deploy.
"""

import json
import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, Unpack

from aws_cdk import CfnStack, Stack, Token
from aws_cdk.aws_s3_assets import Asset
from constructs import Construct

from askback_cdk.template import VERSION, Outputs, Parameters

__all__ = ["Askback", "Outputs", "Parameters"]

_TEMPLATE: Final = "template.json"
_CODE: Final = ("CodeUri", "ContentUri", "DefinitionUri")
_STACK_NAME_MAX: Final = 58
"""Characters; the schedule of the sweep is named `<stack>-sweep`, and such a name has at most 64."""
_SUFFIX_LENGTH: Final = 14
"""Characters that CloudFormation adds to the name of a nested stack, with the hyphen before them."""


class Askback(Construct):
    """The stack of a release, nested in yours; `outputs` has its outputs as values that you can pass on.

    `artifacts` is the folder with the unpacked artifacts of the same release. A parameter that you do not set has the
    template's default. Raises ValueError for artifacts of another release, a name that is no parameter, and a stack
    whose name is too long.
    """

    def __init__(self, scope: Construct, id_: str, *, artifacts: str, **parameters: Unpack[Parameters]) -> None:
        super().__init__(scope, id_)
        folder = Path(artifacts)
        template = json.loads((folder / _TEMPLATE).read_text(encoding="utf-8"))
        found = template["Metadata"]["AWS::ServerlessRepo::Application"]["SemanticVersion"]
        if found != VERSION:
            raise ValueError(f"these are the artifacts of askback {found}, and this is the construct of {VERSION}")
        names = {_snake(name): name for name in template["Parameters"]}
        if unknown := sorted(parameters.keys() - names.keys()):
            raise ValueError(f"askback {VERSION} has no parameter {', '.join(unknown)}")
        values = {names[name]: _text(value) for name, value in parameters.items() if value is not None}
        values["ArtifactBucket"] = self._upload(template, folder, values)
        with TemporaryDirectory() as place:
            written = Path(place, _TEMPLATE)
            written.write_text(json.dumps(template), encoding="utf-8")
            asset = Asset(self, "Template", path=str(written))
        self.stack = CfnStack(self, "Resource", template_url=asset.http_url, parameters=values)
        self.outputs = Outputs(lambda name: self.stack.get_att(f"Outputs.{name}").to_string())
        self._check_name()

    def _upload(self, template: dict, folder: Path, values: dict[str, str]) -> str:
        """Make an asset of each file of code, name it in the template, and return the bucket of the assets."""
        architecture = values.get("Architecture", template["Parameters"]["Architecture"]["Default"])
        bucket = ""
        for name, resource in template["Resources"].items():
            for field in _CODE:
                if field in (properties := resource.get("Properties", {})):
                    key = properties[field]["Key"]["Fn::Sub"].removeprefix("${ArtifactPrefix}")
                    asset = Asset(self, name, path=str(folder / key.replace("${Architecture}", architecture)))
                    properties[field]["Key"] = asset.s3_object_key
                    bucket = asset.s3_bucket_name
        return bucket

    def _check_name(self) -> None:
        outer = Stack.of(self)
        if not Token.is_unresolved(outer.stack_name):
            longest = _STACK_NAME_MAX - len(outer.resolve(self.stack.logical_id)) - 1 - _SUFFIX_LENGTH
            if len(outer.stack_name) > longest:
                raise ValueError(f"the name of the stack {outer.stack_name} has more than {longest} characters")


def _snake(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def _text(value: object) -> str:
    """Return a value as CloudFormation takes it; a token of the CDK is text already."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return ",".join(map(str, value))
    return str(value)

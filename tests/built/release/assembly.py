"""What an app of the AWS CDK synthesised: its stack, the files it uploads, and the template that it nests."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PLACE = {"Fn::Sub": "cdk-hnb659fds-assets-${AWS::AccountId}-${AWS::Region}"}
"""The bucket that every account has that is set up for the CDK."""


@dataclass(frozen=True)
class Assembly:
    """The folder that an app wrote, of one stack."""

    folder: Path
    stack_name: str

    @property
    def template(self) -> dict[str, Any]:
        """The template of the app's own stack."""
        return self._read(f"{self.stack_name}.template.json")

    @property
    def nested(self) -> dict[str, Any]:
        """The nested stack of askback, as a resource of the app's stack."""
        (found,) = (
            each for each in self.template["Resources"].values() if each["Type"] == "AWS::CloudFormation::Stack"
        )
        properties: dict[str, Any] = found["Properties"]
        return properties

    @property
    def nested_template(self) -> dict[str, Any]:
        """The template of the nested stack, found by the address that CloudFormation gets."""
        url = self.nested["TemplateURL"]["Fn::Sub"]
        read: dict[str, Any] = json.loads(self.uploaded()[url.rpartition("/")[2]].read_text(encoding="utf-8"))
        return read

    def uploaded(self) -> dict[str, Path]:
        """Return each file that is uploaded, by its key."""
        files = self._read(f"{self.stack_name}.assets.json")["files"].values()
        return {
            destination["objectKey"]: self.folder / file["source"]["path"]
            for file in files
            for destination in file["destinations"].values()
        }

    def _read(self, name: str) -> dict[str, Any]:
        read: dict[str, Any] = json.loads((self.folder / name).read_text(encoding="utf-8"))
        return read

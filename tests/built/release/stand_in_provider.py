"""A stand-in for Terraform's AWS provider: the resources that the module and its example use, and a record of each.

The provider itself comes from a registry of its own, which no package index has. So Terraform runs with this one. It
takes and gives the attributes that are used here, with their types, and writes what it created to the file named by
`STAND_IN_RECORD`. It calls no AWS.
"""

import json
import os
from pathlib import Path
from typing import Any, ClassVar

from tf import iface, runner, schema, types

TEXT, TEXTS = types.String(), types.Map(types.String())


def _attribute(name: str, kind: Any = TEXT, **how: bool) -> schema.Attribute:
    return schema.Attribute(name, kind, **how)


class Recorded:
    """A resource that is recorded when it is created; what is computed has a value made of its type."""

    name: ClassVar[str]
    attributes: ClassVar[tuple[schema.Attribute, ...]]
    computed: ClassVar[dict[str, Any]] = {}

    def __init__(self, provider: iface.Provider) -> None:
        self._provider = provider

    @classmethod
    def get_name(cls) -> str:
        return cls.name

    @classmethod
    def get_schema(cls) -> schema.Schema:
        kinds = {name: TEXTS if isinstance(value, dict) else TEXT for name, value in cls.computed.items()}
        computed = (_attribute(name, kind, computed=True) for name, kind in kinds.items())
        return schema.Schema(attributes=[*cls.attributes, *computed])

    def create(self, _: iface.CreateContext, planned: dict[str, Any]) -> dict[str, Any]:
        with Path(os.environ["STAND_IN_RECORD"]).open("a", encoding="utf-8") as record:
            known = {name: value for name, value in planned.items() if name not in self.computed}
            record.write(json.dumps({"type": f"aws_{self.name}", **known}) + "\n")
        return planned | self.computed

    def read(self, _: iface.ReadContext, current: dict[str, Any]) -> dict[str, Any]:
        return current

    def update(self, _: iface.UpdateContext, current: dict[str, Any], planned: dict[str, Any]) -> dict[str, Any]:
        return current | planned

    def delete(self, _: iface.DeleteContext, current: dict[str, Any]) -> None:
        return None


class Bucket(Recorded, iface.Resource):
    name = "s3_bucket"
    attributes = (_attribute("bucket_prefix", optional=True),)
    computed: ClassVar = {"id": "artifacts-1", "bucket": "artifacts-1"}


class BucketObject(Recorded, iface.Resource):
    name = "s3_object"
    attributes = tuple(_attribute(name, required=True) for name in ("bucket", "key", "source"))
    computed: ClassVar = {"id": "object"}


class Stack(Recorded, iface.Resource):
    name = "cloudformation_stack"
    attributes = (
        _attribute("name", required=True),
        _attribute("template_url", optional=True),
        _attribute("parameters", TEXTS, optional=True),
        _attribute("tags", TEXTS, optional=True),
        _attribute("capabilities", types.Set(types.String()), optional=True),
    )
    computed: ClassVar = {"id": "stack", "outputs": json.loads(os.environ.get("STAND_IN_OUTPUTS", "{}"))}


class Attachment(Recorded, iface.Resource):
    name = "iam_role_policy_attachment"
    attributes = (_attribute("role", required=True), _attribute("policy_arn", required=True))
    computed: ClassVar = {"id": "attachment"}


class NamedBucket(iface.DataSource):
    def __init__(self, provider: iface.Provider) -> None:
        self._provider = provider

    @classmethod
    def get_name(cls) -> str:
        return "s3_bucket"

    @classmethod
    def get_schema(cls) -> schema.Schema:
        computed = (_attribute(name, computed=True) for name in ("id", "bucket_regional_domain_name"))
        return schema.Schema(attributes=[_attribute("bucket", required=True), *computed])

    def read(self, _: iface.ReadDataContext, config: dict[str, Any]) -> dict[str, Any]:
        name = config["bucket"]
        return config | {"id": name, "bucket_regional_domain_name": f"{name}.s3.eu-west-1.amazonaws.com"}


class StandIn(iface.Provider):
    """The provider `hashicorp/aws`, as far as it is used here."""

    def get_model_prefix(self) -> str:
        return "aws_"

    def get_provider_schema(self, _: Any) -> schema.Schema:
        return schema.Schema(attributes=[])

    def full_name(self) -> str:
        return "registry.terraform.io/hashicorp/aws"

    def validate_config(self, _: Any, config: dict[str, Any]) -> None:
        return None

    def configure_provider(self, _: Any, config: dict[str, Any]) -> None:
        return None

    def get_data_sources(self) -> list[type[iface.DataSource]]:
        return [NamedBucket]

    def get_resources(self) -> list[type[iface.Resource]]:
        return [Bucket, BucketObject, Stack, Attachment]


if __name__ == "__main__":
    runner.run_provider(StandIn())

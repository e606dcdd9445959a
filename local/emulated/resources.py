"""Creates the template's tables, buckets, buses, log groups and secrets on the emulator."""

from __future__ import annotations

import json
import secrets
import string
from collections.abc import Mapping
from typing import Any, Final

import boto3

from askback.domain.keys.facts import RingFacts
from askback.domain.keys.ring import KeyRing
from local.emulated.template import ACCOUNT, REGION, Resolver, TemplateError

# The properties of a table and of an index that have the same name and form in CloudFormation and in CreateTable.
_TABLE: Final = ("AttributeDefinitions", "BillingMode", "KeySchema", "ProvisionedThroughput")
_INDEX: Final = ("IndexName", "KeySchema", "Projection", "ProvisionedThroughput")


def create_resources(resolver: Resolver) -> None:
    """Create all stores of the functions, and bind them for `Ref` and `GetAtt`.

    Needs AWS_ENDPOINT_URL to point at an emulator.
    """
    for logical_id, properties in resolver.resources("AWS::DynamoDB::Table").items():
        _create_table(resolver, logical_id, resolver.resolve(_without_keys(properties)))
    for logical_id, properties in resolver.resources("AWS::S3::Bucket").items():
        _create_bucket(resolver, logical_id, resolver.resolve(properties.get("BucketName")))
    for logical_id, properties in resolver.resources("AWS::Events::EventBus").items():
        name = resolver.resolve(properties["Name"])
        boto3.client("events").create_event_bus(Name=name)
        resolver.bind(logical_id, name)
    for logical_id, properties in resolver.resources("AWS::Logs::LogGroup").items():
        name = resolver.resolve(properties["LogGroupName"])
        boto3.client("logs").create_log_group(logGroupName=name)
        resolver.bind(logical_id, name, Arn=f"arn:aws:logs:{REGION}:{ACCOUNT}:log-group:{name}:*")
    for logical_id, properties in resolver.resources("AWS::SecretsManager::Secret").items():
        _create_secret(resolver, logical_id, resolver.resolve(_without_keys(properties)))


def _without_keys(properties: Mapping[str, Any]) -> dict[str, Any]:
    # Encryption keys may refer to resources that do not exist here, and they have no effect here.
    return {k: v for k, v in properties.items() if k not in ("KmsKeyId", "SSESpecification", "Tags")}


def _create_table(resolver: Resolver, logical_id: str, properties: Mapping[str, Any]) -> None:
    name = properties.get("TableName") or resolver.local_name(logical_id)
    request = {key: properties[key] for key in _TABLE if key in properties}
    indexes = [
        {key: index[key] for key in _INDEX if key in index} for index in properties.get("GlobalSecondaryIndexes", [])
    ]
    if indexes:
        request["GlobalSecondaryIndexes"] = indexes
    client: Any = boto3.client("dynamodb")
    if stream := properties.get("StreamSpecification"):
        request["StreamSpecification"] = {"StreamEnabled": True, **stream}
    client.create_table(TableName=name, **request)
    if lifetime := properties.get("TimeToLiveSpecification"):
        client.update_time_to_live(TableName=name, TimeToLiveSpecification=lifetime)
    resolver.bind(logical_id, name, Arn=f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/{name}")


def _create_bucket(resolver: Resolver, logical_id: str, given: str | None) -> None:
    name = given or resolver.local_name(logical_id)
    boto3.client("s3").create_bucket(Bucket=name, CreateBucketConfiguration={"LocationConstraint": REGION})
    resolver.bind(logical_id, name, Arn=f"arn:aws:s3:::{name}")


def _create_secret(resolver: Resolver, logical_id: str, properties: Mapping[str, Any]) -> None:
    name = properties.get("Name") or resolver.local_name(logical_id)
    recipe = properties.get("GenerateSecretString")
    if recipe is None:
        raise TemplateError(f"{logical_id} has no GenerateSecretString; a key must not be a fixed text")
    client, text = boto3.client("secretsmanager"), _generate(recipe)
    created = client.create_secret(Name=name, SecretString=text)
    arn = created["ARN"]
    if _rotates(resolver, logical_id):
        # On AWS, Secrets Manager tests a new schedule, and the rotate function then writes these tags.
        facts = RingFacts.of_ring(KeyRing.parse(text), version_id=created["VersionId"])
        client.tag_resource(SecretId=arn, Tags=[{"Key": key, "Value": value} for key, value in facts.to_tags().items()])
    resolver.bind(logical_id, arn, Id=arn)


def _rotates(resolver: Resolver, logical_id: str) -> bool:
    schedules = resolver.resources("AWS::SecretsManager::RotationSchedule").values()
    return any(schedule["SecretId"] == {"Ref": logical_id} for schedule in schedules)


def _generate(recipe: Mapping[str, Any]) -> str:
    """Return a new random secret, generated like Secrets Manager does; every start has another one."""
    alphabet = string.ascii_letters + string.digits
    if str(recipe.get("ExcludePunctuation", False)).lower() != "true":
        alphabet += string.punctuation
    excluded = recipe.get("ExcludeCharacters", "")
    alphabet = "".join(sign for sign in alphabet if sign not in excluded)
    drawn = "".join(secrets.choice(alphabet) for _ in range(int(recipe.get("PasswordLength", 32))))
    if "GenerateStringKey" not in recipe:
        return drawn
    return json.dumps(json.loads(recipe["SecretStringTemplate"]) | {recipe["GenerateStringKey"]: drawn})

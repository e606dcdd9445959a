"""What keeps pauses: it is private, encrypted, recoverable, and goes away on time and not before."""

import json
from typing import Any

import pytest

from askback.adapters.dynamodb.keys import ledger_key
from askback.domain.limits import TTL_MAX_SECONDS
from tests.support.template import TEMPLATE, properties, resolver, resources

STATE = ("AWS::DynamoDB::Table", "AWS::S3::Bucket", "AWS::S3::BucketPolicy", "AWS::SecretsManager::Secret")
RETENTIONS = TEMPLATE["Parameters"]["RetentionDays"]["AllowedValues"]


def keys(declared: dict[str, Any]) -> dict[str, str]:
    return {part["KeyType"]: part["AttributeName"] for part in declared["KeySchema"]}


def index(name: str) -> dict[str, Any]:
    (found,) = [index for index in properties("Table")["GlobalSecondaryIndexes"] if index["IndexName"] == name]
    return dict(found)


@pytest.mark.parametrize("kind", STATE)
def test_state_outlives_the_stack_and_its_own_replacement(kind: str) -> None:
    # The webhook's address and key are settings: without the stack nobody is told, and nothing is lost.
    found = {name: resource for name, resource in resources(kind).items() if name != "NotifyWebhook"}
    assert len(found) == 1
    for resource in found.values():
        assert resource["DeletionPolicy"] == "Retain"
        assert resource["UpdateReplacePolicy"] == "Retain"


def test_the_table_and_its_indexes_have_the_keys_the_code_writes() -> None:
    table = properties("Table")
    assert keys(table) == {"HASH": "pk", "RANGE": "sk"}
    assert keys(index("due")) == {"HASH": "due_shard", "RANGE": "due_at"}
    assert keys(index("scope")) == {"HASH": "scope_hash", "RANGE": "scope_order"}
    types = {part["AttributeName"]: part["AttributeType"] for part in table["AttributeDefinitions"]}
    assert types.pop("due_at") == "N"
    assert types == dict.fromkeys(("pk", "sk", "due_shard", "scope_hash", "scope_order"), "S")


def test_the_log_of_decisions_outlives_the_stack_and_the_longest_pause() -> None:
    log = TEMPLATE["Resources"]["DecisionLogGroup"]
    assert (log["DeletionPolicy"], log["UpdateReplacePolicy"]) == ("Retain", "Retain")
    assert TEMPLATE["Parameters"]["AuditRetentionDays"]["Default"] >= 365
    assert min(TEMPLATE["Parameters"]["AuditRetentionDays"]["AllowedValues"]) * 86_400 > TTL_MAX_SECONDS


def test_the_stream_has_the_row_before_and_after_and_is_read_from_its_beginning() -> None:
    assert properties("Table")["StreamSpecification"] == {"StreamViewType": "NEW_AND_OLD_IMAGES"}
    source = properties("AuditSource")
    assert source["EventSourceArn"] == {"Fn::GetAtt": ["Table", "StreamArn"]}
    assert source["StartingPosition"] == "TRIM_HORIZON"
    assert source["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
    assert source["BisectBatchOnFunctionError"] is True
    assert source["DestinationConfig"] == {"OnFailure": {"Destination": {"Fn::GetAtt": ["AuditFailures", "Arn"]}}}
    # Given up before the stream forgets the record, which is after a day.
    assert source["MaximumRetryAttempts"] == -1
    assert source["MaximumRecordAgeInSeconds"] < 24 * 3600


def test_the_stream_hands_over_rows_of_pauses_alone() -> None:
    (pattern,) = properties("AuditSource")["FilterCriteria"]["Filters"]
    assert json.loads(pattern["Pattern"]) == {"dynamodb": {"Keys": {"pk": {"S": [{"prefix": "pause#"}]}}}}
    assert ledger_key("jti")["pk"]["S"].startswith("pause#")


def test_an_index_copies_no_answer_and_no_turn() -> None:
    assert index("due")["Projection"] == {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["status", "exp", "kid"]}
    assert index("scope")["Projection"] == {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["name", "status", "exp"]}


def test_the_table_is_on_demand_encrypted_recoverable_and_forgets_by_ttl() -> None:
    table = properties("Table")
    assert table["BillingMode"] == "PAY_PER_REQUEST"
    assert table["SSESpecification"]["SSEEnabled"] is True
    assert table["PointInTimeRecoverySpecification"]["PointInTimeRecoveryEnabled"] is True
    assert table["TimeToLiveSpecification"] == {"AttributeName": "ttl", "Enabled": True}


def test_the_table_refuses_deletion_unless_the_deployment_says_otherwise() -> None:
    assert properties("Table")["DeletionProtectionEnabled"] == {"Ref": "DeletionProtection"}
    assert TEMPLATE["Parameters"]["DeletionProtection"]["Default"] == "true"


def test_no_object_can_be_public_or_unencrypted() -> None:
    bucket = properties("Bucket")
    assert set(bucket["PublicAccessBlockConfiguration"].values()) == {True}
    assert bucket["OwnershipControls"]["Rules"] == [{"ObjectOwnership": "BucketOwnerEnforced"}]
    (rule,) = bucket["BucketEncryption"]["ServerSideEncryptionConfiguration"]
    assert rule["ServerSideEncryptionByDefault"]["SSEAlgorithm"] == "AES256"


def test_the_bucket_refuses_everybody_without_tls() -> None:
    policy = properties("BucketPolicy")
    assert policy["Bucket"] == {"Ref": "Bucket"}
    (statement,) = policy["PolicyDocument"]["Statement"]
    assert (statement["Effect"], statement["Principal"], statement["Action"]) == ("Deny", "*", "s3:*")
    assert statement["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}
    assert statement["Resource"] == [{"Fn::GetAtt": ["Bucket", "Arn"]}, {"Fn::Sub": "${Bucket.Arn}/*"}]


@pytest.mark.parametrize("retention", RETENTIONS)
def test_an_object_outlives_the_longest_token_and_the_retention(retention: int) -> None:
    rules = resolver(RetentionDays=str(retention)).resolve(properties("Bucket")["LifecycleConfiguration"]["Rules"])
    (expiry,) = [rule for rule in rules if "ExpirationInDays" in rule]
    assert (expiry["Prefix"], expiry["Status"]) == ("turns/", "Enabled")
    assert expiry["ExpirationInDays"] == TTL_MAX_SECONDS // 86_400 + retention + 1


def test_every_retention_has_a_lifecycle_and_every_lifecycle_a_retention() -> None:
    assert list(TEMPLATE["Mappings"]["Retention"]) == [str(days) for days in RETENTIONS]


def test_unfinished_uploads_are_aborted() -> None:
    rules = properties("Bucket")["LifecycleConfiguration"]["Rules"]
    (abort,) = [rule for rule in rules if "AbortIncompleteMultipartUpload" in rule]
    assert (abort["Status"], abort["AbortIncompleteMultipartUpload"]) == ("Enabled", {"DaysAfterInitiation": 1})


def test_the_first_key_is_drawn_by_secrets_manager_and_written_nowhere() -> None:
    secret = properties("KeyRing")
    assert "SecretString" not in secret
    generated = secret["GenerateSecretString"]
    ring = json.loads(generated["SecretStringTemplate"])
    assert ring == {"current": "initial"}
    assert generated["GenerateStringKey"] == f"key:{ring['current']}"
    # Letters and digits alone are one byte each, so 64 of them are twice what a key needs.
    assert (generated["PasswordLength"], generated["ExcludePunctuation"]) == (64, True)


def test_keys_are_rotated_by_the_clock_unless_the_deployment_says_never() -> None:
    schedule = TEMPLATE["Resources"]["KeyRotation"]
    assert schedule["Condition"] == "RotatesKeys"
    # Secrets Manager invokes the function when the schedule is made, so it must be allowed to by then.
    assert schedule["DependsOn"] == "RotatePermission"
    assert schedule["Properties"]["SecretId"] == {"Ref": "KeyRing"}
    assert schedule["Properties"]["RotationLambdaARN"] == {"Fn::GetAtt": ["RotateFunction", "Arn"]}
    assert schedule["Properties"]["RotateImmediatelyOnUpdate"] is False
    kind = "AWS::SecretsManager::RotationSchedule"
    for days in ("90", "1"):
        (declared,) = resolver(KeyRotationDays=days).resources(kind).values()
        assert resolver(KeyRotationDays=days).resolve(declared["RotationRules"]) == {"AutomaticallyAfterDays": days}
    assert not resolver(KeyRotationDays="0").resources(kind)
    assert TEMPLATE["Parameters"]["KeyRotationDays"]["Default"] == 90


def test_no_parameter_asks_for_a_secret() -> None:
    assert not [name for name in TEMPLATE["Parameters"] if "secret" in name.lower() or "password" in name.lower()]

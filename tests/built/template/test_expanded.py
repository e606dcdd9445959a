"""What every resource of a kind must have, asked of the expanded template, so that one added later has it too."""

from typing import Any

import pytest

from tests.support.expanded_template import expanded, resolving

FUNCTIONS = expanded("AWS::Lambda::Function")
ASKED = {name for name, found in FUNCTIONS.items() if found.get("Condition") != "DeploysExample"}
"""The functions that are askback; the others are examples."""
FLOODED = ("MintFunction", "ResumeFunction")
ASYNCHRONOUS = ("scheduler.amazonaws.com", "events.amazonaws.com", "s3.amazonaws.com", "sns.amazonaws.com")


def properties(kind: str) -> list[dict[str, Any]]:
    found = [resource["Properties"] for resource in expanded(kind).values()]
    assert found
    return found


def started_asynchronously() -> set[str]:
    """Return the functions whose starter does not wait for what they return; a queue does wait."""
    targets = [schedule["Target"] for schedule in properties("AWS::Scheduler::Schedule")]
    targets += [target for rule in expanded("AWS::Events::Rule").values() for target in rule["Properties"]["Targets"]]
    started = {target["Arn"]["Fn::GetAtt"][0] for target in targets} - set(expanded("AWS::SQS::Queue"))
    allowed = [permission["Properties"] for permission in expanded("AWS::Lambda::Permission").values()]
    return started | {each["FunctionName"]["Ref"] for each in allowed if each["Principal"] in ASYNCHRONOUS}


def test_every_table_is_encrypted_recoverable_protected_and_forgets() -> None:
    for table in properties("AWS::DynamoDB::Table"):
        assert table["SSESpecification"]["SSEEnabled"] is True
        assert table["PointInTimeRecoverySpecification"]["PointInTimeRecoveryEnabled"] is True
        assert resolving().resolve(table["DeletionProtectionEnabled"]) == "true"
        assert table["TimeToLiveSpecification"] == {"AttributeName": "ttl", "Enabled": True}


def test_every_bucket_is_private_encrypted_expires_and_is_closed_without_tls() -> None:
    guarded = [policy["Bucket"] for policy in properties("AWS::S3::BucketPolicy")]
    for name, bucket in expanded("AWS::S3::Bucket").items():
        assert set(bucket["Properties"]["PublicAccessBlockConfiguration"].values()) == {True}
        assert bucket["Properties"]["BucketEncryption"]["ServerSideEncryptionConfiguration"]
        assert [rule for rule in bucket["Properties"]["LifecycleConfiguration"]["Rules"] if "ExpirationInDays" in rule]
        assert {"Ref": name} in guarded
    for policy in properties("AWS::S3::BucketPolicy"):
        (statement,) = policy["PolicyDocument"]["Statement"]
        assert (statement["Effect"], statement["Action"]) == ("Deny", "s3:*")
        assert statement["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}


def test_every_queue_is_encrypted_and_keeps_what_it_has_for_two_weeks() -> None:
    for queue in properties("AWS::SQS::Queue"):
        assert (queue["SqsManagedSseEnabled"], queue["MessageRetentionPeriod"]) == (True, 14 * 86_400)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_every_function_writes_to_a_log_that_is_not_kept_for_ever(function: str) -> None:
    group = FUNCTIONS[function]["Properties"]["LoggingConfig"]["LogGroup"]["Ref"]
    assert resolving().resolve(expanded("AWS::Logs::LogGroup")[group]["Properties"]["RetentionInDays"]) == "30"


def test_every_stage_is_throttled_and_writes_to_a_log_that_is_not_kept_for_ever() -> None:
    for stage in properties("AWS::ApiGatewayV2::Stage"):
        assert resolving().resolve(stage["DefaultRouteSettings"]) == {
            "ThrottlingRateLimit": "100",
            "ThrottlingBurstLimit": "200",
        }
        group = stage["AccessLogSettings"]["DestinationArn"]["Fn::GetAtt"][0]
        assert expanded("AWS::Logs::LogGroup")[group]["Properties"]["RetentionInDays"] == {"Ref": "LogRetentionDays"}


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize(("chosen", "mode"), [({}, "Active"), ({"Tracing": "PassThrough"}, "PassThrough")])
def test_every_function_is_traced_unless_the_deployment_leaves_it_to_its_callers(
    function: str, chosen: dict[str, str], mode: str
) -> None:
    assert resolving(**chosen).resolve(FUNCTIONS[function]["Properties"]["TracingConfig"]) == {"Mode": mode}


def test_every_state_machine_is_traced_with_the_functions() -> None:
    for chosen, enabled in (("Active", True), ("PassThrough", False)):
        for machine in properties("AWS::StepFunctions::StateMachine"):
            assert resolving(Tracing=chosen).resolve(machine["TracingConfiguration"]) == {"Enabled": enabled}


@pytest.mark.parametrize("function", sorted(ASKED))
def test_nothing_is_reserved_unless_the_deployment_says_how_much(function: str) -> None:
    """Many accounts have too few runs to reserve any, and would refuse the deployment."""
    assert "ReservedConcurrentExecutions" not in resolving().resolve(FUNCTIONS[function]["Properties"])


def test_a_reservation_bounds_what_a_flood_takes_and_keeps_a_place_for_the_sweep() -> None:
    resolver = resolving(ReservedConcurrency="20")
    reserved = {
        name: resolver.resolve(FUNCTIONS[name]["Properties"]).get("ReservedConcurrentExecutions") for name in ASKED
    }
    assert {name: reserved[name] for name in FLOODED} == dict.fromkeys(FLOODED, "20")
    assert reserved["SweepFunction"] == 1


def test_what_is_started_without_waiting_keeps_its_failures() -> None:
    """Nobody else would know of them."""
    configured = {config["FunctionName"]["Ref"]: config for config in properties("AWS::Lambda::EventInvokeConfig")}
    started = started_asynchronously()
    assert "SweepFunction" in started
    for function in started:
        kept_in, attribute = configured[function]["DestinationConfig"]["OnFailure"]["Destination"]["Fn::GetAtt"]
        assert (kept_in in expanded("AWS::SQS::Queue"), attribute) == (True, "Arn")
        assert allowed_to_send(FUNCTIONS[function]["Properties"]["Role"]) == [kept_in]


def test_a_queue_that_starts_a_function_keeps_its_failures_and_gives_the_function_time() -> None:
    for mapping in properties("AWS::Lambda::EventSourceMapping"):
        name, _ = mapping["EventSourceArn"]["Fn::GetAtt"]
        if name in expanded("AWS::SQS::Queue"):
            queue = expanded("AWS::SQS::Queue")[name]["Properties"]
            kept_in, _ = queue["RedrivePolicy"]["deadLetterTargetArn"]["Fn::GetAtt"]
            assert kept_in in expanded("AWS::SQS::Queue")
            timeout = FUNCTIONS[mapping["FunctionName"]["Ref"]]["Properties"]["Timeout"]
            assert queue["VisibilityTimeout"] == 6 * timeout


def test_what_a_schedule_could_not_start_is_kept_too() -> None:
    for schedule in properties("AWS::Scheduler::Schedule"):
        kept_in, _ = schedule["Target"]["DeadLetterConfig"]["Arn"]["Fn::GetAtt"]
        assert kept_in in expanded("AWS::SQS::Queue")
        assert allowed_to_send(schedule["Target"]["RoleArn"]) == [kept_in]


def test_a_second_stack_can_stand_beside_the_first() -> None:
    """A schedule that is not named takes the name of its resource, which is the same in every stack."""
    names = [schedule["Name"] for schedule in properties("AWS::Scheduler::Schedule")]
    names += [dashboard["DashboardName"] for dashboard in properties("AWS::CloudWatch::Dashboard")]
    assert all("${AWS::StackName}" in name["Fn::Sub"] for name in names)


def allowed_to_send(role: dict[str, Any]) -> list[str]:
    """Return the queues that a role may send to."""
    policies = expanded("AWS::IAM::Role")[role["Fn::GetAtt"][0]]["Properties"]["Policies"]
    always = [policy["PolicyDocument"]["Statement"] for policy in policies if "PolicyDocument" in policy]
    return [
        statement["Resource"]["Fn::GetAtt"][0]
        for statements in always
        for statement in statements
        if statement["Action"] == "sqs:SendMessage"
    ]

"""Each function may do what it does, to what it does it to, and nothing else."""

import pytest

from tests.support.template import (
    CHANNELS,
    EXAMPLE,
    FUNCTIONS,
    granted,
    listed,
    properties,
    resolver,
    resources,
    role_of,
    statements,
)

COMMON = {("secretsmanager:GetSecretValue", "KeyRing")}
TRACES = {("xray:PutTraceSegments", "*"), ("xray:PutTelemetryRecords", "*")}


def logs_to(group: str) -> set[tuple[str, str]]:
    return {(f"logs:{action}", f"{group}.Arn") for action in ("CreateLogStream", "PutLogEvents")}


BODIES = "${Bucket.Arn}/turns/*"
TASKS = "arn:${AWS::Partition}:states:${AWS::Region}:${AWS::AccountId}:stateMachine:*"
CALLBACK = "lambda:SendDurableExecutionCallback"
ANNOUNCE = {
    (
        "events:PutEvents",
        "arn:${AWS::Partition}:events:${AWS::Region}:${AWS::AccountId}:event-bus/${EventBusName}",
    )
}
DELIVERING = ("MintFunction", "ResumeFunction", "SweepFunction")


def test_mint_writes_pauses_and_turns_and_tells_who_came_too_late() -> None:
    """A retried mint replaces the waiter, or finds that the pause has ended: then it reads how, and tells."""
    assert granted("MintFunction") == COMMON | TRACES | logs_to("MintLogGroup") | {
        ("dynamodb:PutItem", "Table.Arn"),
        ("dynamodb:UpdateItem", "Table.Arn"),
        ("dynamodb:GetItem", "Table.Arn"),
        ("s3:PutObject", BODIES),
        ("s3:GetObject", BODIES),
        ("s3:ListBucket", "Bucket.Arn"),
        ("states:SendTaskSuccess", TASKS),
        ("states:SendTaskFailure", TASKS),
    }


def test_resume_reads_turns_claims_pauses_and_tells_the_run() -> None:
    """It stores large answers, and it ends nothing: only the sweep tells a run that nobody answered."""
    assert granted("ResumeFunction") == COMMON | TRACES | logs_to("ResumeLogGroup") | {
        ("dynamodb:BatchGetItem", "Table.Arn"),
        ("dynamodb:UpdateItem", "Table.Arn"),
        ("dynamodb:PutItem", "Table.Arn"),
        ("s3:GetObject", BODIES),
        ("s3:PutObject", BODIES),
        ("s3:ListBucket", "Bucket.Arn"),
        ("states:SendTaskHeartbeat", TASKS),
        ("states:SendTaskSuccess", TASKS),
    }


def test_sweep_finds_what_is_due_works_on_it_and_has_no_key() -> None:
    assert granted("SweepFunction") == TRACES | logs_to("SweepLogGroup") | {
        ("dynamodb:Query", "${Table.Arn}/index/due"),
        ("dynamodb:BatchGetItem", "Table.Arn"),
        ("dynamodb:UpdateItem", "Table.Arn"),
        ("s3:GetObject", BODIES),
        ("s3:ListBucket", "Bucket.Arn"),
        ("states:SendTaskSuccess", TASKS),
        ("states:SendTaskFailure", TASKS),
        ("sqs:SendMessage", "SweepFailures.Arn"),
    }


def test_inbox_finds_a_scopes_pauses_changes_rows_and_reaches_nobodys_run() -> None:
    """Who waits is told by the sweep."""
    assert granted("InboxFunction") == COMMON | TRACES | logs_to("InboxLogGroup") | {
        ("dynamodb:Query", "${Table.Arn}/index/scope"),
        ("dynamodb:Query", "${Table.Arn}/index/due"),
        ("dynamodb:GetItem", "Table.Arn"),
        ("dynamodb:UpdateItem", "Table.Arn"),
    }
    assert granted("InboxFunction", "HasEventBus") == ANNOUNCE
    assert not granted("InboxFunction", "HasWaiterFunctions")
    assert not granted("InboxFunction", "HasDurableFunctions")


def test_rotate_handles_the_versions_of_the_key_secret_and_reaches_nothing_else() -> None:
    assert granted("RotateFunction") == TRACES | logs_to("RotateLogGroup") | {
        (f"secretsmanager:{action}", "KeyRing")
        for action in ("DescribeSecret", "GetSecretValue", "PutSecretValue", "UpdateSecretVersionStage")
    }


def test_notify_reads_a_pause_and_its_question_and_writes_nothing() -> None:
    assert granted("NotifyFunction") == COMMON | TRACES | logs_to("NotifyLogGroup") | {
        ("dynamodb:GetItem", "Table.Arn"),
        ("s3:GetObject", BODIES),
        ("sqs:SendMessage", "NotifyFailures.Arn"),
    }


def test_people_are_told_by_the_channels_that_the_deployment_names() -> None:
    assert granted("NotifyFunction", "HasNotifyTopic") == {("sns:Publish", "NotifyTopicArn")}
    assert granted("NotifyFunction", "HasNotifyWebhook") == {("secretsmanager:GetSecretValue", "NotifyWebhook")}
    identities = []
    for mail in statements(role_of("NotifyFunction"), "HasNotifyMail"):
        assert mail["Action"] == "ses:SendEmail"
        assert mail["Condition"] == {"StringEquals": {"ses:FromAddress": {"Ref": "NotifyFromAddress"}}}
        own = resolver(NotifyFromAddress="questions@mail.example.com").resolve(mail["Resource"])
        identities.append(own.rpartition(":identity/")[2])
    assert identities == ["questions@mail.example.com", "mail.example.com"]


def test_only_this_rule_may_have_people_told() -> None:
    declared = properties("NotifyPermission")
    assert declared["FunctionName"] == {"Ref": "NotifyFunction"}
    assert declared["Principal"] == "events.amazonaws.com"
    assert declared["SourceArn"] == {"Fn::GetAtt": ["NotifyRule", "Arn"]}
    (kept,) = properties("NotifyFailuresPolicy")["PolicyDocument"]["Statement"]
    assert (kept["Principal"], kept["Action"]) == ({"Service": "events.amazonaws.com"}, "sqs:SendMessage")
    assert kept["Condition"] == {"ArnEquals": {"aws:SourceArn": {"Fn::GetAtt": ["NotifyRule", "Arn"]}}}


def test_page_serves_its_files_and_touches_nothing() -> None:
    assert granted("PageFunction") == TRACES | logs_to("PageLogGroup")


@pytest.mark.parametrize(
    ("function", "callbacks"),
    [
        ("MintFunction", {"Success", "Failure"}),
        ("ResumeFunction", {"Heartbeat", "Success"}),
        ("SweepFunction", {"Success", "Failure"}),
    ],
)
def test_buses_functions_and_callbacks_are_allowed_where_the_deployment_names_them(
    function: str, callbacks: set[str]
) -> None:
    assert granted(function, "HasEventBus") == ANNOUNCE
    assert granted(function, "HasWaiterFunctions") == {("lambda:InvokeFunction", "WaiterFunctionArns")}
    answered = {(f"{CALLBACK}{what}", "DurableFunctionArns") for what in callbacks}
    assert granted(function, "HasDurableFunctions") == answered


def test_the_examples_callbacks_are_answered_like_any_other() -> None:
    attached = {}
    for name, policy in resources("AWS::IAM::RolePolicy").items():
        assert policy["Condition"] == "DeploysExample", name
        (statement,) = policy["Properties"]["PolicyDocument"]["Statement"]
        assert statement["Resource"] == {"Fn::Sub": "${DurableExampleFunction.Arn}:*"}
        attached[policy["Properties"]["RoleName"]["Ref"]] = set(statement["Action"])
    for function in DELIVERING:
        assert attached.pop(f"{FUNCTIONS[function]}Role") == {
            action for action, _ in granted(function, "HasDurableFunctions")
        }
    assert attached == {"DurableExampleRole": {"lambda:CheckpointDurableExecution", "lambda:GetDurableExecutionState"}}


def test_the_example_may_ask_and_nothing_else() -> None:
    ask = {("lambda:InvokeFunction", "MintFunction.Arn")}
    assert granted(EXAMPLE) == TRACES | logs_to("DurableExampleLogGroup") | ask
    flow = list(statements(properties("ApprovalFlowRole")))
    assert [statement["Resource"] for statement in flow if statement["Resource"] != "*"] == [
        {"Fn::GetAtt": ["MintFunction", "Arn"]}
    ]
    unbounded = [action for statement in flow if statement["Resource"] == "*" for action in statement["Action"]]
    assert {action.split(":")[0] for action in unbounded} == {"logs", "xray"}


def test_every_function_runs_as_a_role_of_its_own() -> None:
    functions = {*FUNCTIONS, EXAMPLE}
    assert set(resources("AWS::Serverless::Function")) == functions
    roles = [properties(function)["Role"]["Fn::GetAtt"][0] for function in functions]
    assert sorted([*roles, "ApprovalFlowRole"]) == sorted(resources("AWS::IAM::Role"))
    assert len(set(roles)) == len(roles)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_role_takes_nothing_from_a_shared_policy(function: str) -> None:
    role = role_of(function)
    assert "ManagedPolicyArns" not in role
    assert "Policies" not in properties(function)
    assert not resources("AWS::IAM::Policy")
    assert not resources("AWS::IAM::ManagedPolicy")


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_role_can_be_taken_by_lambda_alone(function: str) -> None:
    (trust,) = role_of(function)["AssumeRolePolicyDocument"]["Statement"]
    assert trust == {
        "Effect": "Allow",
        "Principal": {"Service": "lambda.amazonaws.com"},
        "Action": "sts:AssumeRole",
    }


@pytest.mark.parametrize("function", FUNCTIONS)
def test_no_action_is_a_wildcard_and_only_traces_name_no_resource(function: str) -> None:
    role = role_of(function)
    conditions = (None, "HasEventBus", "HasWaiterFunctions", "HasDurableFunctions", *CHANNELS)
    found = [statement for condition in conditions for statement in statements(role, condition)]
    conditional = len([policy for policy in role["Policies"] if "Fn::If" in policy])
    few = {"InboxFunction": 1, "NotifyFunction": 3, "RotateFunction": 0, "PageFunction": 0}
    assert conditional == few.get(function, 3)
    for statement in found:
        assert statement["Effect"] == "Allow"
        actions = listed(statement["Action"])
        assert not [action for action in actions if "*" in action]
        assert statement["Resource"] != "*" or all(action.startswith("xray:") for action in actions)


@pytest.mark.parametrize(
    ("function", "routes"),
    [("Mint", "POST/pauses"), ("Resume", "POST/*"), ("Inbox", "*/*"), ("Page", "*/answer*")],
)
def test_only_this_api_may_invoke_a_function(function: str, routes: str) -> None:
    declared = properties(f"{function}Permission")
    assert declared["FunctionName"] == {"Ref": f"{function}Function"}
    assert declared["Principal"] == "apigateway.amazonaws.com"
    assert declared["SourceArn"]["Fn::Sub"].endswith(f":${{AWS::AccountId}}:${{HttpApi}}/*/{routes}")


def test_only_secrets_manager_may_rotate_and_only_for_this_secret() -> None:
    declared = properties("RotatePermission")
    assert declared["FunctionName"] == {"Ref": "RotateFunction"}
    assert declared["Principal"] == "secretsmanager.amazonaws.com"
    assert (declared["SourceAccount"], declared["SourceArn"]) == ({"Ref": "AWS::AccountId"}, {"Ref": "KeyRing"})

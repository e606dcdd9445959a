"""Each function may do what it does, to what it does it to, and nothing else."""

import pytest

from tests.template.declared import FUNCTIONS, granted, listed, properties, resources, role_of, statements

COMMON = {("secretsmanager:GetSecretValue", "KeyRing")}
TRACES = {("xray:PutTraceSegments", "*"), ("xray:PutTelemetryRecords", "*")}


def logs_to(group: str) -> set[tuple[str, str]]:
    return {(f"logs:{action}", f"{group}.Arn") for action in ("CreateLogStream", "PutLogEvents")}


def test_mint_writes_pauses_and_turns_and_reads_only_the_keys() -> None:
    assert granted("MintFunction") == COMMON | TRACES | logs_to("MintLogGroup") | {
        ("dynamodb:PutItem", "Table.Arn"),
        ("s3:PutObject", "${Bucket.Arn}/turns/*"),
    }


def test_resume_reads_turns_and_claims_pauses_and_stores_no_turn() -> None:
    assert granted("ResumeFunction") == COMMON | TRACES | logs_to("ResumeLogGroup") | {
        ("dynamodb:BatchGetItem", "Table.Arn"),
        ("dynamodb:UpdateItem", "Table.Arn"),
        ("dynamodb:PutItem", "Table.Arn"),
        ("s3:GetObject", "${Bucket.Arn}/turns/*"),
        ("s3:ListBucket", "Bucket.Arn"),
    }


def test_every_function_runs_as_a_role_of_its_own() -> None:
    assert set(resources("AWS::Serverless::Function")) == set(FUNCTIONS)
    roles = [properties(function)["Role"]["Fn::GetAtt"][0] for function in FUNCTIONS]
    assert sorted(roles) == sorted(resources("AWS::IAM::Role"))
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
    for statement in statements(role_of(function)):
        assert statement["Effect"] == "Allow"
        actions = listed(statement["Action"])
        assert not [action for action in actions if "*" in action]
        assert statement["Resource"] != "*" or all(action.startswith("xray:") for action in actions)


@pytest.mark.parametrize(("permission", "function"), [("MintPermission", "Mint"), ("ResumePermission", "Resume")])
def test_only_this_api_may_invoke_a_function(permission: str, function: str) -> None:
    declared = properties(permission)
    assert declared["FunctionName"] == {"Ref": f"{function}Function"}
    assert declared["Principal"] == "apigateway.amazonaws.com"
    assert ":${AWS::AccountId}:${HttpApi}/*/POST/" in declared["SourceArn"]["Fn::Sub"]

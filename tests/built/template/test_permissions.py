"""What holds for every role, whichever calls it allows: nothing is wider than the one thing that it is for.

Which calls each role allows is not listed here: `tests/functions/test_permissions_used.py` holds them to the calls that
are made, and `tests/built/deployed/test_permissions.py` removes each of them with IAM enforced.
"""

import pytest

from askback.adapters.dynamodb.keys import ledger_key, record_key, waiting_partition
from tests.support.template import (
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

EVERY_STATE_MACHINE = "arn:${AWS::Partition}:states:${AWS::Region}:${AWS::AccountId}:stateMachine:*"
RESOURCES: dict[str, set[str]] = {
    "dynamodb:Query": {"${Table.Arn}/index/due", "${Table.Arn}/index/scope"},
    "dynamodb:Scan": {"${Table.Arn}/index/scope"},
    "dynamodb:": {"Table.Arn"},
    "dynamodb:DescribeStream": {"Table.StreamArn"},
    "dynamodb:GetRecords": {"Table.StreamArn"},
    "dynamodb:GetShardIterator": {"Table.StreamArn"},
    "dynamodb:ListStreams": {"${Table.Arn}/stream/*"},
    "s3:ListBucket": {"Bucket.Arn"},
    "s3:": {"${Bucket.Arn}/turns/*"},
    "secretsmanager:GetSecretValue": {"KeyRing", "NotifyWebhook"},
    "secretsmanager:": {"KeyRing"},
    "states:SendTask": {f"NamesStateMachines ? StateMachineArns : {EVERY_STATE_MACHINE}"},
    "lambda:SendDurableExecutionCallback": {"DurableFunctionArns"},
    "lambda:InvokeFunction": {"WaiterFunctionArns"},
    "events:PutEvents": {"arn:${AWS::Partition}:events:${AWS::Region}:${AWS::AccountId}:event-bus/${Bus}"},
    "sns:Publish": {"NotifyTopicArn"},
    "xray:": {"*"},
}
"""The only resources that an action may reach, by the longest beginning of its name."""
OF_ENDED = {
    "dynamodb:Query": {"Table.Arn"},
    "states:SendTaskHeartbeat": {"EndedStateMachineArns"},
    "sqs:": {"EndedQueue.Arn"},
}
"""What the ended function reaches otherwise: the partitions of executions, tasks of the named machines, its queue."""
GIVEN_BY = {
    "HasEventBus": "${Bus}",
    "HasWaiterFunctions": "WaiterFunctionArns",
    "HasDurableFunctions": "DurableFunctionArns",
    "HasNotifyMail": "NotifyFromAddress",
    "HasNotifyTopic": "NotifyTopicArn",
    "HasNotifyWebhook": "NotifyWebhook",
}
"""The parameter, or what is made for it, that a deployment gives for a condition to hold."""
TOPIC = "arn:aws:sns:eu-west-1:123456789012:questions"
DELIVERING = ("MintFunction", "ResumeFunction", "SweepFunction")


def reachable(function: str, action: str) -> set[str]:
    """Return what an action of a function's role may reach; a function has a log and a queue of failures of its own."""
    word = FUNCTIONS[function]
    decisions = {"DecisionLogGroup.Arn"} if function == "AuditFunction" else set()
    own = {"logs:": {f"{word}LogGroup.Arn", *decisions}, "sqs:SendMessage": {f"{word}Failures.Arn"}}
    known = RESOURCES | own | OF_ENDED if function == "EndedFunction" else RESOURCES | own
    return known[max((beginning for beginning in known if action.startswith(beginning)), key=len)]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_an_action_reaches_the_one_resource_that_it_is_for(function: str) -> None:
    allowed = [grant for condition in (None, *GIVEN_BY) for grant in granted(function, condition)]
    # An identity of mail is worked out from the address; a test of its own holds it.
    wide = {
        (action, on) for action, on in allowed if action != "ses:SendEmail" and on not in reachable(function, action)
    }
    assert wide == set()


@pytest.mark.parametrize("function", FUNCTIONS)
def test_what_a_deployment_names_is_reached_where_it_is_named_and_nowhere_else(function: str) -> None:
    for condition, given in GIVEN_BY.items():
        assert all(given in on or action == "ses:SendEmail" for action, on in granted(function, condition))
        others = [each for each in (None, *GIVEN_BY) if each != condition]
        assert not [on for other in others for _, on in granted(function, other) if given in on]


def test_only_who_lists_or_counts_pauses_looks_through_the_index_of_scopes() -> None:
    looking = {name for name in FUNCTIONS for _, on in granted(name) if on.endswith("/index/scope")}
    assert looking == {"InboxFunction", "MintFunction", "McpFunction", "UserMcpFunction"}


def test_links_reads_rows_of_pauses_alone() -> None:
    (read,) = [each for each in statements(role_of("LinksFunction")) if "dynamodb" in str(each["Action"])]
    assert read["Action"] == "dynamodb:BatchGetItem"
    # Questions and transcripts are in partitions of another name.
    assert read["Condition"] == {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": ["pause#*"]}}
    assert ledger_key("jti")["pk"]["S"].startswith("pause#")
    for scope_hash in ("", "ab" * 32):
        record = record_key(thread_id="t", checkpoint_id="c", key="k", scope_hash=scope_hash)
        assert not record["pk"]["S"].startswith("pause#")


def test_ended_finds_tasks_of_executions_and_changes_rows_of_pauses_alone() -> None:
    find, revoke = (each for each in statements(role_of("EndedFunction")) if "dynamodb" in str(each["Action"]))
    assert find["Condition"] == {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": ["execution#*"]}}
    assert revoke["Condition"] == {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": ["pause#*"]}}
    assert waiting_partition("arn").startswith("execution#")
    assert {action for action, _ in granted("EndedFunction") if action.startswith("states:")} == {
        "states:SendTaskHeartbeat"
    }
    assert not [on for _, on in granted("EndedFunction") if "KeyRing" in on or "Bucket" in on]


def test_audit_reads_the_stream_and_never_the_table() -> None:
    actions = {action for action, on in granted("AuditFunction") if on.startswith(("Table.", "${Table"))}
    assert actions == {
        f"dynamodb:{name}" for name in ("DescribeStream", "GetRecords", "GetShardIterator", "ListStreams")
    }
    assert {on for _, on in granted("AuditFunction")} & {"Table.Arn", "KeyRing", "Bucket.Arn"} == set()


def test_only_audit_writes_to_the_log_of_decisions() -> None:
    assert [name for name in FUNCTIONS for _, on in granted(name) if on == "DecisionLogGroup.Arn"] == [
        "AuditFunction",
        "AuditFunction",
    ]


def test_events_may_be_sent_to_the_named_bus_or_to_the_stacks_own() -> None:
    for function in ("MintFunction", "ResumeFunction", "SweepFunction", "EndedFunction", "InboxFunction"):
        (sent,) = statements(role_of(function), "HasEventBus")
        named = resolver(EventBusName="pauses", NotifyTopicArn=TOPIC).resolve(sent["Resource"])
        own = resolver(NotifyTopicArn=TOPIC).resolve(sent["Resource"])
        assert (named.rpartition("/")[2], own.rpartition("/")[2]) == ("pauses", "askback-local-eventbus")


def test_mail_is_sent_from_the_named_address_or_its_domain_alone() -> None:
    identities = []
    for mail in statements(role_of("NotifyFunction"), "HasNotifyMail"):
        assert mail["Condition"] == {"StringEquals": {"ses:FromAddress": {"Ref": "NotifyFromAddress"}}}
        own = resolver(NotifyFromAddress="questions@mail.example.com").resolve(mail["Resource"])
        identities.append(own.rpartition(":identity/")[2])
    assert identities == ["questions@mail.example.com", "mail.example.com"]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_no_action_is_a_wildcard_and_everything_is_allowed_by_name(function: str) -> None:
    for condition in (None, *GIVEN_BY):
        for statement in statements(role_of(function), condition):
            assert statement["Effect"] == "Allow"
            assert not [action for action in listed(statement["Action"]) if "*" in action]


def test_a_service_may_invoke_a_function_for_one_source_of_this_deployment_alone() -> None:
    sources = {
        "apigateway.amazonaws.com": "${HttpApi}",
        "secretsmanager.amazonaws.com": "KeyRing",
        "events.amazonaws.com": "NotifyRule",
    }
    for name, permission in resources("AWS::Lambda::Permission").items():
        declared = permission["Properties"]
        assert sources[declared["Principal"]] in str(declared["SourceArn"]), name
    assert properties("RotatePermission")["SourceAccount"] == {"Ref": "AWS::AccountId"}
    (kept,) = properties("NotifyFailuresPolicy")["PolicyDocument"]["Statement"]
    assert kept["Condition"] == {"ArnEquals": {"aws:SourceArn": {"Fn::GetAtt": ["NotifyRule", "Arn"]}}}


def test_the_example_may_ask_and_nothing_else() -> None:
    assert {on for action, on in granted(EXAMPLE) if not action.startswith(("xray:", "logs:"))} == {"MintFunction.Arn"}
    flow = list(statements(properties("ApprovalFlowRole")))
    assert [statement["Resource"] for statement in flow if statement["Resource"] != "*"] == [
        {"Fn::GetAtt": ["MintFunction", "Arn"]}
    ]
    unbounded = [action for statement in flow if statement["Resource"] == "*" for action in statement["Action"]]
    assert {action.split(":")[0] for action in unbounded} == {"logs", "xray"}


def test_the_examples_callbacks_are_answered_like_any_other() -> None:
    attached = {}
    for name, policy in resources("AWS::IAM::RolePolicy").items():
        assert policy["Condition"] == "DeploysExample", name
        statement = policy["Properties"]["PolicyDocument"]["Statement"][0]
        assert statement["Resource"] == {"Fn::Sub": "${DurableExampleFunction.Arn}:*"}
        attached[policy["Properties"]["RoleName"]["Ref"]] = set(statement["Action"])
    for function in DELIVERING:
        assert attached.pop(f"{FUNCTIONS[function]}Role") == {
            action for action, _ in granted(function, "HasDurableFunctions")
        }
    assert attached == {"DurableExampleRole": {"lambda:CheckpointDurableExecution", "lambda:GetDurableExecutionState"}}


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


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_role_can_be_taken_by_lambda_alone(function: str) -> None:
    (trust,) = role_of(function)["AssumeRolePolicyDocument"]["Statement"]
    assert trust == {
        "Effect": "Allow",
        "Principal": {"Service": "lambda.amazonaws.com"},
        "Action": "sts:AssumeRole",
    }


def tasks(function: str, **parameters: str) -> set[tuple[str, str]]:
    """Return each (action, state machine) of a function's role, with what the example attaches to it."""
    resolving = resolver(**parameters)
    held = list(statements(role_of(function)))
    if parameters.get("DeployExample") == "true":
        held += properties(f"{FUNCTIONS[function]}AnswersExample")["PolicyDocument"]["Statement"]
    return {
        (action, machine)
        for statement in resolving.resolve([each for each in held if "states:" in str(each)])
        for action in listed(statement["Action"])
        for machine in listed(statement["Resource"])
    }


@pytest.mark.parametrize("function", DELIVERING)
def test_tasks_of_named_state_machines_alone_are_completed(function: str) -> None:
    orders, refunds = (f"arn:aws:states:eu-west-1:123456789012:stateMachine:{name}" for name in ("orders", "refunds"))
    actions = {action for action, _ in tasks(function)}
    assert {machine.rpartition(":")[2] for _, machine in tasks(function)} == {"*"}
    named = tasks(function, StateMachineArns=f"{orders},{refunds}")
    assert named == {(action, machine) for action in actions for machine in (orders, refunds)}


@pytest.mark.parametrize("function", DELIVERING)
def test_the_examples_state_machine_is_reached_whichever_are_named(function: str) -> None:
    orders = "arn:aws:states:eu-west-1:123456789012:stateMachine:orders"
    named = tasks(function, StateMachineArns=orders)
    example = tasks(function, StateMachineArns=orders, DeployExample="true") - named
    assert {action for action, _ in example} == {action for action, _ in named}
    assert len({machine for _, machine in example}) == 1
    assert tasks(function, DeployExample="true") == tasks(function)

"""The example workflow: deployed only on demand, with a role of its own, and nothing said in its log."""

import json
import re
from typing import Any

import pytest

from local.emulated.workflows import interpreter
from tests.support.template import ROOT, TEMPLATE, listed, properties, resolver, resources, statements, written

EXAMPLE = {
    name
    for name, resource in TEMPLATE["Resources"].items()
    if name.startswith(("ApprovalFlow", "DurableExample")) or name.endswith("AnswersExample")
}
REQUIREMENTS = ROOT / "functions" / "durable_example" / "requirements.txt"


def allowed(role: str) -> set[tuple[str, str]]:
    return {
        (action, written(resource))
        for statement in statements(properties(role))
        for action in listed(statement["Action"])
        for resource in listed(statement["Resource"])
    }


def test_the_example_exists_only_where_it_is_asked_for() -> None:
    assert {TEMPLATE["Resources"][name].get("Condition") for name in EXAMPLE} == {"DeploysExample"}
    assert TEMPLATE["Parameters"]["DeployExample"]["Default"] == "false"
    assert resolver().resources(interpreter.KIND) == {}
    assert set(resolver(DeployExample="true").resources(interpreter.KIND)) == {"ApprovalFlow"}


def test_no_output_names_the_example_where_it_does_not_exist() -> None:
    naming = [name for name, output in TEMPLATE["Outputs"].items() if set(re.findall(r"\w+", str(output))) & EXAMPLE]
    assert naming
    assert {TEMPLATE["Outputs"][name].get("Condition") for name in naming} == {"DeploysExample"}


def test_the_workflow_may_invoke_the_mint_and_nothing_else() -> None:
    invoking = {grant for grant in allowed("ApprovalFlowRole") if not grant[0].startswith(("logs:", "xray:"))}
    assert invoking == {("lambda:InvokeFunction", "MintFunction.Arn")}
    (trust,) = properties("ApprovalFlowRole")["AssumeRolePolicyDocument"]["Statement"]
    assert trust["Principal"] == {"Service": "states.amazonaws.com"}
    assert trust["Condition"] == {"StringEquals": {"aws:SourceAccount": {"Ref": "AWS::AccountId"}}}


def test_the_workflow_is_logged_without_its_data_for_a_limited_time_and_traced() -> None:
    declared = properties("ApprovalFlow")
    assert declared["Logging"]["IncludeExecutionData"] is False
    (destination,) = declared["Logging"]["Destinations"]
    assert destination == {"CloudWatchLogsLogGroup": {"LogGroupArn": {"Fn::GetAtt": ["ApprovalFlowLogGroup", "Arn"]}}}
    for group in ("ApprovalFlowLogGroup", "DurableExampleLogGroup"):
        assert properties(group)["RetentionInDays"] == {"Ref": "LogRetentionDays"}
    assert resolver().resolve(declared["Tracing"]) == {"Enabled": True}


def test_the_definition_takes_exactly_what_the_template_substitutes() -> None:
    declared = properties("ApprovalFlow")
    text = (ROOT / declared["DefinitionUri"]).read_text(encoding="utf-8")
    assert set(re.findall(r"\$\{(\w+)\}", text)) == set(declared["DefinitionSubstitutions"])


def test_every_state_of_the_definition_is_reached_and_goes_on_or_ends() -> None:
    definition = json.loads((ROOT / properties("ApprovalFlow")["DefinitionUri"]).read_text(encoding="utf-8"))
    states: dict[str, Any] = definition["States"]
    named = set(re.findall(r'"(?:Next|Default|StartAt)": "(\w+)"', json.dumps(definition)))
    assert named == set(states)
    for state in states.values():
        assert state["Type"] in ("Succeed", "Fail", "Choice") or "Next" in state


def test_the_durable_function_may_ask_and_keep_its_own_state() -> None:
    own = {grant for grant in allowed("DurableExampleRole") if not grant[0].startswith(("logs:", "xray:"))}
    assert own == {("lambda:InvokeFunction", "MintFunction.Arn")}
    kept = properties("DurableExampleKeepsItsState")["PolicyDocument"]["Statement"]
    assert {written(each["Resource"]) for each in kept} == {"${DurableExampleFunction.Arn}:*"}


@pytest.mark.parametrize("function", ["Mint", "Resume", "Sweep"])
def test_whoever_answers_durable_functions_may_answer_the_example_in_the_same_way(function: str) -> None:
    (own,) = (
        listed(branch["PolicyDocument"]["Statement"])
        for policy in properties(f"{function}Role")["Policies"]
        for branch in policy.get("Fn::If", [])
        if isinstance(branch, dict) and branch.get("PolicyName") == "answer-callbacks"
    )
    example = properties(f"{function}AnswersExample")["PolicyDocument"]["Statement"][0]
    assert set(example["Action"]) == {action for statement in own for action in statement["Action"]}
    assert written(example["Resource"]) == "${DurableExampleFunction.Arn}:*"


def test_the_layer_does_not_carry_the_durable_sdk_and_the_example_pins_it_by_hash() -> None:
    layer = (ROOT / "layers" / "core" / "requirements.txt").read_text(encoding="utf-8")
    pinned = re.findall(
        r"^([\w-]+)==\S+ \\\n    --hash=sha256:", REQUIREMENTS.read_text(encoding="utf-8"), re.MULTILINE
    )
    assert "durable" not in layer
    assert "aws-durable-execution-sdk-python" in pinned
    assert not resources("AWS::Lambda::Permission").keys() & EXAMPLE

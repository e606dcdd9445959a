"""The policies for other people's roles: each reaches what its role is for, and nothing else of the stack."""

from fnmatch import fnmatchcase
from typing import Final

import pytest

from askback.edge.lambda_events import HTTP_ALIAS, OUTCOMES_ALIAS
from local.emulated.routes import Authorizer, read_routes
from tests.support.template import FUNCTIONS, TEMPLATE, WITH_JWT, listed, properties, resolver, resources, written

METHODS: Final = ("GET/", "POST/", "DELETE/")
API: Final = "arn:${AWS::Partition}:execute-api:${AWS::Region}:${AWS::AccountId}:${HttpApi}/$default/"
STACK: Final = "arn:${AWS::Partition}:cloudformation:${AWS::Region}:${AWS::AccountId}:stack/${AWS::StackName}/*"
ALLOWED: Final = {
    "AgentPolicy": {
        "POST/pauses",
        f"POST/pauses/{'?' * 32}/revoke",
        f"POST/pauses/{'?' * 32}/clarifications",
        "POST/outcomes",
        "POST/mcp",
        "invoke MintFunction.Arn",
        "invoke ResumeOutcomes",
    },
    "BackendPolicy": {"POST/resume", "POST/outcomes", "invoke ResumeFunction.Arn"},
    "MessengerPolicy": {"POST/pauses/*/links", "invoke LinksFunction.Arn"},
    "OperatorPolicy": {
        "GET/pauses",
        "GET/pauses/*",
        "DELETE/pauses/*",
        "POST/pauses/*/links/revoke",
        "POST/pauses/*/redrive",
        "POST/pauses/*/extend",
        "POST/pauses/*/reassign",
        "GET/keys",
        "invoke InboxFunction.Arn",
        "invoke RotateFunction.Arn",
        "secretsmanager:RotateSecret KeyRing",
        f"cloudformation:DescribeStacks {STACK}",
    },
    "AuditorPolicy": {
        "GET/pauses",
        "GET/pauses/*",
        "GET/keys",
        "logs:FilterLogEvents DecisionLogGroup.Arn",
        f"cloudformation:DescribeStacks {STACK}",
    },
}
"""What each policy allows: a route, a function to invoke, or another action and its resource."""


def allowed(policy: str) -> set[str]:
    found = set()
    for statement in properties(policy)["PolicyDocument"]["Statement"]:
        assert (statement["Effect"], statement.keys()) == ("Allow", {"Sid", "Effect", "Action", "Resource"})
        (action,), (resource,) = listed(statement["Action"]), listed(statement["Resource"])
        on = written(resource)
        if action == "execute-api:Invoke":
            assert on.startswith(API)
            found.add(on.removeprefix(API))
        else:
            found.add(f"invoke {on}" if action == "lambda:InvokeFunction" else f"{action} {on}")
    return found


def routes_of(policy: str) -> set[str]:
    """Return each route of the API that the policy reaches, whatever stands for its parameters."""
    patterns = [each for each in allowed(policy) if each.startswith(METHODS)]
    routes = {
        route.key: route.key.replace("{jti}", "6c51795b" * 4).replace(" ", "") for route in read_routes(resolver())
    }
    return {key for key, path in routes.items() if any(fnmatchcase(path, pattern) for pattern in patterns)}


def test_there_are_five_and_each_allows_exactly_this() -> None:
    assert {name: allowed(name) for name in resources("AWS::IAM::ManagedPolicy")} == ALLOWED


def test_a_policy_reaches_the_routes_that_it_names_and_no_other() -> None:
    for policy, entries in ALLOWED.items():
        routes = {entry.replace("/", " /", 1) for entry in entries if entry.startswith(METHODS)}
        named = {route.replace("*", "{jti}").replace("?" * 32, "{jti}") for route in routes}
        assert routes_of(policy) == named, policy


def test_an_agent_that_revokes_its_question_revokes_no_link() -> None:
    """The two paths have the same beginning and the same end; the middle of one is the id of a pause and no more."""
    agents = [pattern for pattern in allowed("AgentPolicy") if pattern.startswith(METHODS)]
    for jti in ("6c51795b" * 4, "6c51795b", "*"):
        path = f"POST/pauses/{jti}/links/revoke"
        assert not any(fnmatchcase(path, pattern) for pattern in agents)


def test_every_route_for_signed_callers_is_in_some_policy_and_no_other_route_is() -> None:
    signed = {route.key for route in read_routes(resolver(**WITH_JWT)) if route.authorizer is Authorizer.IAM}
    assert set().union(*map(routes_of, ALLOWED)) == signed


@pytest.mark.parametrize("jti", ["a/links", "POST/pauses/a/links", "GET/pauses/a", "a/redrive", "../pauses", "*"])
def test_what_stands_for_an_id_leads_to_no_other_role(jti: str) -> None:
    """A path that the gateway decodes before it asks IAM must not read as the path of another route."""
    for method, policies in (("DELETE", {"OperatorPolicy"}), ("GET", {"OperatorPolicy", "AuditorPolicy"})):
        reaching = {
            name for name in ALLOWED if any(fnmatchcase(f"{method}/pauses/{jti}", one) for one in allowed(name))
        }
        assert reaching == policies


def test_no_policy_reaches_the_entry_of_the_api_or_every_entry_of_a_function() -> None:
    for policy in ALLOWED:
        invoked = {entry.removeprefix("invoke ") for entry in allowed(policy) if entry.startswith("invoke ")}
        assert invoked <= {"ResumeOutcomes", *(f"{function}.Arn" for function in FUNCTIONS)}


def test_the_alias_for_outcomes_is_the_one_that_the_function_knows() -> None:
    assert properties("ResumeOutcomes") == {
        "Name": OUTCOMES_ALIAS,
        "FunctionName": {"Ref": "ResumeFunction"},
        "FunctionVersion": "$LATEST",
    }
    aliases = {name: found["Properties"]["Name"] for name, found in resources("AWS::Lambda::Alias").items()}
    assert [name for name, alias in aliases.items() if alias != HTTP_ALIAS] == ["ResumeOutcomes"]
    permitted = [found["Properties"]["FunctionName"] for found in resources("AWS::Lambda::Permission").values()]
    assert {"Ref": "ResumeOutcomes"} not in permitted


def test_nothing_of_the_stack_has_such_a_policy_and_no_name_is_fixed() -> None:
    """A fixed name would need another capability of who deploys, and would keep a second stack out."""
    for policy in ALLOWED:
        assert properties(policy).keys() == {"PolicyDocument"}
    assert not [name for name, role in resources("AWS::IAM::Role").items() if "ManagedPolicyArns" in role["Properties"]]


def test_each_is_an_output_to_attach_to_a_role_of_ones_own() -> None:
    assert {name: TEMPLATE["Outputs"][f"{name}Arn"]["Value"] for name in ALLOWED} == {
        name: {"Ref": name} for name in ALLOWED
    }
    assert TEMPLATE["Outputs"]["OutcomesArn"]["Value"] == {"Ref": "ResumeOutcomes"}

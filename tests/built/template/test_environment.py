"""Every variable the code reads is declared: one that is not cannot be set, not even locally."""

import re

import pytest

from local.emulated.functions import read_functions
from tests.support.template import FUNCTIONS, ROOT, TEMPLATE, properties, resolver

# Lambda, or `sam local`, sets these itself.
GIVEN = {"AWS_SAM_LOCAL", "AWS_REGION", "AWS_LAMBDA_FUNCTION_NAME", "AWS_LAMBDA_FUNCTION_MEMORY_SIZE"}
# Clients read these, in the environment of another program.
OF_CLIENTS = {"ASKBACK_URL", "ASKBACK_MINT_FUNCTION", "ASKBACK_RESUME_FUNCTION", "ASKBACK_LINKS_FUNCTION"}
OURS = {
    "ASKBACK_TABLE_NAME",
    "ASKBACK_BUCKET_NAME",
    "ASKBACK_KEY_SECRET_ID",
    "ASKBACK_LOCAL_KEY_RING",
    "ASKBACK_INLINE_LIMIT_BYTES",
    "ASKBACK_RETENTION_DAYS",
    "ASKBACK_OPEN_ALARM_HOURS",
    "ASKBACK_SIGN_IN",
    "ASKBACK_TENANT_CLAIM",
    "ASKBACK_SUB_TENANT_CLAIM",
    "ASKBACK_NAMESPACE_CLAIM",
    "ASKBACK_ANSWERER_CLAIM",
    "ASKBACK_STEP_UP_CLAIMS",
    "ASKBACK_ANSWER_URL",
    "ASKBACK_SIGN_IN_URL",
    "ASKBACK_RETURN_LINKS",
    "ASKBACK_LIST_TITLES",
    "ASKBACK_DECISION_LOG_GROUP",
    "ASKBACK_EVENT_BUS",
    "ASKBACK_WAITER_FUNCTIONS",
    "ASKBACK_NOTIFY_FROM_ADDRESS",
    "ASKBACK_NOTIFY_TOPIC_ARN",
    "ASKBACK_NOTIFY_WEBHOOK_SECRET_ID",
    "ASKBACK_MESSAGE_LANGUAGE",
    "ASKBACK_MESSAGE_TIME_ZONE",
    "ASKBACK_SENDER_NAME",
    "ASKBACK_BRAND_NAME",
    "ASKBACK_BRAND_COLOR",
    "ASKBACK_SUPPORT_CONTACT",
    "ASKBACK_INTERACTIONS",
    "ASKBACK_MINT_FLOOR",
    "ASKBACK_PRINCIPAL_SCOPES",
    "ASKBACK_PAGE_FOLDER",
    "ASKBACK_MCP_SCOPE",
    "ASKBACK_MCP_ISSUER",
    "ASKBACK_MCP_AUDIENCE",
    "ASKBACK_MCP_ANSWER_AUDIENCE",
}
TOOLS = {
    "AWS_ENDPOINT_URL",
    "POWERTOOLS_SERVICE_NAME",
    "POWERTOOLS_METRICS_NAMESPACE",
    "POWERTOOLS_LOG_LEVEL",
    "PYDANTIC_DISABLE_PLUGINS",
}


def declared(function: str, **parameters: str) -> dict[str, str]:
    resolving = resolver(**parameters)
    folder = ROOT / properties(function)["CodeUri"]
    (found,) = [found for found in read_functions(TEMPLATE, resolving, ROOT) if found.code == folder]
    return dict(found.environment)


def named_in_code() -> set[str]:
    sources = [*(ROOT / "layers/core/askback").rglob("*.py"), *(ROOT / "functions").rglob("*.py")]
    pattern = re.compile(r"[\"']((?:ASKBACK|AWS|POWERTOOLS)_[A-Z][A-Z_]+)[\"']")
    return {name for source in sources for name in pattern.findall(source.read_text(encoding="utf-8"))}


@pytest.mark.parametrize("function", FUNCTIONS)
def test_every_variable_that_the_code_names_is_declared(function: str) -> None:
    assert named_in_code() - GIVEN - OF_CLIENTS <= set(declared(function))


@pytest.mark.parametrize("function", FUNCTIONS)
def test_what_is_declared_is_what_there_is(function: str) -> None:
    assert set(declared(function)) == OURS | TOOLS


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_deployment_reads_its_keys_from_the_secret_and_talks_to_aws(function: str) -> None:
    variables = declared(function)
    assert variables["ASKBACK_KEY_SECRET_ID"]
    assert variables["ASKBACK_LOCAL_KEY_RING"] == ""
    assert variables["AWS_ENDPOINT_URL"] == ""


@pytest.mark.parametrize("function", FUNCTIONS)
def test_defaults_are_those_of_the_code(function: str) -> None:
    variables = declared(function)
    assert variables["ASKBACK_RETURN_LINKS"] == "false"
    assert variables["ASKBACK_INLINE_LIMIT_BYTES"] == "8192"
    assert variables["ASKBACK_RETENTION_DAYS"] == "30"
    assert variables["ASKBACK_OPEN_ALARM_HOURS"] == "24"
    assert variables["ASKBACK_TENANT_CLAIM"] == "tenant_id"
    assert variables["ASKBACK_SUB_TENANT_CLAIM"] == "sub_tenant_id"
    assert variables["ASKBACK_NAMESPACE_CLAIM"] == "namespace"
    assert variables["ASKBACK_ANSWERER_CLAIM"] == "sub"


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_deployment_announces_pauses_only_to_the_bus_and_functions_that_it_names(function: str) -> None:
    variables = declared(function)
    assert (variables["ASKBACK_EVENT_BUS"], variables["ASKBACK_WAITER_FUNCTIONS"]) == ("", "")
    notified = declared(function, NotifyTopicArn="arn:aws:sns:eu-west-1:123456789012:questions")
    assert notified["ASKBACK_EVENT_BUS"] == "askback-local-eventbus"
    named = declared(function, EventBusName="pauses", WaiterFunctionArns="arn:a, arn:b")
    assert (named["ASKBACK_EVENT_BUS"], named["ASKBACK_WAITER_FUNCTIONS"]) == ("pauses", "arn:a,arn:b")


def test_the_functions_tell_their_metrics_and_logs_apart() -> None:
    services = {declared(function)["POWERTOOLS_SERVICE_NAME"] for function in FUNCTIONS}
    assert services == {f"askback-local-{name.lower()}" for name in FUNCTIONS.values()}

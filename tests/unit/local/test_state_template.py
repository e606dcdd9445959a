"""The template of what outlives a stack, as CloudFormation's import wants it."""

from typing import Any

from local.build.state_template import state_template
from local.emulated.cloud import ROOT
from local.emulated.template import Resolver, load_template

TEMPLATE = load_template(ROOT / "template.yaml")


def test_it_holds_every_resource_that_keeps_state_and_nothing_that_runs() -> None:
    kinds = {resource["Type"] for resource in state_template(TEMPLATE)["Resources"].values()}
    assert kinds == {
        "AWS::DynamoDB::Table",
        "AWS::S3::Bucket",
        "AWS::S3::BucketPolicy",
        "AWS::SecretsManager::Secret",
        "AWS::Logs::LogGroup",
    }


def test_every_resource_in_it_is_retained_as_an_import_demands() -> None:
    resources: dict[str, dict[str, Any]] = state_template(TEMPLATE)["Resources"]
    assert {resource["DeletionPolicy"] for resource in resources.values()} == {"Retain"}
    assert resources == {name: TEMPLATE["Resources"][name] for name in resources}


def test_it_stands_alone_with_exactly_the_parameters_and_mappings_it_names() -> None:
    """A parameter too few is refused by CloudFormation; one too many would have to be given for nothing."""
    state = state_template(TEMPLATE)
    assert "Transform" not in state
    assert set(state["Parameters"]) == {"DeletionProtection", "RetentionDays", "AuditRetentionDays"}
    assert set(state["Mappings"]) == {"Retention"}
    resolver = Resolver(state)
    resolver.bind("Bucket", "a-bucket", Arn="arn:aws:s3:::a-bucket")
    for resource in state["Resources"].values():
        resolver.resolve(resource["Properties"])

"""A template's values under local names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from local.emulated.template import REGION, Resolver, TemplateError, load_template

_TEMPLATE = """
Parameters:
  Origins: { Type: CommaDelimitedList, Default: "" }
  Size: { Type: Number, Default: 8 }
  Needed: { Type: String }
Mappings:
  Days: { "8": { Object: 9 } }
Conditions:
  HasOrigins: !Not [!Equals [!Join ["", !Ref Origins], ""]]
  Both: !And [!Condition HasOrigins, !Equals [!Ref Size, 8]]
Resources:
  Table: { Type: AWS::DynamoDB::Table, Properties: { BillingMode: PAY_PER_REQUEST } }
  Extra: { Type: AWS::S3::Bucket, Condition: HasOrigins }
"""


@pytest.fixture
def template(tmp_path: Path) -> dict[str, Any]:
    path = tmp_path / "template.yaml"
    path.write_text(_TEMPLATE, encoding="utf-8")
    return load_template(path)


def test_short_tags_are_read_as_their_long_form(template: dict[str, Any]) -> None:
    assert template["Conditions"]["Both"] == {
        "Fn::And": [{"Condition": "HasOrigins"}, {"Fn::Equals": [{"Ref": "Size"}, 8]}]
    }


def test_values_resolve_to_parameters_and_local_names(template: dict[str, Any]) -> None:
    resolver = Resolver(template, {"Origins": "https://a.example, https://b.example"})
    resolver.bind("Table", "rows", Arn="arn:rows")

    assert resolver.resolve({"Ref": "Origins"}) == ["https://a.example", "https://b.example"]
    assert resolver.resolve({"Fn::Sub": "${AWS::Region}/${Table}"}) == f"{REGION}/rows"
    assert resolver.resolve({"Fn::Sub": ["${Own}-${Table.Arn}-${!Kept}", {"Own": {"Ref": "AWS::Region"}}]}) == (
        f"{REGION}-arn:rows-${{Kept}}"
    )
    assert resolver.resolve({"Fn::FindInMap": ["Days", {"Ref": "Size"}, "Object"]}) == 9
    assert resolver.resolve({"Ref": "Extra"}) == "askback-local-extra"


def test_what_a_condition_leaves_out_is_not_there(template: dict[str, Any]) -> None:
    value = {"cors": {"Fn::If": ["HasOrigins", {"Ref": "Nowhere"}, {"Ref": "AWS::NoValue"}]}, "rest": 1}

    resolver = Resolver(template)

    assert resolver.resolve(value) == {"rest": 1}
    assert resolver.resources("AWS::S3::Bucket") == {}
    assert not resolver.holds("Both")


@pytest.mark.parametrize(
    "value",
    [{"Ref": "Needed"}, {"Ref": "Nowhere"}, {"Fn::GetAtt": ["Table", "StreamArn"]}, {"Fn::Cidr": []}],
    ids=["parameter without a value", "unknown name", "unknown attribute", "unknown function"],
)
def test_what_a_local_run_does_not_know_is_refused(template: dict[str, Any], value: dict[str, Any]) -> None:
    with pytest.raises(TemplateError):
        Resolver(template).resolve(value)


def test_an_override_of_no_parameter_is_refused(template: dict[str, Any]) -> None:
    with pytest.raises(TemplateError, match="Sise"):
        Resolver(template, {"Sise": "1"})

"""What the top of template.yaml says about the file is true: its map, its parameter groups, its reasons."""

import re

from tests.support.template import ROOT, TEMPLATE

_TEXT = (ROOT / "template.yaml").read_text(encoding="utf-8")
_TOP = _TEXT.partition("\nAWSTemplateFormatVersion")[0]


def test_the_map_names_every_section_in_order() -> None:
    mapped = re.findall(r"^#   (\w+)", _TOP.partition("# A function comes")[0], re.MULTILINE)
    assert mapped == re.findall(r"^(\w+):\n", _TEXT, re.MULTILINE)


def test_the_map_says_of_each_part_of_resources_what_its_heading_says() -> None:
    mapped = re.findall(r"^#     (\w+) +(.+)$", _TOP, re.MULTILINE)
    assert mapped == re.findall(r"^  # --- (\w+): (.+?) -+$", _TEXT, re.MULTILINE)


def test_every_parameter_stands_in_one_labelled_group_in_the_order_of_the_file() -> None:
    groups = TEMPLATE["Metadata"]["AWS::CloudFormation::Interface"]["ParameterGroups"]
    assert [name for group in groups for name in group["Parameters"]] == list(TEMPLATE["Parameters"])
    labels = [group["Label"]["default"] for group in groups]
    parameters = _TEXT.partition("\nParameters:\n")[2].partition("\nRules:\n")[0]
    assert labels == re.findall(r"^  # (.+)$", parameters, re.MULTILINE)


def test_every_reason_that_a_resource_names_is_given_at_the_top_for_the_same_check() -> None:
    given = re.findall(r"^#   ([\w-]+) +(CKV_\w+), ", _TOP, re.MULTILINE)
    named = re.findall(r'checkov:skip=(\w+):see "([\w-]+)" at the top', _TEXT)
    assert {(reason, check) for check, reason in named} == set(given)

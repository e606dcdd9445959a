"""What the template says to the AWS Serverless Application Repository, against the rules that AWS documents for it."""

import re
import tomllib
from typing import Any, Final

import askback
from tests.support.expanded_template import expanded
from tests.support.template import ROOT, TEMPLATE, resources

REPOSITORY: Final[dict[str, Any]] = TEMPLATE["Metadata"]["AWS::ServerlessRepo::Application"]
FILE_MAX: Final = 5 * 1024 * 1024
"""Bytes of a licence and of a readme."""
PARAMETERS_MAX, RESOURCES_MAX, TEMPLATE_MAX = 200, 500, 1024 * 1024
"""What CloudFormation takes; bytes of a template in a bucket."""


def test_name_description_and_author_are_what_the_repository_takes() -> None:
    assert re.fullmatch(r"[a-zA-Z0-9-]{1,140}", REPOSITORY["Name"])
    assert 1 <= len(REPOSITORY["Description"]) <= 256
    assert len(REPOSITORY["Author"]) <= 127
    assert re.fullmatch(r"[a-z0-9](([a-z0-9]|-(?!-))*[a-z0-9])?", REPOSITORY["Author"])


def test_there_are_at_most_ten_labels_without_spaces() -> None:
    assert 1 <= len(REPOSITORY["Labels"]) <= 10
    assert all(re.fullmatch(r"[a-zA-Z0-9+\-_:/@]{1,127}", label) for label in REPOSITORY["Labels"])


def test_licence_and_readme_are_files_of_this_repository() -> None:
    with (ROOT / "pyproject.toml").open("rb") as file:
        assert REPOSITORY["SpdxLicenseId"] == tomllib.load(file)["project"]["license"]
    for name in ("LicenseUrl", "ReadmeUrl"):
        assert 0 < (ROOT / REPOSITORY[name]).stat().st_size <= FILE_MAX


def test_no_value_is_worked_out_and_no_address_is_invented() -> None:
    assert all(isinstance(value, str | list) for value in REPOSITORY.values())
    assert not {"HomePageUrl", "SourceCodeUrl"} & REPOSITORY.keys()


def test_one_version_stands_in_template_package_and_deployment() -> None:
    assert REPOSITORY["SemanticVersion"] == askback.__version__
    assert re.fullmatch(r"\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?", askback.__version__)
    with (ROOT / "pyproject.toml").open("rb") as file:
        assert tomllib.load(file)["project"]["version"] == askback.__version__


def test_the_changelog_is_at_this_version_or_before_it() -> None:
    headings = re.findall(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    released = [heading for heading in headings if heading != "Unreleased"]
    assert headings[0] == "Unreleased" or headings[0].startswith(askback.__version__)
    assert not released or released[0].startswith(askback.__version__)


def test_no_resource_has_inline_policies_or_a_nested_application() -> None:
    """The repository takes policy templates alone in `Policies`, and asks for one more capability for applications."""
    for name, function in resources("AWS::Serverless::Function").items():
        assert "Policies" not in function["Properties"], name
    assert not resources("AWS::Serverless::Application")


def test_no_role_has_a_fixed_name() -> None:
    """So that CAPABILITY_IAM is enough, besides CAPABILITY_RESOURCE_POLICY for the permissions of functions."""
    for kind, name in (("AWS::IAM::Role", "RoleName"), ("AWS::IAM::ManagedPolicy", "ManagedPolicyName")):
        assert not [found for found, each in expanded(kind).items() if name in each["Properties"]]
    assert expanded("AWS::Lambda::Permission")


def test_the_template_is_within_the_limits_of_cloudformation() -> None:
    assert (ROOT / "template.yaml").stat().st_size < TEMPLATE_MAX
    assert len(TEMPLATE["Parameters"]) < PARAMETERS_MAX
    assert len(TEMPLATE["Resources"]) < RESOURCES_MAX

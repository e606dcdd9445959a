"""The layer of an adopter reaches the functions that load something of it, and no other; what is ours stays ours."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from local.emulated.functions import read_functions
from tests.support.expanded_template import expanded, resolving
from tests.support.template import ROOT, TEMPLATE, resolver

LAYER = "arn:aws:lambda:eu-west-1:123456789012:layer:acme-askback:7"
OWN = {"AdopterLayerArn": LAYER, "InteractionsModule": "acme_interactions", "PageFolder": "/opt/askback_page"}
FUNCTIONS = expanded("AWS::Lambda::Function")
WITH_OWN_PARTS = {
    "MintFunction", "ResumeFunction", "McpFunction", "UserMcpFunction", "PageFunction", "NotifyFunction"
}  # fmt: skip


@pytest.mark.parametrize("function", FUNCTIONS)
def test_the_layer_is_behind_ours_on_the_functions_that_load_something_of_it(function: str) -> None:
    layers = FUNCTIONS[function]["Properties"]["Layers"]
    (core,) = resolving().resolve(layers)
    assert core.startswith("CoreLayer")
    assert resolving(**OWN).resolve(layers) == ([core, LAYER] if function in WITH_OWN_PARTS else [core])


def test_the_functions_get_the_names_of_the_module_and_the_folder() -> None:
    for own, expected in (({}, ("", "")), (OWN, ("acme_interactions", "/opt/askback_page"))):
        for function in read_functions(TEMPLATE, resolver(**own), ROOT):
            variables = function.environment
            assert (variables["ASKBACK_INTERACTIONS"], variables["ASKBACK_PAGE_FOLDER"]) == expected


def test_a_module_or_a_folder_needs_the_layer() -> None:
    rule = TEMPLATE["Rules"]["OwnPartsNeedLayer"]
    (assertion,) = rule["Assertions"]
    for named in ("InteractionsModule", "PageFolder"):
        alone = resolver(**{named: OWN[named]})
        assert alone.resolve(rule["RuleCondition"]) is True
        assert alone.resolve(assertion["Assert"]) is False
    assert resolver(**OWN).resolve(assertion["Assert"]) is True
    assert resolver().resolve(rule["RuleCondition"]) is False


@pytest.mark.parametrize("page", ["docs/own-interactions.md", "docs/examples/own_interactions/README.md"])
def test_the_documented_command_builds_a_layer_that_unpacks_as_the_parameters_say(page: str, tmp_path: Path) -> None:
    text = (ROOT / page).read_text(encoding="utf-8").replace("\\\n", " ")
    (command,) = [line.split() for line in text.splitlines() if line.strip().startswith("python3 -m zipfile")]
    program, *options, archive, first, second = command
    assert (program, *options, archive) == ("python3", "-m", "zipfile", "-c", "acme-layer.zip")
    subprocess.run(
        [sys.executable, *options, tmp_path / archive, first, second], cwd=ROOT, check=True, capture_output=True
    )
    with zipfile.ZipFile(tmp_path / archive) as layer:
        names = set(layer.namelist())
    unpacked = {f"/opt/{name}" for name in names}
    assert f"/opt/python/{OWN['InteractionsModule']}.py" in unpacked
    assert {f"{OWN['PageFolder']}/strings.json", f"{OWN['PageFolder']}/page.css"} <= unpacked
    assert {name.partition("/")[0] for name in names} == {"python", "askback_page"}

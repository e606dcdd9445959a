"""The layer is built for what the functions run on, from what the lock pins."""

import re

from tests.support.template import ROOT, TEMPLATE

REQUIREMENTS = (ROOT / "layers/core/requirements.txt").read_text(encoding="utf-8")


def test_functions_and_layer_are_built_for_the_same_python_and_processor() -> None:
    function, layer = TEMPLATE["Globals"]["Function"], TEMPLATE["Resources"]["CoreLayer"]
    assert function["Runtime"] == layer["Metadata"]["BuildMethod"] == "python3.13"
    assert layer["Properties"]["CompatibleRuntimes"] == ["python3.13"]
    assert function["Architectures"] == layer["Properties"]["CompatibleArchitectures"] == [{"Ref": "Architecture"}]
    assert layer["Metadata"]["BuildArchitecture"] == {"Ref": "Architecture"}
    assert function["Handler"] == "app.handler"


def test_every_requirement_is_pinned_with_the_hash_of_its_archives() -> None:
    requirements = [entry for entry in re.split(r"\n(?! )", REQUIREMENTS.strip()) if entry]
    assert requirements
    for requirement in requirements:
        assert re.match(r"[a-z0-9-]+==[^ ]+ .*--hash=sha256:[0-9a-f]{64}", requirement, re.DOTALL), requirement


def test_the_requirements_hold_on_any_machine() -> None:
    assert not re.search(r"file:|://|^-|/", REQUIREMENTS, re.MULTILINE)

"""The template of the release is template.yaml with its code in a bucket, and nothing else."""

import zipfile
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from local.emulated.template import load_template
from local.release.artifacts import CODE, PLACE, code_of
from tests.support.expanded_template import expanded_whole
from tests.support.template import ROOT, TEMPLATE

pytestmark = pytest.mark.release

PROCESSORS = ("arm64", "x86_64")


def without_code(template: dict[str, Any]) -> dict[str, Any]:
    """Return a template without what a release puts into it."""
    bare = deepcopy(template)
    bare["Parameters"] = {name: found for name, found in bare["Parameters"].items() if name not in PLACE}
    for resource in bare["Resources"].values():
        for field in CODE:
            resource.get("Properties", {}).pop(field, None)
    return bare


def test_only_the_place_of_the_code_differs(packaged: dict[str, Any]) -> None:
    assert without_code(packaged) == without_code(TEMPLATE)
    assert packaged["Parameters"].keys() - TEMPLATE["Parameters"].keys() == set(PLACE)


def test_cloudformation_makes_the_resources_of_a_sam_deploy_of_it(packaged: dict[str, Any]) -> None:
    expected = expanded_whole(load_template(ROOT / "template.yaml"))["Resources"]
    found = expanded_whole(deepcopy(packaged))["Resources"]
    assert found.keys() == expected.keys()
    for name, resource in expected.items():
        assert found[name] == resource, name


@pytest.mark.parametrize("processor", PROCESSORS)
def test_every_resource_with_code_has_its_file(packaged: dict[str, Any], unpacked: Path, processor: str) -> None:
    code = code_of(packaged, processor)
    assert code.keys() == code_of_source().keys()
    for name, (field, file) in code.items():
        path = unpacked / "askback-artifacts" / file
        if field == "DefinitionUri":
            assert path.read_bytes() == (ROOT / code_of_source()[name]).read_bytes()
            continue
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
        entry = "python/askback/__init__.py" if field == "ContentUri" else "app.py"
        assert entry in names, name
        compiled = [each for each in names if "cpython-313-" in each and each.endswith(".so")]
        assert all(({"arm64": "aarch64"}.get(processor, processor)) in each for each in compiled)


def code_of_source() -> dict[str, str]:
    return {
        name: resource["Properties"][field]
        for name, resource in TEMPLATE["Resources"].items()
        for field in CODE
        if field in resource.get("Properties", {})
    }


def test_the_artifacts_are_the_template_and_its_code_and_nothing_else(packaged: dict[str, Any], unpacked: Path) -> None:
    named = {file for processor in PROCESSORS for _, file in code_of(packaged, processor).values()}
    assert {path.name for path in (unpacked / "askback-artifacts").iterdir()} == named | {"template.json"}


def test_cloudformation_takes_a_template_of_this_size_from_a_bucket(unpacked: Path) -> None:
    # 51,200 bytes in a request; 1 MB from a bucket.
    assert (unpacked / "askback-artifacts/template.json").stat().st_size < 1_000_000

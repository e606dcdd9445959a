"""Both constructs of the AWS CDK, installed from the release: they synthesise the resources of a SAM deploy."""

import json
import os
import shutil
import subprocess
import tarfile
from collections.abc import Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from askback import __version__
from local.release.artifacts import PLACE, code_of
from tests.built.release.assembly import PLACE as ASSETS, Assembly
from tests.built.release.interface import OUTPUTS, PARAMETERS, as_text, camel, snake, value
from tests.support.expanded_template import expanded_whole
from tests.support.template import ROOT, TEMPLATE

pytestmark = pytest.mark.release

NODE_MODULES = ROOT / "clients/cdk/typescript/node_modules"
PYTHON = ROOT / ".venv-release/bin/python"
QUIET = {"JSII_SILENCE_WARNING_END_OF_LIFE_NODE_VERSION": "1", "PYTHONDONTWRITEBYTECODE": "1"}
GIVEN = {
    "AllowedOrigins": "https://app.example.com",
    "ArtifactBucket": ASSETS,
    "BrandName": "Acme",
    "RetentionDays": "90",
}
"""What the examples set, besides the topic of their own stack."""
EVERY = """
import json, sys
from aws_cdk import App, CfnParameter, Stack
from askback_cdk import Askback, Outputs

values = json.loads(sys.argv[1])
app = App()
askback = Askback(Stack(app, "Every"), "Askback", artifacts="askback-artifacts", **values)
for name in vars(Outputs):
    if not name.startswith("_"):
        getattr(askback.outputs, name)
app.synth()
"""
EVERY_TS = """
const { App, Stack } = require("aws-cdk-lib");
const { Askback } = require("askback-cdk");
const app = new App();
const values = JSON.parse(process.argv[2]);
const askback = new Askback(new Stack(app, "Every"), "Askback", { artifacts: "askback-artifacts", ...values });
console.log(JSON.stringify(Object.keys(askback.outputs)));
app.synth();
"""


@pytest.fixture(scope="module")
def python_app(dist: Path, unpacked: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the artifacts, where the Python construct is installed."""
    folder = tmp_path_factory.mktemp("python")
    (folder / "askback-artifacts").symlink_to(unpacked / "askback-artifacts")
    wheel = dist / f"askback_cdk-{__version__}-py3-none-any.whl"
    shutil.unpack_archive(wheel, folder / "packages", "zip")
    return folder


@pytest.fixture(scope="module")
def typescript_app(dist: Path, unpacked: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the artifacts, where the TypeScript construct is installed."""
    folder = tmp_path_factory.mktemp("typescript")
    (folder / "askback-artifacts").symlink_to(unpacked / "askback-artifacts")
    modules = folder / "node_modules"
    modules.mkdir()
    for each in NODE_MODULES.iterdir():
        (modules / each.name).symlink_to(each)
    with tarfile.open(dist / f"askback-cdk-{__version__}.tgz") as archive:
        archive.extractall(modules, filter="data")
    (modules / "package").rename(modules / "askback-cdk")
    return folder


def _run(command: Sequence[str], folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    whole = {**os.environ, **QUIET, **environment}
    return subprocess.run(command, cwd=folder, env=whole, capture_output=True, text=True, check=False)


def _ran(command: Sequence[str], folder: Path, **environment: str) -> str:
    done = _run(command, folder, **environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def _python(folder: Path, *arguments: str) -> str:
    return _ran([str(PYTHON), *arguments], folder, PYTHONPATH=str(folder / "packages"), CDK_OUTDIR=str(folder / "out"))


def _node(folder: Path, *arguments: str) -> str:
    # The packages are links, and each finds the others where the links are.
    kept = ["--preserve-symlinks", "--preserve-symlinks-main"]
    return _ran(["node", *kept, *arguments], folder, CDK_OUTDIR=str(folder / "out"))


@pytest.fixture(scope="module", params=["python", "typescript"])
def example(request: pytest.FixtureRequest) -> Assembly:
    """Return what the example of a language synthesised; the TypeScript one passes the type checker first."""
    folder: Path = request.getfixturevalue(f"{request.param}_app")
    if request.param == "python":
        shutil.copy(ROOT / "clients/cdk/python/example.py", folder)
        _python(folder, "example.py")
    else:
        shutil.copy(ROOT / "clients/cdk/typescript/example.ts", folder)
        strict = ["--strict", "--target", "es2022", "--module", "commonjs", "--preserveSymlinks", "--skipLibCheck"]
        _ran(["node_modules/.bin/tsc", *strict, "example.ts"], folder)
        _node(folder, "example.js")
    return Assembly(folder / "out", "Refunds")


def test_the_nested_stack_has_the_resources_of_a_sam_deploy(example: Assembly) -> None:
    nested = example.nested_template
    assert {name: found for name, found in nested["Parameters"].items() if name not in PLACE} == TEMPLATE["Parameters"]
    assert nested["Outputs"] == TEMPLATE["Outputs"]
    expected, found = expanded_whole(deepcopy(TEMPLATE)), expanded_whole(deepcopy(nested))
    assert found["Resources"].keys() == expected["Resources"].keys()
    for name, resource in expected["Resources"].items():
        assert found["Resources"][name] == resource, name
    for section in ("Conditions", "Mappings", "Rules"):
        assert found[section] == expected[section]


def test_every_resource_gets_its_code_from_a_file_that_is_uploaded(
    example: Assembly, packaged: dict[str, Any], unpacked: Path
) -> None:
    uploaded = example.uploaded()
    for name, (field, file) in code_of(packaged, "arm64").items():
        code = example.nested_template["Resources"][name]["Properties"][field]
        assert code["Bucket"] == {"Ref": "ArtifactBucket"}
        assert uploaded[code["Key"]].read_bytes() == (unpacked / "askback-artifacts" / file).read_bytes()


def test_parameters_and_outputs_pass_between_the_stacks(example: Assembly) -> None:
    given = dict(example.nested["Parameters"])
    topic = given.pop("AlarmTopicArn")
    assert example.template["Resources"][topic["Ref"]]["Type"] == "AWS::SNS::Topic"
    assert given == GIVEN
    (read,) = (each["Value"] for name, each in example.template["Outputs"].items() if name == "AskbackUrl")
    owner, attribute = read["Fn::GetAtt"]
    assert (example.template["Resources"][owner]["Type"], attribute) == ("AWS::CloudFormation::Stack", "Outputs.ApiUrl")


EXPECTED = {name: as_text(name) for name in PARAMETERS} | {"Architecture": "x86_64", "ArtifactBucket": ASSETS}


def test_python_sets_every_parameter_and_reads_every_output(python_app: Path, unpacked: Path) -> None:
    (python_app / "every.py").write_text(EVERY, encoding="utf-8")
    _python(
        python_app,
        "every.py",
        json.dumps({snake(name): value(name) for name in PARAMETERS} | {"architecture": "x86_64"}),
    )
    assembly = Assembly(python_app / "out", "Every")
    assert assembly.nested["Parameters"] == EXPECTED
    layers = {path.read_bytes() for path in (unpacked / "askback-artifacts").glob("CoreLayer-*-x86_64.zip")}
    assert layers < {path.read_bytes() for path in assembly.uploaded().values()}
    written = (python_app / "packages/askback_cdk/template.py").read_text(encoding="utf-8")
    assert all(f"    def {snake(name)}(self) -> str:" in written for name in OUTPUTS)
    assert all(f"    {snake(name)}: " in written for name in PARAMETERS)


def test_typescript_sets_every_parameter_and_reads_every_output(typescript_app: Path) -> None:
    (typescript_app / "every.js").write_text(EVERY_TS, encoding="utf-8")
    read = json.loads(
        _node(
            typescript_app,
            "every.js",
            json.dumps({camel(name): value(name) for name in PARAMETERS} | {"architecture": "x86_64"}),
        )
    )
    assert read == [camel(name) for name in OUTPUTS]
    assert Assembly(typescript_app / "out", "Every").nested["Parameters"] == EXPECTED
    types = (typescript_app / "node_modules/askback-cdk/template.d.ts").read_text(encoding="utf-8")
    assert all(f"  readonly {camel(name)}?: " in types for name in PARAMETERS)
    assert all(f"  readonly {camel(name)}: string;" in types for name in OUTPUTS)


LONG = "A-stack-with-too-long-a-name-for-a-schedule"


@pytest.mark.parametrize(
    ("values", "stack", "fault"),
    [
        ({"retention": 7}, "Fine", "has no parameter retention"),
        ({}, LONG, f"the name of the stack {LONG} has more than"),
    ],
)
def test_both_constructs_refuse_what_cannot_be_deployed(
    python_app: Path, typescript_app: Path, values: dict[str, Any], stack: str, fault: str
) -> None:
    python, typescript = EVERY.replace("Every", stack), EVERY_TS.replace("Every", stack)
    (python_app / "refused.py").write_text(python, encoding="utf-8")
    (typescript_app / "refused.js").write_text(typescript, encoding="utf-8")
    given = json.dumps(values)
    with pytest.raises(AssertionError, match=fault):
        _python(python_app, "refused.py", given)
    with pytest.raises(AssertionError, match=fault):
        _node(typescript_app, "refused.js", given)


def test_artifacts_of_another_release_are_refused(python_app: Path, typescript_app: Path, tmp_path: Path) -> None:
    other = deepcopy(TEMPLATE)
    other["Metadata"]["AWS::ServerlessRepo::Application"]["SemanticVersion"] = "9.9.9"
    (tmp_path / "template.json").write_text(json.dumps(other, default=str), encoding="utf-8")
    fault = rf"these are the artifacts of askback 9\.9\.9, and this is the construct of {__version__}"
    for folder, name, text in ((python_app, "other.py", EVERY), (typescript_app, "other.js", EVERY_TS)):
        (folder / name).write_text(text.replace('"askback-artifacts"', f'"{tmp_path}"'), encoding="utf-8")
    with pytest.raises(AssertionError, match=fault):
        _python(python_app, "other.py", "{}")
    with pytest.raises(AssertionError, match=fault):
        _node(typescript_app, "other.js", "{}")

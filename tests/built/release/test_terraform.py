"""The Terraform module: parsed as HCL everywhere, and run by Terraform where it is installed.

Terraform runs with a stand-in for the AWS provider, which is not in a package index. So this shows what the module
would upload and which stack it would create. It does not show that AWS takes them.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import askback
from local.release.artifacts import code_of
from tests.built.release.interface import OUTPUTS, PARAMETERS, as_text, kind, snake, value
from tests.support.template import ROOT, TEMPLATE

pytestmark = pytest.mark.release

OWN = {"stack_name", "artifacts", "artifact_bucket", "artifact_prefix", "tags"}
"""Variables of the module that are no parameters of the template."""
NODE_MODULES = ROOT / "clients/cdk/typescript/node_modules"
PARSE = """
const { convertFiles } = require("@cdktf/hcl2json");
convertFiles(process.argv[1]).then((read) => console.log(JSON.stringify(read)));
"""
STACK_OUTPUTS = {name: f"the {name}" for name in OUTPUTS}
ROOT_OUTPUTS = 'output "every" {\n  value = module.askback\n}\n'
needs_terraform = pytest.mark.skipif(not shutil.which("terraform"), reason="Terraform is not installed")


@pytest.fixture(scope="module")
def parsed(unpacked: Path) -> dict[str, Any]:
    """Return the module as the parser of HCL's makers reads it."""
    command = ["node", "-e", PARSE, str(unpacked / "askback-terraform")]
    done = subprocess.run(command, cwd=NODE_MODULES.parent, capture_output=True, text=True, check=True)
    read: dict[str, Any] = json.loads(done.stdout)
    return read


def test_every_parameter_is_a_variable_and_every_output_an_output(parsed: dict[str, Any]) -> None:
    assert parsed["variable"].keys() == {snake(name) for name in PARAMETERS} | OWN
    types = {"text": "string", "number": "number", "switch": "bool", "list": "list(string)"}
    for name in PARAMETERS:
        (variable,) = parsed["variable"][snake(name)]
        assert variable["type"].strip("${}") == types[kind(name)], name
        assert variable["default"] is None
        assert variable["description"]
    assert parsed["output"].keys() == {snake(name) for name in OUTPUTS}


def test_every_variable_reaches_the_parameter_of_its_name(parsed: dict[str, Any]) -> None:
    (reached,) = (each["parameters"] for each in parsed["locals"] if "parameters" in each)
    assert reached.keys() == TEMPLATE["Parameters"].keys()
    assert all(re.search(rf"\bvar\.{snake(name)}\b", reached[name]) for name in PARAMETERS)


class Configuration:
    """A folder with a configuration that uses the module, and Terraform with the stand-in for its provider."""

    def __init__(self, folder: Path, unpacked: Path) -> None:
        self.folder = folder
        for name in ("artifacts", "terraform"):
            (folder / f"askback-{name}").symlink_to(unpacked / f"askback-{name}")
        shutil.copy(ROOT / "clients/terraform/example/main.tf", folder)
        provider = folder / "provider/terraform-provider-aws"
        provider.parent.mkdir()
        python, program = ROOT / ".venv-release/bin/python", Path(__file__).with_name("stand_in_provider.py")
        provider.write_text(f'#!/bin/sh\nexec "{python}" "{program}" "$@"\n', encoding="utf-8")
        provider.chmod(0o755)
        settings = (
            f'provider_installation {{\n  dev_overrides {{\n    "hashicorp/aws" = "{provider.parent}"\n  }}\n}}\n'
        )
        (folder / "terraform.rc").write_text(settings, encoding="utf-8")

    def terraform(self, *arguments: str) -> str:
        environment = {
            "CHECKPOINT_DISABLE": "1",
            "STAND_IN_OUTPUTS": json.dumps(STACK_OUTPUTS),
            "STAND_IN_RECORD": str(self.folder / "record"),
            "TF_CLI_CONFIG_FILE": str(self.folder / "terraform.rc"),
            "TF_IN_AUTOMATION": "1",
        }
        return _ran(["terraform", *arguments], self.folder, environment)

    def created(self) -> dict[str, list[dict[str, Any]]]:
        """Return what was created, by type."""
        found: dict[str, list[dict[str, Any]]] = {}
        for line in (self.folder / "record").read_text(encoding="utf-8").splitlines():
            resource = json.loads(line)
            found.setdefault(resource.pop("type"), []).append(resource)
        return found


def _ran(command: Sequence[str], folder: Path, environment: dict[str, str]) -> str:
    whole = {**os.environ, **environment}
    done = subprocess.run(command, cwd=folder, env=whole, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture
def configuration(tmp_path: Path, unpacked: Path) -> Configuration:
    return Configuration(tmp_path, unpacked)


@needs_terraform
def test_terraform_uploads_the_artifacts_and_makes_one_stack_of_the_template(
    configuration: Configuration, unpacked: Path, packaged: dict[str, Any]
) -> None:
    (configuration.folder / "outputs.tf").write_text(ROOT_OUTPUTS, encoding="utf-8")
    configuration.terraform("get")
    configuration.terraform("validate")
    configuration.terraform("apply", "-auto-approve", "-input=false", "-var=agent_role_name=agent")
    created = configuration.created()
    template = (unpacked / "askback-artifacts/template.json").read_bytes()
    template_key = f"askback/template-{hashlib.sha256(template).hexdigest()[:16]}.json"
    code = {f"askback/{file}" for processor in ("arm64", "x86_64") for _, file in code_of(packaged, processor).values()}
    uploaded = {each["key"]: each["source"] for each in created["aws_s3_object"]}
    assert uploaded.keys() == code | {template_key}
    assert (configuration.folder / uploaded[template_key]).read_bytes() == template
    (stack,) = created["aws_cloudformation_stack"]
    assert stack["template_url"] == f"https://artifacts-1.s3.eu-west-1.amazonaws.com/{template_key}"
    assert sorted(stack["capabilities"]) == ["CAPABILITY_AUTO_EXPAND", "CAPABILITY_IAM"]
    assert stack["parameters"] == {
        "AllowedOrigins": "https://app.example.com",
        "ArtifactBucket": "artifacts-1",
        "ArtifactPrefix": "askback/",
        "BrandName": "Acme",
        "RetentionDays": "90",
    }
    (attached,) = created["aws_iam_role_policy_attachment"]
    assert attached == {"role": "agent", "policy_arn": "the AgentPolicyArn"}
    read = json.loads(configuration.terraform("output", "-json", "every"))
    assert read == {snake(name): f"the {name}" for name in OUTPUTS}


@needs_terraform
def test_terraform_passes_every_parameter_that_is_set(configuration: Configuration) -> None:
    values = {snake(name): value(name) for name in PARAMETERS}
    module = {"source": "./askback-terraform", "artifacts": "askback-artifacts", "artifact_bucket": "b"}
    (configuration.folder / "main.tf").unlink()
    # In a document, `$${` is the text `${`.
    document = json.dumps({"module": {"askback": {**module, **values}}}).replace("${b", "$${b").replace("%{c", "%%{c")
    (configuration.folder / "main.tf.json").write_text(document, encoding="utf-8")
    configuration.terraform("get")
    configuration.terraform("apply", "-auto-approve", "-input=false")
    (stack,) = configuration.created()["aws_cloudformation_stack"]
    expected = {name: as_text(name) for name in PARAMETERS}
    assert stack["parameters"] == expected | {"ArtifactBucket": "b", "ArtifactPrefix": "askback/"}


@needs_terraform
def test_terraform_refuses_artifacts_of_another_release(configuration: Configuration, unpacked: Path) -> None:
    artifacts = configuration.folder / "askback-artifacts"
    artifacts.unlink()
    artifacts.mkdir()
    template = (unpacked / "askback-artifacts/template.json").read_text(encoding="utf-8")
    version = f'"SemanticVersion": "{askback.__version__}"'
    assert version in template
    (artifacts / "template.json").write_text(template.replace(version, '"SemanticVersion": "9.9.9"'), encoding="utf-8")
    configuration.terraform("get")
    with pytest.raises(AssertionError, match="The artifacts are of another release"):
        configuration.terraform("apply", "-auto-approve", "-input=false", "-var=agent_role_name=agent")


@needs_terraform
def test_the_module_is_laid_out_as_terraform_does(unpacked: Path) -> None:
    _ran(["terraform", "fmt", "-check", "-diff", str(unpacked / "askback-terraform")], unpacked, {})

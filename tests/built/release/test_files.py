"""What a release is made of: which files, of which version, and the same ones when it is made again."""

import email
import hashlib
import json
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from askback import __version__
from tests.support.template import ROOT

pytestmark = pytest.mark.release

FILES = {
    f"askback-{__version__}.tgz",
    f"askback-{__version__}-py3-none-any.whl",
    f"askback-{__version__}.tar.gz",
    f"askback-artifacts-{__version__}.zip",
    f"askback-cdk-{__version__}.tgz",
    f"askback-openapi-{__version__}.json",
    f"askback-terraform-{__version__}.zip",
    f"askback_cdk-{__version__}-py3-none-any.whl",
    f"askback_cdk-{__version__}.tar.gz",
    "SHA256SUMS",
}


def _npm_packages(dist: Path) -> dict[str, str]:
    """Return the version of each npm package, by its name."""
    found = {}
    for path in dist.glob("*.tgz"):
        with tarfile.open(path) as archive:
            document = archive.extractfile("package/package.json")
            assert document
            package = json.load(document)
        found[package["name"]] = package["version"]
    return found


def test_the_release_has_its_files_and_their_sums(dist: Path) -> None:
    assert {path.name for path in dist.iterdir()} == FILES
    sums = dict(line.split()[::-1] for line in (dist / "SHA256SUMS").read_text(encoding="utf-8").splitlines())
    assert sums == {name: hashlib.sha256((dist / name).read_bytes()).hexdigest() for name in FILES - {"SHA256SUMS"}}


def test_every_package_has_the_version_of_the_release_and_the_licence(dist: Path) -> None:
    assert set(_npm_packages(dist).values()) == {__version__}
    for path in dist.glob("*.whl"):
        with zipfile.ZipFile(path) as wheel:
            (name,) = (each for each in wheel.namelist() if each.endswith(".dist-info/METADATA"))
            metadata = email.message_from_bytes(wheel.read(name))
            assert any(each.endswith("/LICENSE") for each in wheel.namelist()), path.name
            assert any(each.endswith("/py.typed") for each in wheel.namelist()), path.name
        assert (metadata["Version"], metadata["License-Expression"]) == (__version__, "Apache-2.0")
    for path in dist.glob("*.tgz"):
        with tarfile.open(path) as archive:
            assert "package/LICENSE" in archive.getnames(), path.name


def test_a_package_index_would_take_the_python_packages(dist: Path) -> None:
    files = [str(path) for path in (*dist.glob("*.whl"), *dist.glob("*.tar.gz"))]
    done = subprocess.run(
        [str(ROOT / ".venv-release/bin/python"), "-m", "twine", "check", "--strict", *files],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("PASSED") == len(files)


def test_the_wheel_is_the_same_from_the_tree_and_from_the_sdist(dist: Path, tmp_path: Path) -> None:
    build = [str(ROOT / ".tools/bin/uv"), "build", "--quiet", "--wheel", "--no-build-isolation"]
    python = ["--python", str(ROOT / ".venv-release/bin/python")]
    subprocess.run([*build, *python, "--out-dir", str(tmp_path), str(ROOT / "layers/core")], check=True)
    (wheel,) = tmp_path.glob("*.whl")
    assert wheel.read_bytes() == (dist / wheel.name).read_bytes()


def test_a_release_made_again_has_the_same_bytes(dist: Path, tmp_path: Path) -> None:
    machine = subprocess.run(["uname", "-m"], capture_output=True, text=True, check=True).stdout.strip()
    native, other = ("x86_64", "arm64") if machine == "x86_64" else ("arm64", "x86_64")
    builds = ["--build", f"{other}=.aws-sam/build", "--build", f"{native}=.aws-sam/native/build"]
    command = [sys.executable, "-m", "local.release", *builds, "--dist", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    assert (tmp_path / "SHA256SUMS").read_text() == (dist / "SHA256SUMS").read_text()

"""Makes the files of a release in a folder, and prints them: `python -m local.release --build ARCHITECTURE=FOLDER …`.

It publishes nothing. The same sources give the same files, so that a release can be made again and compared.
"""

from __future__ import annotations

import argparse
import hashlib
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from askback import __version__
from local.emulated.cloud import ROOT
from local.emulated.template import load_template
from local.release.artifacts import packed, write_artifacts
from local.release.interface import python_module, terraform_outputs, terraform_variables, typescript_types

SUMS: Final = "SHA256SUMS"
_UV: Final = (str(ROOT / ".tools/bin/uv"), "build", "--quiet", "--no-build-isolation", "--no-create-gitignore")
_PYTHON: Final = ROOT / ".venv-release/bin/python"
_SOURCE_VERSION: Final = "0.0.0"
"""What the sources of the constructs have in the place of the release's version."""
_NOT_SOURCE: Final = shutil.ignore_patterns("__pycache__", "node_modules", ".terraform*")


def release(builds: Mapping[str, Path], dist: Path) -> None:
    """Write every file of a release into a folder, which loses what it had."""
    shutil.rmtree(dist, ignore_errors=True)
    dist.mkdir(parents=True)
    template = load_template(ROOT / "template.yaml")
    _build_python(ROOT / "layers/core", dist)
    with TemporaryDirectory() as place:
        write_artifacts(builds, Path(place))
        (dist / f"askback-artifacts-{__version__}.zip").write_bytes(packed(Path(place)))
    for write in (_terraform, _python_construct, _typescript_construct):
        with TemporaryDirectory() as place:
            write(template, Path(place) / "source", dist)
    _npm_pack(ROOT / "clients/typescript", dist)
    shutil.copyfile(ROOT / "docs/openapi.json", dist / f"askback-openapi-{__version__}.json")
    sums = [f"{_sha256(path)}  {path.name}\n" for path in sorted(dist.iterdir())]
    (dist / SUMS).write_text("".join(sums), encoding="utf-8")


def _terraform(template: Mapping[str, Any], folder: Path, dist: Path) -> None:
    _copied("clients/terraform", folder)
    (folder / "variables.tf").write_text(terraform_variables(template), encoding="utf-8")
    (folder / "outputs.tf").write_text(terraform_outputs(template), encoding="utf-8")
    (dist / f"askback-terraform-{__version__}.zip").write_bytes(packed(folder))


def _python_construct(template: Mapping[str, Any], folder: Path, dist: Path) -> None:
    _copied("clients/cdk/python", folder)
    _set_version(folder / "pyproject.toml", f'version = "{_SOURCE_VERSION}"', f'version = "{__version__}"')
    (folder / "askback_cdk/template.py").write_text(python_module(template), encoding="utf-8")
    _build_python(folder, dist)


def _typescript_construct(template: Mapping[str, Any], folder: Path, dist: Path) -> None:
    _copied("clients/cdk/typescript", folder)
    _set_version(folder / "package.json", f'"version": "{_SOURCE_VERSION}"', f'"version": "{__version__}"')
    (folder / "template.d.ts").write_text(typescript_types(template), encoding="utf-8")
    _npm_pack(folder, dist)


def _copied(source: str, folder: Path) -> None:
    shutil.copytree(ROOT / source, folder, ignore=_NOT_SOURCE)
    shutil.copyfile(ROOT / "LICENSE", folder / "LICENSE")


def _set_version(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    if text.count(old) != 1:
        raise ValueError(f"{path.name} must have {old} once")
    path.write_text(text.replace(old, new), encoding="utf-8")


def _build_python(source: Path, dist: Path) -> None:
    """Build the sdist, and of it the wheel."""
    _run(*_UV, "--python", str(_PYTHON), "--out-dir", str(dist), str(source), folder=source)


def _npm_pack(source: Path, dist: Path) -> None:
    _run("npm", "pack", "--silent", "--pack-destination", str(dist), folder=source)


def _run(*command: str, folder: Path) -> None:
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m local.release", description=__doc__)
    parser.add_argument("--build", action="append", required=True, metavar="ARCHITECTURE=FOLDER")
    parser.add_argument("--dist", default="dist", type=Path)
    chosen = parser.parse_args()
    builds = {name: Path(folder).resolve() for name, _, folder in (each.partition("=") for each in chosen.build)}
    dist = chosen.dist.resolve()
    release(builds, dist)
    print(f"askback {__version__}")
    for path in sorted(dist.iterdir()):
        print(f"{path.stat().st_size:12,}  {_sha256(path)}  {path.name}")


if __name__ == "__main__":
    main()

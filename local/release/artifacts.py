"""The code of a build as zip files, and the template that names them.

CloudFormation fetches code from a bucket. So the template of a release is `template.yaml` with a bucket and a key where
the source has a folder, and with two parameters that say where the files are. Nothing else differs.

The same sources give the same bytes. The name of a file has the hash of its content: CloudFormation does not look into
a file, and only another name makes it fetch another version.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import Any, Final

from local.emulated.cloud import ROOT
from local.emulated.template import load_template

TEMPLATE_NAME: Final = "template.json"
PLACE: Final[Mapping[str, Mapping[str, str]]] = {
    "ArtifactBucket": {
        "Type": "String",
        "Description": "Bucket in the region of the stack that has the files of this release.",
        "AllowedPattern": "^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$",
        "ConstraintDescription": "must be the name of a bucket",
    },
    "ArtifactPrefix": {
        "Type": "String",
        "Description": "What the keys of these files begin with, such as askback/. Empty means the top of the bucket.",
        "Default": "",
    },
}
"""The parameters that only a release has."""
CODE: Final = ("CodeUri", "ContentUri", "DefinitionUri")
"""The properties of serverless resources that name code."""
_EARLIEST: Final = (1980, 1, 1, 0, 0, 0)
_FILE_MODE: Final = 0o644
_HASH_LENGTH: Final = 16


def write_artifacts(builds: Mapping[str, Path], folder: Path, *, level: int = 9) -> None:
    """Write template and code into an empty folder; `builds` has the folder of a `sam build` for each processor.

    `level` is how much is compressed, from 0 to 9.

    A resource whose code is the same for every processor has one file. The others have one each, and the template takes
    the file of its parameter `Architecture`.
    """
    template = load_template(ROOT / "template.yaml")
    template["Parameters"] = {**PLACE, **template["Parameters"]}
    for name, resource in template["Resources"].items():
        for field in CODE:
            if field in (properties := resource.get("Properties", {})):
                source = properties[field]
                path = ROOT / source
                packages = {processor: _packed(build / name, path, level) for processor, build in builds.items()}
                properties[field] = {
                    "Bucket": {"Ref": "ArtifactBucket"},
                    "Key": {"Fn::Sub": f"${{ArtifactPrefix}}{_write(name, _ending(path), packages, folder)}"},
                }
    text = json.dumps(template, indent=1, ensure_ascii=False, default=str)
    (folder / TEMPLATE_NAME).write_text(text + "\n", encoding="utf-8")


def _packed(built: Path, source: Path, level: int) -> bytes:
    return source.read_bytes() if source.is_file() else packed(built, level=level)


def packed(folder: Path, *, level: int = 9) -> bytes:
    """Return the files of a folder as a zip file, the same bytes for the same files."""
    content = BytesIO()
    with zipfile.ZipFile(content, "w", compression=zipfile.ZIP_DEFLATED, compresslevel=level) as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                entry = zipfile.ZipInfo(path.relative_to(folder).as_posix(), date_time=_EARLIEST)
                entry.external_attr = _FILE_MODE << 16
                entry.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(entry, path.read_bytes())
    return content.getvalue()


def _ending(source: Path) -> str:
    return "".join(source.suffixes) if source.is_file() else ".zip"


def _write(name: str, ending: str, packages: Mapping[str, bytes], folder: Path) -> str:
    """Write what differs, and return the key that names it."""
    one = len(set(packages.values())) == 1
    digest = hashlib.sha256(b"".join(hashlib.sha256(packages[each]).digest() for each in sorted(packages)))
    stem = f"{name}-{digest.hexdigest()[:_HASH_LENGTH]}"
    for processor, content in packages.items():
        (folder / (f"{stem}{ending}" if one else f"{stem}-{processor}{ending}")).write_bytes(content)
    return f"{stem}{ending}" if one else f"{stem}-${{Architecture}}{ending}"


def code_of(template: Mapping[str, Any], architecture: str) -> dict[str, tuple[str, str]]:
    """Return for each resource with code the property that names it, and its file, for one processor."""
    found = {}
    for name, resource in template["Resources"].items():
        for field in CODE:
            if field in (properties := resource.get("Properties", {})):
                key = properties[field]["Key"]["Fn::Sub"]
                found[name] = field, key.replace("${ArtifactPrefix}", "").replace("${Architecture}", architecture)
    return found

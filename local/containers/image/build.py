"""Builds the base image for `sam local`, unless the engine already has the image of the same recipe.

It is not Amazon's image: it has this machine's Python 3.13 and C library, at the paths of the managed runtime.
"""

from __future__ import annotations

import hashlib
import platform
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path
from typing import Final

import docker
from docker.errors import ImageNotFound

from local.containers.image import userland
from local.containers.image.language import Python
from local.emulated.cloud import ROOT

LABEL: Final = "askback.base-image"
"""Carries the recipe's hash; images and containers made from the base image inherit it."""

_UV: Final = ROOT / ".tools/bin/uv"
_CHANGES: Final = (
    "ENV PATH=/var/lang/bin:/usr/bin:/bin:/opt/bin",
    "ENV LD_LIBRARY_PATH=/var/task/lib:/opt/lib",
    "ENV LANG=C.UTF-8",
    "WORKDIR /var/task",
)


class ImageError(Exception):
    """The base image cannot be built on this machine; the message says why."""


def base_image(client: docker.DockerClient) -> str:
    """Build the base image if it does not exist, remove images of older recipes, and return its name.

    Raises:
        ImageError: this machine lacks a part of the image.
    """
    if platform.system() != "Linux":
        raise ImageError("The base image contains this machine's Python, so this must be a Linux machine.")
    if shutil.which("python3.13") is None:
        raise ImageError("The base image needs python3.13 on PATH. Run make sam-local, which finds one.")
    python = Python.on_path()
    requirements = _requirements()
    recipe = _recipe(python, requirements)
    name = f"askback-lambda-{recipe[:12]}:python3.13"
    try:
        client.images.get(name)
    except ImageNotFound:
        _build(client, name, recipe, python, requirements)
    _forget_others(client, recipe)
    return name


def _requirements() -> str:
    """Return the runtime client and its dependencies, with the versions of the lock file."""
    export = [str(_UV), "export", "--quiet", "--locked", "--only-group", "runtime", "--no-emit-package", "askback"]
    return subprocess.run(
        [*export, "--no-header", "--no-annotate"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout


def _recipe(python: Python, requirements: str) -> str:
    """Return a hash of every input of the image."""
    recipe = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        recipe.update(path.read_bytes())
    made_of = (requirements, str(python), platform.machine(), platform.libc_ver()[1])
    recipe.update("\0".join(made_of).encode())
    return recipe.hexdigest()


def _build(client: docker.DockerClient, name: str, recipe: str, python: Python, requirements: str) -> None:
    repository, _, tag = name.partition(":")
    with tempfile.TemporaryDirectory(prefix="askback-image-") as folder:
        root = Path(folder, "root")
        userland.lay_out(root, python.programs)
        python.lay_out(root, uv=_UV, requirements=requirements)
        archive = Path(folder, "root.tar")
        with tarfile.open(archive, "w") as tar:
            tar.add(root, arcname=".", filter=_owned_by_root)
        client.api.import_image_from_file(
            str(archive), repository=repository, tag=tag, changes=[*_CHANGES, f"LABEL {LABEL}={recipe}"]
        )
    client.images.get(name)


def _owned_by_root(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = "root"
    if entry.isdir():
        # The root folder is a temporary folder, which other users cannot read.
        entry.mode |= 0o755
    return entry


def _forget_others(client: docker.DockerClient, recipe: str) -> None:
    """Remove the images of older recipes, and images without a name, which earlier builds left."""
    for image in client.images.list(filters={"label": LABEL}):
        if image.labels[LABEL] != recipe:
            for name in image.tags:
                client.images.remove(name, force=True)
    for image in client.images.list(filters={"label": LABEL, "dangling": True}):
        client.images.remove(str(image.id), force=True)

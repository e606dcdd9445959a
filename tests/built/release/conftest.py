"""The folder of the release, and its archives unpacked."""

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from askback import __version__
from local.release.artifacts import TEMPLATE_NAME
from tests.support.template import ROOT

DIST = ROOT / "dist"


@pytest.fixture(scope="session")
def dist() -> Path:
    """Return the folder that `make release` filled."""
    assert DIST.is_dir(), "run make release"
    return DIST


@pytest.fixture(scope="session")
def unpacked(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with `askback-artifacts` and `askback-terraform`, as a user unpacks them."""
    folder = tmp_path_factory.mktemp("unpacked")
    for name in ("artifacts", "terraform"):
        with zipfile.ZipFile(dist / f"askback-{name}-{__version__}.zip") as archive:
            archive.extractall(folder / f"askback-{name}")
    return folder


@pytest.fixture(scope="session")
def packaged(unpacked: Path) -> dict[str, Any]:
    """Return the template of the release."""
    template: dict[str, Any] = json.loads((unpacked / "askback-artifacts" / TEMPLATE_NAME).read_text(encoding="utf-8"))
    return template

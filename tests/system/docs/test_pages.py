"""What holds for every page: its links lead somewhere, its paths exist, and it is written as the style says."""

import re
from pathlib import Path
from typing import Final

import pytest

from local.emulated.cloud import ROOT
from tests.system.docs.fences import PAGES

WIDTH: Final = 120
ROOTS: Final = (ROOT, ROOT / "layers" / "core", ROOT / "layers" / "core" / "askback", ROOT / "docs")
"""Where a path of a page may begin."""
ALL: Final = tuple(page for page in (*PAGES, ROOT / "CHANGELOG.md") if page.exists())
_FENCE = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\((?!https?://)(?P<path>[^)#\s]*)(?:#(?P<anchor>[^)\s]+))?\)")
_PATH = re.compile(r"`((?:[\w.-]+/)*[\w-]+\.(?:py|md|json|yaml|js))`")
_FOLDER = re.compile(r"`((?:[\w.-]+/)+)`")


def _prose(page: Path) -> str:
    return _FENCE.sub("", page.read_text(encoding="utf-8"))


def _anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.*)$", _prose(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def _params(pages: tuple[Path, ...]) -> list[object]:
    return [pytest.param(page, id=page.relative_to(ROOT).as_posix()) for page in pages]


@pytest.mark.parametrize("page", _params(ALL))
def test_every_link_leads_to_a_file_and_a_heading(page: Path) -> None:
    for link in _LINK.finditer(_prose(page)):
        target = (page.parent / link["path"]).resolve() if link["path"] else page
        assert target.exists(), link[0]
        if link["anchor"]:
            assert link["anchor"] in _anchors(target), link[0]


MADE = "dist/"
"""The folder that make release makes."""


@pytest.mark.parametrize("page", _params(ALL))
def test_every_path_exists(page: Path) -> None:
    prose = _prose(page)
    named = {*_PATH.findall(prose), *_FOLDER.findall(prose)}
    paths = {path for path in named if "/" in path and not path.startswith((".", "domain/<", MADE))}
    missing = sorted(path for path in paths if not any((root / path).exists() for root in ROOTS))
    assert not missing


@pytest.mark.parametrize("page", _params(ALL))
def test_prose_has_one_width_and_cells_have_one_sentence(page: Path) -> None:
    lines = _prose(page).splitlines()
    tables = [line for line in lines if line.startswith("|")]
    long = [line for line in lines if len(line) > WIDTH and not line.startswith(("|", "#"))]
    assert not long
    sentences = [cell for line in tables for cell in line.split("|") if re.search(r"[a-z)`]\. [A-Z]", cell)]
    assert not sentences


@pytest.mark.parametrize("page", _params(ALL))
def test_a_pause_is_revoked_and_a_token_is_a_pause_token_or_an_answer_token(page: Path) -> None:
    prose = _prose(page).lower()
    assert not re.search(r"withdr[ae]w|resume token", prose)

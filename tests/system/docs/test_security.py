"""Each "cannot" of docs/security.md has a test, and each test that names one is still needed.

A test names a sentence by its mark: `@pytest.mark.cannot("make a token")` shows the one that goes on like this after
its "cannot". The tests are in tests/system/attacks, and those that need IAM to refuse in tests/built/deployed.
"""

import ast
from collections.abc import Iterator

import pytest

from local.emulated.cloud import ROOT

_FOLDERS = (ROOT / "tests/system/attacks", ROOT / "tests/built/deployed")
_MARK = "pytest.mark.cannot"


def sentences() -> list[str]:
    """Return what the page says after each "cannot"."""
    page = " ".join((ROOT / "docs/security.md").read_text(encoding="utf-8").split())
    return page.split(" cannot ")[1:]


def marks() -> Iterator[tuple[str, str]]:
    """Yield the text of each mark, with the test that has it."""
    for path in sorted(path for folder in _FOLDERS for path in folder.glob("test_*.py")):
        for test in ast.parse(path.read_text(encoding="utf-8")).body:
            if not isinstance(test, ast.FunctionDef) or not test.name.startswith("test_"):
                continue
            for mark in test.decorator_list:
                if isinstance(mark, ast.Call) and ast.unparse(mark.func) == _MARK:
                    (text,) = mark.args
                    yield ast.literal_eval(text), f"{path.name}::{test.name}"


@pytest.mark.parametrize("sentence", sentences(), ids=lambda sentence: sentence[:40])
def test_what_a_party_cannot_do_is_tried(sentence: str) -> None:
    assert [test for text, test in marks() if sentence.startswith(text)]


@pytest.mark.parametrize(("text", "test"), list(marks()), ids=lambda given: given)
def test_a_mark_names_one_sentence_of_the_page(text: str, test: str) -> None:
    assert len([sentence for sentence in sentences() if sentence.startswith(text)]) == 1, test


def test_every_cannot_of_the_page_is_found() -> None:
    """Also one at the end of a line, or in capitals."""
    page = (ROOT / "docs/security.md").read_text(encoding="utf-8").lower()
    assert page.count("cannot") == len(sentences())

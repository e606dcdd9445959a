"""The tests' own walls: what tests share stands in `tests/support`, and no test is imported for a part of it."""

from pathlib import Path

import pytest

from tests.unit.architecture.sources import ROOT, imports, python_files

TESTS = ROOT / "tests"
_HOLDING_PACKAGES = ("built", "system")
"""Folders whose own folders are the packages: each needs something else to be built or to run."""


def package_of(module: str) -> str:
    """Return the package of a module below `tests`: its first folder, or its first two in a folder of packages."""
    parts = module.split(".")[1:]
    return ".".join(parts[: 2 if parts and parts[0] in _HOLDING_PACKAGES else 1])


def is_test(name: str) -> bool:
    return any(part.startswith("test_") for part in name.split("."))


def goes_too_far(importing: str, imported: str) -> bool:
    """Tell whether an import leads from one package of tests into another that is not `support`."""
    if imported.split(".", maxsplit=1)[0] != "tests":
        return False
    return package_of(imported) not in ("support", package_of(importing))


def _module(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


@pytest.mark.parametrize("path", python_files(TESTS), ids=lambda path: str(path.relative_to(TESTS)))
def test_a_module_of_the_tests_imports_no_test_and_no_other_package_than_support(path: Path) -> None:
    imported = list(imports(path.read_text(encoding="utf-8")))
    assert [name for name in imported if name.startswith("tests.") and is_test(name)] == []
    assert [name for name in imported if goes_too_far(_module(path), name)] == []


@pytest.mark.parametrize(
    ("importing", "imported", "too_far"),
    [
        ("tests.functions.test_inbox", "tests.functions.inbox.a_scope", False),
        ("tests.functions.test_inbox", "tests.support.request_bodies.Pause", False),
        ("tests.functions.test_inbox", "askback.domain.errors.Expired", False),
        ("tests.functions.test_inbox", "tests.contract.conftest", True),
        ("tests.support.request_bodies", "tests.functions.inbox", True),
        ("tests.built.browser.test_forms", "tests.built.browser.states.STATES", False),
        ("tests.built.benchmarks.children.page_view", "tests.built.browser.conftest.QUIETLY", True),
        ("tests.system.faults.story", "tests.system.flows.flows.Flows", True),
    ],
)
def test_the_rule_lets_support_and_the_own_package_in_and_nothing_else(
    importing: str, imported: str, too_far: bool
) -> None:
    assert goes_too_far(importing, imported) is too_far

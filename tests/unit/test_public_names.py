"""What programs import from `askback` and `askback.client`: every name is there, typed, and loaded when it is used."""

import ast
import importlib
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import askback
import askback.client
from askback.client import results, transport
from askback.domain import errors

PACKAGES = ("askback", "askback.client")


def typed_names(package: str) -> dict[str, str]:
    """Return the names that type checkers find in a package, each with its module."""
    file = importlib.import_module(package).__file__ or ""
    imports = [node for node in ast.walk(ast.parse(Path(file).read_text())) if isinstance(node, ast.ImportFrom)]
    return {alias.name: node.module or "" for node in imports for alias in node.names if alias.asname == alias.name}


def public_names(package: str) -> set[str]:
    """Return the names that a package has when it runs."""
    return set(importlib.import_module(package).__all__) - {"__version__"}


def loaded_by(program: str) -> set[str]:
    """Return the modules that a process of its own has loaded after a program."""
    command = [sys.executable, "-c", f"{program}; import sys; print(*sys.modules)"]
    return set(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())


@pytest.mark.parametrize("package", PACKAGES)
def test_type_checkers_find_the_names_that_a_program_finds(package: str) -> None:
    assert set(typed_names(package)) == public_names(package)


@pytest.mark.parametrize(
    ("package", "name"), [(package, name) for package in PACKAGES for name in typed_names(package)]
)
def test_a_name_is_that_of_its_module(package: str, name: str) -> None:
    module = importlib.import_module(typed_names(package)[name])
    assert getattr(importlib.import_module(package), name) is getattr(module, name)


@pytest.mark.parametrize("module", [errors, results, transport])
def test_every_error_and_every_result_is_public(module: object) -> None:
    own = {
        name
        for name, value in vars(module).items()
        if inspect.isclass(value) and value.__module__ == module.__name__ and not name.startswith("_")  # type: ignore[attr-defined]
    }
    # No program raises, catches or calls these itself.
    assert own - {"Action", "Reply", "CodedError"} <= public_names("askback")


def test_the_package_shows_its_names() -> None:
    assert public_names("askback") <= set(dir(askback))


@pytest.mark.parametrize("package", PACKAGES)
def test_an_unknown_name_is_refused_as_by_any_module(package: str) -> None:
    with pytest.raises(AttributeError, match=f"module '{package}' has no attribute 'nothing'"):
        importlib.import_module(package).nothing  # noqa: B018


def test_the_package_loads_nothing_of_its_own_when_a_function_imports_it() -> None:
    """A function's caller waits for what it loads."""
    loaded = loaded_by("import askback.edge.cold_start")
    assert {name for name in loaded if name.startswith("askback")} == {
        "askback",
        "askback.edge",
        "askback.edge.cold_start",
    }
    assert "importlib.metadata" not in loaded


@pytest.mark.parametrize("name", ["AskbackClient", "Scope", "PauseExpired", "Retries", "ask_user"])
def test_a_name_loads_neither_the_aws_sdk_nor_an_event_loop_unless_it_needs_it(name: str) -> None:
    assert not {"botocore", "asyncio", "pydantic"} & loaded_by(f"from askback import {name}")


def test_all_names_load_without_the_packages_of_a_deployment() -> None:
    assert not {"pydantic", "jwt", "aws_lambda_powertools", "boto3"} & loaded_by("from askback import *")

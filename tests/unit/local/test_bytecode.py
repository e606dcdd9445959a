"""What the build ships besides the sources, on a small build of this test's own Python."""

import hashlib
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from local.build import bytecode, unused_files
from local.build.check_build import compiled_at_start

FILES = {
    "CoreLayer/python/kept/__init__.py": "",
    "CoreLayer/python/kept/failing.py": "def fail() -> None:\n    raise LookupError('here')\n",
    "CoreLayer/python/pydantic/__init__.py": "",
    "CoreLayer/python/pydantic/v1/old.py": "OLD = {'b', 'a', 'c'}\n",
    "AskFunction/app.py": "from kept import failing\n\nhandler = failing.fail\n",
}
ROOT = Path(__file__).parents[3]


@pytest.fixture
def build(tmp_path: Path) -> Path:
    for name, source in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source, encoding="utf-8")
    (tmp_path / "template.yaml").touch()
    return tmp_path


@pytest.fixture
def compiled(build: Path) -> Path:
    assert bytecode.compile_build(build)
    return build


def byte_code(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.rglob("*.pyc")
    }


def the_pyc(build: Path) -> Path:
    (found,) = (build / "AskFunction").rglob("*.pyc")
    return found


def start(build: Path) -> list[str]:
    return compiled_at_start(build / "AskFunction", build / "CoreLayer" / "python")


def test_a_build_as_sam_leaves_it_has_no_byte_code_and_is_refused(build: Path) -> None:
    assert bytecode.faults(build) == [
        "AskFunction/app.py: has no byte-code",
        "CoreLayer/python/kept/__init__.py: has no byte-code",
        "CoreLayer/python/kept/failing.py: has no byte-code",
        "CoreLayer/python/pydantic/__init__.py: has no byte-code",
    ]
    assert {Path(name).name for name in start(build)} == {"app.py", "__init__.py", "failing.py"}


def test_a_compiled_build_compiles_nothing_when_it_starts(compiled: Path) -> None:
    assert bytecode.faults(compiled) == []
    assert start(compiled) == []


def test_what_no_function_imports_stays_source_and_can_be_imported(compiled: Path) -> None:
    assert not any("v1" in name for name in byte_code(compiled))
    (compiled / "AskFunction" / "app.py").write_text("import pydantic.v1.old\n", encoding="utf-8")
    bytecode.compile_build(compiled)
    assert [Path(name).name for name in start(compiled)] == ["old.py"]


def test_the_same_sources_give_the_same_byte_code(build: Path) -> None:
    compiling = "from pathlib import Path; from local.build import bytecode; "
    compiling += f"bytecode.compile_build(Path({str(build)!r}))"
    found = []
    for seed in "12":
        # Strings are hashed otherwise in each process: sets must not be written in that order.
        environment = os.environ | {"PYTHONHASHSEED": seed}
        subprocess.run([sys.executable, "-Bc", compiling], cwd=ROOT, env=environment, check=True)
        found.append(byte_code(build))
    assert found[0] == found[1]
    assert found[0]


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        (lambda pyc: pyc.write_bytes(b"\0\0\0\0" + pyc.read_bytes()[4:]), "has byte-code of another Python"),
        (
            lambda pyc: pyc.write_bytes(pyc.read_bytes()[:4] + b"\3\0\0\0" + pyc.read_bytes()[8:]),
            "has byte-code that is checked against its source",
        ),
        (lambda pyc: pyc.unlink(), "has no byte-code"),
    ],
)
def test_byte_code_that_would_not_be_taken_as_it_is_is_named(
    compiled: Path, harm: Callable[[Path], object], said: str
) -> None:
    harm(the_pyc(compiled))
    assert bytecode.faults(compiled) == [f"AskFunction/app.py: {said}"]


def test_a_source_that_was_changed_after_the_build_is_named(compiled: Path) -> None:
    (compiled / "AskFunction" / "app.py").write_text("handler = print\n", encoding="utf-8")
    assert bytecode.faults(compiled) == ["AskFunction/app.py: has byte-code of another source"]


def test_byte_code_that_names_the_builder_s_own_folders_is_named(build: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "compileall", "-q", "--invalidation-mode", "unchecked-hash", build], check=True
    )
    assert bytecode.faults(build)[0] == "AskFunction/app.py: has byte-code that does not name /var/task/app.py"


def test_a_source_that_is_no_python_fails_the_build(build: Path) -> None:
    (build / "AskFunction" / "app.py").write_text("def", encoding="utf-8")
    assert not bytecode.compile_build(build)


def test_the_files_of_a_page_that_no_function_serves_are_removed_and_no_module_is(
    build: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    swagger = build / "CoreLayer/python/aws_lambda_powertools/event_handler/openapi/swagger_ui"
    swagger.mkdir(parents=True)
    for name in ("__init__.py", "swagger-ui-bundle.min.js", "swagger-ui.min.css"):
        (swagger / name).touch()
    assert len(unused_files.unused(build)) == 2
    monkeypatch.setattr(sys, "argv", ["unused_files", str(build)])
    assert unused_files.main() == 0
    assert unused_files.unused(build) == []
    assert [path.name for path in swagger.iterdir()] == ["__init__.py"]


def test_the_locked_powertools_has_the_files_that_are_removed() -> None:
    """If a later version moves them, the layer would grow past its limit without a word."""
    (installed,) = [Path(path) for path in sys.path if (Path(path) / "aws_lambda_powertools").is_dir()]
    assert [(installed / name).is_file() for name in unused_files.FILES] == [True, True]

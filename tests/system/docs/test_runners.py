"""What runs the samples: no fence is overlooked, each call is checked, and the clone is fresh."""

from pathlib import Path

import pytest

from tests.system.docs.checks import check
from tests.system.docs.clone import Call, Clone, needed_by
from tests.system.docs.fences import read_samples


def test_a_fence_is_read_with_its_language_its_attributes_and_its_line() -> None:
    whole = 'Text.\n\n   ```python no-run="for a reason" needs="agents"\n   a = 1\n     b\n   ```\n\n```\nbare\n```\n'
    first, bare = read_samples("page.md", whole)
    assert (first.place, first.language, first.text) == ("page.md:4", "python", "a = 1\n  b\n")
    assert first.attributes == {"no-run": "for a reason", "needs": "agents"}
    assert (bare.language, bare.text) == ("", "bare\n")


def test_a_fence_that_is_not_closed_is_refused() -> None:
    with pytest.raises(ValueError, match=r"page\.md has a fence that is not closed"):
        read_samples("page.md", "```sh\nmake run\n")


@pytest.mark.parametrize(
    "call",
    [
        Call("make", ("dance",)),
        Call("aws", ("lambda", "dance")),
        Call("aws", ("no-such-service", "invoke")),
        Call("aws", ("lambda", "invoke", "--function-name", "mint", "--colour", "red", "reply.json")),
        Call("aws", ("lambda", "invoke", "reply.json")),
        Call("aws", ("lambda", "invoke", "--function-name", "", "reply.json")),
        Call("python", ("-m", "local.no_such_module")),
        Call("pytest", ("tests/no_such_folder",)),
        Call("sam", ("dance",)),
    ],
)
def test_a_call_that_its_program_does_not_take_is_refused(call: Call) -> None:
    with pytest.raises(AssertionError):
        check(call)


@pytest.mark.parametrize("module", ["askback.operate", "askback.cutover"])
def test_an_argument_that_our_own_command_does_not_take_is_refused(module: str) -> None:
    with pytest.raises(SystemExit):
        check(Call("python", ("-m", module, "dance")))


def test_a_clone_has_no_environment_before_make_installed_it(tmp_path: Path) -> None:
    """D-46."""
    clone = Clone(tmp_path)
    assert {"template.yaml", "Makefile", "layers"} <= {path.name for path in clone.folder.iterdir()}
    with pytest.raises(AssertionError, match=r"\.venv/bin/python: No such file or directory"):
        clone.run("make build\n.venv/bin/python -m local.run", cwd=clone.folder)
    calls = clone.run("make setup\n.venv/bin/python -m local.run", cwd=clone.folder)
    assert calls == [Call("make", ("setup",)), Call("python", ("-m", "local.run"))]


def test_a_failing_command_fails_its_sample(tmp_path: Path) -> None:
    clone = Clone(tmp_path)
    with pytest.raises(AssertionError):
        clone.run("make dance\necho done", cwd=clone.folder)


def test_what_a_target_needs_is_read_from_the_makefile() -> None:
    assert ".venv/.ready" in needed_by("test")
    assert ".venv/.ready" not in needed_by("build")

"""Where no engine can be had, it is said why; what an engine does is seen in tests/built/sam."""

import os
from pathlib import Path

import pytest

from local.containers.engine import EngineUnavailableError, docker_engine


def test_the_error_on_a_machine_without_docker_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/nobody.sock")
    monkeypatch.setenv("PATH", str(tmp_path))
    with (
        pytest.raises(EngineUnavailableError, match=r"missing: dockerd, .*install docker\.io "),
        docker_engine(tmp_path / "engine"),
    ):
        pass
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root is asked to start an engine")
def test_an_engine_that_does_not_start_is_quoted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scripts = {"dockerd": "echo no such kernel; exit 1", "ip": "exit 0", "setpriv": 'shift 2; exec "$@"'}
    for name, script in scripts.items():
        program = tmp_path / name
        program.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        program.chmod(0o755)
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/nobody.sock")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(EngineUnavailableError, match="no such kernel"), docker_engine(tmp_path / "engine"):
        pass

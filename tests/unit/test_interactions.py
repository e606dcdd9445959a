"""What a deployment can ask: the built-in interactions and those of its own module, which fails by name."""

from pathlib import Path

import pytest

from askback.domain.errors import InteractionConfigurationError
from askback.interactions import REGISTRY, deployed_interactions
from tests.support.adopter_module import NAME, adopter_module

REGISTERING = """
from pydantic import BaseModel
from askback.interactions import InteractionRegistration, WithoutBuiltIn

class Asked(BaseModel):
    text: str

def own(name):
    return InteractionRegistration(name=name, payload_schema=Asked, response_schema=bool)
"""
SECRET = "sk-live-4711"


def test_a_deployment_without_a_module_has_the_built_in_interactions() -> None:
    assert deployed_interactions("") is REGISTRY
    assert all(name in REGISTRY for name in ("ask_user", "approval", "form"))


def test_a_module_adds_its_interactions_to_the_built_in_ones(tmp_path: Path) -> None:
    with adopter_module(tmp_path, f"{REGISTERING}\nINTERACTIONS = [own('acme_yes_or_no')]") as name:
        registry = deployed_interactions(name)
    assert all(name in registry for name in ("ask_user", "approval", "form", "acme_yes_or_no"))


def test_a_module_can_leave_out_and_replace_a_built_in_interaction(tmp_path: Path) -> None:
    source = f"{REGISTERING}\nINTERACTIONS = (WithoutBuiltIn('form'), own('approval'))"
    with adopter_module(tmp_path, source) as name:
        registry = deployed_interactions(name)
    assert "form" not in registry
    assert registry.named("approval").response_schema is bool


def test_a_module_runs_once_in_a_process(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    source = (
        f"{REGISTERING}\nwith open({str(runs)!r}, 'a') as file: file.write('x')\nINTERACTIONS = [own('acme_yes_or_no')]"
    )
    with adopter_module(tmp_path, source) as name:
        first, second = (deployed_interactions(name).named("acme_yes_or_no") for _ in range(2))
    assert first is second
    assert runs.read_text() == "x"


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("import no_such_module", "cannot be imported: ModuleNotFoundError of no_such_module in line 1"),
        (f"KEY = '{SECRET}'\nraise RuntimeError(KEY)", "cannot be imported: RuntimeError in line 2"),
        (f"def (:  # {SECRET}", "cannot be imported: SyntaxError"),
        (f"raise SystemExit('{SECRET}')", "cannot be imported: SystemExit in line 1"),
        (f"{REGISTERING}\nINTERACTIONS = [own('Not A Name')]", "cannot be imported: InvalidRequest in line 9"),
        ("INTERACTION = []", "has no INTERACTIONS"),
        ("INTERACTIONS = None", "has INTERACTIONS that cannot be used: TypeError"),
        ("INTERACTIONS = 'form'", "has INTERACTIONS that cannot be used: str is not a registration"),
        (
            f"INTERACTIONS = (int('{SECRET}') for _ in 'x')",
            "has INTERACTIONS that cannot be used: ValueError",
        ),
        (
            f"{REGISTERING}\nINTERACTIONS = [own('twice'), own('twice')]",
            "has INTERACTIONS that cannot be used: the interaction 'twice' is registered twice",
        ),
    ],
)
def test_a_module_that_fails_is_named_with_the_class_of_the_error_and_nothing_of_its_text(
    tmp_path: Path, source: str, why: str
) -> None:
    with adopter_module(tmp_path, source) as name, pytest.raises(InteractionConfigurationError) as refused:
        deployed_interactions(name)
    assert refused.value.reason == f"ASKBACK_INTERACTIONS: the module {NAME} {why}"
    assert NAME not in refused.value.detail


def test_a_module_that_is_missing_is_named() -> None:
    with pytest.raises(InteractionConfigurationError) as refused:
        deployed_interactions("no_such_module")
    assert refused.value.reason == (
        "ASKBACK_INTERACTIONS: the module no_such_module cannot be imported: ModuleNotFoundError of no_such_module"
    )

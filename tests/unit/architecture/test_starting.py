"""What a function loads when it starts, which its caller waits for: nothing that it does not serve with."""

import json
import subprocess
import sys
from typing import Any

import pytest

from local.emulated.functions import Function, read_functions
from tests.support.template import TEMPLATE, resolver
from tests.unit.architecture.sources import ROOT

FUNCTIONS = {
    function.code.name: function for function in read_functions(TEMPLATE, resolver(), ROOT) if not function.durable
}
USING_THE_LAYER = [name for name, function in FUNCTIONS.items() if "askback" in (function.code / "app.py").read_text()]
"""All but the page, which is three files in memory."""
AWS = {"AWS_DEFAULT_REGION": "us-east-1"}
_MODULES = "sorted(sys.modules)"
_COLLECTOR = "[gc.isenabled(), gc.get_freeze_count() > 50_000, gc.get_stats()[2]['collections'] - before]"


def started(function: Function, seen: str) -> Any:
    program = "import gc, json, sys; sys.path[:0] = sys.argv[1:]; before = gc.get_stats()[2]['collections']; "
    program += f"import app; print(json.dumps({seen}))"
    command = [sys.executable, "-Bc", program, str(function.code), str(ROOT / "layers" / "core")]
    done = subprocess.run(command, env=AWS | dict(function.environment), capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def loaded(function: Function) -> set[str]:
    return set(started(function, _MODULES))


@pytest.mark.parametrize("name", USING_THE_LAYER)
def test_the_collector_rests_until_a_function_has_started_and_leaves_what_it_loaded_alone(name: str) -> None:
    assert started(FUNCTIONS[name], _COLLECTOR) == [True, True, 0]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_no_function_loads_an_event_loop_or_what_boto3_adds_to_its_clients(name: str) -> None:
    assert not {"asyncio", "boto3", "s3transfer"} & loaded(FUNCTIONS[name])


def test_the_page_loads_nothing_but_its_files() -> None:
    """There is nothing for the collector to be kept from."""
    assert not [name for name in loaded(FUNCTIONS["page"]) if name.startswith(("askback", "aws_lambda", "pydantic"))]


def test_a_mint_is_ready_to_mint_and_does_not_load_what_resumes() -> None:
    modules = loaded(FUNCTIONS["mint"])
    assert {"askback.domain.mint.pause_mint", "askback.interactions", "jwt"} <= modules
    assert (
        not {"askback.domain.resume.eight_steps", "askback.domain.resume.outcome", "askback.domain.delivery.sweep"}
        & modules
    )


def test_a_resume_is_ready_to_resume_and_does_not_load_what_mints() -> None:
    modules = loaded(FUNCTIONS["resume"])
    assert {"askback.domain.resume.eight_steps", "askback.interactions", "jwt"} <= modules
    assert not {"askback.domain.mint.pause_mint", "askback.domain.delivery.sweep"} & modules


def test_a_sweep_loads_neither_schemas_nor_tokens() -> None:
    modules = loaded(FUNCTIONS["sweep"])
    assert "askback.domain.delivery.sweep" in modules
    assert (
        not {"jwt", "pydantic", "askback.domain.interactions.registry", "askback.domain.resume.eight_steps"} & modules
    )

"""What a function loads when it starts, which its caller waits for: nothing that it does not serve with."""

import ast
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from local.emulated.functions import Function, read_functions
from tests.support.template import TEMPLATE, resolver
from tests.unit.architecture.sources import PACKAGE, ROOT, python_files

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


MINTS = "askback.domain.mint.pause_mint"
RESUMES = "askback.domain.resume.eight_steps"
SWEEPS = "askback.domain.delivery.sweep"
ENDS = "askback.domain.delivery.ended"
SHOWS = "askback.domain.operators.inbox"
LINKS = "askback.domain.people.answer_links"
NOTIFIES = "askback.domain.people.notifier"
ROTATES = "askback.domain.keys.rotation"
DELIVERS = "askback.domain.delivery.delivery"
REGISTRY = "askback.domain.interactions.registry"
INTERACTIONS = "askback.interactions"
READS = "askback.domain.resume.outcome_reader"
BEARER = "askback.adapters.bearer_tokens"
TABLE = "askback.adapters.dynamodb.ledger"
AUDITS = "askback.domain.pause.decisions"
THREADS = "concurrent.futures.thread"
WORK = {MINTS, RESUMES, SWEEPS, ENDS, SHOWS, NOTIFIES, ROTATES, AUDITS}

READY: dict[str, set[str]] = {
    "mint": {MINTS, DELIVERS, INTERACTIONS, TABLE, "jwt", "pydantic", THREADS},
    "resume": {RESUMES, DELIVERS, INTERACTIONS, TABLE, "jwt", "pydantic"},
    "sweep": {SWEEPS, DELIVERS, TABLE},
    "ended": {ENDS, DELIVERS, TABLE},
    "inbox": {SHOWS, DELIVERS, TABLE, "pydantic"},
    "mcp": {MINTS, READS, DELIVERS, INTERACTIONS, TABLE, "jwt", "pydantic", THREADS},
    "user_mcp": {MINTS, READS, DELIVERS, INTERACTIONS, TABLE, BEARER, "jwt", "pydantic", THREADS},
    "links": {LINKS, TABLE, "jwt", "pydantic"},
    "notify": {NOTIFIES, TABLE, "jwt", THREADS},
    "rotate": {ROTATES, "jwt"},
    "audit": {AUDITS},
}
"""What each function has loaded when its first request comes."""
ABSENT: dict[str, set[str]] = {
    "mint": {"askback.domain.resume.outcome", LINKS},
    "resume": set(),
    "sweep": {"jwt", "pydantic", REGISTRY, INTERACTIONS},
    "ended": {"jwt", "pydantic", REGISTRY, INTERACTIONS},
    "inbox": {"jwt", REGISTRY, INTERACTIONS},
    "mcp": {BEARER, LINKS},
    "user_mcp": {LINKS},
    "links": {REGISTRY, INTERACTIONS, DELIVERS},
    "notify": {"pydantic", REGISTRY, INTERACTIONS, DELIVERS},
    "rotate": {"pydantic", REGISTRY, INTERACTIONS, DELIVERS, TABLE},
    "audit": {"jwt", "pydantic", REGISTRY, INTERACTIONS, DELIVERS, TABLE},
}
"""What each function does without, besides the work of the others."""


@pytest.mark.parametrize("name", USING_THE_LAYER)
def test_a_function_starts_ready_for_its_own_work_and_without_what_only_others_need(name: str) -> None:
    modules = loaded(FUNCTIONS[name])
    assert READY[name] - modules == set()
    assert (ABSENT[name] | (WORK - READY[name])) & modules == set()


@pytest.mark.parametrize(
    "path", python_files(PACKAGE / "wiring", ROOT / "functions"), ids=lambda path: f"{path.parent.name}/{path.name}"
)
def test_no_root_and_no_function_imports_anything_later(path: Path) -> None:
    """An import inside a function would make a request wait for it."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    inside = (node for function in functions for node in ast.walk(function))
    assert [ast.unparse(node) for node in inside if isinstance(node, ast.Import | ast.ImportFrom)] == []

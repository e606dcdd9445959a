"""The official conformance suite, of both revisions, against the mcp function behind the local gateway.

The function serves the fixture tools that the suite calls by name. Each scenario of a revision either succeeds in every
check, or stands below with the reason why a server of tools without streams does not have what it is about. Such a
scenario must fail: one that succeeds is no exception any more.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from askback.edge import handler as edge
from local.emulated.functions import Function, Handler
from local.emulated.stack import Stack
from tests.built.mcp.fixtures import fixture_catalogue
from tests.built.mcp.suite_runs import run_suite, scenarios_for_servers

pytestmark = pytest.mark.mcp

NO_RESOURCES = "the server has no resources"
NO_PROMPTS = "the server has no prompts, which complete arguments"
NO_STREAMS = "a reply is one JSON document, so the server sends no messages of its own during a call"
NO_SESSIONS = "the server keeps no sessions"
NO_HEADERS = "no tool asks for a header of its own"
FLAT = "the arguments of every tool are written flat, without references, because models read them"

NOT_OFFERED = {
    "completion-complete": NO_PROMPTS,
    "prompts-list": NO_PROMPTS,
    "prompts-get-simple": NO_PROMPTS,
    "prompts-get-with-args": NO_PROMPTS,
    "prompts-get-embedded-resource": NO_PROMPTS,
    "prompts-get-with-image": NO_PROMPTS,
    "input-required-result-non-tool-request": NO_PROMPTS,
    "resources-list": NO_RESOURCES,
    "resources-read-text": NO_RESOURCES,
    "resources-read-binary": NO_RESOURCES,
    "resources-templates-read": NO_RESOURCES,
    "resources-subscribe": NO_RESOURCES,
    "resources-unsubscribe": NO_RESOURCES,
    "sep-2164-resource-not-found": NO_RESOURCES,
    "http-custom-header-server-validation": NO_HEADERS,
    "json-schema-2020-12": FLAT,
    "logging-set-level": NO_STREAMS,
    "tools-call-with-logging": NO_STREAMS,
    "tools-call-with-progress": NO_STREAMS,
    "tools-call-sampling": NO_STREAMS,
    "tools-call-elicitation": NO_STREAMS,
    "elicitation-sep1034-defaults": NO_STREAMS,
    "elicitation-sep1330-enums": NO_STREAMS,
    "server-sse-polling": NO_STREAMS,
}
"""What a scenario is about, and why the server does not offer it."""
NOT_OFFERED_CHECKS = {
    "caching": {
        "sep-2549-prompts-list-caching-hints": NO_PROMPTS,
        "sep-2549-resources-list-caching-hints": NO_RESOURCES,
        "sep-2549-resources-templates-list-caching-hints": NO_RESOURCES,
        "sep-2549-resources-read-caching-hints": NO_RESOURCES,
    },
}
"""The same for checks of a scenario whose other checks succeed."""
OLDER_CHECKS = {"server-sse-multiple-streams": {"server-sse-multiple-streams-session": NO_SESSIONS}}
"""The same for the older revision alone."""
SKIPPED = {
    "server-stateless": "the server offers nothing that a client could subscribe to",
    "tasks-status-notifications": "the suite itself leaves it out",
}
"""Scenarios with checks that the suite itself does not make here."""


@pytest.fixture(scope="module")
def served() -> Iterator[Stack]:
    def load(function: Function) -> Handler:
        handler = function.load()
        if function.code.name != "mcp":
            return handler
        assert isinstance(handler, edge.Handler)
        return handler.rebuilt(catalogue=fixture_catalogue())

    with Stack(load=load) as up:
        yield up


@pytest.mark.parametrize(
    ("revision", "least", "own"),
    [("2026-07-28", 50, {}), ("2025-11-25", 32, OLDER_CHECKS)],
)
def test_every_scenario_that_applies_succeeds(
    served: Stack, tmp_path: Path, revision: str, least: int, own: dict[str, dict[str, str]]
) -> None:
    checks = run_suite(f"{served.url}/mcp", "--requirements", revision, out=tmp_path)

    wrong: dict[str, list[str]] = {}
    for scenario, statuses in checks.items():
        excused = set((NOT_OFFERED_CHECKS | own).get(scenario, {}))
        bad = statuses.get("FAILURE", set()) | statuses.get("WARNING", set())
        if scenario not in SKIPPED:
            bad |= statuses.get("SKIPPED", set())
        if scenario in NOT_OFFERED:
            wrong |= {} if bad else {scenario: ["succeeds, so it is no exception"]}
        elif bad != excused:
            wrong[scenario] = sorted(bad ^ excused)
    assert wrong == {}
    assert len(checks) >= least


def test_no_exception_is_left_over() -> None:
    """Each names a scenario of the suite."""
    assert {*NOT_OFFERED, *NOT_OFFERED_CHECKS, *OLDER_CHECKS, *SKIPPED} <= scenarios_for_servers()

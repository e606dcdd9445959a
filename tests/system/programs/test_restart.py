"""A pause outlives the process that made it, and is answered once however many processes try."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from typing import Any

import pytest

from local.demo.story import Transcript, resume_request
from local.emulated.cloud import Cloud
from local.emulated.functions import Function
from local.emulated.gateway import LOCAL_USER
from local.emulated.http_events import Request, build_event
from local.emulated.routes import find_route
from tests.support.processes import lines_until, started


@pytest.fixture
def cloud() -> Iterator[Cloud]:
    with Cloud() as up:
        yield up


def test_a_pause_minted_in_one_process_resumes_in_another_with_its_whole_turn(cloud: Cloud) -> None:
    """A-03: nothing is read from the memory of the process that minted."""
    transcript = Transcript.refund()
    minted = _in_fresh_processes(cloud, "/pauses", [transcript.mint_request()])[0]

    status, resumed = _in_fresh_processes(cloud, "/resume", [_answer(minted[1], "Approve")])[0]

    assert (minted[0], status) == (201, 200)
    assert json.dumps(resumed["turn"]["messages"], sort_keys=True) == json.dumps(transcript.messages, sort_keys=True)
    assert resumed["turn"]["open_tool_call_ids"] == []


def test_three_processes_with_one_token_and_one_answer_consume_it_once(cloud: Cloud) -> None:
    """A-03: the others get the same receipt, replayed."""
    _, pause = _in_fresh_processes(cloud, "/pauses", [Transcript.refund().mint_request()])[0]

    answers = _in_fresh_processes(cloud, "/resume", [_answer(pause, "Approve")] * 3)

    assert [status for status, _ in answers] == [200, 200, 200]
    assert sorted(outcome["replayed"] for _, outcome in answers) == [False, True, True]
    assert len({outcome["answered_at"] for _, outcome in answers}) == 1


def _answer(pause: dict[str, Any], label: str) -> dict[str, Any]:
    question = pause["payload"]["questions"][0]["id"]
    return resume_request(pause["pause_token"], question, label)


def _in_fresh_processes(cloud: Cloud, path: str, bodies: Sequence[dict[str, Any]]) -> list[tuple[int, dict[str, Any]]]:
    """One fresh process per body, all ready before the first gets its event; status and document of each."""
    function, events = _events(cloud, path, bodies)
    with ExitStack() as running:
        processes = [
            running.enter_context(
                started("tests.support.fresh_process", str(function.code), function.handler, **function.environment)
            )
            for _ in events
        ]
        for process in processes:
            lines_until(process, "ready")
        for process, event in zip(processes, events, strict=True):
            _send(process, event)
        return [_result(process) for process in processes]


def _events(cloud: Cloud, path: str, bodies: Sequence[dict[str, Any]]) -> tuple[Function, list[dict[str, Any]]]:
    found = find_route(cloud.routes, "POST", path)
    assert found is not None
    route, _ = found
    function = next(each for each in cloud.functions if each.name == route.function)
    events = [
        build_event(
            Request(
                method="POST",
                target=path,
                headers=(("content-type", "application/json"),),
                body=json.dumps(body).encode(),
            ),
            route,
            path_parameters={},
            authorizer={"iam": LOCAL_USER},
        )
        for body in bodies
    ]
    return function, events


def _send(process: subprocess.Popen[str], event: dict[str, Any]) -> None:
    assert process.stdin is not None
    process.stdin.write(json.dumps(event) + "\n")
    process.stdin.flush()


def _result(process: subprocess.Popen[str]) -> tuple[int, dict[str, Any]]:
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line, process.stderr.read() if process.stderr else ""
    result = json.loads(line)
    return result["statusCode"], json.loads(result["body"])

"""The cases that every client must pass, by the Python client; `clients/typescript` runs the same file.

A case is a list of calls against `make serve`. A text `$name.path` is an earlier result, or a part of it.
"""

from __future__ import annotations

import json
import re
import signal
from collections.abc import Iterator, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

import pytest

import askback
from askback import AskbackClient, HttpTransport, NoReply
from askback.client.refusals import error_in
from askback.client.transport import Action, Reply
from askback.domain.errors import REFUSALS
from local.demo.api_client import Client
from local.emulated.template import REGION
from tests.support.processes import lines_until, started

CASES: Final = json.loads((Path(__file__).parents[2] / "support" / "client_cases.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with started("local.serve", "--port", "0") as serving:
        yield re.findall(r"http://[\d.:]+\d", "".join(lines_until(serving, "# Ready")))[0]
        serving.send_signal(signal.SIGTERM)


@pytest.fixture
def credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "local")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "local")


def _named(cases: list[dict[str, Any]]) -> list[Any]:
    return [pytest.param(case, id=case["name"].replace(" ", "-")) for case in cases]


@pytest.mark.parametrize("case", _named(CASES["cases"]))
@pytest.mark.usefixtures("credentials")
def test_a_case_against_the_served_deployment(case: dict[str, Any], url: str) -> None:
    client = AskbackClient(HttpTransport(url, region=REGION))
    results: dict[str, Any] = {}
    for step in case["steps"]:
        if "advance_seconds" in step:
            Client(url).post("/local/clock", {"advance_seconds": step["advance_seconds"]})
        else:
            results[step.get("as", "")] = made(client, step, results)


@pytest.mark.parametrize("build", CASES["builds"])
def test_a_question_or_an_answer_has_the_form_of_the_api(build: dict[str, Any]) -> None:
    assert json.loads(json.dumps(value_of(build, {}))) == build["is"]


@pytest.mark.parametrize("problem", CASES["problems"])
def test_a_problem_is_read_into_its_error(problem: dict[str, Any]) -> None:
    error = error_in(Reply(status=problem["status"], document=problem["document"]))
    assert type(error).__name__ == problem["error"]
    assert str(error) == problem.get("text", str(error))
    check(error, problem.get("expect", {}), {})


def test_every_refusal_has_a_case() -> None:
    assert {refusal.__name__ for refusal in REFUSALS} <= {problem["error"] for problem in CASES["problems"]}


class _Scripted:
    """A transport that gives the replies of a case, one for each attempt."""

    def __init__(self, replies: list[Any]) -> None:
        self.left = list(replies)

    def send(self, action: Action, body: Mapping[str, Any]) -> Reply:
        reply = self.left.pop(0)
        if reply == "lost":
            raise NoReply("ConnectTimeoutError")
        return Reply(**{"retry_after_seconds": 0, **reply})


@pytest.mark.parametrize("case", _named(CASES["retries"]))
def test_a_call_is_repeated_only_when_it_may_be(case: dict[str, Any]) -> None:
    transport, waits = _Scripted(case["replies"]), list[float]()
    client = AskbackClient(transport, sleep=waits.append, jitter=lambda: 0.0, clock=lambda: 0.0)
    made(client, case, {})
    assert (len(case["replies"]) - len(transport.left), waits) == (case["attempts"], case["waits"])


def made(client: AskbackClient, step: dict[str, Any], results: dict[str, Any]) -> Any:
    """Make a call, check its result or its error, and return the result."""
    arguments = [value_of(argument, results) for argument in step["args"]]
    options = {name: value_of(value, results) for name, value in step.get("options", {}).items()}
    if "timeout_seconds" in options:
        options["timeout"] = timedelta(seconds=options.pop("timeout_seconds"))
    call = getattr(client, step["call"])
    if "error" in step:
        with pytest.raises(getattr(askback, step["error"])) as raised:
            call(*arguments, **options)
        assert type(raised.value).__name__ == step["error"]
        result = raised.value
    else:
        result = call(*arguments, **options)
    check(result, step.get("expect", {}), results)
    return result


def value_of(value: Any, results: dict[str, Any]) -> Any:
    """Return an argument: an earlier result, what a function of the client writes, or the value itself."""
    if isinstance(value, str) and value.startswith("$"):
        name, *path = value[1:].split(".")
        return part_of(results[name], path)
    if isinstance(value, dict) and "build" in value:
        arguments = [value_of(argument, results) for argument in value.get("args", [])]
        options = {name: value_of(option, results) for name, option in value.get("options", {}).items()}
        if value["build"] == "choose" and isinstance(arguments[0], dict):
            arguments[0] = _Asked(arguments[0]["payload"])
        return getattr(askback, value["build"])(*arguments, **options)
    if isinstance(value, list):
        return [value_of(item, results) for item in value]
    return value


class _Asked:
    def __init__(self, payload: dict[str, Any]) -> None:
        self.payload = payload


def check(result: Any, expected: dict[str, Any], results: dict[str, Any]) -> None:
    """Compare the named parts of a result."""
    found = {path: plain(part_of(result, path.split("."))) for path in expected}
    assert found == {path: plain(value_of(value, results)) for path, value in expected.items()}


def part_of(result: Any, path: list[str]) -> Any:
    """Return a part of a result by names of fields, keys and positions."""
    for step in path:
        if isinstance(result, Mapping):
            result = result[step]
        else:
            result = result[int(step)] if step.isdigit() else getattr(result, step)
    return result


def plain(value: Any) -> Any:
    """Return the value with lists in place of tuples, as JSON has it."""
    return [plain(item) for item in value] if isinstance(value, list | tuple) else value

"""Clients and servers of the released MCP SDKs in processes of their own: they end, are killed, and share nothing.

The emulated AWS lives in the process of the test, as AWS would. A day passes on its clock.
"""

import json
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from askback import AskbackClient, HttpTransport, approve, choose
from local.demo.client_variables import client_variables
from local.emulated.clock import MovedClock
from local.emulated.stack import Stack
from tests.built.mcp.suite_runs import run_suite
from tests.support.processes import PATIENCE_SECONDS, environment, started

pytestmark = pytest.mark.mcp

ROOT = Path(__file__).parents[3]
TOOLS = ["ask_human", "get_answer", "revoke_question", "list_my_open_questions"]
DAY = 24 * 3600
QUESTION = {
    "question": "Refund 49.90 EUR?",
    "options": [{"label": "Approve"}, {"label": "Reject"}],
    "expires_in_seconds": 2 * 24 * 3600,
}
YES = {"action": "accept", "content": {"decision": "approve"}}
NO = {"action": "accept", "content": {"decision": "reject"}}

NEW = (sys.executable, "-m", "tests.built.mcp.client")
OLD = (str(ROOT / ".venv-mcp-sdk-v1/bin/python"), "-m", "tests.built.mcp.v1.client")
CLIENTS = {"mcp-2": (NEW, "auto"), "mcp-2-older-revision": (NEW, "legacy"), "mcp-1": (OLD, "")}
"""Each client, and how it connects; `auto` takes the newest revision that the server has."""


@pytest.fixture(scope="module")
def stack() -> Iterator[Stack]:
    with Stack(clock=MovedClock()) as up:
        yield up


@pytest.fixture
def person(stack: Stack) -> AskbackClient:
    """What brings links to a person, and answers through them."""
    return AskbackClient(HttpTransport(stack.url, region="us-east-1"))


def calls(client: tuple[str, ...], plan: dict[str, Any], *made: dict[str, Any]) -> list[Any]:
    """Return what a client of its own process printed: the names of the tools, and the result of each call."""
    done = subprocess.run(
        [*client, json.dumps(plan | {"calls": made})],
        cwd=ROOT,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return [json.loads(line) for line in done.stdout.splitlines()]


def call(tool: str, **arguments: Any) -> dict[str, Any]:
    return {"tool": tool, "arguments": arguments}


def pass_time(stack: Stack, seconds: int) -> None:
    body = json.dumps({"advance_seconds": seconds}).encode()
    with urllib.request.urlopen(f"{stack.url}/local/clock", data=body) as reply:  # noqa: S310 - our own address
        assert reply.status == 200


def answer(person: AskbackClient, jti: str, label: str) -> None:
    links = person.links(jti)
    person.answer(links, choose(person.question(links), label))


@pytest.mark.parametrize("name", CLIENTS)
def test_a_client_asks_ends_and_another_one_gets_the_answer(stack: Stack, person: AskbackClient, name: str) -> None:
    client, mode = CLIENTS[name]
    plan = {"url": f"{stack.url}/mcp", **({"mode": mode} if mode else {})}

    tools, asked, listed = calls(client, plan, call("ask_human", **QUESTION), call("list_my_open_questions"))
    facts = asked["structuredContent"]
    answer(person, facts["pause"], "Approve")
    [_, read, left] = calls(client, plan, call("get_answer", pause=facts["pause"]), call("list_my_open_questions"))

    assert tools == TOOLS
    assert (facts["status"], facts["next"]) == ("open", "get_answer")
    found = read["structuredContent"]
    assert (found["status"], found["answers"][0]["selected"]) == ("answered", ["Approve"])
    assert (found["assurance"], found["by_policy"]) == ("link", False)
    assert facts["pause"] in json.dumps(listed)
    assert facts["pause"] not in json.dumps(left)
    for said in (asked, listed, read, left):
        assert "eyJ" not in json.dumps(said), "no result has a token"


def test_a_call_that_waits_gets_the_answer(stack: Stack, person: AskbackClient) -> None:
    plan = {"url": f"{stack.url}/mcp", "calls": [call("ask_human", **QUESTION, wait_seconds=25)]}
    with subprocess.Popen(
        [*NEW, json.dumps(plan)], cwd=ROOT, env=environment(), stdout=subprocess.PIPE, text=True
    ) as waiting:
        assert waiting.stdout is not None
        assert json.loads(waiting.stdout.readline()) == TOOLS
        answer(person, _open_question(stack), "Approve")
        facts = json.loads(waiting.stdout.readline())["structuredContent"]

    assert facts["status"] == "answered"


@pytest.mark.parametrize(
    ("revision", "scenarios"),
    [
        ("2026-07-28", ["tools-list", "http-header-validation", "dns-rebinding-protection"]),
        ("2025-11-25", ["tools-list", "server-initialize", "ping"]),
    ],
)
def test_the_own_tools_pass_the_scenarios_that_call_no_fixture(
    stack: Stack, tmp_path: Path, revision: str, scenarios: list[str]
) -> None:
    for scenario in scenarios:
        options = ("--scenario", scenario, "--spec-version", revision)
        [checks] = run_suite(f"{stack.url}/mcp", *options, out=tmp_path / scenario).values()
        assert checks.keys() <= {"SUCCESS", "INFO"}, (scenario, checks)


@contextmanager
def serving(ahead_seconds: int = 0) -> Iterator[str]:
    """The mcp function in a process of its own, which is killed at the end; yields its address."""
    with started("tests.built.mcp.serving", str(ahead_seconds), **os.environ) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()


def test_client_and_server_are_killed_while_they_wait_and_others_get_the_answer_a_day_later(
    stack: Stack, person: AskbackClient
) -> None:
    ask = call("ask_human", **QUESTION, wait_seconds=25)
    with serving() as url:
        plan = json.dumps({"url": url, "calls": [ask]})
        waiting = subprocess.Popen([*OLD, plan], cwd=ROOT, env=environment(), stdout=subprocess.PIPE, text=True)
        with waiting:
            assert waiting.stdout is not None
            assert json.loads(waiting.stdout.readline()) == TOOLS
            jti = _open_question(stack)
            waiting.kill()

    pass_time(stack, DAY)
    answer(person, jti, "Reject")

    with serving(ahead_seconds=DAY) as url:
        [_, read] = calls(NEW, {"url": url}, call("get_answer", pause=jti))
    assert read["structuredContent"]["answers"][0]["selected"] == ["Reject"]


def _open_question(stack: Stack) -> str:
    """Return the id of the one open question, once it is asked."""
    params = {"name": "list_my_open_questions", "arguments": {}}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()
    headers = {"content-type": "application/json", "mcp-protocol-version": "2025-11-25"}
    end = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < end:
        request = urllib.request.Request(f"{stack.url}/mcp", body, headers)  # noqa: S310 - our own address
        with urllib.request.urlopen(request) as reply:  # noqa: S310 - the same
            asked = json.load(reply)["result"]["structuredContent"]["open"]
        if asked:
            return str(asked[0]["pause"])
        time.sleep(0.1)
    raise AssertionError("the question was never asked")


class TestTheExampleServer:
    """docs/examples/mcp_server.py, which a client starts for each round."""

    @pytest.fixture
    def plan(self, stack: Stack, tmp_path: Path) -> dict[str, Any]:
        server = [sys.executable, str(ROOT / "docs/examples/mcp_server.py"), "--state", str(tmp_path), "--decides"]
        variables = environment() | client_variables(stack.url) | {"STATE_KEY": "a secret of thirty-two bytes, or more"}
        return {"command": server, "env": variables}

    def test_the_same_request_state_twice_gives_one_payment(
        self, plan: dict[str, Any], tmp_path: Path, person: AskbackClient
    ) -> None:
        plan = plan | {"command": [*plan["command"], "user"], "elicits": True}
        refund = call("pay_refund", order="A-1009")

        [_, first] = calls(NEW, plan, refund)
        state = first["requestState"]
        _, *rounds = calls(NEW, plan, *(refund | {"state": state, "reply": reply} for reply in (YES, YES, NO)))

        assert first["resultType"] == "input_required"
        assert "eyJ" not in state, "the pause token is sealed"
        texts = [each["content"][0]["text"] for each in rounds]
        assert texts == ["paid for A-1009, now", "paid for A-1009, as before", "paid for A-1009, as before"]
        assert len(list(tmp_path.iterdir())) == 1

    def test_another_person_answers_a_day_later(
        self, plan: dict[str, Any], tmp_path: Path, stack: Stack, person: AskbackClient
    ) -> None:
        plan = plan | {"command": [*plan["command"], "other"]}
        refund = call("pay_refund", order="A-2000")

        [_, first] = calls(NEW, plan, refund)
        text = first["content"][0]["text"]
        jti = text.partition("The question ")[2].partition(" ")[0]
        pass_time(stack, DAY)
        person.answer(person.links(jti), approve())
        [_, second, third] = calls(NEW, plan, refund, refund)

        assert first["isError"]
        assert "no person has answered yet" in text
        assert second["content"][0]["text"] == "paid for A-2000, now"
        assert third["content"][0]["text"] == "paid for A-2000, as before"
        assert len(list(tmp_path.iterdir())) == 1

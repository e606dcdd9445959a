"""The demo as a person or a pipeline runs it."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator

import pytest

from local.demo.api_client import Client
from tests.support.person import PROMPT, Person, at_a_terminal
from tests.support.processes import run

_TOKEN = re.compile(r"[\w-]{20,}\.[\w-]{20,}\.[\w-]{20,}")


@pytest.fixture
def person() -> Iterator[Person]:
    with at_a_terminal() as somebody:
        yield somebody


@pytest.fixture(scope="module")
def done() -> subprocess.CompletedProcess[str]:
    """Return the demo that was run without a terminal."""
    return run("local.run")


def test_without_a_terminal_the_demo_chooses_the_first_option_and_all_checks_pass(
    done: subprocess.CompletedProcess[str],
) -> None:
    assert (done.returncode, done.stderr) == (0, "")
    assert "chooses the first option: Approve" in done.stdout
    assert "7 messages, equal to the recorded ones" in done.stdout
    assert "409 already-answered" in done.stdout
    assert "the first receipt again" in done.stdout
    assert done.stdout.endswith("Done. All checks passed.\n")


def test_without_a_terminal_the_output_is_plain_and_has_no_usable_token(
    done: subprocess.CompletedProcess[str],
) -> None:
    assert "\x1b" not in done.stdout
    assert not _TOKEN.search(done.stdout)


def test_an_execution_is_seen_waiting_answered_twice_and_continuing_once(
    done: subprocess.CompletedProcess[str],
) -> None:
    require_one_continuation(done.stdout)


@pytest.mark.slow
def test_the_workflow_alone_is_seen_waiting_answered_twice_and_continuing_once() -> None:
    done = run("local.run", "--flow", "workflow")
    assert (done.returncode, done.stderr) == (0, "")
    require_one_continuation(done.stdout)


@pytest.mark.slow
def test_logs_go_to_standard_error() -> None:
    done = run("local.run", "--logs")
    assert '{"' not in re.sub(r"^\s+tool .*$", "", done.stdout, flags=re.MULTILINE)
    assert '{"' in done.stderr


def require_one_continuation(output: str) -> None:
    shown = output.partition("A Step Functions execution asks")[2]
    lines = [" ".join(line.split()) for line in shown.splitlines()]
    waiting, answered = lines.index("states NameQuestion → Ask, RUNNING"), lines.index("POST /answers 200, delivered")
    again, ended = lines.index("POST /answers 200, the first receipt again"), lines.index("continued once")
    assert waiting < answered < again < lines.index("states NameQuestion → Ask → Decide → Approved, SUCCEEDED") < ended
    assert "decision approved" in lines
    assert shown.endswith("Done. All checks passed.\n")


def test_a_person_at_a_terminal_is_asked_again_after_a_slip_and_can_take_the_second_option(person: Person) -> None:
    person.reads_until(PROMPT)
    person.types("7\n")
    person.reads_until("Please type a number from 1 to 2, or one of: Approve, Reject.")
    person.reads_until(PROMPT)
    person.types("reject\n")
    person.reads_until("A second, different answer is sent: Approve")
    person.reads_until(PROMPT)
    person.types("2\n")

    assert person.reads_to_the_end() == 0, person.seen
    assert "NameQuestion → Ask → Decide → Rejected, SUCCEEDED" in person.seen
    assert "Done. All checks passed." in person.seen


@pytest.mark.slow
def test_what_is_typed_ahead_is_taken_when_it_is_asked_for(person: Person) -> None:
    person.reads_until(PROMPT)
    person.types("1\n2\n")

    assert person.reads_to_the_end() == 0, person.seen
    assert "NameQuestion → Ask → Decide → Rejected, SUCCEEDED" in person.seen


def test_a_person_who_answers_through_the_link_sees_the_workflow_go_on() -> None:
    with at_a_terminal("--flow", "workflow") as person:
        person.reads_until(PROMPT)
        url, token = person.link()
        people = Client(url)
        question = people.post("/questions", {"answer_token": token}).document["payload"]["questions"][0]
        response = {"answers": [{"question_id": question["id"], "selections": ["Reject"]}]}
        assert people.post("/answers", {"answer_token": token, "response": response}).status == 200

        assert person.reads_to_the_end() == 0, person.seen
    assert "The answer came through the link" in person.seen
    assert "NameQuestion → Ask → Decide → Rejected, SUCCEEDED" in person.seen
    assert "Done. All checks passed." in person.seen


@pytest.mark.parametrize("by", ["end of input", "interrupt"])
def test_a_person_who_leaves_gets_one_line_and_no_traceback(person: Person, by: str) -> None:
    person.reads_until(PROMPT)
    if by == "interrupt":
        person.interrupts()
    else:
        person.types("\x04")

    assert person.reads_to_the_end() == 1
    assert "askback: stopped, because there was no answer" in person.seen
    assert "Traceback" not in person.seen

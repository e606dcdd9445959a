"""The demo as a person or a pipeline runs it."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.e2e.processes import ROOT, ended_in_time, environment, interrupts_reach_children, run

_PROMPT = "number or label: "
_TOKEN = re.compile(r"[\w-]{20,}\.[\w-]{20,}\.[\w-]{20,}")


class Person:
    """Somebody at a terminal, in front of the running demo."""

    def __init__(self, terminal: int, process: subprocess.Popen[bytes]) -> None:
        self._terminal = terminal
        self._process = process
        self.seen = ""
        self._read = 0

    def reads_until(self, text: str) -> None:
        """Read on until the text has come up; fails when the demo ends before."""
        while (found := self.seen.find(text, self._read)) < 0:
            assert self._reads_on(), f"the demo ended without {text!r}: {self.seen}"
        self._read = found + len(text)

    def reads_to_the_end(self) -> int:
        """Read whatever comes and return the exit status."""
        while self._reads_on():
            pass
        return self._process.wait()

    def types(self, text: str) -> None:
        os.write(self._terminal, text.encode())

    def interrupts(self) -> None:
        self._process.send_signal(signal.SIGINT)

    def _reads_on(self) -> bool:
        try:
            piece = os.read(self._terminal, 4096)
        except OSError:  # Linux's way to say that the other side has closed
            return False
        self.seen += piece.decode(errors="replace")
        return bool(piece)


@pytest.fixture
def person() -> Iterator[Person]:
    terminal, inner = pty.openpty()
    with interrupts_reach_children():
        process = subprocess.Popen(
            [sys.executable, "-m", "local.run"], cwd=ROOT, env=environment(), stdin=inner, stdout=inner, stderr=inner
        )
    os.close(inner)
    with process, ended_in_time(process):
        try:
            yield Person(terminal, process)
        finally:
            process.kill()
            os.close(terminal)


def test_without_a_terminal_the_first_option_is_taken_and_everything_is_as_it_should_be() -> None:
    done = run("local.run")

    assert (done.returncode, done.stderr) == (0, "")
    assert "the first option is taken: Approve" in done.stdout
    assert "7 messages, equal to those recorded" in done.stdout
    assert "409 already-answered" in done.stdout
    assert "the first receipt again" in done.stdout
    assert done.stdout.endswith("Everything was as it should be.\n")


def test_without_a_terminal_the_output_is_plain_and_has_no_usable_token() -> None:
    shown = run("local.run", ASKBACK_LOCAL_LOGS="1").stdout

    assert "\x1b" not in shown
    assert not _TOKEN.search(shown)
    assert '{"' not in re.sub(r"^\s+tool .*$", "", shown, flags=re.MULTILINE), "logs belong to standard error"


def test_a_person_at_a_terminal_is_asked_again_after_a_slip_and_can_take_the_second_option(person: Person) -> None:
    person.reads_until(_PROMPT)
    person.types("7\n")
    person.reads_until("Please type a number from 1 to 2, or one of: Approve, Reject.")
    person.reads_until(_PROMPT)
    person.types("reject\n")

    assert person.reads_to_the_end() == 0, person.seen
    assert "Somebody answers again, with Approve" in person.seen
    assert "Everything was as it should be." in person.seen


@pytest.mark.parametrize("by", ["end of input", "interrupt"])
def test_a_person_who_leaves_gets_one_line_and_no_traceback(person: Person, by: str) -> None:
    person.reads_until(_PROMPT)
    if by == "interrupt":
        person.interrupts()
    else:
        person.types("\x04")

    assert person.reads_to_the_end() == 1
    assert "askback: no answer given" in person.seen
    assert "Traceback" not in person.seen

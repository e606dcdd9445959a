"""The demo as a person or a pipeline runs it."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import sys

import pytest

from tests.e2e.processes import ROOT, ended_in_time, environment, run

_PROMPT = "number or label: "
_TOKEN = re.compile(r"[\w-]{20,}\.[\w-]{20,}\.[\w-]{20,}")


class Person:
    """Somebody at a terminal, in front of the running demo."""

    def __init__(self) -> None:
        self._terminal, inner = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "local.run"],
            cwd=ROOT,
            env=environment(),
            stdin=inner,
            stdout=inner,
            stderr=inner,
            start_new_session=True,
        )
        os.close(inner)
        self.seen = ""

    def reads_until(self, text: str) -> None:
        """Read on until the text stands on the screen, or the demo is over."""
        start = len(self.seen)
        while text not in self.seen[start:]:
            try:
                piece = os.read(self._terminal, 4096)
            except OSError:  # Linux's way to say that the other side has closed
                piece = b""
            if not piece:
                raise AssertionError(f"the demo ended without {text!r}: {self.seen}")
            self.seen += piece.decode(errors="replace")

    def types(self, text: str) -> None:
        os.write(self._terminal, text.encode())

    def reads_to_the_end(self) -> int:
        with pytest.raises(AssertionError, match="ended without"):
            self.reads_until("text that nobody writes")
        os.close(self._terminal)
        return self.process.wait()


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


def test_a_person_at_a_terminal_is_asked_again_after_a_slip_and_can_take_the_second_option() -> None:
    person = Person()
    with ended_in_time(person.process):
        person.reads_until(_PROMPT)
        person.types("7\n")
        person.reads_until("Please type a number from 1 to 2, or one of: Approve, Reject.")
        person.reads_until(_PROMPT)
        person.types("reject\n")
        status = person.reads_to_the_end()

    assert status == 0, person.seen
    assert "Somebody answers again, with Approve" in person.seen
    assert "Everything was as it should be." in person.seen


@pytest.mark.parametrize("by", ["end of input", "interrupt"])
def test_a_person_who_leaves_gets_one_line_and_no_traceback(by: str) -> None:
    person = Person()
    with ended_in_time(person.process):
        person.reads_until(_PROMPT)
        if by == "interrupt":
            person.process.send_signal(signal.SIGINT)
        else:
            person.types("\x04")
        status = person.reads_to_the_end()

    assert status == 1
    assert "askback: no answer given" in person.seen
    assert "Traceback" not in person.seen

"""Plain, calm text on a terminal: numbered steps, aligned facts, one question."""

from __future__ import annotations

import json
import os
import select
from collections.abc import Callable, Sequence
from typing import Any, Final, TextIO

_WIDTH: Final = 100
_LABEL: Final = 17
_LOOK_SECONDS: Final = 0.3


class NoAnswerError(Exception):
    """The terminal was closed before anybody answered."""


class Terminal:
    """Writes to one stream and reads from another; bold and dim only where a person looks on."""

    def __init__(self, source: TextIO, target: TextIO) -> None:
        self._source = source
        self._target = target
        self._typed = b""
        self._styled = target.isatty() and "NO_COLOR" not in os.environ

    @property
    def interactive(self) -> bool:
        """Whether a person is there to be asked."""
        return self._source.isatty()

    def line(self, text: str = "") -> None:
        """One line as it is."""
        self._write(text + "\n")

    def step(self, number: int, title: str) -> None:
        """The heading of a step."""
        self.line()
        self.line(f"{number}  {self._style('1', title)}")

    def fact(self, label: str, text: str) -> None:
        """One thing worth knowing, under its label."""
        self.line(f"   {self._style('2', label.ljust(_LABEL))}{shortened(text, _WIDTH - _LABEL)}")

    def choose(self, question: str, options: Sequence[tuple[str, str]]) -> str:
        """Show a question and return the label taken; the first one when nobody is there.

        A number or a label counts, in any case of letters; anything else is asked again. Raises
        NoAnswerError when the terminal is closed.
        """
        taken = self.choose_or_wait(question, options, answered_elsewhere=lambda: False)
        return taken or options[0][0]

    def choose_or_wait(
        self, question: str, options: Sequence[tuple[str, str]], *, answered_elsewhere: Callable[[], bool]
    ) -> str | None:
        """As `choose`, and None once the answer has come in another way."""
        labels = [label for label, _ in options]
        width = max(len(label) for label in labels)
        self.line()
        self.line(f"   {self._style('1', question)}")
        for number, (label, description) in enumerate(options, start=1):
            self.line(f"     {number}  {label.ljust(width)}   {self._style('2', description)}".rstrip())
        self.line()
        if not self.interactive:
            self.line(f"   Nobody is at a terminal, so the first option is taken: {labels[0]}")
            return labels[0]
        while True:
            self._write("   Your answer, number or label: ")
            typed = self._line_typed(answered_elsewhere)
            if typed is None:
                self.line()
                return None
            taken = _taken(typed.strip(), labels)
            if taken is not None:
                return taken
            self.line(f"   Please type a number from 1 to {len(labels)}, or one of: {', '.join(labels)}.")

    def _line_typed(self, answered_elsewhere: Callable[[], bool]) -> str | None:
        # Read here and not through the stream: what stands in its buffer, nobody could wait for.
        while b"\n" not in self._typed:
            if select.select([self._source], [], [], _LOOK_SECONDS)[0]:
                piece = os.read(self._source.fileno(), 4096)
                if not piece:
                    raise NoAnswerError
                self._typed += piece
            elif answered_elsewhere():
                return None
        line, _, self._typed = self._typed.partition(b"\n")
        return line.decode(errors="replace")

    def _style(self, code: str, text: str) -> str:
        return f"\033[{code}m{text}\033[0m" if self._styled and text else text

    def _write(self, text: str) -> None:
        self._target.write(text)
        self._target.flush()


def shortened(text: str, width: int) -> str:
    """The text on one line of at most `width` characters."""
    flat = " ".join(text.split())
    return flat if len(flat) <= width else flat[: width - 1] + "…"


def token_shown(token: str) -> str:
    """Enough of a token to recognise it and too little to use it."""
    return f"{token[:12]}… ({len(token)} characters)"


def message_shown(message: dict[str, Any]) -> str:
    """One chat message in words: its text, its pictures, the calls it makes."""
    content = message.get("content")
    parts = [content] if isinstance(content, str) else [_part_shown(part) for part in content or []]
    calls = [call["function"]["name"] for call in message.get("tool_calls", [])]
    if calls:
        parts.append(f"[calls {', '.join(calls)}]")
    return " ".join(parts)


def _part_shown(part: dict[str, Any]) -> str:
    kind = part.get("type", "part")
    return str(part["text"]) if kind == "text" else f"[{kind}, {len(json.dumps(part))} bytes]"


def _taken(typed: str, labels: Sequence[str]) -> str | None:
    if typed.isdecimal() and 1 <= int(typed) <= len(labels):
        return labels[int(typed) - 1]
    return next((label for label in labels if label.casefold() == typed.casefold()), None)

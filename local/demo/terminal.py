"""Text on a terminal: numbered steps, aligned facts, and a question with options."""

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
    """The terminal was closed before there was an answer."""


class Terminal:
    """Writes to one stream and reads from another; bold and dim text only when the output is a terminal."""

    def __init__(self, source: TextIO, target: TextIO) -> None:
        self._source = source
        self._target = target
        self._typed = b""
        self._styled = target.isatty() and "NO_COLOR" not in os.environ

    @property
    def interactive(self) -> bool:
        """Whether the input is a terminal, so that a person can answer."""
        return self._source.isatty()

    def line(self, text: str = "") -> None:
        """Print one line."""
        self._write(text + "\n")

    def step(self, number: int, title: str) -> None:
        """Print the heading of a step."""
        self.line()
        self.line(f"{number}  {self._style('1', title)}")

    def fact(self, label: str, text: str) -> None:
        """Print one fact with its label."""
        self.line(f"   {self._style('2', label.ljust(_LABEL))}{shortened(text, _WIDTH - _LABEL)}")

    def choose(self, question: str, options: Sequence[tuple[str, str]]) -> str:
        """Show a question and return the chosen label; without a terminal the first one.

        The person types a number or a label, in upper or lower case; after any other input the
        question is repeated. Raises NoAnswerError when the terminal is closed.
        """
        chosen = self.choose_or_wait(question, options, answered_elsewhere=lambda: False)
        return chosen or options[0][0]

    def choose_or_wait(
        self, question: str, options: Sequence[tuple[str, str]], *, answered_elsewhere: Callable[[], bool]
    ) -> str | None:
        """As `choose`, but return None when the answer came in another way."""
        labels = [label for label, _ in options]
        width = max(len(label) for label in labels)
        self.line()
        self.line(f"   {self._style('1', question)}")
        for number, (label, description) in enumerate(options, start=1):
            self.line(f"     {number}  {label.ljust(width)}   {self._style('2', description)}".rstrip())
        self.line()
        if not self.interactive:
            self.line(f"   The input is not a terminal, so the demo chooses the first option: {labels[0]}")
            return labels[0]
        while True:
            self._write("   Your answer, number or label: ")
            typed = self._line_typed(answered_elsewhere)
            if typed is None:
                self.line()
                return None
            chosen = _chosen(typed.strip(), labels)
            if chosen is not None:
                return chosen
            self.line(f"   Please type a number from 1 to {len(labels)}, or one of: {', '.join(labels)}.")

    def _line_typed(self, answered_elsewhere: Callable[[], bool]) -> str | None:
        # Read from the file descriptor: `select` cannot see bytes that the stream has in its buffer.
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
    """Return the text on one line of at most `width` characters."""
    flat = " ".join(text.split())
    return flat if len(flat) <= width else flat[: width - 1] + "…"


def token_shown(token: str) -> str:
    """Return the beginning of a token: enough to recognise it, too little to use it."""
    return f"{token[:12]}… ({len(token)} characters)"


def message_shown(message: dict[str, Any]) -> str:
    """Return one chat message as text: its text, its images, its calls."""
    content = message.get("content")
    parts = [content] if isinstance(content, str) else [_part_shown(part) for part in content or []]
    calls = [call["function"]["name"] for call in message.get("tool_calls", [])]
    if calls:
        parts.append(f"[calls {', '.join(calls)}]")
    return " ".join(parts)


def _part_shown(part: dict[str, Any]) -> str:
    kind = part.get("type", "part")
    return str(part["text"]) if kind == "text" else f"[{kind}, {len(json.dumps(part))} bytes]"


def _chosen(typed: str, labels: Sequence[str]) -> str | None:
    if typed.isdecimal() and 1 <= int(typed) <= len(labels):
        return labels[int(typed) - 1]
    return next((label for label in labels if label.casefold() == typed.casefold()), None)

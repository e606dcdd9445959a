"""Transcripts of a given size that compress about as well as real ones do.

Words are drawn by Zipf's law from a made-up vocabulary, and messages have the shape of a tool-using agent's: prose, a
call with JSON arguments, a JSON result. Repeating one character or one sentence would compress to nothing and make any
store look cheap; random characters would not compress at all. Everything follows from the seed.
"""

import itertools
import json
import random
import string
from collections.abc import Iterator
from typing import Any

SEED = 20_261_129
_VOCABULARY = 8000
_SYLLABLES = [a + b for a in "bcdfghklmnprstvw" for b in ("a", "e", "i", "o", "u", "an", "er", "is", "on", "ent")]

Message = dict[str, Any]


def transcript(size: int) -> list[Message]:
    """Return messages whose compact JSON has exactly `size` bytes, at least 2,000; the last one asks a person."""
    draw = random.Random(SEED)  # noqa: S311  repeatable text, nothing secret
    words = _words(draw)
    asking = _call(call_id(0), "ask_user", {"questions": _sentence(draw, words)})
    messages: list[Message] = [{"role": "system", "content": _prose(draw, words, 6)}]
    last: Message = {"role": "user", "content": ""}
    room = size - _size([*messages, last, asking])
    for round_ in _rounds(draw, words):
        taken = sum(_size(message) + 1 for message in round_)
        if taken > room:
            break
        messages += round_
        room -= taken
    # What is left goes into a last message, cut to the byte.
    last["content"] = _prose(draw, words, room // 40 + 2)[:room]
    return [*messages, last, asking]


def call_id(number: int) -> str:
    """Return the id of a tool call, of a provider's usual length; number 0 is the one that asks."""
    letters = random.Random(SEED + number).choices(string.ascii_letters + string.digits, k=24)  # noqa: S311
    return f"call_{''.join(letters)}"


def _rounds(draw: random.Random, words: list[str]) -> Iterator[list[Message]]:
    for number in itertools.count(1):
        arguments = {draw.choice(words): draw.randrange(10**6) for _ in range(3)}
        rows = [{"id": draw.randrange(10**8), "note": _sentence(draw, words)} for _ in range(4)]
        yield [
            {"role": "user", "content": _prose(draw, words, 2)},
            _call(call_id(number), draw.choice(words), arguments),
            {"role": "tool", "tool_call_id": call_id(number), "content": json.dumps(rows)},
        ]


def _call(identifier: str, name: str, arguments: dict[str, Any]) -> Message:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"role": "assistant", "content": None, "tool_calls": [{"id": identifier, "function": function}]}


def _words(draw: random.Random) -> list[str]:
    return ["".join(draw.choices(_SYLLABLES, k=draw.choice((1, 1, 2, 2, 3)))) for _ in range(_VOCABULARY)]


def _sentence(draw: random.Random, words: list[str]) -> str:
    weights = [1 / (rank + 10) for rank in range(len(words))]
    return " ".join(draw.choices(words, weights, k=draw.randint(6, 16))).capitalize() + "."


def _prose(draw: random.Random, words: list[str], sentences: int) -> str:
    return " ".join(_sentence(draw, words) for _ in range(sentences))


def _size(value: list[Message] | Message) -> int:
    return len(json.dumps(value, separators=(",", ":")))

"""The durable function of the demo: it asks, stops running, gets the answer and continues."""

from __future__ import annotations

import json

from local.demo.asking import QUESTION, TTL_SECONDS, ask_and_answer, decided
from local.demo.checks import check
from local.demo.mailbox import Mailbox
from local.demo.story import SCOPE
from local.demo.terminal import Terminal
from local.emulated.stack import Stack
from local.emulated.workflows.durable import durable_runs

_SECONDS = 20


def show(stack: Stack, terminal: Terminal, mailbox: Mailbox) -> None:
    """Run the example durable function once."""
    ((function, handler),) = stack.durable.items()
    with durable_runs(handler, function) as runs:
        terminal.line()
        terminal.line("A durable function asks a question.")

        terminal.step(1, "The function starts, asks, and stops running while it waits")
        asked = {"scope": SCOPE, "question": QUESTION, "ttl_seconds": TTL_SECONDS}
        execution = runs.start(asked, name="refund-a-1009")
        runs.waiting(execution, seconds=_SECONDS)
        answer_token = mailbox.next().token
        terminal.fact("execution", "refund-a-1009")
        terminal.fact("status", "waits for its callback")

        ask_and_answer(stack.url, terminal, answer_token, None)

        terminal.step(4, "The function continues")
        ended = runs.result(execution, seconds=_SECONDS)
        terminal.fact("status", ended.status.value)
        check(ended.status.value == "SUCCEEDED", f"the function ended as {ended.status.value}")
        decided(json.loads(ended.result), terminal)

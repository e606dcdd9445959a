"""The test of an adopter's agent that docs/client.md shows."""

from datetime import timedelta
from typing import Any

import pytest

from askback import AskbackClient, PauseExpired, ask_user, question


class RefundAgent:
    """An agent that asks before it pays, and goes on when it is called again."""

    def __init__(self, client: AskbackClient) -> None:
        self._client = client

    def start(self, order: str) -> None:
        asked = ask_user(question(f"Refund order {order}?", ["Approve", "Reject"]))
        self._pause = self._client.pause(
            *asked,
            run_id="run-1",
            scope="acme",
            ttl_seconds=timedelta(days=1),
            tool_call_id=f"refund-{order}",
            idempotency_key=order,
        )

    def go_on(self) -> str:
        outcome = self._client.wait(self._pause, timeout=timedelta(days=2))
        return str(outcome.response["answers"][0]["selections"][0])


def test_an_approved_refund(askback: Any) -> None:
    agent = RefundAgent(askback.client())
    agent.start("A-1009")
    askback.answer(askback.pauses[0], choice="Approve")
    assert agent.go_on() == "Approve"


def test_a_refund_without_an_answer(askback: Any) -> None:
    agent = RefundAgent(askback.client())
    agent.start("A-1009")
    askback.clock.advance(timedelta(days=1))
    with pytest.raises(PauseExpired):
        agent.go_on()

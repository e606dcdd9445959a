"""A deployment in the process of a test: its clients, the people who answer, and a clock that the test moves.

The rules are those of a real deployment. There are three differences: the stores are in memory, the clock moves only
when the test moves it, and people get no messages.
"""

import asyncio
import math
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import Any

from askback.client.async_client import AsyncAskbackClient
from askback.client.client import AskbackClient
from askback.client.questions import choose
from askback.client.refusals import error_in
from askback.client.results import AnswerReceipt, IssuedPause
from askback.client.transport import Action, Reply
from askback.domain.interactions.registry import InteractionRegistry
from askback.domain.pause.scope import Scope
from askback.edge.no_event_loop import in_two_threads, run_straight_through
from askback.interactions import REGISTRY
from askback.testing.services import InMemoryServices
from askback.testing.transport import SIGNED_IN_ANSWER, InProcessTransport

START = 1_790_000_000
"""The time at which the deployment of each test begins, in epoch seconds: 2026-09-21."""


class Clock:
    """A clock that only a test moves, and only forward. After a move, a sweep does the due actions at once."""

    def __init__(self, sweep: Callable[[], Mapping[str, int]]) -> None:
        self._now = float(START)
        self._sweep = sweep

    def now(self) -> int:
        """Return the time in epoch seconds."""
        return int(self._now)

    def exactly(self) -> float:
        """Return the time in epoch seconds, with the fraction."""
        return self._now

    def advance(self, duration: float | timedelta) -> Mapping[str, int]:
        """Move the clock, by seconds or by a timedelta; return how often the sweep did each action.

        Raises:
            ValueError: the duration is negative or not finite.
        """
        seconds = duration.total_seconds() if isinstance(duration, timedelta) else duration
        if not 0 <= seconds < math.inf:
            raise ValueError("time goes forward only: give a number of seconds from 0")
        self._now += seconds
        return self._sweep()


class InProcessDeployment:
    """A deployment for one test, with the interactions of `registry`.

    A mint returns no links, unless `return_links` is set, as with the parameter `ReturnLinks` of the template.
    `pauses` has the pauses that clients have minted, in order. `services` gives access to the stores: the outcomes that
    each waiter got are in `services.waiters.outcomes`, the published events in `services.events.events`.
    """

    def __init__(self, registry: InteractionRegistry = REGISTRY, *, return_links: bool = False) -> None:
        self.services = InMemoryServices(registry=registry, overlap=in_two_threads, return_links=return_links)
        self.clock = Clock(self._sweep)
        self.pauses: list[IssuedPause] = []
        self._transport = InProcessTransport(self.services, clock=self.clock.now)
        self._respond: Callable[[IssuedPause], Any] | None = None

    def client(self) -> AskbackClient:
        """Return a client of this deployment. It moves the clock instead of sleeping."""

        def sleep(seconds: float) -> None:
            self.clock.advance(seconds)

        return AskbackClient(self, sleep=sleep, jitter=lambda: 0.0, clock=self.clock.exactly)

    def async_client(self) -> AsyncAskbackClient:
        """Return a client for code with an event loop. It moves the clock instead of sleeping; other tasks can run."""

        async def sleep(seconds: float) -> None:
            self.clock.advance(seconds)
            await asyncio.sleep(0)

        return AsyncAskbackClient(self, sleep=sleep, jitter=lambda: 0.0, clock=self.clock.exactly)

    def answer(
        self,
        pause: IssuedPause,
        response: Any = ...,
        *,
        choice: str | Sequence[str] | None = None,
        by: str | None = None,
    ) -> AnswerReceipt:
        """Answer as a person does: through the link or, with `by`, signed in with that name.

        `choice` is one label or several, for an `ask_user` with one question; `response` is any answer.

        Raises:
            HumanInteractionError: the answer is refused, as in a real deployment.
            ValueError: neither or both of `response` and `choice` are given.
        """
        if (response is ...) == (choice is None):
            raise ValueError("give either a response or a choice")
        given = response if choice is None else choose(pause, choice)
        token = self._answer_token(pause)
        if by is None:
            return self.client().answer(token, given)
        reply = self._transport.post(
            SIGNED_IN_ANSWER, {"answer_token": token, "response": given}, claims=_claims(pause.scope, by)
        )
        error = error_in(reply)
        if error is not None:
            raise error
        return AnswerReceipt.from_reply(reply.document)

    def _answer_token(self, pause: IssuedPause) -> str:
        """Return the token of the link as a message brings it to a person, also after the end of the pause."""
        row = self.services.ledger.rows[pause.jti]
        return run_straight_through(self.services.tokens.issue_answer_tokens(row.claims, key_id=row.key_id)).answer

    def answer_each(self, respond: Callable[[IssuedPause], Any] | None) -> None:
        """Answer each new pause at once with the result of `respond`; None switches this off.

        It is for code that pauses and waits in one call: `askback.answer_each(lambda pause: choose(pause, "Approve"))`.
        """
        self._respond = respond

    def expire(self, pause: IssuedPause) -> None:
        """Move the clock to the end of the time to answer: the pause expires, or gets its default answer."""
        self.clock.advance(max(0, pause.expires_at - self.clock.exactly()))

    def revoke(self, pause: IssuedPause, *, by: str = "operator") -> None:
        """Revoke the question as an operator does; raises HumanInteractionError if it is not open."""
        run_straight_through(self.services.inbox.revoke(pause.jti, by=by, at=self.clock.now()))
        self._sweep()

    def send(self, action: Action, body: Mapping[str, Any]) -> Reply:
        """Answer one call of a client; the deployment is the transport of its clients."""
        reply = self._transport.send(action, body)
        if action is Action.PAUSE and reply.status < 400:
            pause = IssuedPause.from_reply(reply.document, scope=Scope(**body["scope"]))
            if all(pause.jti != earlier.jti for earlier in self.pauses):
                self.pauses.append(pause)
            if self._respond is not None and pause.status == "issued":
                self.answer(pause, self._respond(pause))
        return reply

    def _sweep(self) -> Mapping[str, int]:
        report = run_straight_through(
            self.services.sweeping.run(at=self.clock.now(), attempt_id="sweep", may_go_on=lambda: True)
        )
        return dict(report.done)


def _claims(scope: Scope | None, person: str) -> Mapping[str, str]:
    if scope is None:
        raise ValueError("a person who has signed in cannot answer a pause without its scope")
    parts = {"tenant_id": scope.tenant_id, "sub_tenant_id": scope.sub_tenant_id, "namespace": scope.namespace}
    return {"sub": person, **{name: part for name, part in parts.items() if part is not None}}

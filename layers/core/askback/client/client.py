"""A client for programs that are not part of the deployment: agents, backends, the server behind an answer page.

    client = AskbackClient(SignedHttpTransport("https://….execute-api.eu-central-1.amazonaws.com"))
    pause = client.pause("ask_user", payload, run_id="run-1", scope=Scope(tenant_id="acme"), ttl_seconds=86400, …)

A refusal is raised as the class that the domain has for it; what else can go wrong is a `CallFailed`. A call is made
again by itself only where that cannot do anything twice.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from random import random  # noqa: TID251 - a default for callers; tests give their own
from typing import Any, TypeVar

from askback.client.results import AnswerReceipt, IssuedPause, ResumedPause, ShownQuestion
from askback.client.retries import Retries, repeated
from askback.client.transport import Action, Transport, UnreadableReply
from askback.domain.pause.scope import Scope

ResultT = TypeVar("ResultT")


class AskbackClient:
    """One deployment, as its callers use it. Safe to share between threads when its transport is.

    `sleep` takes seconds; `jitter` returns a number from 0 to 1.
    """

    def __init__(
        self,
        transport: Transport,
        *,
        retries: Retries = Retries(),  # noqa: B008 - frozen
        sleep: Callable[[float], None] = time.sleep,
        jitter: Callable[[], float] = random,
    ) -> None:
        self._transport = transport
        self._retries = retries
        self._sleep = sleep
        self._jitter = jitter

    def pause(
        self,
        name: str,
        payload: Mapping[str, Any],
        *,
        run_id: str,
        scope: Scope,
        ttl_seconds: int,
        tool_call_id: str | None = None,
        messages: Sequence[Mapping[str, Any]] | None = None,
        prompt: str | None = None,
        idempotency_key: str | None = None,
        checkpoint_id: str | None = None,
        interrupt_id: str | None = None,
        session_id: str | None = None,
        thread_id: str | None = None,
        root_run_id: str | None = None,
        pin: str | None = None,
        waiter: Mapping[str, str] | None = None,
        on_expiry: Mapping[str, Any] | None = None,
        remind_after_seconds: int | None = None,
        approvers: Sequence[str] | None = None,
        requester: str | None = None,
        requester_may_answer: bool | None = None,
        recipients: Sequence[str] | None = None,
    ) -> IssuedPause:
        """Record a question and the paused turn, and return the tokens.

        It is repeated after a failure only when the request names its pause: by an `idempotency_key`, or by a
        `checkpoint_id` together with the call or the interrupt. Any other repetition could make a second pause.
        """
        body = {
            "name": name,
            "payload": payload,
            "run_id": run_id,
            "scope": _scope(scope),
            "ttl_seconds": ttl_seconds,
            "tool_call_id": tool_call_id,
            "messages": None if messages is None else list(messages),
            "prompt": prompt,
            "idempotency_key": idempotency_key,
            "checkpoint_id": checkpoint_id,
            "interrupt_id": interrupt_id,
            "session_id": session_id,
            "thread_id": thread_id,
            "root_run_id": root_run_id,
            "pin": pin,
            "waiter": waiter,
            "on_expiry": on_expiry,
            "remind_after_seconds": remind_after_seconds,
            "approvers": None if approvers is None else list(approvers),
            "requester": requester,
            "requester_may_answer": requester_may_answer,
            "recipients": None if recipients is None else list(recipients),
        }
        named = bool(idempotency_key or (checkpoint_id and (tool_call_id or interrupt_id)))
        return self._call(Action.PAUSE, body, IssuedPause.from_reply, repeatable=named)

    def question(self, token: str) -> ShownQuestion:
        """Return what is asked, for display, with either token; consumes nothing."""
        return self._call(Action.QUESTION, {"pause_token": token}, ShownQuestion.from_reply)

    def answer(
        self, token: str, response: Any, *, scope: Scope | None = None, answerer: str | None = None
    ) -> AnswerReceipt:
        """Answer as a person does, and return the receipt without the turn.

        Over HTTP it takes the answer token, and who answered is recorded as the holder of the link, whatever is said
        here. An invocation takes either token, needs the `scope`, and records the `answerer`.
        """
        body = {"pause_token": token, "scope": _scope(scope), "answerer": answerer}
        return self._call(Action.ANSWER, body, AnswerReceipt.from_reply, response=response)

    def resume(
        self,
        pause_token: str,
        response: Any,
        *,
        scope: Scope,
        answerer: str | None = None,
        session_id: str | None = None,
        run_id: str | None = None,
        tool_call_id: str | None = None,
    ) -> ResumedPause:
        """Answer, and return the turn to go on from; refused when none was recorded."""
        body = {
            "pause_token": pause_token,
            "scope": _scope(scope),
            "answerer": answerer,
            "session_id": session_id,
            "run_id": run_id,
            "tool_call_id": tool_call_id,
        }
        return self._call(Action.RESUME, body, ResumedPause.from_reply, response=response)

    def outcome(
        self,
        pause_token: str,
        *,
        scope: Scope,
        session_id: str | None = None,
        run_id: str | None = None,
        tool_call_id: str | None = None,
    ) -> ResumedPause:
        """Return the answer that somebody gave, and the turn to go on from; consumes nothing.

        Raises:
            NotAnswered: nobody has answered yet. It is not asked again by itself: how long to wait is the caller's to
            say.
        """
        body = {
            "pause_token": pause_token,
            "scope": _scope(scope),
            "session_id": session_id,
            "run_id": run_id,
            "tool_call_id": tool_call_id,
        }
        return self._call(Action.OUTCOME, body, ResumedPause.from_reply)

    def _call(
        self,
        action: Action,
        fields: Mapping[str, Any],
        read: Callable[[Mapping[str, Any]], ResultT],
        *,
        repeatable: bool = True,
        **answer: Any,
    ) -> ResultT:
        # A field that was not given is not sent; an answer is, although it may be null.
        body = {name: value for name, value in fields.items() if value is not None} | answer
        document = repeated(
            lambda: self._transport.send(action, body),
            retries=self._retries,
            repeatable=repeatable,
            sleep=self._sleep,
            jitter=self._jitter,
        )
        try:
            return read(document)
        except (LookupError, TypeError, ValueError, AttributeError):
            raise UnreadableReply(f"the reply to {action.value} is not what that call returns", status=200) from None


def _scope(scope: Scope | None) -> dict[str, str] | None:
    if scope is None:
        return None
    parts = {
        "tenant_id": scope.tenant_id,
        "sub_tenant_id": scope.sub_tenant_id,
        "namespace": scope.namespace,
    }
    return {name: part for name, part in parts.items() if part is not None}

"""The calls of the two clients, `AskbackClient` and `AsyncAskbackClient`.

A refusal is raised as the domain's class for it. Every other failure is a `CallFailed`. The client repeats a call only
if the repetition cannot have its effect twice.
"""

import functools
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, TypeVar

from askback.client.answered import Answered, answered_items
from askback.client.clarified import Clarification, QuestionBack, clarifications_of
from askback.client.results import (
    AnswerReceipt,
    Delegation,
    IssuedPause,
    PauseLinks,
    RecipientLink,
    ResumedPause,
    RevokedQuestion,
    ShownQuestion,
)
from askback.client.retries import BackOff, Retries, repeated
from askback.client.transport import Action, Reply, UnreadableReply
from askback.domain.errors import InvalidRequest, NotAnswered, NotTried, StoreUnavailable
from askback.domain.json_text import require_json
from askback.domain.pause.scope import Scope

ResultT = TypeVar("ResultT")

Token = str | IssuedPause | PauseLinks | RecipientLink
Answer = tuple[Token, Any] | tuple[Token, Any, str | None]
"""One answer of several: the token, the response, and optionally the hash of the question that was shown."""

POLLING = BackOff(first_wait=1, longest_wait=30)
"""The waits of `wait` between two calls: 1 second, then twice as long each time, up to 30 seconds."""


class StillOpen(TimeoutError):
    """The time of a `wait` is over and the pause is still open. It changes nothing: the pause can still be answered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """The transport, the clock and the retries of a client.

    `send` makes one attempt, as a transport does. `sleep` takes seconds, `clock` returns seconds and never goes back,
    and `jitter` returns a number from 0 to 1.
    """

    send: Callable[[Action, Mapping[str, Any]], Awaitable[Reply]]
    sleep: Callable[[float], Awaitable[None]]
    clock: Callable[[], float]
    jitter: Callable[[], float]
    retries: Retries


class Calls:
    """The calls to one deployment.

    Instead of a token, a call also takes the result of `pause` or `links` and uses its token of the right kind. A scope
    is a `Scope` or a text such as `acme/eu/tickets`.
    """

    def __init__(self, way: Way) -> None:
        self._way = way

    async def pause(
        self,
        name: str,
        payload: Mapping[str, Any],
        *,
        run_id: str,
        scope: Scope | str,
        ttl_seconds: int | timedelta,
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
        max_ttl_seconds: int | timedelta | None = None,
        remind_after_seconds: int | timedelta | None = None,
        approvers: Sequence[str | Mapping[str, str]] | None = None,
        requester: str | None = None,
        requester_may_answer: bool | None = None,
        recipients: Sequence[str] | None = None,
        least_assurance: str | None = None,
        about: Mapping[str, Any] | None = None,
        quorum: Mapping[str, Any] | None = None,
        escalation: Sequence[Mapping[str, Any]] | None = None,
        supersedes: str | IssuedPause | None = None,
        delegates: Sequence[str] | None = None,
    ) -> IssuedPause:
        """Record a question and the paused turn, and return the pause; `links` gives what answers it.

        `askback.ask_user`, `approval` and `form` build `name` and `payload` of the built-in interactions.
        The client repeats this call after a failure only if the request identifies its pause: with an
        `idempotency_key`, or with a `checkpoint_id` and the call or the interrupt. Otherwise it could make a second
        pause.

        An entry of `approvers` is a name, or `{"name": …, "least_assurance": …}` for a person who must be known better
        than the others.

        With `supersedes`, the new question replaces an open one that this program has asked: people can answer only the
        new one. AlreadyAnswered, PauseExpired, PauseRevoked or PauseSuperseded is raised if the old one has ended, and
        then nothing is asked.
        """
        scope = _scope(scope)
        body = {
            "name": name,
            "payload": payload,
            "run_id": run_id,
            "scope": _scope_body(scope),
            "ttl_seconds": _seconds(ttl_seconds, "ttl_seconds"),
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
            "max_ttl_seconds": _seconds(max_ttl_seconds, "max_ttl_seconds"),
            "remind_after_seconds": _seconds(remind_after_seconds, "remind_after_seconds"),
            "approvers": None if approvers is None else list(approvers),
            "requester": requester,
            "requester_may_answer": requester_may_answer,
            "recipients": None if recipients is None else list(recipients),
            "least_assurance": least_assurance,
            "about": about,
            "quorum": quorum,
            "escalation": None if escalation is None else list(escalation),
            "supersedes": supersedes.jti if isinstance(supersedes, IssuedPause) else supersedes,
            "delegates": None if delegates is None else list(delegates),
        }
        named = bool(idempotency_key or (checkpoint_id and (tool_call_id or interrupt_id)))
        read = functools.partial(IssuedPause.from_reply, scope=scope)
        return await self._call(Action.PAUSE, body, read, repeatable=named)

    async def links(self, pause: str | IssuedPause, *, recipients: Sequence[str] | None = None) -> PauseLinks:
        """Return the links of an open pause, by its `jti`, for a program that brings them to people; changes nothing.

        With `recipients`, only the links of these people are returned. The call has its own permission. Do not give it
        to the program that asks: it could answer its own questions.

        Raises:
            AlreadyAnswered, PauseExpired, PauseRevoked: the pause has ended.
            UnknownPause: there is no such pause.
        """
        body = {
            "jti": pause if isinstance(pause, str) else pause.jti,
            "recipients": None if recipients is None else list(recipients),
        }
        read = functools.partial(PauseLinks.from_reply, scope=None if isinstance(pause, str) else pause.scope)
        return await self._call(Action.LINKS, body, read)

    async def question(self, token: str | IssuedPause | PauseLinks | RecipientLink) -> ShownQuestion:
        """Return the question for display; consumes nothing. It takes a pause token or an answer token."""
        if isinstance(token, IssuedPause):
            token = token.answer_token or _pause_token(token)
        return await self._call(Action.QUESTION, {"answer_token": _answer_token(token)}, ShownQuestion.from_reply)

    async def answer(
        self,
        token: str | IssuedPause | PauseLinks | RecipientLink,
        response: Any,
        *,
        scope: Scope | str | None = None,
        answerer: str | None = None,
        request_hash: str | None = None,
    ) -> AnswerReceipt:
        """Answer as a person does, and return the receipt without the turn.

        `request_hash` is that of the question that was shown. After a reply to a question back, it must be given.

        Over HTTP, it takes the answer token and records the holder of the link as the answerer; the deployment ignores
        `scope` and `answerer`. An invocation takes either token, needs the `scope`, and records the `answerer`.
        """
        body = _of_person(token, scope=scope, answerer=answerer, request_hash=request_hash)
        return await self._call(Action.ANSWER, body, AnswerReceipt.from_reply, response=response)

    async def answer_many(
        self,
        answers: Sequence[Answer],
        *,
        scope: Scope | str | None = None,
        answerer: str | None = None,
    ) -> list[Answered]:
        """Answer up to 25 pauses as a person does, and return the receipt or the refusal of each, in their order.

        Each answer is a token and a response, and optionally the `request_hash` of the question that was shown. There
        is no all or nothing. Answers that were not tried, or met a store that is unavailable, are sent again, as often
        as a call is repeated. `scope` and `answerer` are those of `answer`, for all of them.

        Raises:
            InvalidRequest: there are no answers, or more than 25.
        """
        items = [_item(each, scope=scope, answerer=answerer) for each in answers]
        results: dict[int, Answered] = {}
        left, attempt, way = list(range(len(items))), 1, self._way
        while True:
            body = {"items": [items[place] for place in left]}
            read = functools.partial(answered_items, asked=len(left))
            results |= zip(left, await self._call(Action.ANSWERS, body, read), strict=True)
            left = [place for place in left if isinstance(results[place], NotTried | StoreUnavailable)]
            if not left or attempt == way.retries.attempts:
                return [results[place] for place in range(len(items))]
            await way.sleep(way.retries.wait(attempt, jitter=way.jitter()))
            attempt += 1

    async def resume(
        self,
        pause_token: str | IssuedPause,
        response: Any,
        *,
        scope: Scope | str | None = None,
        answerer: str | None = None,
        session_id: str | None = None,
        run_id: str | None = None,
        tool_call_id: str | None = None,
        request_hash: str | None = None,
    ) -> ResumedPause:
        """Answer, and return the turn to continue from; refused if no turn was recorded.

        With a token, the `scope` is needed; the result of `pause` has it. `request_hash` is as in `answer`.
        """
        body = {
            "pause_token": _pause_token(pause_token),
            "scope": _scope_body(_scope_of(pause_token, scope)),
            "answerer": answerer,
            "session_id": session_id,
            "run_id": run_id,
            "tool_call_id": tool_call_id,
            "request_hash": request_hash,
        }
        return await self._call(Action.RESUME, body, ResumedPause.from_reply, response=response)

    async def outcome(
        self,
        pause_token: str | IssuedPause,
        *,
        scope: Scope | str | None = None,
        session_id: str | None = None,
        run_id: str | None = None,
        tool_call_id: str | None = None,
    ) -> ResumedPause:
        """Return the accepted answer, and the turn to continue from; consumes nothing.

        With a token, the `scope` is needed; the result of `pause` has it.

        Raises:
            NotAnswered: the pause is still open. This call is not repeated; `wait` repeats it.
        """
        body = {
            "pause_token": _pause_token(pause_token),
            "scope": _scope_body(_scope_of(pause_token, scope)),
            "session_id": session_id,
            "run_id": run_id,
            "tool_call_id": tool_call_id,
        }
        return await self._call(Action.OUTCOME, body, ResumedPause.from_reply)

    async def wait(
        self,
        pause_token: str | IssuedPause,
        *,
        timeout: float | timedelta | None = None,  # noqa: ASYNC109 - it uses the given clock, not the loop's
        scope: Scope | str | None = None,
        polling: BackOff = POLLING,
    ) -> ResumedPause:
        """Wait until the pause has an outcome, and return it; consumes nothing.

        It calls `outcome` at once, then after each wait of `polling`, and once more at the end of `timeout` (seconds).
        Without a `timeout`, it waits as long as the pause is open.

        Raises:
            PauseExpired, PauseRevoked: the pause ended without an answer.
            StillOpen: the pause is open at the end of `timeout`; it is a `TimeoutError`.
            HumanInteractionError, CallFailed: as in `outcome`, after its repetitions. You can call `wait` again.
        """
        way = self._way
        seconds = timeout.total_seconds() if isinstance(timeout, timedelta) else timeout
        end = None if seconds is None else way.clock() + seconds
        attempt = 1
        while True:
            try:
                return await self.outcome(pause_token, scope=scope)
            except NotAnswered:
                left = None if end is None else end - way.clock()
            if left is not None and left <= 0:
                raise StillOpen("the pause is still open; no answer was given in this time")
            pause = polling.wait(attempt, jitter=way.jitter())
            await way.sleep(pause if left is None else min(pause, left))
            attempt += 1

    async def ask_back(
        self,
        token: str | IssuedPause | PauseLinks | RecipientLink,
        question: str,
        *,
        scope: Scope | str | None = None,
        answerer: str | None = None,
        request_hash: str | None = None,
    ) -> QuestionBack:
        """Ask the program that asked, instead of answering, as a person does; the pause stays open.

        The fields are those of `answer`. The same question of the same person, without a reply, is recorded once.

        Raises:
            InvalidRequest: the program takes no questions, or people have asked too many.
        """
        person = _of_person(token, scope=scope, answerer=answerer, request_hash=request_hash)
        body = {**person, "question": question}
        return await self._call(Action.ASK_BACK, body, QuestionBack.from_reply)

    async def delegate(
        self,
        token: str | IssuedPause | PauseLinks | RecipientLink,
        *,
        to: str,
        scope: Scope | str | None = None,
        answerer: str | None = None,
        request_hash: str | None = None,
    ) -> Delegation:
        """Let the person `to` decide instead of the holder of a link, which is void then. A repetition changes nothing.

        The other fields are those of `answer`.

        Raises:
            InvalidRequest: this person may not pass the pause on, or not to this other person.
            AlreadyVoted: this person has voted.
        """
        person = _of_person(token, scope=scope, answerer=answerer, request_hash=request_hash)
        body = {**person, "to": to}
        return await self._call(Action.DELEGATE, body, Delegation.from_reply)

    async def clarifications(self, pause: str | IssuedPause) -> tuple[Clarification, ...]:
        """Return what people ask back about a pause that this program has minted, with its replies.

        Raises:
            UnknownPause: there is no such pause, or another program has minted it.
        """
        return await self._call(Action.CLARIFY, {"jti": _jti(pause)}, clarifications_of)

    async def clarify(self, pause: str | IssuedPause, *, number: int, reply: str) -> tuple[Clarification, ...]:
        """Reply to the question with this number; people then answer the question with this reply.

        Votes of before are void. A repetition changes nothing.

        Raises:
            InvalidRequest: there is no such question, or it has another reply.
            AlreadyAnswered, PauseExpired, PauseRevoked, PauseSuperseded: the pause has ended.
            UnknownPause: there is no such pause, or another program has minted it.
        """
        return await self._call(
            Action.CLARIFY, {"jti": _jti(pause), "number": number, "reply": reply}, clarifications_of
        )

    async def revoke(self, pause: str | IssuedPause, *, reason: str | None = None) -> RevokedQuestion:
        """Revoke an open pause that this program has minted; people see the `reason`. A repetition changes nothing.

        Raises:
            AlreadyAnswered, PauseExpired, PauseSuperseded: the pause has ended otherwise.
            UnknownPause: there is no such pause, or another program has minted it.
        """
        body = {"jti": _jti(pause), "reason": reason}
        return await self._call(Action.REVOKE, body, RevokedQuestion.from_reply)

    async def _call(
        self,
        action: Action,
        fields: Mapping[str, Any],
        read: Callable[[Mapping[str, Any]], ResultT],
        *,
        repeatable: bool = True,
        **answer: Any,
    ) -> ResultT:
        # Fields of None are not sent, except the answer, which can be null.
        body = {name: value for name, value in fields.items() if value is not None} | answer
        for name, value in body.items():
            # Before anything is sent: `json.dumps` would change keys and tuples silently, and fail on others by a
            # TypeError without the path.
            require_json(value, at=name)
        way = self._way
        document = await repeated(
            lambda: way.send(action, body),
            retries=way.retries,
            repeatable=repeatable,
            sleep=way.sleep,
            jitter=way.jitter,
        )
        try:
            return read(document)
        except (LookupError, TypeError, ValueError, AttributeError):
            raise UnreadableReply(f"the reply to {action.value} has another form", status=200) from None


def _of_person(
    token: str | IssuedPause | PauseLinks | RecipientLink,
    *,
    scope: Scope | str | None,
    answerer: str | None,
    request_hash: str | None,
) -> dict[str, Any]:
    """Return the fields of every request that a person makes; one of None is not sent."""
    return {
        "answer_token": _answer_token(token),
        "scope": _scope_body(_scope_of(token, scope)),
        "answerer": answerer,
        "request_hash": request_hash,
    }


def _item(answer: Answer, *, scope: Scope | str | None, answerer: str | None) -> dict[str, Any]:
    token, response, *request_hash = answer
    fields = _of_person(token, scope=scope, answerer=answerer, request_hash=request_hash[0] if request_hash else None)
    return {name: value for name, value in fields.items() if value is not None} | {"response": response}


def _answer_token(token: str | IssuedPause | PauseLinks | RecipientLink) -> str:
    found = token if isinstance(token, str) else token.answer_token
    if not found:
        raise InvalidRequest.of_field("answer_token", "is not in the reply of the deployment; get it with `links`")
    return found


def _jti(pause: str | IssuedPause) -> str:
    return pause if isinstance(pause, str) else pause.jti


def _pause_token(token: str | IssuedPause) -> str:
    found = token if isinstance(token, str) else token.pause_token
    if not found:
        raise InvalidRequest.of_field("pause_token", "is not in the reply to a mint whose waiter gets the answer")
    return found


def _scope(scope: Scope | str) -> Scope:
    return Scope.parse(scope) if isinstance(scope, str) else scope


def _scope_of(token: str | IssuedPause | PauseLinks | RecipientLink, stated: Scope | str | None) -> Scope | None:
    if stated is not None:
        return _scope(stated)
    return token.scope if isinstance(token, IssuedPause | PauseLinks) else None


def _scope_body(scope: Scope | None) -> dict[str, str] | None:
    if scope is None:
        return None
    parts = {
        "tenant_id": scope.tenant_id,
        "sub_tenant_id": scope.sub_tenant_id,
        "namespace": scope.namespace,
    }
    return {name: part for name, part in parts.items() if part is not None}


def _seconds(duration: int | timedelta | None, field: str) -> int | None:
    if not isinstance(duration, timedelta):
        return duration
    if duration.microseconds:
        raise InvalidRequest.of_field(field, "must be whole seconds")
    return duration.days * 86_400 + duration.seconds

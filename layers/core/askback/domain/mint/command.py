"""The command of a mint, and the checks that need only the command."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from askback.domain.errors import InvalidRequest
from askback.domain.interactions.default_answer import DefaultAnswer
from askback.domain.json_text import require_json
from askback.domain.limits import (
    PROMPT_MAX_BYTES,
    REMIND_MIN_SECONDS,
    TOOL_CALL_ID_MAX_BYTES,
    TURN_MAX_BYTES,
    require_identifier,
    require_ttl,
)
from askback.domain.pause.answerers import NO_RESTRICTION, Answerers
from askback.domain.pause.binding import PauseBinding
from askback.domain.pause.claims import PauseClaims
from askback.domain.pause.delegation import check_delegates
from askback.domain.pause.executions import require_execution
from askback.domain.pause.minter import IN_PROCESS
from askback.domain.pause.quorum import Quorum
from askback.domain.pause.roster import EscalationStep, check_escalation
from askback.domain.pause.scope import Scope
from askback.domain.pause.waiters import Waiter
from askback.domain.records.about import NO_ABOUT, About
from askback.domain.records.turns import TurnCheckpoint


@dataclass(frozen=True, slots=True, kw_only=True)
class MintCommand:
    """One question: its content, the place of the run, the time to answer (seconds), and the messages of the turn.

    An `interrupt_id` of None is computed from the call or the idempotency key; without both it is random. `at` is epoch
    seconds. `idempotency_key` identifies the pause within its scope, instead of thread, checkpoint and call. With an
    `on_expiry` of None, the pause expires without an answer. `remind_after_seconds` asks for one reminder, that long
    after the mint. With `max_ttl_seconds`, the time to answer can be extended up to it; the tokens are good that long.
    `answerers` are the people of the pause. `principal` is who mints (`askback.domain.pause.minter`): no other
    principal gets this pause again. `about` is shown with the question. With a `quorum`, that many of
    the approvers must say yes. `escalation` says whom to ask, and when, if there is no answer. `supersedes` is the id
    of an open pause of the same principal and scope that this one replaces. `execution` is the ARN of the execution in
    which the waiter is a task: when it has ended, its open pauses are revoked. `delegates` are the people to whom an
    approver may pass the pause on, as names or patterns. `waiter_timeout_seconds` is how long the run waits: no
    deadline of the pause may be later.
    """

    name: str
    payload: Mapping[str, Any]
    binding: PauseBinding
    ttl_seconds: int
    at: int
    tool_call_id: str = ""
    interrupt_id: str | None = None
    messages: Sequence[Mapping[str, Any]] | None = None
    prompt: str = ""
    max_ttl_seconds: int | None = None
    waiter: Waiter | None = None
    execution: str | None = None
    waiter_timeout_seconds: int | None = None
    idempotency_key: str | None = None
    on_expiry: DefaultAnswer | None = None
    remind_after_seconds: int | None = None
    answerers: Answerers = NO_RESTRICTION
    principal: str = IN_PROCESS
    about: About = NO_ABOUT
    quorum: Quorum | None = None
    escalation: tuple[EscalationStep, ...] = ()
    supersedes: str = ""
    delegates: tuple[str, ...] = ()


def checked_scope(command: MintCommand) -> Scope:
    """Check the ids, texts and times of the command and return its scope; raises InvalidRequest."""
    binding = command.binding
    if binding.scope is None:
        raise InvalidRequest.of_field("scope", "must be given; without a scope, any caller could answer")
    require_identifier(binding.run_id, field="run_id")
    require_identifier(binding.root_run_id, field="root_run_id", empty=True)
    require_identifier(binding.session_id, field="session_id", empty=True)
    require_identifier(binding.pin, field="pin", empty=True)
    require_identifier(command.tool_call_id, field="tool_call_id", max_bytes=TOOL_CALL_ID_MAX_BYTES, empty=True)
    require_identifier(command.supersedes, field="supersedes", empty=True)
    if command.interrupt_id is not None:
        require_identifier(command.interrupt_id, field="interrupt_id")
    if command.idempotency_key is not None:
        require_identifier(command.idempotency_key, field="idempotency_key")
    if command.execution is not None:
        require_execution(command.execution, command.waiter)
    _require_prompt(command.prompt)
    ttl = require_ttl(command.ttl_seconds)
    remind = command.remind_after_seconds
    if remind is not None and not REMIND_MIN_SECONDS <= remind < ttl:
        raise InvalidRequest.of_field(
            "remind_after_seconds", f"must be at least {REMIND_MIN_SECONDS} and less than ttl_seconds"
        )
    if command.max_ttl_seconds is not None and require_ttl(command.max_ttl_seconds, field="max_ttl_seconds") < ttl:
        raise InvalidRequest.of_field("max_ttl_seconds", "must be at least ttl_seconds")
    _require_within_wait(command)
    command.answerers.check()
    check_delegates(command.delegates, command.answerers)
    if command.quorum is not None:
        command.quorum.check(command.answerers)
    check_escalation(
        command.escalation,
        answerers=command.answerers,
        quorum=command.quorum,
        before_seconds=command.max_ttl_seconds or ttl,
    )
    return binding.scope


def _require_within_wait(command: MintCommand) -> None:
    """Require that the pause cannot outlive the wait of its run, also when its deadline moves."""
    timeout = command.waiter_timeout_seconds
    if timeout is None:
        return
    if command.waiter is None or not command.waiter.kind.tells_whether_it_waits:
        raise InvalidRequest.of_field("waiter.timeout_seconds", "is only for a task or a callback, whose wait can end")
    field = "ttl_seconds" if command.max_ttl_seconds is None else "max_ttl_seconds"
    if (command.max_ttl_seconds or command.ttl_seconds) >= timeout:
        raise InvalidRequest.of_field(field, f"must be less than {timeout}, when the run ends its wait")


def _require_prompt(prompt: object) -> None:
    if not isinstance(prompt, str):
        raise InvalidRequest.of_field("prompt", "must be a string")
    # Half a surrogate pair is kept, as in messages.
    if len(prompt.encode(errors="surrogatepass")) > PROMPT_MAX_BYTES:
        raise InvalidRequest.of_field("prompt", f"must be at most {PROMPT_MAX_BYTES} bytes of UTF-8")


def remind_at(command: MintCommand) -> int | None:
    """Return the time of the reminder in epoch seconds, or None."""
    return None if command.remind_after_seconds is None else command.at + command.remind_after_seconds


def turn_of(command: MintCommand, claims: PauseClaims) -> TurnCheckpoint | None:
    """Return the turn to record, or None without messages; raises InvalidRequest if JSON cannot hold a message."""
    if command.messages is None:
        return None
    turn = _turn(command, claims, command.messages)
    _require_size(turn)
    require_json(list(command.messages), at="messages")
    for index, message in enumerate(command.messages):
        if not isinstance(message, Mapping):
            raise InvalidRequest.of_field(f"messages[{index}]", "must be an object")
    return turn


def _turn(command: MintCommand, claims: PauseClaims, messages: Sequence[Mapping[str, Any]]) -> TurnCheckpoint:
    return TurnCheckpoint(
        run_id=claims.run_id,
        session_id=claims.session_id,
        thread_id=claims.thread_id,
        checkpoint_id=claims.checkpoint_id,
        scope_hash=claims.scope_hash,
        tool_call_id=claims.tool_call_id,
        interrupt_id=claims.interrupt_id,
        name=claims.name,
        prompt=command.prompt,
        messages=tuple(messages),
    )


def _require_size(turn: TurnCheckpoint) -> None:
    """Refuse a turn over its limit before each part of it is looked at."""
    try:
        size = len(turn.encode())
    except (TypeError, ValueError, RecursionError):
        # Not JSON; the walk that follows finds the part that is not.
        return
    if size > TURN_MAX_BYTES:
        raise InvalidRequest.of_field("messages", f"must be at most {TURN_MAX_BYTES} bytes when encoded")

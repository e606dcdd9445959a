"""The repetition of a call after a temporary failure: how often, after how long, and when not."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from askback.client.refusals import error_in
from askback.client.transport import CallFailed, NoReply, Reply
from askback.domain.errors import HumanInteractionError, StoreUnavailable

_DOUBLINGS_MAX = 60
"""A larger exponent does not fit a float; with this one, every wait is already the longest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BackOff:
    """The waits between attempts, in seconds.

    The wait doubles from `first_wait` up to `longest_wait`. A random part of up to half of it is subtracted, so that
    many callers do not repeat their calls at the same time.
    """

    first_wait: float
    longest_wait: float

    def wait(self, attempt: int, *, jitter: float) -> float:
        """Return the wait after an attempt; the first attempt is 1, `jitter` is from 0 to 1."""
        own = min(self.longest_wait, self.first_wait * 2.0 ** min(attempt - 1, _DOUBLINGS_MAX))
        return own * (1 - jitter / 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Retries(BackOff):
    """The number of attempts of a call, and the waits between them.

    If a deployment asks for a longer wait than `longest_wait`, the call is not repeated.
    """

    attempts: int = 4
    first_wait: float = 0.2
    longest_wait: float = 5.0


async def repeated(
    send: Callable[[], Awaitable[Reply]],
    *,
    retries: Retries,
    repeatable: bool,
    sleep: Callable[[float], Awaitable[None]],
    jitter: Callable[[], float],
) -> Mapping[str, Any]:
    """Return the document of the first attempt that succeeds; raises the error of the last attempt.

    A call that is not `repeatable` gets one attempt.
    """
    attempt = 1
    while True:
        error: HumanInteractionError | CallFailed | None
        asked = 0.0
        try:
            reply = await send()
        except NoReply as silence:
            error = silence
        else:
            error, asked = error_in(reply), reply.retry_after_seconds
            if error is None:
                return reply.document
        if not (repeatable and _may_pass(error) and attempt < retries.attempts and asked <= retries.longest_wait):
            raise error
        await sleep(max(retries.wait(attempt, jitter=jitter()), asked))
        attempt += 1


def _may_pass(error: HumanInteractionError | CallFailed) -> bool:
    # `NotAnswered` and `TooManyOpen` are retryable too, but a person must act first, and only the caller knows how long
    # to wait for that.
    return error.retryable if isinstance(error, CallFailed) else isinstance(error, StoreUnavailable)

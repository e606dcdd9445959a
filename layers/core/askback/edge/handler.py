"""A function's Lambda handler, over services that are built once for a process."""

import functools
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Generic, TypeVar

from aws_lambda_powertools.logging import Logger

from askback.domain.errors import InteractionConfigurationError

S = TypeVar("S")
Build = Callable[..., S]
"""Builds the services of a function from the environment; `askback.wiring` has one for each function.

It takes the function's logger, and by keyword the parts that a test replaces. It raises InteractionConfigurationError.
"""


class Handler(Generic[S]):
    """What Lambda calls. The services are built when the function starts, so that no request waits for them.

    A function that failed to start would answer with the platform's bare error, and with a trace in its log. So a
    misconfigured one starts without services. Each request then builds them again: it is refused in the way of the
    function, with the reason in the log, until the deployment has been repaired.
    """

    def __init__(self, build: Build[S], answer: Callable[[Any, Any, Callable[[], S]], Any], *, logger: Logger) -> None:
        self._build = build
        self._answer = answer
        self._logger = logger
        self._services: S | None = None
        with suppress(InteractionConfigurationError):
            self._services = build(logger)

    def __call__(self, event: Any, context: Any) -> Any:
        """Return what the function returns for an event, or raise what the platform must see."""
        return self._answer(event, context, self._built)

    def rebuilt(self, **parts: Any) -> "Handler[S]":
        """Return this handler over services with other parts, such as a clock, in place of their own."""
        return Handler(functools.partial(self._build, **parts), self._answer, logger=self._logger)

    def _built(self) -> S:
        if self._services is None:
            self._services = self._build(self._logger)
        return self._services

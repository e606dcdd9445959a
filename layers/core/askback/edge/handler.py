"""The Lambda handler of a function; its services are built once for a process."""

import functools
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Generic, TypeVar

from aws_lambda_powertools.logging import Logger

from askback.domain.errors import InteractionConfigurationError

S = TypeVar("S")
Build = Callable[..., S]
"""Builds the services of a function from the environment; `askback.wiring` has one `build` for each function.

It takes the function's logger, and as keywords the parts that a test replaces. It raises InteractionConfigurationError.
"""


class Handler(Generic[S]):
    """The handler that Lambda calls. It builds the services when the function starts, so no request waits for them.

    If a function failed to start, Lambda would reply with its own error and write a stack trace to the log. So a
    misconfigured function starts without services. Then each request tries to build them: until an operator repairs the
    deployment, each request gets the reply `misconfigured`, and the log has the reason.
    """

    def __init__(self, build: Build[S], answer: Callable[[Any, Any, Callable[[], S]], Any], *, logger: Logger) -> None:
        self._build = build
        self._answer = answer
        self._logger = logger
        self._services: S | None = None
        with suppress(InteractionConfigurationError):
            self._services = build(logger)

    def __call__(self, event: Any, context: Any) -> Any:
        """Return the function's reply to an event, or raise the exception that the platform must get."""
        return self._answer(event, context, self._built)

    def rebuilt(self, **parts: Any) -> "Handler[S]":
        """Return this handler with other parts of its services, such as a clock."""
        return Handler(functools.partial(self._build, **parts), self._answer, logger=self._logger)

    def _built(self) -> S:
        if self._services is None:
            self._services = self._build(self._logger)
        return self._services

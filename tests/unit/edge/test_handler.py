"""A function's services: built once, when it starts; built again at each request while it is misconfigured."""

from typing import Any

import pytest
from aws_lambda_powertools.logging import Logger

from askback.domain.errors import InteractionConfigurationError
from askback.edge.handler import Handler

LOGGER = Logger(service="test-handler")


class Builds:
    """Builds a number that counts the builds, once the deployment is configured."""

    def __init__(self, *, configured: bool = True) -> None:
        self.configured = configured
        self.count = 0

    def __call__(self, logger: Logger, *, add: int = 0) -> int:
        assert logger is LOGGER
        self.count += 1
        if not self.configured:
            raise InteractionConfigurationError("not configured", reason="a variable is not set")
        return self.count + add


def served(build: Builds) -> Handler[int]:
    return Handler(build, lambda event, context, built: (event, context, built()), logger=LOGGER)


def test_services_are_built_before_the_first_request_and_never_again() -> None:
    build = Builds()
    handler = served(build)
    assert build.count == 1
    assert [handler(event, "context") for event in ("a", "b")] == [("a", "context", 1), ("b", "context", 1)]
    assert build.count == 1


def test_a_misconfigured_function_starts_and_every_request_learns_why_until_it_is_repaired() -> None:
    build = Builds(configured=False)
    handler = served(build)
    for _ in range(2):
        with pytest.raises(InteractionConfigurationError) as raised:
            handler({}, None)
        assert raised.value.reason == "a variable is not set"
    assert build.count == 3
    build.configured = True
    assert [handler({}, None)[2] for _ in range(2)] == [4, 4]


def test_any_other_failure_to_build_is_a_failure_to_start() -> None:
    def build(logger: Logger) -> int:
        raise LookupError("no such module")

    with pytest.raises(LookupError):
        Handler(build, lambda event, context, built: built(), logger=LOGGER)


def test_a_rebuilt_handler_has_other_parts_and_leaves_the_first_as_it_is() -> None:
    first: Any = served(Builds())
    other = first.rebuilt(add=10)
    assert (first(0, 0)[2], other(0, 0)[2]) == (1, 12)

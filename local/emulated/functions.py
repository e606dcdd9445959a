"""The template's functions: their code, their environment variables, and how to call them."""

from __future__ import annotations

import importlib.util
import json
import sys
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from askback.edge import handler as edge
from local.emulated.template import ACCOUNT, REGION, Resolver

Handler = Callable[[Any, Any], Any]

KIND: Final = "AWS::Serverless::Function"
WAITING: Final = ("mcp", "user_mcp")
"""The functions that can wait for a person while they serve a request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LambdaContext:
    """The context object of an invocation."""

    function_name: str
    timeout_seconds: int = 28
    alias: str = ""
    """The alias that was invoked; empty for the function itself."""
    aws_request_id: str = field(default_factory=lambda: str(uuid.uuid4()))
    function_version: str = "$LATEST"
    memory_limit_in_mb: int = 1024
    log_group_name: str = "local"
    log_stream_name: str = "local"

    @property
    def invoked_function_arn(self) -> str:
        """The ARN that was invoked: that of the function, or of its alias."""
        alias = f":{self.alias}" if self.alias else ""
        return f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:{self.function_name}{alias}"

    def get_remaining_time_in_millis(self) -> int:
        """Return the whole timeout: nothing here stops a handler."""
        return self.timeout_seconds * 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """One function of the template; `name` is its function name."""

    logical_id: str
    name: str
    code: Path
    handler: str
    environment: Mapping[str, str]
    timeout_seconds: int = 28
    durable: bool = False
    """Whether it is a durable function, which only the service of durable executions can run."""
    clock: Callable[[], int] | None = None
    """What the handler reads the time from, in epoch seconds; None is the real time."""
    sleep: Callable[[float], None] | None = None
    """How a handler that waits for a person waits some seconds; None is the real way."""

    def load(self) -> Handler:
        """Import the handler again, under a unique module name.

        The module of every function is `app`: with that name, the second import would return the
        first module. As on Lambda, the function's environment variables must be set before.
        """
        module_name, _, attribute = self.handler.rpartition(".")
        unique = f"local_{self.code.name}_{module_name}".replace("-", "_")
        spec = importlib.util.spec_from_file_location(unique, self.code / f"{module_name}.py")
        if spec is None or spec.loader is None:
            raise ImportError(f"no module {module_name} in {self.code}")
        module = importlib.util.module_from_spec(spec)
        sys.modules[unique] = module
        # As on Lambda, so that a function of several modules finds its own.
        sys.path.insert(0, str(self.code))
        try:
            spec.loader.exec_module(module)
        finally:
            sys.path.remove(str(self.code))
        handler: Handler = getattr(module, attribute)
        parts: dict[str, Any] = {} if self.clock is None else {"clock": self.clock}
        if self.sleep is not None and self.code.name in WAITING:
            parts["sleep"] = self.sleep
        # The page and the example have no services, and read no clock.
        return handler.rebuilt(**parts) if parts and isinstance(handler, edge.Handler) else handler

    def invoke(self, handler: Handler, event: Any, *, alias: str = "") -> Any:
        """Call the loaded handler; event and result are converted to JSON and back, as on Lambda."""
        context = LambdaContext(function_name=self.name, timeout_seconds=self.timeout_seconds, alias=alias)
        result = handler(json.loads(json.dumps(event)), context)
        return json.loads(json.dumps(result))


def bind_functions(resolver: Resolver) -> None:
    """Bind `Ref` and `GetAtt` of every function; call this before other values that use them are resolved."""
    for logical_id, own in resolver.resources(KIND).items():
        name = function_name(resolver, logical_id, own)
        resolver.bind(logical_id, name, Arn=LambdaContext(function_name=name).invoked_function_arn)


def read_functions(template: Mapping[str, Any], resolver: Resolver, root: Path) -> tuple[Function, ...]:
    """Return every function of the template; its own variables override the global ones."""
    shared = template.get("Globals", {}).get("Function", {})
    functions = []
    for logical_id, own in resolver.resources(KIND).items():
        variables: dict[str, Any] = {}
        for section in (shared, own):
            variables |= section.get("Environment", {}).get("Variables", {})
        functions.append(
            Function(
                logical_id=logical_id,
                name=function_name(resolver, logical_id, own),
                code=root / own["CodeUri"],
                handler=own.get("Handler", shared.get("Handler")),
                environment={key: str(resolver.resolve(value)) for key, value in variables.items()},
                timeout_seconds=int(own.get("Timeout", shared.get("Timeout", 28))),
                durable="DurableConfig" in own,
            )
        )
    return tuple(functions)


def read_aliases(resolver: Resolver) -> frozenset[tuple[str, str]]:
    """Return each alias of the template: the name of its function, and its own. Every one leads to the function."""
    return frozenset(
        (str(resolver.resolve(own["FunctionName"])), str(own["Name"]))
        for own in resolver.resources("AWS::Lambda::Alias").values()
    )


def function_name(resolver: Resolver, logical_id: str, own: Mapping[str, Any]) -> str:
    """Return the name of a function: its own, or the one that a local run gives it."""
    return str(resolver.resolve(own.get("FunctionName")) or resolver.local_name(logical_id))

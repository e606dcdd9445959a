"""The running deployment: emulated AWS, the template's resources, the real handlers, one API.

It starts empty when the context is entered. At the end everything is removed: data, key, servers, environment.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, redirect_stdout
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final, Self

from local.emulated.clock import ClockRoute, MovedClock
from local.emulated.cloud import ROOT, Cloud
from local.emulated.emulator import answer_signed
from local.emulated.front import Front, Route
from local.emulated.functions import Function, Handler
from local.emulated.gateway import Gateway
from local.emulated.schedules import Schedules
from local.emulated.template import TemplateError
from local.emulated.workflows.lambda_functions import serving

_QUIET: Final = {"POWERTOOLS_LOG_LEVEL": "ERROR"}
LAYERS: Final = "/opt"
"""Where Lambda unpacks layers."""
# Functions share one process. Only these variables may differ, because they are read while a handler loads.
_READ_WHILE_LOADING: Final = frozenset({"POWERTOOLS_SERVICE_NAME"})


@contextmanager
def _unpacked(layer: Path, parameters: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """Put a layer's modules on the path; yield the parameters that refer to its files, with their local paths."""
    python = str(layer / "python")
    # At the end of the path: on Lambda too, /opt/python comes after the function's own folder.
    sys.path.append(python)
    try:
        folder = parameters.get("PageFolder", "")
        yield {"PageFolder": str(layer / folder.removeprefix(f"{LAYERS}/"))} if folder.startswith(f"{LAYERS}/") else {}
    finally:
        sys.path.remove(python)


class Stack:
    """The whole deployment as a context manager; `url` is its HTTP API.

    `parameters` override the template's. `root` is the folder of template.yaml and its code. `port`
    0 means any free port. `layer` is the folder of an adopter's layer. `load` imports a function's
    handler. With `logs`, all logs and metrics of the handlers go to standard error; without it only errors do.

    With a `clock`, time passes as on AWS: all handlers read it, the template's schedules run, and `POST /local/clock`
    moves it. Without one, a test alone says when the sweep runs. If the template's conditions include a state machine,
    it exists. With a clock or a state machine, the functions can be invoked through the emulator's Lambda.

    A process can have one stack at a time, because all handlers read one environment. Entering raises
    `PortUnavailableError` when the port cannot be opened.
    """

    durable: Mapping[str, Handler]
    """The handlers of durable functions, each under its name: a runner of durable executions must call them."""

    def __init__(
        self,
        *,
        parameters: Mapping[str, str] | None = None,
        port: int = 0,
        root: Path = ROOT,
        layer: Path | None = None,
        load: Callable[[Function], Handler] = Function.load,
        clock: MovedClock | None = None,
        logs: bool = False,
    ) -> None:
        self._load_handler = load
        self._parameters = dict(parameters or {})
        self._root = root
        self._port = port
        self._layer = layer
        self._clock = clock
        self._show_logs = logs
        self._front: Front | None = None
        self._one_at_a_time = threading.Lock()
        self._exit = ExitStack()

    @property
    def url(self) -> str:
        """Base address of the HTTP API, without a trailing slash."""
        if self._front is None:
            raise RuntimeError("the stack is not running")
        return self._front.url

    @property
    def state_machines(self) -> Mapping[str, str]:
        """The ARNs of the template's state machines, by logical id."""
        return self._cloud.state_machines

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            # A handler logs to the standard output of the time when it loads, and prints metrics to
            # the standard output of the time when it runs. Both are redirected once for the process:
            # the real standard output belongs to the program that runs the stack, and a redirection
            # for each invocation would mix up threads.
            stack.enter_context(redirect_stdout(sys.stderr))
            front = Front(self._port)
            # A failure before it serves must close the port.
            stack.callback(front.close)
            # Answer links open the page of this stack.
            parameters = {"AnswerUrl": f"{front.url}/answer"} | self._parameters
            if self._layer is not None:
                parameters |= stack.enter_context(_unpacked(self._layer, parameters))
            cloud = stack.enter_context(Cloud(parameters=parameters, root=self._root))
            self._cloud = cloud
            functions = self._load(cloud.functions)
            gateway = Gateway(routes=cloud.routes, cors=cloud.cors, functions=functions, tracebacks=self._show_logs)
            if cloud.state_machines or self._clock is not None:
                stack.enter_context(serving(functions, cloud.aliases))
            if not self._show_logs:
                # Not Powertools' own switch: with it, metrics are collected without end and never dropped.
                nowhere = stack.enter_context(Path(os.devnull).open("w", encoding="utf-8"))
                stack.enter_context(redirect_stdout(nowhere))
            before: tuple[Route, ...] = (answer_signed,)
            if self._clock is not None:
                # Before the front in this stack of contexts: a request can move the clock until the front has stopped.
                schedules = Schedules(cloud.schedules, functions, tracebacks=self._show_logs)
                before = (ClockRoute(self._clock, stack.enter_context(schedules).run_all).answer, *before)
            self._front = stack.enter_context(front.lead_to(gateway, before=before))
            self._exit = stack.pop_all()
        return self

    def __exit__(self, *details: object) -> None:
        self._front = None
        self._exit.close()

    def _load(self, functions: tuple[Function, ...]) -> dict[str, Callable[..., Any]]:
        loaded: dict[str, Callable[..., Any]] = {}
        durable: dict[str, Handler] = {}
        variables: dict[str, str] = {}
        for function in functions:
            own = dict(function.environment) | ({} if self._show_logs else _QUIET)
            for name, value in own.items():
                if variables.get(name, value) != value and name not in _READ_WHILE_LOADING:
                    raise TemplateError(f"functions in one process cannot differ in {name}")
            variables |= own
            # `Cloud` restores the environment at the end.
            os.environ.update(own)
            handler = self._load_handler(replace(function, clock=self._clock, sleep=self._sleep))
            if function.durable:
                durable[function.name] = handler
            else:
                loaded[function.name] = partial(self._invoke, function, handler)
        self.durable = durable
        return loaded

    def _sleep(self, seconds: float) -> None:
        """Wait while other functions run: what this one waits for, such as an answer, comes through them."""
        self._one_at_a_time.release()
        try:
            time.sleep(seconds)
        finally:
            self._one_at_a_time.acquire()

    def _invoke(self, function: Function, handler: Handler, event: Any, *, alias: str = "") -> Any:
        # A Lambda environment serves one request at a time, and handlers rely on it. All functions share
        # one lock, because Powertools keeps one set of metrics for the process.
        with self._one_at_a_time:
            return function.invoke(handler, event, alias=alias)

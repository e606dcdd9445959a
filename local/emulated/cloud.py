"""An emulated AWS with the template's resources, and the environment variables to reach it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final, Self
from urllib.parse import urlsplit

from local.emulated.emulator import LOOPBACK, Emulator
from local.emulated.functions import Function, bind_functions, read_aliases, read_functions
from local.emulated.resources import create_resources
from local.emulated.routes import Cors, Route, read_cors, read_routes
from local.emulated.schedules import Schedule, read_schedules
from local.emulated.template import REGION, Resolver, load_template
from local.emulated.workflows import interpreter

ROOT: Final = Path(__file__).resolve().parents[2]
# Variables of a developer's shell that would change a handler's behaviour or its AWS endpoint.
_CLEARED: Final = ("ASKBACK_", "AWS_", "POWERTOOLS_", "BOTO_", "MOTO_")


class Cloud:
    """The template's stores and state machines on an emulator; its functions, routes and schedules as data.

    While it runs, this process's environment sends all AWS calls to the emulator. The developer's
    own AWS settings are removed and restored at the end. `host` is the address of the emulator;
    state machines always call it on the loopback address.
    """

    functions: tuple[Function, ...]
    aliases: frozenset[tuple[str, str]]
    routes: tuple[Route, ...]
    cors: Cors | None
    schedules: tuple[Schedule, ...]
    state_machines: Mapping[str, str]
    """ARN by logical id."""

    def __init__(self, *, parameters: Mapping[str, str] | None = None, root: Path = ROOT, host: str = LOOPBACK) -> None:
        self._parameters = dict(parameters or {})
        self._root = root
        self._host = host
        self._exit = ExitStack()

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            template = load_template(self._root / "template.yaml")
            emulator = stack.enter_context(Emulator(self._host))
            stack.enter_context(replaced_environment(_reach(emulator.endpoint)))
            resolver = Resolver(template, {"EndpointUrl": emulator.endpoint} | self._parameters)
            create_resources(resolver)
            bind_functions(resolver)
            self.state_machines = {}
            if resolver.resources(interpreter.KIND):
                stack.enter_context(interpreter.executing())
                self.state_machines = interpreter.create_state_machines(resolver, self._root)
            self.functions = read_functions(template, resolver, self._root)
            self.aliases = read_aliases(resolver)
            self.routes = read_routes(resolver)
            self.cors = read_cors(resolver)
            self.schedules = read_schedules(resolver)
            self._exit = stack.pop_all()
        return self

    def __exit__(self, *details: object) -> None:
        self._exit.close()


@contextmanager
def replaced_environment(variables: Mapping[str, str]) -> Iterator[None]:
    """Set exactly these AWS, Powertools and askback variables, and restore the old ones at the end."""
    before = dict(os.environ)
    try:
        for name in before:
            if name.startswith(_CLEARED):
                del os.environ[name]
        os.environ.update(variables)
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def _reach(endpoint: str) -> dict[str, str]:
    """Return the variables with which AWS clients reach the emulator and cannot reach AWS."""
    own_addresses = f"{urlsplit(endpoint).hostname},{LOOPBACK},localhost"
    return {
        "AWS_ACCESS_KEY_ID": "local",
        "AWS_SECRET_ACCESS_KEY": "local",
        "AWS_DEFAULT_REGION": REGION,
        "AWS_REGION": REGION,
        "AWS_ENDPOINT_URL": endpoint,
        # The port for the tasks of state machines; moto's interpreter has no other setting for it.
        "MOTO_PORT": endpoint.rpartition(":")[2],
        "AWS_EC2_METADATA_DISABLED": "true",
        # An endpoint in a profile would override the one above.
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        # A proxy could not reach the emulator's address.
        "NO_PROXY": own_addresses,
        "no_proxy": own_addresses,
    }

"""A built function on Lambda's own runtime client, behind the runtime interface emulator that comes with the SAM CLI.

The client starts the function as it does on Lambda: it loads itself, imports the handler, and asks for the first event.
Nothing here stands for the platform's own time: finding a machine, downloading the package, unpacking it.
"""

import http.client
import json
import os
import platform
import socket
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from local.demo.checks import until
from tests.built.benchmarks.artifact import ROOT, Artifact, NotReadyError

CLIENT = ROOT / ".aws-sam" / "runtime"
"""The runtime client, made by `make bench`."""
_PATH = "/2015-03-31/functions/function/invocations"
_EMULATORS = {"x86_64": "aws-lambda-rie-x86_64", "aarch64": "aws-lambda-rie-arm64"}


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstReply:
    """Seconds from the start of a function's process to its first reply: of processor time, and elapsed."""

    cpu: float
    elapsed: float

    def or_better(self, other: "FirstReply | None") -> "FirstReply":
        """Return the better of both in either way: noise only adds."""
        if other is None:
            return self
        return FirstReply(cpu=min(self.cpu, other.cpu), elapsed=min(self.elapsed, other.elapsed))


class Runtime:
    """A context manager around one process of a function, which does not start before its first event."""

    def __init__(self, artifact: Artifact, function: Path, environment: Mapping[str, str]) -> None:
        self._python = artifact.python
        self._environment = dict(environment) | {
            # Lambda's order: the function, the layer, then what the runtime has itself.
            "PYTHONPATH": os.pathsep.join(map(str, (function, artifact.layer, CLIENT))),
            "PYTHONDONTWRITEBYTECODE": "1",
            "LAMBDA_TASK_ROOT": str(function),
            "AWS_LAMBDA_FUNCTION_NAME": function.name,
        }

    def __enter__(self) -> Self:
        self._port = _free_port()
        addresses = ["--runtime-interface-emulator-address", f"127.0.0.1:{self._port}"]
        addresses += ["--runtime-api-address", f"127.0.0.1:{_free_port()}"]
        self._process = subprocess.Popen(
            [_emulator(), "--log-level", "error", *addresses, self._python, "-sm", "awslambdaric", "app.handler"],
            env=self._environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        until(self._listens, "the runtime interface emulator")
        return self

    def __exit__(self, *details: object) -> None:
        # Its runtime process ends with it.
        self._process.terminate()
        self._process.wait()

    def first_reply(self, event: Any) -> FirstReply:
        """Send the first event; raises RuntimeError when the function fails."""
        start = time.perf_counter()
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=60)
        connection.request("POST", _PATH, json.dumps(event))
        result = json.loads(connection.getresponse().read())
        elapsed = time.perf_counter() - start
        if isinstance(result, dict) and "errorType" in result:
            raise RuntimeError(f"the function answered {result}")
        return FirstReply(cpu=self._cpu(), elapsed=elapsed)

    def _cpu(self) -> float:
        """Return the processor time of the runtime's process so far, all its threads."""
        (child,) = _children(self._process.pid)
        threads = Path(f"/proc/{child}/task").iterdir()
        return sum(int((thread / "schedstat").read_text().split()[0]) for thread in threads) / 1e9

    def _listens(self) -> bool | None:
        with socket.socket() as attempt:
            return True if attempt.connect_ex(("127.0.0.1", self._port)) == 0 else None


def _children(process: int) -> list[int]:
    threads = Path(f"/proc/{process}/task").iterdir()
    return [int(child) for thread in threads for child in (thread / "children").read_text().split()]


def _emulator() -> str:
    ships = f"lib/python*/site-packages/samcli/local/rapid/{_EMULATORS[platform.machine()]}"
    found = sorted((ROOT / ".venv-sam").glob(ships))
    if not found or not CLIENT.is_dir():
        raise NotReadyError("there is no runtime to run the functions on: run make bench")
    return str(found[0])


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port

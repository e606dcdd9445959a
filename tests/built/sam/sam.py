"""The SAM CLI: it invokes a function once, or serves the API or the Lambda service until it is told to stop."""

import contextlib
import json
import os
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from local.emulated.cloud import ROOT
from tests.support.template import OPTED_IN

BUILT: Final = ROOT / ".aws-sam/native/build/template.yaml"
PATIENCE_SECONDS: Final = 180
"""No step takes a tenth of this on an idle machine; one that hangs ends with an error that shows what was said."""

_COMMAND: Final = ROOT / ".venv-sam/bin/sam"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sam:
    """The SAM CLI over the native build.

    `image` is the base image; `variables` are each function's by its logical id; `home` keeps what the CLI would write
    into the developer's home. The process's own AWS environment must lead to the emulator, because the CLI uses it too.
    """

    image: str
    architecture: str
    docker_host: str
    variables: Mapping[str, Mapping[str, str]]
    home: Path

    def invoke(self, function: str, event: object) -> Any:
        """Run `sam local invoke` and return the function's result, or what it raised as Lambda words it."""
        done = subprocess.run(
            self._command("invoke", function, "--event", "-"),
            env=self._environment(),
            input=json.dumps(event),
            capture_output=True,
            text=True,
            timeout=PATIENCE_SECONDS,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        # Everything but the result goes to standard error.
        assert done.stdout, done.stderr
        return json.loads(done.stdout)

    @contextmanager
    def serving(self, what: str, *functions: str) -> Iterator[str]:
        """Run `sam local start-api` or `start-lambda` and give its address."""
        port = _free_port()
        log = self.home / f"{what}.log"
        # Tied to this process and in a session of its own: an interrupt must not end it in the middle of a container's
        # start, and nothing of it is left when this process is killed.
        command = ["setpriv", "--pdeathsig", "TERM", *self._command(what, *functions, "--port", str(port))]
        with log.open("w", encoding="utf-8") as output:
            process = subprocess.Popen(
                [*command, "--warm-containers", "LAZY"],
                env=self._environment(),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
            try:
                _wait_until_it_listens(process, port, log)
                yield f"http://127.0.0.1:{port}"
            finally:
                process.terminate()
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(PATIENCE_SECONDS)
                process.kill()

    def _command(self, what: str, *arguments: str) -> list[str]:
        overrides = [f"{name}={value}" for name, value in OPTED_IN.items()]
        variables = self.home / "variables.json"
        variables.write_text(json.dumps(self.variables), encoding="utf-8")
        return [
            *(str(_COMMAND), "local", what, *arguments),
            *("--template", str(BUILT)),
            *("--parameter-overrides", f"Architecture={self.architecture}", *overrides),
            *("--env-vars", str(variables)),
            *("--invoke-image", self.image, "--skip-pull-image"),
            *("--region", os.environ["AWS_REGION"]),
        ]

    def _environment(self) -> dict[str, str]:
        home = str(self.home)
        # The CLI keeps a lock for each image in the temporary folder, whichever engine has the image: in a folder that
        # others use too, it would take another engine's build for its own and run what an earlier one left.
        own = {"DOCKER_HOST": self.docker_host, "HOME": home, "TMPDIR": home, "SAM_CLI_TELEMETRY": "0"}
        return dict(os.environ) | own


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def _wait_until_it_listens(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    give_up = time.monotonic() + PATIENCE_SECONDS
    while process.poll() is None and time.monotonic() < give_up:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.1)
    raise AssertionError(f"sam local does not listen; it said: {log.read_text(encoding='utf-8')}")

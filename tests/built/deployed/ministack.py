"""MiniStack as a process of its own, with IAM enforced, and clients of its account's root."""

import os
import signal
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from contextlib import suppress
from pathlib import Path
from socket import socket
from typing import IO, Any, Final, Self

import boto3
from botocore.credentials import Credentials

from local.emulated.cloud import ROOT
from local.emulated.template import ACCOUNT, REGION

PYTHON: Final = ROOT / ".venv-ministack" / "bin" / "python"
SECRET: Final = "test"
ROOT_USER: Final = Credentials(ACCOUNT, SECRET)
_PATIENCE_SECONDS: Final = 60.0


class MiniStack:
    """An empty AWS at `url`, from entering the context until leaving it; what its log said is shown when it fails."""

    def __init__(self) -> None:
        with socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._folder = tempfile.TemporaryDirectory(prefix="askback-deployed-")
        self._log: IO[bytes] | None = None
        self._process: subprocess.Popen[bytes] | None = None

    def client(self, service: str, *, endpoint: str | None = None, signed_by: Credentials = ROOT_USER) -> Any:
        """Return a client of a service, here or elsewhere, as the account's root, which no policy binds, or another."""
        make: Any = boto3.client
        return make(
            service,
            endpoint_url=endpoint or self.url,
            region_name=REGION,
            aws_access_key_id=signed_by.access_key,
            aws_secret_access_key=signed_by.secret_key,
        )

    @property
    def log(self) -> str:
        """What the server has said."""
        return (Path(self._folder.name) / "log").read_text(encoding="utf-8", errors="replace")

    def __enter__(self) -> Self:
        # Nothing of this process's environment: the functions inherit what the server has.
        environment = {
            "AUTH": "true",
            "BIND_HOST": "127.0.0.1",
            "GATEWAY_PORT": str(self.port),
            "LAMBDA_EXECUTOR": "local",
            "PERSIST_STATE": "0",
            "MINISTACK_ACCOUNT_ID": ACCOUNT,
            "MINISTACK_REGION": REGION,
            "AWS_SECRET_ACCESS_KEY": SECRET,
            "PATH": "/usr/bin:/bin",
            "HOME": self._folder.name,
            "TMPDIR": self._folder.name,
        }
        self._log = (Path(self._folder.name) / "log").open("wb")
        # It ends when its standard input does, so also when this process is killed.
        self._process = subprocess.Popen(
            [PYTHON, "-sEm", "tests.built.deployed.server"],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=self._log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            self._wait()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *details: object) -> None:
        if self._process is not None:
            # The whole group: the functions are processes of their own.
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.communicate()
        if self._log is not None:
            self._log.close()
        self._folder.cleanup()

    def _wait(self) -> None:
        end = time.monotonic() + _PATIENCE_SECONDS
        while True:
            try:
                urllib.request.urlopen(f"{self.url}/_ministack/health", timeout=5).close()
            except (urllib.error.URLError, ConnectionError, TimeoutError):
                running = self._process is not None and self._process.poll() is None
                if not running or time.monotonic() > end:
                    raise RuntimeError(f"MiniStack did not start:\n{self.log}") from None
                time.sleep(0.05)
            else:
                return

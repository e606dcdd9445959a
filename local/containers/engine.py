"""A Docker engine: the running one, or one that this module starts and stops again.

An engine that we start shares nothing with another engine: its socket and state are in a private folder, its network is
private, and it does not change the firewall or the routing. So its containers can reach only this machine, and never
AWS. Only its images are kept, because they take time to build.
"""

from __future__ import annotations

import fcntl
import ipaddress
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import docker
from docker.errors import DockerException

from local.containers.bridge import own_bridge

_START_SECONDS: Final = 60
_STOP_SECONDS: Final = 30
_PROGRAMS: Final = {"dockerd": "docker.io", "ip": "iproute2", "setpriv": "util-linux"}
"""The programs that start an engine, and their packages on Debian and Ubuntu."""


class EngineUnavailableError(Exception):
    """No engine is running and none can be started; the message says what is missing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """A running engine; `url` is the value for DOCKER_HOST."""

    url: str
    client: docker.DockerClient

    @property
    def host_address(self) -> str:
        """This machine's address on the network of its containers."""
        subnet = self.client.networks.get("bridge").attrs["IPAM"]["Config"][0]
        # Older engines do not report the gateway; it is the first address.
        return str(subnet.get("Gateway") or next(ipaddress.ip_network(subnet["Subnet"]).hosts()))


@contextmanager
def docker_engine(data: Path) -> Iterator[Engine]:
    """Yield the running engine; without one, start an engine with its images in `data`, and stop it at the end.

    Raises:
        EngineUnavailableError: no engine is running and none can be started.
    """
    url = os.environ.get("DOCKER_HOST") or "unix:///var/run/docker.sock"
    client = _answering(url)
    with ExitStack() as stack:
        if client is None:
            url, client = stack.enter_context(_own_engine(data))
        stack.callback(client.close)
        yield Engine(url=url, client=client)


def _answering(url: str) -> docker.DockerClient | None:
    path = url.removeprefix("unix://")
    # First a plain connection: the Docker client leaves its socket open when no engine is running.
    if path != url and not _listens(path):
        return None
    try:
        client = docker.DockerClient(base_url=url, timeout=_START_SECONDS)
    except DockerException:
        return None
    return client


def _listens(path: str) -> bool:
    with socket.socket(socket.AF_UNIX) as probe:
        return probe.connect_ex(path) == 0


@contextmanager
def _own_engine(data: Path) -> Iterator[tuple[str, docker.DockerClient]]:
    if missing := [program for program in _PROGRAMS if shutil.which(program) is None]:
        packages = " ".join(_PROGRAMS[program] for program in missing)
        raise EngineUnavailableError(
            f"No Docker engine is running, and these programs to start one are missing: {', '.join(missing)}. "
            f"Install Docker (on Debian and Ubuntu: apt-get install {packages})."
        )
    if os.geteuid() != 0:
        raise EngineUnavailableError("No Docker engine is running, and only root can start one. Start Docker.")
    data.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        lock = stack.enter_context((data.parent / f"{data.name}.lock").open("w", encoding="utf-8"))
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise EngineUnavailableError(f"Another engine uses {data}. Wait until it ends.") from None
        bridge = stack.enter_context(own_bridge())
        # The path of a socket is limited to about 100 characters, so it is not below `data`.
        private = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="askback-engine-")))
        log = stack.enter_context((private / "log").open("w+", encoding="utf-8"))
        url = f"unix://{private / 'docker.sock'}"
        process = subprocess.Popen(_command(url, data, private, bridge), stdout=log, stderr=log, start_new_session=True)
        stack.callback(_stop, process)
        yield url, _started(process, url, private / "log")


def _command(url: str, data: Path, private: Path, bridge: str) -> list[str]:
    # In its own session: Ctrl-C must not end the engine before its containers are removed. `--pdeathsig` ends it when
    # this process is killed.
    return [
        *("setpriv", "--pdeathsig", "TERM", "dockerd"),
        *("--host", url),
        *("--data-root", str(data)),
        *("--exec-root", str(private / "run")),
        *("--pidfile", str(private / "pid")),
        *("--bridge", bridge),
        *("--iptables=false", "--ip6tables=false", "--ip-masq=false", "--ip-forward=false"),
    ]


def _started(process: subprocess.Popen[bytes], url: str, log: Path) -> docker.DockerClient:
    give_up = time.monotonic() + _START_SECONDS
    while process.poll() is None and time.monotonic() < give_up:
        if client := _answering(url):
            return client
        time.sleep(0.1)
    lines = log.read_text(encoding="utf-8").splitlines()
    raise EngineUnavailableError("\n".join(["dockerd does not start here. The last lines of its log:", *lines[-10:]]))


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()

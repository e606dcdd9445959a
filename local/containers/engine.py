"""A Docker engine: the one that answers, or one of our own for as long as it is needed.

An engine of our own shares nothing with another: socket and state are in a private folder, the network is its own, and
it touches neither the firewall nor routing. So its containers reach this machine and nothing else, which suits them:
they must not find AWS. Only its images are kept, because they take time to build.
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
"""What starts an engine, and the package that has it on Debian and Ubuntu."""


class EngineUnavailableError(Exception):
    """No engine answers and none can be started; the message says what is missing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """An engine that answers at `url`, which is what belongs into DOCKER_HOST."""

    url: str
    client: docker.DockerClient

    @property
    def host_address(self) -> str:
        """This machine's address on the network of its containers."""
        subnet = self.client.networks.get("bridge").attrs["IPAM"]["Config"][0]
        # Older engines leave the gateway out; it is the first address.
        return str(subnet.get("Gateway") or next(ipaddress.ip_network(subnet["Subnet"]).hosts()))


@contextmanager
def docker_engine(data: Path) -> Iterator[Engine]:
    """Give the engine that answers, or start one that keeps its images in `data`, and stop it on leaving.

    Raises:
        EngineUnavailableError: there is none, and none can be started.
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
    # Asked first, because the client leaves its socket open when nobody is there.
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
            f"No Docker engine answers, and to start one there is no {', no '.join(missing)}: install Docker "
            f"(on Debian and Ubuntu: apt-get install {packages})."
        )
    if os.geteuid() != 0:
        raise EngineUnavailableError("No Docker engine answers, and dockerd needs root to be started: start Docker.")
    data.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        lock = stack.enter_context((data.parent / f"{data.name}.lock").open("w", encoding="utf-8"))
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise EngineUnavailableError(f"Another engine is running over {data}: wait until it has ended.") from None
        bridge = stack.enter_context(own_bridge())
        # A socket's path is limited to about a hundred characters, so it is not below this folder.
        private = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="askback-engine-")))
        log = stack.enter_context((private / "log").open("w+", encoding="utf-8"))
        url = f"unix://{private / 'docker.sock'}"
        process = subprocess.Popen(_command(url, data, private, bridge), stdout=log, stderr=log, start_new_session=True)
        stack.callback(_stop, process)
        yield url, _started(process, url, private / "log")


def _command(url: str, data: Path, private: Path, bridge: str) -> list[str]:
    # In a session of its own, so that an interrupt of ours does not end it before its containers are removed; tied to
    # this process, so that nothing is left when this process is killed.
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
    raise EngineUnavailableError("\n".join(["dockerd does not start here; it said last:", *lines[-10:]]))


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()

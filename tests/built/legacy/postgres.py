"""A PostgreSQL server of one's own, on a socket in a folder of its own: no port, no password, gone afterwards."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

USER = "postgres"


def binaries() -> Path | None:
    """Return the folder of the server's programs, or None where PostgreSQL is not installed."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if found:
        return found[-1].parent
    initdb = shutil.which("initdb")
    return Path(initdb).parent if initdb else None


@contextmanager
def serving(programs: Path) -> Iterator[str]:
    """Give the address of a server, until leaving."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        # The server refuses to run as root.
        user = USER if os.geteuid() == 0 else None
        if user:
            shutil.chown(folder, user)

        def run(program: str, *arguments: str) -> None:
            subprocess.run(
                [programs / program, *arguments],
                user=user,
                cwd=folder,
                check=True,
                stdout=subprocess.DEVNULL,
                timeout=120,
            )

        data = str(folder / "data")
        run("initdb", "--pgdata", data, "--auth", "trust", "--username", USER, "--no-sync", "--encoding", "UTF8")
        options = f"-k {folder} -c listen_addresses= -c fsync=off"
        run("pg_ctl", "--pgdata", data, "--log", str(folder / "log"), "--options", options, "--wait", "start")
        try:
            yield f"postgresql://{USER}@/postgres?host={folder}"
        finally:
            run("pg_ctl", "--pgdata", data, "--mode", "immediate", "--wait", "stop")


def copied(programs: Path, dsn: str, query: str, to: Path) -> None:
    """Copy a query's rows into a file of comma-separated values with a header, as an operator does."""
    command = f"\\copy ({query}) to '{to}' csv header"
    subprocess.run([programs / "psql", "--quiet", "--command", command, dsn], check=True, timeout=60)

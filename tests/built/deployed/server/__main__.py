"""`python -m tests.built.deployed.server`: MiniStack with its rules mended, until standard input ends."""

import os
import sys
import threading

from ministack import app

from tests.built.deployed.server import permissions, services


def end_with_whoever_started_this() -> None:
    """End when standard input does; the functions end with it, since theirs does then."""

    def wait() -> None:
        sys.stdin.read()
        os._exit(0)

    threading.Thread(target=wait, daemon=True).start()


if __name__ == "__main__":
    end_with_whoever_started_this()
    permissions.install()
    services.install()
    app.main()

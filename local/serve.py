"""Keeps the deployment running on one machine, and prints curl commands that you can paste.

python -m local.serve
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Sequence
from typing import Final, TextIO

from local.demo.client_variables import export_lines
from local.demo.curl import curl_lines
from local.demo.mailbox import Mail, Mailbox
from local.demo.options import read_options
from local.emulated.clock import MovedClock
from local.emulated.front import PortUnavailableError
from local.emulated.stack import Stack
from local.emulated.template import TemplateError

DEFAULT_PORT: Final = 8787
PARAMETERS: Final = {"MintFloor": '{"*": {"default_answer_ttl_min_seconds": 30}}'}
"""What differs from the template's defaults: a person who tries a default answer does not want to wait five minutes."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until Ctrl-C or SIGTERM; return 1 when the port is in use or the template is wrong."""
    options = read_options(
        arguments,
        program="local.serve",
        description="Keep the whole deployment running on this machine.",
        default_port=DEFAULT_PORT,
    )
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda _number, _frame: stop.set())
    # Before the stack starts: after that, standard output is redirected to the handlers' log.
    out = sys.stdout
    try:
        load = Mailbox(printing(out)).load
        with Stack(
            port=options.port,
            parameters=PARAMETERS | dict(options.parameters),
            layer=options.layer,
            load=load,
            clock=MovedClock(),
            logs=options.logs,
        ) as stack:
            print(f"# askback runs at {stack.url}. Paste these commands into a shell, one after the other.\n", file=out)
            print(curl_lines(stack.url), file=out)
            print("\n# For clients and the AWS CLI, paste these lines into a shell of its own:", file=out)
            print("# they send all AWS calls of that shell to the emulated AWS of this program.", file=out)
            print(export_lines(stack.url), file=out)
            print("\n# Mail to people is printed here, with the link to each question. Open it in a browser.", file=out)
            print("# Ready. Ctrl-C stops askback and deletes its data.", file=out, flush=True)
            stop.wait()
    except PortUnavailableError as error:
        print(f"askback: {error}. Choose another port with PORT or --port.", file=sys.stderr)
        return 1
    except TemplateError as error:
        print(f"askback: {error}", file=sys.stderr)
        return 1
    print("# Stopped.", file=out)
    return 0


def printing(out: TextIO) -> Callable[[Mail], None]:
    """Return what prints each message of the mailbox."""

    def arrived(mail: Mail) -> None:
        whose = f"{mail.recipient} can answer" if mail.recipient else "Answer link"
        print(f"# {whose}: {mail.link}", file=out, flush=True)

    return arrived


if __name__ == "__main__":
    raise SystemExit(main())

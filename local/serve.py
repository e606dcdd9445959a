"""The deployment kept up on one machine, with the whole story as curl lines to paste.

python -m local.serve
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Sequence
from typing import Final

from local.curl import curl_lines
from local.front import PortUnavailableError
from local.options import read_options
from local.stack import Stack
from local.template import TemplateError

DEFAULT_PORT: Final = 8787


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until Ctrl-C or SIGTERM; 1 when the port cannot be had."""
    options = read_options(
        arguments,
        program="local.serve",
        description="Keep the whole deployment up on this machine.",
        default_port=DEFAULT_PORT,
    )
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda _number, _frame: stop.set())
    # Taken before the stack starts: from then on standard output is where handlers log to.
    out = sys.stdout
    try:
        with Stack(port=options.port, parameters=options.parameters) as stack:
            print(f"# askback is up at {stack.url}. Paste these lines one after the other.\n", file=out)
            print(curl_lines(stack.url), file=out)
            print("\n# Ready. Ctrl-C stops it; nothing is kept.", file=out, flush=True)
            stop.wait()
    except PortUnavailableError as error:
        print(f"askback: {error}. Choose another with PORT or --port.", file=sys.stderr)
        return 1
    except TemplateError as error:
        print(f"askback: {error}", file=sys.stderr)
        return 1
    print("# Stopped.", file=out)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

"""The deployment kept up on one machine, with the whole story as curl lines to paste.

python -m local.serve
"""

from __future__ import annotations

import json
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from typing import Any, Final, TextIO

from local.demo.curl import curl_lines
from local.demo.options import read_options
from local.emulated.front import PortUnavailableError
from local.emulated.functions import Function, Handler
from local.emulated.stack import Stack
from local.emulated.template import TemplateError

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
        load = telling(out)
        with Stack(port=options.port, parameters=options.parameters, layer=options.layer, load=load) as stack:
            print(f"# askback is up at {stack.url}. Paste these lines one after the other.\n", file=out)
            print(curl_lines(stack.url), file=out)
            print("\n# The link to every question is printed here: open it in a browser to answer there.", file=out)
            print("# Ready. Ctrl-C stops it; nothing is kept.", file=out, flush=True)
            stop.wait()
    except PortUnavailableError as error:
        print(f"askback: {error}. Choose another with PORT or --port.", file=sys.stderr)
        return 1
    except TemplateError as error:
        print(f"askback: {error}", file=sys.stderr)
        return 1
    print("# Stopped.", file=out)
    return 0


def telling(out: TextIO) -> Callable[[Function], Handler]:
    """Return what loads the functions, the mint so that it prints the links of every pause: nobody else is told."""

    def load(function: Function) -> Handler:
        handler = function.load()
        if function.code.name != "mint":
            return handler

        def tell(event: Any, context: Any) -> Any:
            result = handler(event, context)
            minted = json.loads(result["body"]) if isinstance(result, dict) and "body" in result else result
            for each in (minted, *minted.get("recipients", ())) if isinstance(minted, dict) else ():
                if link := each.get("answer_link"):
                    whose = f"{each['recipient']} can answer" if "recipient" in each else "A question waits"
                    print(f"# {whose}: {link}", file=out, flush=True)
            return result

        return tell

    return load


if __name__ == "__main__":
    raise SystemExit(main())

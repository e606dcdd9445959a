"""Keeps the deployment running on one machine, and prints curl commands that you can paste.

python -m local.serve
"""

from __future__ import annotations

import json
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from typing import Any, Final, TextIO

from local.demo.client_variables import export_lines
from local.demo.curl import curl_lines
from local.demo.options import read_options
from local.emulated.clock import MovedClock
from local.emulated.front import PortUnavailableError
from local.emulated.functions import Function, Handler
from local.emulated.stack import Stack
from local.emulated.template import TemplateError

DEFAULT_PORT: Final = 8787


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
        load = printing_links(out)
        with Stack(
            port=options.port,
            parameters=options.parameters,
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
            print("\n# The answer link of every question is printed here. Open it in a browser to answer.", file=out)
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


def printing_links(out: TextIO) -> Callable[[Function], Handler]:
    """Return a loader of functions whose mint also prints the answer links: here no other channel sends them."""

    def load(function: Function) -> Handler:
        handler = function.load()
        if function.code.name != "mint":
            return handler

        def mint_and_print(event: Any, context: Any) -> Any:
            result = handler(event, context)
            minted = json.loads(result["body"]) if isinstance(result, dict) and "body" in result else result
            for each in (minted, *minted.get("recipients", ())) if isinstance(minted, dict) else ():
                if link := each.get("answer_link"):
                    whose = f"{each['recipient']} can answer" if "recipient" in each else "Answer link"
                    print(f"# {whose}: {link}", file=out, flush=True)
            return result

        return mint_and_print

    return load


if __name__ == "__main__":
    raise SystemExit(main())

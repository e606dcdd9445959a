"""The cutover command: `python -m askback.cutover consumed FILE --stack askback`.

It runs with an operator's own credentials; `export-requests` runs beside the legacy engine and needs none. Exit codes:
0 done, 1 refused, 2 not a command, 3 done with something to look at. It never prints a key, a token, an answer or what
stands in a file. A key is read from standard input, because arguments can be seen by others.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any, TextIO

from askback.cutover.arguments import parser
from askback.cutover.lines import LineRefused
from askback.cutover.told import DONE, REFUSED


def main(
    arguments: Sequence[str] | None = None,
    *,
    connect: Callable[..., Any] | None = None,
    key: TextIO = sys.stdin,
    out: TextIO = sys.stdout,
    err: TextIO = sys.stderr,
) -> int:
    """Do what the arguments say and return the exit code."""
    asked = parser().parse_args(arguments)
    return _export(asked, out, err) if asked.command == "export-requests" else _operate(asked, connect, key, out, err)


def _operate(
    asked: argparse.Namespace, connect: Callable[..., Any] | None, key: TextIO, out: TextIO, err: TextIO
) -> int:
    # Imported here: beside the legacy engine nothing of AWS is installed.
    from askback.cutover.commands import COMMANDS
    from askback.cutover.importing import BrokenOff
    from askback.domain.errors import HumanInteractionError
    from askback.operate.stack import Refused, connected

    def refuse(document: dict[str, Any], text: str) -> int:
        err.write((json.dumps(document) if asked.json else f"Refused: {text}") + "\n")
        return REFUSED

    try:
        operator = (connect or connected)(
            stack=asked.stack, function=None, secret=asked.secret, region=asked.region, profile=asked.profile
        )
        document, text, code = COMMANDS[asked.command](operator, asked, key)
    except Refused as refused:
        return refuse(dict(refused.document), str(refused))
    except LineRefused as refused:
        return refuse(
            {"code": "line-refused", "line": refused.line, "detail": str(refused)}, f"{asked.file}, {refused}"
        )
    except BrokenOff as broken:
        text = f"{broken.code}: {broken}; go on with --from-line {broken.line}"
        return refuse({"code": broken.code, "line": broken.line, "detail": str(broken)}, text)
    except HumanInteractionError as error:
        reason = error.reason or error.detail
        return refuse({"code": error.code, "detail": reason}, f"{error.code}: {reason}")
    except OSError as error:
        return refuse({"code": "unreadable", "detail": error.strerror}, f"{error.filename}: {error.strerror}")
    out.write((json.dumps(document) if asked.json else text) + "\n")
    return int(code)


def _export(asked: argparse.Namespace, out: TextIO, err: TextIO) -> int:
    from askback.cutover.exporting import SaverRefused, export_requests, find_saver

    try:
        found = export_requests(
            find_saver(asked.saver),
            out,
            threads=asked.threads,
            longest_ttl=asked.longest_ttl,
            at=int(time.time()),
        )
    except (SaverRefused, OSError) as refused:
        err.write(f"Refused: {refused}\n")
        return REFUSED
    err.write(f"{found['requests']} requests\n")
    if found["others"]:
        err.write(f"{found['others']} more under keys that have one; tokens of these do not redeem\n")
    return DONE


if __name__ == "__main__":
    sys.exit(main())

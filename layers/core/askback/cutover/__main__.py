"""The cutover command: `python -m askback.cutover consumed FILE --stack askback`.

It uses the operator's own AWS credentials. `export-requests` runs beside the legacy engine and needs no credentials.
Exit codes: 0 done; 1 refused; 2 not a command; 3 done, and an operator must look at the findings. The command never
prints a key, a token, an answer or the content of a file. It reads a key from standard input, because other users of
the machine can see arguments.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any, TextIO

from askback.cutover.arguments import parser
from askback.cutover.lines import LineRefused
from askback.cutover.output import DONE, REFUSED


def main(
    arguments: Sequence[str] | None = None,
    *,
    connect: Callable[..., Any] | None = None,
    key: TextIO = sys.stdin,
    out: TextIO = sys.stdout,
    err: TextIO = sys.stderr,
) -> int:
    """Run the command of the arguments and return the exit code."""
    options = parser().parse_args(arguments)
    return (
        _export(options, out, err)
        if options.command == "export-requests"
        else _operate(options, connect, key, out, err)
    )


def _operate(
    options: argparse.Namespace, connect: Callable[..., Any] | None, key: TextIO, out: TextIO, err: TextIO
) -> int:
    # Imported here: `export-requests` runs where no AWS package is installed.
    from askback.cutover.commands import COMMANDS
    from askback.cutover.importing import ImportStopped
    from askback.domain.errors import HumanInteractionError
    from askback.operate.stack import Refused, connected

    def refuse(document: dict[str, Any], text: str) -> int:
        err.write((json.dumps(document) if options.json else f"Refused: {text}") + "\n")
        return REFUSED

    try:
        operator = (connect or connected)(
            stack=options.stack, function=None, secret=options.secret, region=options.region, profile=options.profile
        )
        document, text, code = COMMANDS[options.command](operator, options, key)
    except Refused as refused:
        return refuse(dict(refused.document), str(refused))
    except LineRefused as refused:
        return refuse(
            {"code": "line-refused", "line": refused.line, "detail": str(refused)}, f"{options.file}, {refused}"
        )
    except ImportStopped as broken:
        text = f"{broken.code}: {broken}; continue with --from-line {broken.line}"
        return refuse({"code": broken.code, "line": broken.line, "detail": str(broken)}, text)
    except HumanInteractionError as error:
        reason = error.reason or error.detail
        return refuse({"code": error.code, "detail": reason}, f"{error.code}: {reason}")
    except OSError as error:
        return refuse({"code": "unreadable", "detail": error.strerror}, f"{error.filename}: {error.strerror}")
    out.write((json.dumps(document) if options.json else text) + "\n")
    return int(code)


def _export(options: argparse.Namespace, out: TextIO, err: TextIO) -> int:
    from askback.cutover.exporting import SaverRefused, export_requests, find_saver

    try:
        found = export_requests(
            find_saver(options.saver),
            out,
            threads=options.threads,
            longest_ttl=options.longest_ttl,
            at=int(time.time()),
        )
    except (SaverRefused, OSError) as refused:
        err.write(f"Refused: {refused}\n")
        return REFUSED
    err.write(f"{found['requests']} requests\n")
    if found["others"]:
        err.write(f"{found['others']} more have the key of another request; tokens of these do not redeem\n")
    return DONE


if __name__ == "__main__":
    sys.exit(main())

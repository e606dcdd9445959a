"""The command-line options that `local.run` and `local.serve` share."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The port (0: any free one), values of template parameters, a layer folder, the flow to show, whether to log."""

    port: int
    parameters: dict[str, str]
    layer: Path | None = None
    flow: str = ""
    logs: bool = False


def read_options(
    arguments: Sequence[str] | None,
    *,
    program: str,
    description: str,
    default_port: int,
    flows: Sequence[str] = (),
) -> Options:
    """Parse a command line; the PORT variable is the default of --port, the first of `flows` that of --flow.

    Exits with status 2 when an option is wrong.
    """
    parser = argparse.ArgumentParser(prog=f"python -m {program}", description=description)
    parser.add_argument(
        "--port",
        type=_port,
        default=os.environ.get("PORT") or str(default_port),
        help="port on the loopback address; 0 means any free port (default: PORT, or %(default)s)",
    )
    parser.add_argument(
        "--parameter",
        metavar="NAME=VALUE",
        type=_parameter,
        action="append",
        default=[],
        help="value of a parameter of template.yaml, such as AllowedOrigins; can be repeated",
    )
    parser.add_argument(
        "--layer",
        metavar="FOLDER",
        type=_folder,
        help="folder of a layer of your own, as it is unpacked at /opt; its modules are in FOLDER/python",
    )
    parser.add_argument(
        "--logs", action="store_true", help="show all log lines and metrics of the functions on standard error"
    )
    if flows:
        parser.add_argument("--flow", choices=flows, default=flows[0], help="the flow to show (default: %(default)s)")
    parsed = parser.parse_args(arguments)
    return Options(
        port=parsed.port,
        parameters=dict(parsed.parameter),
        layer=parsed.layer,
        flow=getattr(parsed, "flow", ""),
        logs=parsed.logs,
    )


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port")
    return int(text)


def _folder(text: str) -> Path:
    folder = Path(text).resolve()
    if not folder.is_dir():
        raise argparse.ArgumentTypeError(f"{text!r} is not a folder")
    return folder


def _parameter(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=VALUE")
    return name, value

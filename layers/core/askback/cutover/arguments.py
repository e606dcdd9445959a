"""The arguments of the cutover command."""

import argparse
from collections.abc import Callable
from pathlib import Path

from askback.cutover.freeze import ENGINE_MAX_TTL_SECONDS, TTL_MAX_SECONDS
from askback.cutover.lines import epoch_seconds

RETENTION_DAYS = 30
"""The template's default."""


def parser() -> argparse.ArgumentParser:
    """Return the parser of all commands."""
    top = argparse.ArgumentParser(prog="python -m askback.cutover", description="Take over from the legacy engine.")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    exporting = commands.add_parser("export-requests", help="print the requests of a LangGraph saver as lines of JSON")
    exporting.add_argument(
        "--saver",
        required=True,
        metavar="MODULE:NAME",
        help="a callable that returns a saver or an asynchronous context manager of a saver",
    )
    exporting.add_argument("--threads", type=Path, help="a file of thread ids, for a saver that cannot list all")
    _longest_ttl(exporting)
    for name, what in (
        ("requests", "import recorded requests from the output of export-requests"),
        ("consumed", "import consumed tokens from lines of JSON or from .csv with a header"),
    ):
        importing = _on_stack(commands.add_parser(name, help=what))
        importing.add_argument("file", type=Path)
        importing.add_argument("--bucket", help="the bucket, instead of the stack's")
        importing.add_argument(
            "--frozen-at",
            type=_time,
            required=True,
            metavar="TIME",
            help="the time from which the engine minted and redeemed nothing",
        )
        _longest_ttl(importing)
        importing.add_argument("--from-line", type=_from(1), default=1, metavar="N", help="the line to continue from")
    _on_stack(commands.add_parser("admit", help="add the engine's key, read from standard input, to the ring"))
    _on_stack(commands.add_parser("status", help="show whether a token of the engine can still be outstanding"))
    retiring = _on_stack(commands.add_parser("retire", help="remove the engine's key from the ring"))
    retiring.add_argument(
        "--even-though-outstanding",
        action="store_true",
        help="also while tokens can be valid: they can then never redeem",
    )
    return top


def _on_stack(command: argparse.ArgumentParser) -> argparse.ArgumentParser:
    command.add_argument("--stack", default="askback", help="the CloudFormation stack (askback)")
    command.add_argument("--table", help="the table, instead of the stack's")
    command.add_argument("--secret", help="the name or ARN of the key ring's secret, instead of the stack's")
    command.add_argument("--service", help="the service of the resume function's metrics (STACK-resume)")
    command.add_argument("--region", help="the AWS region, instead of the environment's")
    command.add_argument("--profile", help="the AWS profile, instead of the environment's")
    command.add_argument(
        "--retention-days", type=_from(1), default=RETENTION_DAYS, help="the stack's RetentionDays (30)"
    )
    command.add_argument("--json", action="store_true", help="print one JSON object")
    return command


def _longest_ttl(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--longest-ttl",
        type=_from(1, TTL_MAX_SECONDS),
        default=ENGINE_MAX_TTL_SECONDS,
        metavar="SECONDS",
        help=f"the longest life of the engine's tokens ({ENGINE_MAX_TTL_SECONDS}, the maximum of its setting)",
    )


def _from(low: int, high: int = 10**9) -> Callable[[str], int]:
    def number(text: str) -> int:
        if not (text.isascii() and text.isdigit() and low <= int(text) <= high):
            raise argparse.ArgumentTypeError(f"must be a whole number from {low} to {high}")
        return int(text)

    return number


def _time(text: str) -> int:
    seconds = epoch_seconds(text)
    if seconds is None:
        raise argparse.ArgumentTypeError("must be a time with its zone, such as 2026-01-02T03:04:05Z, or epoch seconds")
    return seconds

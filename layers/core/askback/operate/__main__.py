"""The operator's command: `python -m askback.operate --stack askback keys`.

It runs with the operator's own credentials, on the operator's machine. Exit codes: 0 done, 1 refused, 2 not a command.
It never prints a key, a token, an answer or a waiter's address.
"""

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from typing import Any, TextIO

from askback.domain.pause.listing import LIST_DEFAULT, LIST_MAX
from askback.operate.output import keys_text, pause_text, pauses_text
from askback.operate.retirement import RetirementRefused, require_unneeded, ring_without
from askback.operate.stack import Refused, StackOperator, connected

DONE, REFUSED = 0, 1

Said = tuple[dict[str, Any], str]
"""What is printed: as an object with `--json`, and for people otherwise."""


def main(
    arguments: Sequence[str] | None = None,
    *,
    connect: Callable[..., StackOperator] = connected,
    out: TextIO = sys.stdout,
    err: TextIO = sys.stderr,
) -> int:
    """Do what the arguments say and return the exit code."""
    asked = _parser().parse_args(arguments)
    try:
        operator = connect(
            stack=asked.stack, function=asked.function, secret=asked.secret, region=asked.region, profile=asked.profile
        )
        document, text = _COMMANDS[asked.command](operator, asked)
    except Refused as refused:
        err.write((json.dumps(refused.document) if asked.json else f"Refused: {refused}") + "\n")
        return REFUSED
    except RetirementRefused as refused:
        document = {"code": "not-retired", "detail": str(refused)}
        err.write((json.dumps(document) if asked.json else f"Not retired: {refused}") + "\n")
        return REFUSED
    out.write((json.dumps(document) if asked.json else text) + "\n")
    return DONE


def keys(operator: StackOperator, asked: argparse.Namespace) -> Said:
    """Show how many open pauses each signing key has."""
    report = operator.ask("keys")
    return report, keys_text(report)


def list_pauses(operator: StackOperator, asked: argparse.Namespace) -> Said:
    """Show a scope's pauses, open ones first."""
    page = operator.ask(
        "list",
        tenant_id=asked.tenant,
        sub_tenant_id=asked.sub_tenant,
        namespace=asked.namespace,
        limit=asked.limit,
        next=asked.next,
    )
    return page, pauses_text(page)


def show(operator: StackOperator, asked: argparse.Namespace) -> Said:
    """Show one pause."""
    pause = operator.ask("show", jti=asked.jti)
    return pause, pause_text(pause)


def revoke(operator: StackOperator, asked: argparse.Namespace) -> Said:
    """Withdraw an open pause, in the name of the caller's ARN."""
    pause = operator.ask("revoke", jti=asked.jti, operator=operator.who())
    # Told already, when it was withdrawn before.
    return pause, pause_text(pause, what="tells the run that waits" if pause["due_at"] else "")


def redrive(operator: StackOperator, asked: argparse.Namespace) -> Said:
    """Have an undeliverable answer delivered once more."""
    pause = operator.ask("redrive", jti=asked.jti)
    return pause, pause_text(pause, what="delivers the answer")


def retire(operator: StackOperator, asked: argparse.Namespace) -> Said:
    """Take a key that nothing needs out of the ring.

    The ring is read first and replaced last, only if it is still the one that was read: what was found in between was
    found about that ring.
    """
    seen = operator.stored_ring()
    without = ring_without(seen.ring, asked.key_id)
    if not asked.even_though_outstanding:
        require_unneeded(operator.ask("keys"), asked.key_id, changed_at=seen.changed_at, at=operator.now())
    version_id = operator.replace_ring(seen, without)
    text = (
        f"Retired the key {asked.key_id}; the ring is now version {version_id} of its secret.\n"
        "Functions stop taking its tokens within five minutes, also to fetch the outcomes of answered pauses.\n"
        "The version before keeps the key until the next change."
    )
    return {"retired": asked.key_id, "version_id": version_id}, text


_COMMANDS: dict[str, Callable[[StackOperator, argparse.Namespace], Said]] = {
    "keys": keys,
    "list": list_pauses,
    "show": show,
    "revoke": revoke,
    "redrive": redrive,
    "retire": retire,
}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m askback.operate", description="Operate a deployed askback stack.")
    parser.add_argument("--stack", default="askback", help="the CloudFormation stack (askback)")
    parser.add_argument("--function", help="the inbox function by name or ARN, instead of the stack's")
    parser.add_argument("--secret", help="the secret of the key ring by name or ARN, instead of the stack's")
    parser.add_argument("--region", help="the AWS region, instead of the environment's")
    parser.add_argument("--profile", help="the AWS profile, instead of the environment's")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    commands.add_parser("keys", help="how many open pauses each signing key has")
    listing = commands.add_parser("list", help="a scope's pauses, open ones first")
    listing.add_argument("--tenant", required=True)
    listing.add_argument("--sub-tenant")
    listing.add_argument("--namespace")
    listing.add_argument("--limit", type=int, default=LIST_DEFAULT, help=f"1 to {LIST_MAX} ({LIST_DEFAULT})")
    listing.add_argument("--next", help="what the page before said")
    for name, what in (
        ("show", "one pause"),
        ("revoke", "withdraw an open pause; the run that waits gets a failure it can catch"),
        ("redrive", "deliver an undeliverable answer once more"),
    ):
        commands.add_parser(name, help=what).add_argument("jti")
    retiring = commands.add_parser("retire", help="take a key that nothing needs out of the ring")
    retiring.add_argument("key_id", metavar="KEY")
    retiring.add_argument(
        "--even-though-outstanding",
        action="store_true",
        help="also when open pauses need it, or it is too early to tell: they can then be answered by nobody",
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())

"""The operator's command: `python -m askback.operate --stack askback keys`.

It runs on the operator's machine, with the operator's own AWS credentials. Exit codes: 0 done; 1 refused; 2 not a
command; 130 interrupted. It never prints a key, an answer or a waiter's address. Only `link` prints links, which
answer. `audit` writes its lines while it reads them, because there can be more than fit into memory.
"""

import argparse
import json
import re
import sys
from collections.abc import Callable, Sequence
from typing import Any, TextIO

from askback.domain.pause.list_filter import STATUSES
from askback.domain.pause.listing import LIST_DEFAULT, LIST_MAX
from askback.domain.timestamps import rfc3339
from askback.operate.decisions import FORMATS, DecisionExport, Span, milliseconds, writer
from askback.operate.erasing import (
    erase_pause,
    erase_person,
    is_complete,
    pause_erasure_text,
    person_erasure_text,
)
from askback.operate.output import audit_text, keys_text, links_text, pause_text, pauses_text, write
from askback.operate.retirement import RetirementRefused, require_unneeded, ring_without
from askback.operate.stack import DECISIONS_OUTPUT, Refused, StackOperator, connected

DONE, REFUSED, INTERRUPTED = 0, 1, 130
LIST_REQUESTS = 20
"""How often one `list` asks for more, at most."""
TITLES_DEFAULT = 25
"""How many pauses with titles one reply has, at most."""

Output = tuple[dict[str, Any], str]
"""The object to print with `--json`, and the text to print otherwise."""


def main(
    arguments: Sequence[str] | None = None,
    *,
    connect: Callable[..., StackOperator] = connected,
    out: TextIO = sys.stdout,
    err: TextIO = sys.stderr,
) -> int:
    """Run the command of the arguments and return the exit code."""
    options = _parser().parse_args(arguments)
    try:
        operator = connect(
            stack=options.stack,
            function=options.function,
            links_function=options.links_function,
            secret=options.secret,
            region=options.region,
            profile=options.profile,
        )
        if options.command == "audit":
            return audit(operator, options, out=out, err=err)
        if options.command == "erase":
            return erase(operator, options, out=out)
        document, text = _COMMANDS[options.command](operator, options)
    except Refused as refused:
        write(err, json.dumps(refused.document) if options.json else f"Refused: {refused}")
        return REFUSED
    except RetirementRefused as refused:
        document = {"code": "not-retired", "detail": str(refused)}
        write(err, json.dumps(document) if options.json else f"Not retired: {refused}")
        return REFUSED
    write(out, json.dumps(document) if options.json else text)
    return DONE


def keys(operator: StackOperator, options: argparse.Namespace) -> Output:
    """Show how many open pauses each signing key has."""
    report = operator.ask("keys")
    return report, keys_text(report)


def list_pauses(operator: StackOperator, options: argparse.Namespace) -> Output:
    """Show a scope's pauses, open ones first, or with `--whole` the open pauses of a scope with all narrower ones.

    One reply can be short: a request looks through a bounded number of pauses. So the command asks again, up to
    `LIST_REQUESTS` times, until it has as many as it was to show.
    """
    asked = {
        "tenant_id": options.tenant,
        "sub_tenant_id": options.sub_tenant,
        "namespace": options.namespace,
        "whole": options.whole or None,
        "status": options.status,
        "name": options.interaction,
        "run_id": options.run,
        "requester": options.requester,
        "recipient": options.recipient,
        "older_than_seconds": options.older_than,
        "titles": options.titles or None,
    }
    if options.expires_within is not None:
        asked["expires_before"] = rfc3339(operator.now() + options.expires_within)
    most = options.limit or (TITLES_DEFAULT if options.titles else LIST_DEFAULT)
    page = operator.ask("list", **asked, limit=most, next=options.next)
    requests = 1
    while page["next"] and len(page["pauses"]) < most and requests < LIST_REQUESTS:
        more = operator.ask("list", **asked, limit=most - len(page["pauses"]), next=page["next"])
        page = {
            "pauses": page["pauses"] + more["pauses"],
            "next": more["next"],
            # A stack of an earlier version does not say it.
            "looked_at": page.get("looked_at", 0) + more.get("looked_at", 0),
        }
        requests += 1
    return page, pauses_text(page, whole=options.whole, titles=options.titles)


def show(operator: StackOperator, options: argparse.Namespace) -> Output:
    """Show one pause."""
    pause = operator.ask("show", jti=options.jti)
    return pause, pause_text(pause)


def link(operator: StackOperator, options: argparse.Namespace) -> Output:
    """Show the answer links of an open pause; the log of the links function has the caller's ARN."""
    links = operator.links(options.jti, recipients=options.recipient)
    return links, links_text(links)


def revoke(operator: StackOperator, options: argparse.Namespace) -> Output:
    """Revoke an open pause; the caller's ARN is recorded as the operator."""
    pause = operator.ask("revoke", jti=options.jti, operator=operator.who())
    # Without a due time there is no delivery to come: an earlier revocation was already delivered.
    return pause, pause_text(pause, what="fails the run that waits" if pause["due_at"] else "")


def revoke_link(operator: StackOperator, options: argparse.Namespace) -> Output:
    """Revoke the link of one recipient; the log of the inbox function has the caller's ARN."""
    pause = operator.ask("revoke-link", jti=options.jti, recipient=options.recipient, operator=operator.who())
    return pause, pause_text(pause)


def extend(operator: StackOperator, options: argparse.Namespace) -> Output:
    """Move the deadline of an open pause; the log of the inbox function has the caller's ARN."""
    when = {"extend_seconds": options.by} if options.until is None else {"expires_at": options.until}
    pause = operator.ask("extend", jti=options.jti, operator=operator.who(), **when)
    return pause, pause_text(pause)


def reassign(operator: StackOperator, options: argparse.Namespace) -> Output:
    """Ask another person instead of one who is asked; the caller's ARN is recorded as the operator."""
    people = {"from": options.leaving, "to": options.to}
    pause = operator.ask("reassign", jti=options.jti, operator=operator.who(), **people)
    return pause, pause_text(pause)


def redrive(operator: StackOperator, options: argparse.Namespace) -> Output:
    """Let the sweep deliver an undeliverable answer again."""
    pause = operator.ask("redrive", jti=options.jti)
    return pause, pause_text(pause, what="delivers the answer")


def audit(operator: StackOperator, options: argparse.Namespace, *, out: TextIO, err: TextIO) -> int:
    """Export the log of decisions to `out`, and the cursors to go on from to `err`; return the exit code."""
    span = Span(start=options.start, end=options.end)
    if span.start >= span.end:
        raise Refused("invalid-request", "--to must be after --from")
    if options.after is not None:
        span = span.after(options.after)
    log_group = options.log_group or operator.output(DECISIONS_OUTPUT)
    export = DecisionExport(logs=operator.client("logs"), log_group=log_group, span=span)
    try:
        for done in export.run(writer(options.format, out, head=span.done is None)):
            write(err, f"{export.lines} lines so far. To go on from here: --after {done.cursor()}")
    except (Refused, KeyboardInterrupt, OSError) as error:
        # What was read is not lost: a long export ends when credentials do, or when the reader of `out` does.
        goes_on = "" if export.span.done is None else f" To go on: --after {export.span.cursor()}"
        write(err, f"Interrupted after {export.lines} lines.{goes_on}")
        if isinstance(error, Refused):
            raise
        return INTERRUPTED
    foreign = f" Left out, because askback did not write them: {export.foreign}." if export.foreign else ""
    write(err, f"Done: {export.lines} lines.{foreign}")
    return DONE


def erase(operator: StackOperator, options: argparse.Namespace, *, out: TextIO) -> int:
    """Erase one pause or one person, or count what would be erased; return the exit code: 1 if something is left."""
    if options.pause is not None:
        report = erase_pause(operator, options.pause, sure=options.yes)
        text = pause_erasure_text(report)
    else:
        report = erase_person(operator, options.person, sure=options.yes)
        text = person_erasure_text(report)
    write(out, json.dumps(report) if options.json else text)
    return DONE if is_complete(report) else REFUSED


def audit_due(operator: StackOperator, options: argparse.Namespace) -> Output:
    """Show the rows that should be due and that the sweep cannot see; with `--repair`, make them due now.

    Each request looks through a bounded number of rows, so the function's time does not limit the audit.
    """
    scanned = 0
    rows: list[dict[str, Any]] = []
    after: dict[str, str] = {}
    while True:
        page = operator.ask("audit-due", repair=options.repair, **after)
        scanned += page["scanned"]
        rows += page["rows"]
        if page["next"] is None:
            break
        after = {"next": page["next"]}
    report = {"scanned": scanned, "rows": rows}
    return report, audit_text(report)


def retire(operator: StackOperator, options: argparse.Namespace) -> Output:
    """Remove a key that no open pause needs from the ring.

    The ring is read first and replaced last, and only if it did not change in between: the check of the open pauses is
    about the ring that was read.
    """
    seen = operator.stored_ring()
    without = ring_without(seen.ring, options.key_id)
    if not options.even_though_outstanding:
        require_unneeded(operator.ask("keys"), options.key_id, changed_at=seen.changed_at, at=operator.now())
    version_id = operator.replace_ring(seen, without)
    text = (
        f"Retired the key {options.key_id}; the ring is now version {version_id} of its secret.\n"
        "Every function refuses the key's tokens within five minutes, also for outcomes of answered pauses.\n"
        "The previous version of the secret has the key until the next change."
    )
    return {"retired": options.key_id, "version_id": version_id}, text


_COMMANDS: dict[str, Callable[[StackOperator, argparse.Namespace], Output]] = {
    "keys": keys,
    "list": list_pauses,
    "show": show,
    "link": link,
    "revoke": revoke,
    "revoke-link": revoke_link,
    "extend": extend,
    "reassign": reassign,
    "redrive": redrive,
    "retire": retire,
    "audit-due": audit_due,
}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m askback.operate", description="Operate a deployed askback stack.")
    parser.add_argument("--stack", default="askback", help="the CloudFormation stack (askback)")
    parser.add_argument("--function", help="the name or ARN of the inbox function, instead of the stack's")
    parser.add_argument("--links-function", help="the name or ARN of the links function, instead of the stack's")
    parser.add_argument("--secret", help="the name or ARN of the key ring's secret, instead of the stack's")
    parser.add_argument("--region", help="the AWS region, instead of the environment's")
    parser.add_argument("--profile", help="the AWS profile, instead of the environment's")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    commands.add_parser("keys", help="show how many open pauses each signing key has")
    listing = commands.add_parser("list", help="show pauses: those of a scope, or the open ones of a tenant as a whole")
    listing.add_argument("--tenant", required=True)
    listing.add_argument("--sub-tenant")
    listing.add_argument("--namespace")
    listing.add_argument("--whole", action="store_true", help="the open pauses of this scope and of all narrower ones")
    listing.add_argument("--status", choices=STATUSES, help="only pauses with this status")
    listing.add_argument("--interaction", metavar="NAME", help="only pauses of this interaction")
    listing.add_argument("--run", metavar="RUN_ID", help="only pauses of this run")
    listing.add_argument("--requester", metavar="NAME", help="only pauses that an agent asks for this person")
    listing.add_argument("--recipient", metavar="NAME", help="only pauses with a link for this person")
    listing.add_argument(
        "--older-than", type=_duration, metavar="TIME", help="only pauses that are older: 90m, 12h, 3d"
    )
    listing.add_argument("--expires-within", type=_duration, metavar="TIME", help="only pauses that end so soon: 4h")
    listing.add_argument("--titles", action="store_true", help="with the titles, if the stack shows them")
    listing.add_argument(
        "--limit", type=int, help=f"1 to {LIST_MAX} ({LIST_DEFAULT}); with --titles, to {TITLES_DEFAULT}"
    )
    listing.add_argument("--next", help="the value of `More: --next` of the page before")
    for name, what in (
        ("show", "show one pause"),
        ("revoke", "revoke an open pause; the run that waits gets an error that it can catch"),
        ("redrive", "deliver an undeliverable answer again"),
    ):
        commands.add_parser(name, help=what).add_argument("jti")
    linking = commands.add_parser("link", help="show the links of an open pause: who has a link can answer")
    linking.add_argument("jti")
    linking.add_argument("--recipient", action="append", help="only the link of this recipient; can be repeated")
    revoking = commands.add_parser("revoke-link", help="revoke the link of one recipient; other links stay good")
    revoking.add_argument("jti")
    revoking.add_argument("recipient", metavar="RECIPIENT", help="the recipient, as the question names this person")
    extending = commands.add_parser("extend", help="move the deadline of an open pause that has max_ttl_seconds")
    extending.add_argument("jti")
    how_long = extending.add_mutually_exclusive_group(required=True)
    how_long.add_argument("--by", type=_seconds, metavar="TIME", help="from now on, such as 90m, 4h, 2d, or seconds")
    how_long.add_argument("--until", type=_deadline, metavar="TIME", help="the new deadline, as RFC 3339")
    reassigning = commands.add_parser("reassign", help="ask another person instead of one who is asked")
    reassigning.add_argument("jti")
    reassigning.add_argument("--from", dest="leaving", required=True, metavar="PERSON", help="this link is void then")
    reassigning.add_argument("--to", required=True, metavar="PERSON", help="who gets a message and may answer")
    retiring = commands.add_parser("retire", help="remove a key that no open pause needs from the ring")
    retiring.add_argument("key_id", metavar="KEY")
    retiring.add_argument(
        "--even-though-outstanding",
        action="store_true",
        help="also when open pauses need the key, or may need it: these pauses can then not be answered",
    )
    exporting = commands.add_parser("audit", help="export the log of decisions: who decided, and how that is known")
    exporting.add_argument("--from", dest="start", type=_time, required=True, help="the first time, as RFC 3339")
    exporting.add_argument("--to", dest="end", type=_time, required=True, help="the time after the last one")
    exporting.add_argument("--format", choices=FORMATS, default=FORMATS[0], help=f"the form ({FORMATS[0]})")
    exporting.add_argument("--after", metavar="CURSOR", help="go on with an interrupted export")
    exporting.add_argument("--log-group", help="the log group, instead of the stack's: it stays without the stack")
    erasing = commands.add_parser("erase", help="erase the content of a pause, or the name of a person; hashes stay")
    whose = erasing.add_mutually_exclusive_group(required=True)
    whose.add_argument("--pause", metavar="JTI", help="the question, the answer and the turn of this pause")
    whose.add_argument("--person", metavar="NAME", help="this name in every row, replaced by a pseudonym")
    erasing.add_argument("--yes", action="store_true", help="erase; without it, only count what would be erased")
    auditing = commands.add_parser("audit-due", help="show the rows that should be due and that the sweep cannot see")
    auditing.add_argument("--repair", action="store_true", help="make these rows due now")
    return parser


def _duration(text: str) -> int:
    found = re.fullmatch(r"([1-9][0-9]{0,6})([smhd])", text)
    if found is None:
        raise argparse.ArgumentTypeError("must be a time such as 90m, 12h or 3d")
    return int(found[1]) * _UNITS[found[2]]


def _time(text: str) -> int:
    try:
        return milliseconds(text)
    except (ValueError, OverflowError):
        raise argparse.ArgumentTypeError("must be a time such as 2026-11-30T00:00:00Z") from None


def _deadline(text: str) -> str:
    _time(text)
    return text.upper()


def _seconds(text: str) -> int:
    unit = _UNITS.get(text[-1:], 0)
    number = text[:-1] if unit else text
    if not (number.isascii() and number.isdigit()):
        raise argparse.ArgumentTypeError("must be a time such as 90m, 4h or 2d, or a number of seconds")
    return int(number) * (unit or 1)


_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 24 * 3600}


if __name__ == "__main__":
    sys.exit(main())

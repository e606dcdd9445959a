"""The cutover commands on a deployed stack; each returns what to print and the exit code."""

import argparse
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TextIO

from askback.cutover.freeze import Freeze
from askback.cutover.importing import Import, consumed_import, request_import
from askback.cutover.output import DONE, DONE_WITH_FINDINGS, Output, import_text, status_text
from askback.cutover.redeemed import Counted, counted
from askback.cutover.standing import CutoverRecord, Verdict, verdict
from askback.cutover.table import checkpoints, cutover_table, read_record
from askback.domain.errors import InteractionConfigurationError
from askback.domain.keys.ring import KeyRing
from askback.domain.timestamps import rfc3339
from askback.edge.metrics import LEGACY_METRIC
from askback.operate.stack import Refused, StackOperator, client_errors_as_refusals


def consumed(operator: StackOperator, options: argparse.Namespace, _: TextIO) -> Output:
    """Import the engine's consumed tokens."""
    freeze, at = _freeze(operator, options), operator.now()
    table = cutover_table(operator, options)
    return _import(operator, options, consumed_import(table, freeze, at=at), freeze, noting="consumed_imported_at")


def requests(operator: StackOperator, options: argparse.Namespace, _: TextIO) -> Output:
    """Import the engine's recorded requests."""
    freeze = _freeze(operator, options)
    made = request_import(checkpoints(operator, options), freeze)
    return _import(operator, options, made, freeze, noting="requests_imported_at")


def admit(operator: StackOperator, options: argparse.Namespace, key: TextIO) -> Output:
    """Add the engine's key to the ring; from then on the engine's tokens redeem.

    The consumed tokens must be imported first: without them a consumed token could redeem a second time.
    """
    record = read_record(cutover_table(operator, options))
    if record is None or record.consumed_imported_at is None:
        raise Refused(
            "not-imported", "import the engine's consumed tokens first; without them each could redeem a second time"
        )
    seen = operator.stored_ring()
    with_key = _ring_with(seen.ring, key.read())
    if seen.ring.legacy == with_key.legacy:
        return {"admitted": False}, "The ring already has this legacy key.", DONE
    if seen.ring.legacy is not None:
        raise Refused("another-key", "the ring has another legacy key; retire that one first")
    version_id = operator.replace_ring(seen, with_key)
    text = (
        f"Admitted the legacy key; the ring is now version {version_id} of its secret.\n"
        "Every function accepts the engine's tokens within five minutes."
    )
    if (with_key.legacy or b"").endswith((b"\n", b"\r")):
        text += "\nThe key ends with a line break, and the line break is part of the key. Check that this is correct."
    return {"admitted": True, "version_id": version_id}, text, DONE


def status(operator: StackOperator, options: argparse.Namespace, _: TextIO) -> Output:
    """Return whether a token of the engine can still be outstanding."""
    record = read_record(cutover_table(operator, options))
    has_key, at = operator.stored_ring().ring.legacy is not None, operator.now()
    redeemed = _redeemed(operator, options, record, at=at)
    judged = verdict(record, has_key=has_key, at=at)
    document = {
        "verdict": judged.value,
        "legacy_key": has_key,
        "latest_possible_expiry": rfc3339(record.latest_expiry if record else None),
        "consumed_imported_at": rfc3339(record.consumed_imported_at if record else None),
        "requests_imported_at": rfc3339(record.requests_imported_at if record else None),
        "redeemed": redeemed.total,
        "last_redeemed_in_the_hour_from": rfc3339(redeemed.last_hour),
    }
    return document, status_text(document), DONE


def retire(operator: StackOperator, options: argparse.Namespace, _: TextIO) -> Output:
    """Remove the engine's key from the ring, if no token needs it or the operator forces it."""
    record, seen = read_record(cutover_table(operator, options)), operator.stored_ring()
    judged = verdict(record, has_key=seen.ring.legacy is not None, at=operator.now())
    if judged is Verdict.ABSENT:
        raise Refused("no-legacy-key", "the ring has no legacy key")
    if judged is not Verdict.DONE and not options.even_though_outstanding:
        until = f"until {rfc3339(record.latest_expiry)}" if record else "and the time of their last expiry is not known"
        raise Refused("not-retired", f"tokens of the engine can still be outstanding, {until}")
    version_id = operator.replace_ring(seen, replace(seen.ring, legacy=None))
    text = (
        f"Retired the legacy key; the ring is now version {version_id} of its secret.\n"
        "Every function refuses the engine's tokens within five minutes."
    )
    return {"retired": True, "version_id": version_id}, text, DONE


COMMANDS: dict[str, Callable[[StackOperator, argparse.Namespace, TextIO], Output]] = {
    "consumed": consumed,
    "requests": requests,
    "admit": admit,
    "status": status,
    "retire": retire,
}


def _freeze(operator: StackOperator, options: argparse.Namespace) -> Freeze:
    if options.frozen_at > operator.now():
        raise Refused("frozen-later", "--frozen-at is in the future: stop the engine first, then export and import")
    return Freeze(at=options.frozen_at, longest_ttl=options.longest_ttl)


def _import(
    operator: StackOperator, options: argparse.Namespace, made: Import[Any], freeze: Freeze, *, noting: str
) -> Output:
    made.check(options.file)
    table = cutover_table(operator, options)
    table.begin(noting, latest_expiry=freeze.latest_expiry)
    tally = made.run(options.file, from_line=options.from_line)
    table.finish(noting, at=operator.now())
    document: dict[str, Any] = {"counts": dict(tally.counts), "findings": tally.findings}
    return document, import_text(tally), DONE_WITH_FINDINGS if tally.findings else DONE


def _redeemed(
    operator: StackOperator, options: argparse.Namespace, record: CutoverRecord | None, *, at: int
) -> Counted:
    since = 0 if record is None or record.consumed_imported_at is None else record.consumed_imported_at
    cloudwatch = operator.client("cloudwatch")
    with client_errors_as_refusals():
        return counted(
            cloudwatch,
            metric=LEGACY_METRIC,
            service=options.service or f"{operator.stack}-resume",
            since=since,
            until=at,
        )


def _ring_with(ring: KeyRing, key: str) -> KeyRing:
    # The key is used byte for byte, as the engine uses it; `KeyRing.parse` refuses an unusable key.
    try:
        return KeyRing.parse(json.dumps({**json.loads(ring.encode()), "legacy": key}))
    except InteractionConfigurationError as error:
        raise Refused(error.code, error.reason) from None

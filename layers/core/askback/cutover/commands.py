"""What each cutover command does with the deployed stack; every one returns what to print and its exit code."""

import argparse
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TextIO

from askback.cutover.freeze import Freeze
from askback.cutover.importing import Import, consumed_import, request_import
from askback.cutover.redeemed import Counted, counted
from askback.cutover.standing import CutoverRecord, Verdict, verdict
from askback.cutover.table import checkpoints, cutover_table, read_record
from askback.cutover.told import DONE, LOOK, Said, import_text, status_text
from askback.domain.errors import InteractionConfigurationError
from askback.domain.keys.ring import KeyRing
from askback.domain.timestamps import rfc3339
from askback.edge.log import LEGACY_METRIC
from askback.operate.stack import Refused, StackOperator, told


def consumed(operator: StackOperator, asked: argparse.Namespace, _: TextIO) -> Said:
    """Import the engine's consumed tokens."""
    freeze, at = _freeze(operator, asked), operator.now()
    table = cutover_table(operator, asked)
    return _import(operator, asked, consumed_import(table, freeze, at=at), freeze, noting="consumed_imported_at")


def requests(operator: StackOperator, asked: argparse.Namespace, _: TextIO) -> Said:
    """Import the engine's recorded requests."""
    freeze = _freeze(operator, asked)
    made = request_import(checkpoints(operator, asked), freeze)
    return _import(operator, asked, made, freeze, noting="requests_imported_at")


def admit(operator: StackOperator, asked: argparse.Namespace, key: TextIO) -> Said:
    """Put the engine's key into the ring, once its consumed tokens are known here: from then on its tokens redeem."""
    record = read_record(cutover_table(operator, asked))
    if record is None or record.consumed_imported_at is None:
        raise Refused(
            "not-imported", "the engine's consumed tokens are not imported, and each could be used a second time"
        )
    seen = operator.stored_ring()
    with_key = _ring_with(seen.ring, key.read())
    if seen.ring.legacy == with_key.legacy:
        return {"admitted": False}, "The ring has this legacy key already.", DONE
    if seen.ring.legacy is not None:
        raise Refused("another-key", "the ring has another legacy key; retire that one first")
    version_id = operator.replace_ring(seen, with_key)
    text = (
        f"Admitted the legacy key; the ring is now version {version_id} of its secret.\n"
        "Every function takes the engine's tokens within five minutes."
    )
    if (with_key.legacy or b"").endswith((b"\n", b"\r")):
        text += "\nThe key ends with a line break, which is part of it. Was it meant to be?"
    return {"admitted": True, "version_id": version_id}, text, DONE


def status(operator: StackOperator, asked: argparse.Namespace, _: TextIO) -> Said:
    """Tell whether a token of the engine can still be outstanding."""
    record = read_record(cutover_table(operator, asked))
    has_key, at = operator.stored_ring().ring.legacy is not None, operator.now()
    redeemed = _redeemed(operator, asked, record, at=at)
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


def retire(operator: StackOperator, asked: argparse.Namespace, _: TextIO) -> Said:
    """Take the engine's key out of the ring, when no token needs it any more or the operator insists."""
    record, seen = read_record(cutover_table(operator, asked)), operator.stored_ring()
    judged = verdict(record, has_key=seen.ring.legacy is not None, at=operator.now())
    if judged is Verdict.ABSENT:
        raise Refused("no-legacy-key", "the ring has no legacy key")
    if judged is not Verdict.DONE and not asked.even_though_outstanding:
        until = f"until {rfc3339(record.latest_expiry)}" if record else "and nothing says until when"
        raise Refused("not-retired", f"tokens of the engine can still be outstanding, {until}")
    version_id = operator.replace_ring(seen, replace(seen.ring, legacy=None))
    text = (
        f"Retired the legacy key; the ring is now version {version_id} of its secret.\n"
        "Functions stop taking the engine's tokens within five minutes."
    )
    return {"retired": True, "version_id": version_id}, text, DONE


COMMANDS: dict[str, Callable[[StackOperator, argparse.Namespace, TextIO], Said]] = {
    "consumed": consumed,
    "requests": requests,
    "admit": admit,
    "status": status,
    "retire": retire,
}


def _freeze(operator: StackOperator, asked: argparse.Namespace) -> Freeze:
    if asked.frozen_at > operator.now():
        raise Refused("frozen-later", "--frozen-at lies ahead: freeze the engine first, then export and import")
    return Freeze(at=asked.frozen_at, longest_ttl=asked.longest_ttl)


def _import(
    operator: StackOperator, asked: argparse.Namespace, made: Import[Any], freeze: Freeze, *, noting: str
) -> Said:
    made.check(asked.file)
    table = cutover_table(operator, asked)
    table.begin(noting, latest_expiry=freeze.latest_expiry)
    tally = made.run(asked.file, from_line=asked.from_line)
    table.finish(noting, at=operator.now())
    document: dict[str, Any] = {"counts": dict(tally.counts), "findings": tally.findings}
    return document, import_text(tally), LOOK if tally.findings else DONE


def _redeemed(operator: StackOperator, asked: argparse.Namespace, record: CutoverRecord | None, *, at: int) -> Counted:
    since = 0 if record is None or record.consumed_imported_at is None else record.consumed_imported_at
    cloudwatch = operator.client("cloudwatch")
    with told():
        return counted(
            cloudwatch, metric=LEGACY_METRIC, service=asked.service or f"{operator.stack}-resume", since=since, until=at
        )


def _ring_with(ring: KeyRing, key: str) -> KeyRing:
    # Used exactly as it stands, because the engine does; the ring's own reader says what is no key.
    try:
        return KeyRing.parse(json.dumps({**json.loads(ring.encode()), "legacy": key}))
    except InteractionConfigurationError as error:
        raise Refused(error.code, error.reason) from None

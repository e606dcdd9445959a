"""Erases the content of one pause, or the name of one person, with the operator's own credentials.

No function of the stack may erase anything: the power to do it is that of the principal who runs the command. Without
`--yes` the command only reads, and says what it would erase.
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from askback.adapters.dynamodb.erasure import Content, PauseEraser
from askback.adapters.dynamodb.person_erasure import PersonEraser
from askback.domain.errors import HumanInteractionError
from askback.domain.pause.ledger import LedgerRow, PauseStatus
from askback.domain.pause.person_names import RESERVED, person_key
from askback.operate.stack import BUCKET_OUTPUT, TABLE_OUTPUT, Refused, StackOperator, client_errors_as_refusals

STAYS = (
    "The log of decisions, backups and your own logs keep what they have until their retention ends: "
    'docs/audit.md, "What an erasure leaves".'
)


def erase_pause(operator: StackOperator, jti: str, *, sure: bool) -> dict[str, Any]:
    """Erase what a pause recorded, or count it; raises Refused for a pause that has not ended."""
    with _errors_as_refusals():
        eraser = PauseEraser(
            dynamodb=operator.client("dynamodb"),
            s3=operator.client("s3"),
            table=operator.output(TABLE_OUTPUT),
            bucket=operator.output(BUCKET_OUTPUT),
        )
        row = eraser.row(jti)
        if row is None:
            raise Refused("unknown-pause", "no pause has this id")
        _require_settled(row)
        found = eraser.erase(row, by=operator.who(), at=operator.now()) if sure else eraser.content(row)
    if found is None:
        raise Refused("pause-changed", "the pause changed while it was erased; try again")
    return {
        "jti": jti,
        "status": row.status.value,
        "erased": sure or (row.erased is not None and not found),
        **_counted(found),
    }


def erase_person(operator: StackOperator, name: str, *, sure: bool) -> dict[str, Any]:
    """Replace the name of a person in every row that has ended, or count these rows.

    Rows of pauses that have not ended keep the name, and rows that cannot be read are left alone: both are listed.
    """
    if not name.strip() or person_key(name) in RESERVED:
        raise Refused("invalid-request", "--person must be the name of a person")
    counts: Counter[str] = Counter()
    left: dict[str, list[str]] = {"open": [], "unreadable": [], "changed": []}
    with _errors_as_refusals():
        eraser = PersonEraser(dynamodb=operator.client("dynamodb"), table=operator.output(TABLE_OUTPUT))
        pseudonym = eraser.pseudonym(name) if sure else None
        by, at = (operator.who(), operator.now()) if sure else ("", 0)
        for named in eraser.rows(name):
            if named.row is None:
                left["unreadable"].append(named.jti)
            elif not named.row.settled:
                left["open"].append(named.jti)
            elif pseudonym is None or eraser.replace(named, name, pseudonym, by=by, at=at):
                counts["rows"] += 1
            else:
                left["changed"].append(named.jti)
    return {"pseudonym": pseudonym, "erased": sure, "rows": counts["rows"], **left}


def pause_erasure_text(report: dict[str, Any]) -> str:
    """Return the report of an erased pause as text."""
    what = f"{report['attributes']} texts of the row, {report['records']} records, {report['objects']} objects"
    if not report["erased"]:
        return (
            f"{report['jti']} ({report['status']}) has {what}.\nNothing is erased yet. To erase it, add --yes.\n{STAYS}"
        )
    return f"Erased of {report['jti']}: {what}. Hashes, times and names stay.\n{STAYS}"


def person_erasure_text(report: dict[str, Any]) -> str:
    """Return the report of an erased person as text."""
    if report["erased"]:
        lines = [f"Replaced the name by {report['pseudonym']} in {report['rows']} rows."]
    else:
        lines = [f"{report['rows']} rows have the name.", "Nothing is erased yet. To replace the name, add --yes."]
    left = {
        "open": "not ended or not delivered yet: end them first (askback revoke <jti>), or wait, and run this again",
        "unreadable": "cannot be read, and may have the name",
        "changed": "changed meanwhile: run this again",
    }
    lines += [
        f"{len(report[kind])} rows {what}: {', '.join(report[kind])}" for kind, what in left.items() if report[kind]
    ]
    return "\n".join([*lines, "Names in questions, answers and turns are not found: erase their pauses.", STAYS])


def is_complete(report: dict[str, Any]) -> bool:
    """Return whether no row was left with the name of the person."""
    return not any(report.get(kind) for kind in ("open", "unreadable", "changed"))


def _require_settled(row: LedgerRow) -> None:
    if row.settled:
        return
    if row.status is PauseStatus.ISSUED:
        raise Refused("not-ended", f"the pause is open; end it first: askback revoke {row.claims.jti}")
    raise Refused(
        "not-delivered", "the outcome of the pause is not delivered yet; wait until `askback show` has no due_at"
    )


def _counted(content: Content) -> dict[str, int]:
    return {
        "attributes": len(content.attributes),
        "records": len(content.records),
        "objects": len(content.objects),
    }


@contextmanager
def _errors_as_refusals() -> Iterator[None]:
    with client_errors_as_refusals():
        try:
            yield
        except HumanInteractionError as error:
            raise Refused(error.code, error.reason or str(error)) from None
        except OSError as error:
            raise Refused("not-erased", f"{error}; run the same command again") from None

"""The output of the cutover commands, and their exit codes."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from askback.cutover.standing import Verdict

if TYPE_CHECKING:
    from askback.cutover.importing import Tally

DONE, REFUSED, DONE_WITH_FINDINGS = 0, 1, 3
"""Done; refused; done, and an operator must look at the findings. argparse uses 2 for a wrong command line."""

Output = tuple[dict[str, Any], str, int]
"""The object to print with `--json`, the text to print otherwise, and the exit code."""

_VERDICTS = {
    Verdict.ABSENT: "The ring has no legacy key: every token of the engine is refused.",
    Verdict.UNKNOWN: "There was no import: it is not known when the engine's last token expires.",
    Verdict.NEEDED: "Tokens of the engine can still be outstanding: keep the legacy key.",
    Verdict.DONE: "No token of the engine can be outstanding: retire the legacy key.",
}


def import_text(tally: "Tally") -> str:
    """Return the number of records for each result, and the findings that an operator must look at."""
    counts = [f"{count} {outcome}" for outcome, count in sorted(tally.counts.items())] or ["nothing to import"]
    return "\n".join([", ".join(counts), *tally.findings])


def status_text(document: Mapping[str, Any]) -> str:
    """Return the state of the cutover as text."""
    redeemed = document["last_redeemed_in_the_hour_from"]
    facts = {
        "legacy key": "in the ring" if document["legacy_key"] else "not in the ring",
        "consumed tokens": _imported(document["consumed_imported_at"]),
        "recorded requests": _imported(document["requests_imported_at"]),
        "redeemed since": f"{document['redeemed']}, the last in the hour from {redeemed}" if redeemed else "none",
        "last can expire": document["latest_possible_expiry"] or "-",
    }
    width = max(map(len, facts))
    lines = [f"{name:<{width}}  {value}" for name, value in facts.items()]
    return "\n".join([*lines, _VERDICTS[Verdict(document["verdict"])]])


def _imported(at: str | None) -> str:
    return f"imported {at}" if at else "not imported"

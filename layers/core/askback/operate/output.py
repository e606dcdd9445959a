"""The output of the operator's command: a table for several rows, a list of facts for one pause.

Ids come from callers and may contain control characters, which a terminal would execute: they are escaped.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TextIO

SWEEP = "The sweep {what} within a minute."


def keys_text(report: Mapping[str, Any]) -> str:
    """Return the state of the signing keys as text."""
    rows = [
        (
            key["key_id"],
            _key_state(key),
            key["outstanding"],
            key["latest_expiry"],
            key["until"],
        )
        for key in report["keys"]
    ]
    text = table(("KEY", "STATE", "OPEN PAUSES", "LAST EXPIRES", "KEPT UNTIL"), rows)
    if any(key["in_ring"] is False for key in report["keys"]):
        text += "\nA LOST key is not in the ring: its open pauses cannot be answered."
    unnamed = report["unnamed"]
    if unnamed["outstanding"]:
        text += f"\n{unnamed['outstanding']} open pauses have no key id; the last expires {unnamed['latest_expiry']}."
    if report["legacy_key"] is None:
        return text + "\nThe stack does not know the keys of the ring yet; the next rotation makes them known."
    return text + ("\nThe ring has a legacy key." if report["legacy_key"] else "\nThe ring has no legacy key.")


def _key_state(key: Mapping[str, Any]) -> str:
    if key["in_ring"] is None:
        return "unknown"
    return "signs" if key["signs"] else ("verifies" if key["in_ring"] else "LOST")


def pauses_text(page: Mapping[str, Any], *, whole: bool = False, titles: bool = False) -> str:
    """Return pauses as text; a stack of an earlier version gives fewer facts of each."""
    head = ["JTI", "NAME", "STATUS", "AGE", "EXPIRES", "RUN", "REQUESTER", "RECIPIENTS"]
    names = ["jti", "name", "status", "age", "expires_at", "run_id", "requester", "recipients"]
    for shown, column, name in ((whole, "SCOPE", "scope_label"), (titles, "TITLE", "title")):
        if shown:
            head.append(column)
            names.append(name)
    rows = [[{**pause, "age": _age(pause.get("age_seconds"))}.get(name) for name in names] for pause in page["pauses"]]
    text = table(head, rows) if rows else "No pauses."
    return text + (f"\nMore: --next {page['next']}" if page["next"] else "")


def _age(seconds: int | None) -> str | None:
    if seconds is None:
        return None
    for unit, size in (("d", 86_400), ("h", 3600), ("m", 60)):
        if seconds >= 2 * size:
            return f"{seconds // size}{unit}"
    return f"{seconds}s"


def audit_text(report: Mapping[str, Any]) -> str:
    """Return the rows that the sweep cannot see as text."""
    rows = [(row["jti"], row["status"], row["repaired"], row["damage"]) for row in report["rows"]]
    text = table(("JTI", "STATUS", "REPAIRED", "DAMAGE"), rows) if rows else "The sweep can see every row that is due."
    text += f"\nLooked through: {report['scanned']}."
    if any(row["repaired"] for row in report["rows"]):
        text += "\n" + SWEEP.format(what="works on the repaired rows")
    return text


def pause_text(pause: Mapping[str, Any], *, what: str = "") -> str:
    """Return the facts of one pause; `what` is what the sweep does next."""
    width = max(map(len, pause))
    facts = dict(pause)
    if "quorum" in pause:
        facts["quorum"] = _quorum_text(pause["quorum"])
    votes = facts.pop("votes", ())
    lines = [f"{name:<{width}}  {_shown(value)}".rstrip() for name, value in facts.items()]
    lines += [f"{'vote':<{width}}  {_shown(_vote_text(vote))}" for vote in votes]
    if what and pause["waiter"]:
        lines.append(SWEEP.format(what=what))
    return "\n".join(lines)


def _quorum_text(quorum: Mapping[str, Any]) -> str:
    rules = [f"{quorum['needed']} of {quorum['members']} must approve"]
    rules += ["one no rejects"] if quorum["veto"] else []
    rules += ["members do not see the votes before the end"] if quorum["hidden"] else []
    return f"{', '.join(rules)}; round {quorum['round']}: {quorum['approved']} approved, {quorum['rejected']} rejected"


def _vote_text(vote: Mapping[str, Any]) -> str:
    who = f"by {vote['by']}" + (f" for {vote['for']}" if "for" in vote else "")
    parts = [vote["decision"], who, vote["at"], vote["assurance"], f"round {vote['round']}"]
    parts += [] if vote["counts"] else ["void"]
    return ", ".join(parts) + (f": {vote['comment']}" if vote["comment"] else "")


def links_text(links: Mapping[str, Any]) -> str:
    """Return the answer links of a pause, one in a line; without an answer page, the tokens."""
    shared = [("any person", links)] if links["answer_token"] else []
    rows = [(each["recipient"], each) for each in links["recipients"]]
    lines = [f"{_shown(whose)}: {each['answer_link'] or each['answer_token']}" for whose, each in (*rows, *shared)]
    return "\n".join([*lines, f"Until {links['expires_at']}. Who has a link can answer."])


def write(stream: TextIO, text: str) -> None:
    """Write a line; what the stream's encoding does not have is written as an escape, such as `\\u200b`.

    A command that has revoked a pause must not end with an error because a terminal does not know a character.
    """
    encoding = getattr(stream, "encoding", None) or "utf-8"
    stream.write(text.encode(encoding, "backslashreplace").decode(encoding) + "\n")


def table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return a table with aligned columns."""
    cells = [list(head), *([_shown(value) for value in row] for row in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(head))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells
    )


def _shown(value: Any) -> str:
    if value is None or value == "":
        return "-"
    if isinstance(value, dict):
        return " ".join(f"{name}={_shown(each)}" for name, each in value.items())
    if isinstance(value, list):
        return ", ".join(map(_shown, value)) or "-"
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return "".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in text)

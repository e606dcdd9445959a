"""The quorum and the votes of a pause as attributes of its row; an ordinary row has none of them."""

import json
from typing import Any

from askback.domain.pause.assurance import AnsweredVia, Assurance
from askback.domain.pause.quorum import Quorum, Vote

QUORUM = "quorum"
"""How many must say yes, whether a no is a veto, and whether votes are hidden; the hash of the terms covers it."""
VOTES = "votes"
"""The votes as one JSON text: a list of lists, in the order of `_NAMES`."""
VOTE_COUNT = "vote_count"
"""How many votes there are. A vote is written only if this is as it was read, so no vote is lost or counted twice."""

_NAMES = ("by", "approves", "runs", "response_text", "response_hash", "at", "attempt_id", "via", "assurance", "round")

Attributes = dict[str, Any]


def quorum_attributes(quorum: Quorum | None) -> Attributes:
    """Return the attributes of a quorum; none without one."""
    if quorum is None:
        return {}
    said: Attributes = {name: {"BOOL": getattr(quorum, name)} for name in ("veto", "hidden")}
    return {QUORUM: {"M": {"needed": {"N": str(quorum.needed)}, **said}}, VOTE_COUNT: {"N": "0"}}


def vote_attributes(votes: tuple[Vote, ...]) -> Attributes:
    """Return the attributes of all votes of a pause."""
    written = [[getattr(vote, name) for name in _NAMES] for vote in votes]
    return {
        VOTES: {"S": json.dumps(written, ensure_ascii=False, separators=(",", ":"))},
        VOTE_COUNT: {"N": str(len(votes))},
    }


def read_quorum(item: Attributes) -> Quorum | None:
    """Return the quorum of an item, if it has one."""
    if QUORUM not in item:
        return None
    found = item[QUORUM]["M"]
    return Quorum(
        needed=int(found["needed"]["N"]), veto=bool(found["veto"]["BOOL"]), hidden=bool(found["hidden"]["BOOL"])
    )


def read_votes(item: Attributes) -> tuple[Vote, ...]:
    """Return the votes of an item; raises ValueError if their count is another one."""
    written = json.loads(item[VOTES]["S"]) if VOTES in item else []
    votes = tuple(_read_vote(dict(zip(_NAMES, each, strict=True))) for each in written)
    if len(votes) != int(item.get(VOTE_COUNT, {"N": "0"})["N"]):
        raise ValueError("the votes are not as many as their count")
    return votes


def _read_vote(found: dict[str, Any]) -> Vote:
    return Vote(**{**found, "via": AnsweredVia(found["via"]), "assurance": Assurance(found["assurance"])})

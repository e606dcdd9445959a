"""The quorum and the votes of a pause as attributes of its row; an ordinary row has none of them."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from askback.domain.pause.answerers import PEOPLE_MAX
from askback.domain.pause.assurance import AnsweredVia, Assurance
from askback.domain.pause.quorum import Quorum, Vote

QUORUM = "quorum"
"""How many must say yes, whether a no is a veto, and whether votes are hidden; the hash of the terms covers it."""
VOTES = "votes"
"""The votes as one JSON text: a list of lists, in the order of `_NAMES`."""
VOTE_COUNT = "vote_count"
"""How many votes there are. A vote is written only if this is as it was read, so no vote is lost or counted twice."""

_NAMES = ("by", "approves", "runs", "response_text", "response_hash", "at", "attempt_id", "via", "assurance", "round")
_FOR = "delegated_for"
"""One more place of a vote, only of a person to whom a member has passed the pause on."""

Attributes = dict[str, Any]


def quorum_attributes(quorum: Quorum | None) -> Attributes:
    """Return the attributes of a quorum; none without one."""
    if quorum is None:
        return {}
    said: Attributes = {name: {"BOOL": getattr(quorum, name)} for name in ("veto", "hidden")}
    return {QUORUM: {"M": {"needed": {"N": str(quorum.needed)}, **said}}, VOTE_COUNT: {"N": "0"}}


def vote_attributes(votes: Sequence[Vote]) -> Attributes:
    """Return the attributes of all votes of a pause."""
    written = [[getattr(vote, name) for name in _places(bool(vote.delegated_for))] for vote in votes]
    return {
        VOTES: {"S": json.dumps(written, separators=(",", ":"))},
        VOTE_COUNT: {"N": str(len(votes))},
    }


def votes_erased(item: Attributes) -> Attributes:
    """Return the votes of an item without what people wrote: who voted, how, when and the hashes stay."""
    if VOTES not in item:
        return {}
    return {VOTES: vote_attributes([replace(vote, response_text=None) for vote in _votes(item)])[VOTES]}


def have_texts(item: Attributes) -> bool:
    """Return whether a vote of the item still has what its person wrote."""
    return VOTES in item and any(vote.response_text is not None for vote in _votes(item))


def read_quorum(item: Attributes) -> Quorum | None:
    """Return the quorum of an item, if it has one.

    Raises:
        ValueError: a number is no quorum, or there are votes without one. One vote would then be taken for the answer.
        LookupError, TypeError: a part is missing.
    """
    if QUORUM not in item:
        if VOTES in item or VOTE_COUNT in item:
            raise ValueError("there are votes without a quorum")
        return None
    found = item[QUORUM]["M"]
    quorum = Quorum(
        needed=int(found["needed"]["N"]), veto=bool(found["veto"]["BOOL"]), hidden=bool(found["hidden"]["BOOL"])
    )
    if not 2 <= quorum.needed <= PEOPLE_MAX:
        raise ValueError("the number of votes that are needed is wrong")
    return quorum


def read_votes(item: Attributes) -> tuple[Vote, ...]:
    """Return the votes of an item; raises ValueError if their count is another one, or a vote is neither yes nor no."""
    votes = _votes(item)
    if len(votes) != int(item.get(VOTE_COUNT, {"N": "0"})["N"]):
        raise ValueError("the votes are not as many as their count")
    return votes


def _votes(item: Attributes) -> tuple[Vote, ...]:
    written = json.loads(item[VOTES]["S"]) if VOTES in item else []
    return tuple(_read_vote(dict(zip(_places(len(each) > len(_NAMES)), each, strict=True))) for each in written)


def _places(has_for: bool) -> tuple[str, ...]:
    return (*_NAMES, _FOR) if has_for else _NAMES


def _read_vote(found: dict[str, Any]) -> Vote:
    if not isinstance(found["approves"], bool):
        raise ValueError("a vote is neither yes nor no")
    return Vote(**{**found, "via": AnsweredVia(found["via"]), "assurance": Assurance(found["assurance"])})

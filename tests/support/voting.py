"""Votes and members for tests."""

import hashlib
from typing import Any

from askback.domain.pause.answerers import Answerers
from askback.domain.pause.assurance import AnsweredVia, Assurance
from askback.domain.pause.ledger import AcceptedAnswer, LedgerRow, vote_as_answer
from askback.domain.pause.quorum import Quorum, Vote
from tests.support.domain_values import an_acceptance, an_issued_row, some_claims
from tests.support.memory_deployment import NOW

FIVE = ("ada", "bob", "cyd", "dan", "eve")
ROSTER = Answerers(approvers=FIVE, recipients=FIVE)
TWO_OF_FIVE = Quorum(needed=2)


def a_vote(by: str, approves: bool = True, runs: str = "10", **over: Any) -> Vote:
    """Return a vote before it is counted; a yes lets `runs` run."""
    text = f'{{"arguments":"{runs}","comment":"so says {by}"}}' if approves else '{"comment":"no"}'
    return Vote(
        **{
            "by": by,
            "approves": approves,
            "runs": runs if approves else "",
            "response_text": text,
            "response_hash": hashlib.sha256(text.encode()).hexdigest(),
            "at": NOW + 60,
            "attempt_id": f"attempt of {by} for {runs if approves else 'no'}",
            "via": AnsweredVia.LINK,
            "assurance": Assurance.PERSONAL_LINK,
            **over,
        }
    )


def answer_of(vote: Vote) -> AcceptedAnswer:
    """Return a vote as the answer that it becomes if it ends its pause."""
    accepted = an_acceptance(vote.response_text or "")
    return vote_as_answer(vote, accepted)


def a_row_to_vote_on(jti: str = "0123456789abcdef0123456789abcdef", **over: Any) -> LedgerRow:
    """Return the row of an open pause on which two of five people decide."""
    return an_issued_row(some_claims(jti=jti), **{"answerers": ROSTER, "quorum": TWO_OF_FIVE, **over})

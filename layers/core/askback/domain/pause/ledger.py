"""The ledger row of one pause, the claim that consumes it, and the reason of a refused claim.

Status moves `issued -> answered -> delivered | undeliverable`, `issued -> expired`, `issued -> revoked`,
`issued -> superseded`. No process changes the last five. Only an operator does: a redrive makes an `undeliverable`
pause `answered` again, so that it is delivered once more. An `expired`, `revoked` or `superseded` pause keeps its
status when its waiter could not be reached. The row then has `given_up`, and an operator can have that outcome
delivered once more too.

A pause without a waiter stays `answered`. The answer is part of the claim: it is durable before any reply says that it
was accepted. `due_at` is the time of the next action on the row; a row without it needs no further action.
"""

import hmac
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from askback.domain.errors import (
    AlreadyAnswered,
    LinkRevoked,
    PauseErased,
    PauseExpired,
    PauseRevoked,
    PauseSuperseded,
    TokenRejected,
    UnknownPause,
)
from askback.domain.pause.answerers import NO_RESTRICTION, Answerers
from askback.domain.pause.assurance import UNKNOWN, AnsweredVia, Assurance
from askback.domain.pause.changes import (
    ChangeKind,
    PauseChange,
    known_hash,
    passed_on_by,
    steps_done,
    void_votes,
)
from askback.domain.pause.claims import PauseClaims
from askback.domain.pause.person_names import is_among, same_person
from askback.domain.pause.quorum import Quorum, Vote, round_of_next, tally_of
from askback.domain.pause.roster import EscalationStep, People
from askback.domain.pause.waiters import Waiter


class PauseStatus(StrEnum):
    """The status of a pause."""

    ISSUED = "issued"
    ANSWERED = "answered"
    DELIVERED = "delivered"
    UNDELIVERABLE = "undeliverable"
    EXPIRED = "expired"
    REVOKED = "revoked"
    SUPERSEDED = "superseded"


POLICY = "policy"
"""The recorded answerer of a default answer."""


FIRST_REDELIVERY_SECONDS = 60
"""The time until a claimed row is due: longer than the function that claimed it can run."""


ANNOUNCED_AGAIN_SECONDS = 60
"""The time until a change of the people is announced by the sweep, if the process that made it has died."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptedAnswer:
    """The answer that the claim wrote.

    It has the answer as JSON text with its hash, who gave it, when (epoch seconds), and in which attempt.
    `response_text` is None when the row was read from the store and the answer is large: the row then has a pointer to
    it. `redeemed_scope_hash` is the scope of the caller who answered; it differs from the pause's scope only in a
    permitted cross-scope redemption.
    """

    response_text: str | None
    response_hash: str
    answered_by: str
    answered_at: int
    attempt_id: str
    redeemed_scope_hash: str
    by_policy: bool = False
    """Whether this is the default answer of a pause that no person answered."""
    answered_via: AnsweredVia | None = None
    """The way by which the answer came; None for a default answer."""
    assurance: Assurance | None = None
    """How well the answerer is known; None if a version before this one recorded the answer, so that it is unknown."""

    @property
    def known_as(self) -> str:
        """The assurance as replies have it: the value of an `Assurance`, or `unknown`."""
        return self.assurance or UNKNOWN


@dataclass(frozen=True, slots=True, kw_only=True)
class Revocation:
    """Who revoked a pause, when (epoch seconds), and why; the program that asked may give a reason for people."""

    by: str
    at: int
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Supersession:
    """Which pause has replaced a pause, and when (epoch seconds).

    `waiter_moved` says that the newer pause has the same task or callback as its waiter: the older one must not end it.
    """

    by: str
    at: int
    waiter_moved: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Erasure:
    """Which operator erased something of a pause, and when (epoch seconds)."""

    by: str
    at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerRow:
    """One pause in the ledger.

    `key_id` is the key that signs the pause's tokens; it is empty for a legacy pause and for a row of an older version.
    `default_response_text` is the default answer at expiry, as JSON text; with None, the pause expires without an
    answer. `remind_at` is the time of the reminder. `attempts` counts the delivery attempts that were begun since the
    answer or the last redrive. All times are epoch seconds.
    """

    claims: PauseClaims
    status: PauseStatus
    key_id: str = ""
    pin: str = ""
    turn_recorded: bool = False
    turn_hash: str = ""
    """The hash of the recorded turn; empty without a turn, and in a row of an older version."""
    scope_label: str = ""
    """The scope as a text for people; the rules use the hash in the claims."""
    minter: str = ""
    """The hash of the principal that minted the pause (`askback.domain.pause.minter`); empty in rows of older versions.

    A row has it exactly if its claims are `scoped`: the stored row has one attribute for both.
    """
    deadline: int | None = None
    """Until when the pause can be answered, if that can move; None: until `claims.exp`, which never moves."""
    answerers: Answerers = NO_RESTRICTION
    quorum: Quorum | None = None
    """How many of the approvers must say yes; None if the first answer counts."""
    votes: tuple[Vote, ...] = ()
    """The votes of a pause with a quorum, in their order; of a round before the last, they count no more."""
    escalation: tuple[EscalationStep, ...] = ()
    """Whom the sweep asks, and when, if there is no answer; frozen at the mint."""
    delegates: tuple[str, ...] = ()
    """The people to whom a member may pass the pause on, as names or patterns; frozen at the mint."""
    changes: tuple[PauseChange, ...] = ()
    """What has changed since the mint, in order: the people, and what they know about the question."""
    to_announce: int | None = None
    """The number, from 1, of the first change whose event is not published yet; None if there is none."""
    revoked_links: tuple[str, ...] = ()
    """The recipients whose links are void, as `answerers` names them; the links of all others stay good."""
    answer: AcceptedAnswer | None = None
    waiter: Waiter | None = None
    default_response_text: str | None = None
    remind_at: int | None = None
    open_too_long: bool = False
    """Whether the sweep has counted the pause as open for longer than the deployment's alarm allows."""
    attempts: int = 0
    may_have_landed: bool = False
    """Whether an attempt may have reached the waiter: its reply was lost, or has not come yet.

    The write that begins an attempt sets it to True. It becomes False again when that attempt certainly had no effect.
    If the effect of two attempts is unknown, it stays True: a waiter that is closed later took one of them.
    """
    due_at: int | None = None
    revocation: Revocation | None = None
    supersedes: str = ""
    """The id of the pause that this one has replaced; empty if it has replaced none."""
    superseded: Supersession | None = None
    given_up: bool = False
    """Whether the waiter of a pause that ended without an answer could not be reached in all attempts."""
    erased: Erasure | None = None
    """Set when the content of the pause was erased: question, turn and answer are gone, their hashes stay."""
    renamed: Erasure | None = None
    """Set when the name of a person was replaced by a pseudonym; the last time, if there were several."""

    @property
    def expires_at(self) -> int:
        """Until when the pause can be answered; never later than the tokens of the pause, which end at `claims.exp`."""
        return self.claims.exp if self.deadline is None else self.deadline

    @property
    def known_hash(self) -> str:
        """The hash of what people know when they answer: of the request, and of what the asker has added to it."""
        return known_hash(self.claims.request_hash, self.changes)

    @property
    def void_votes(self) -> int:
        """How many votes, from the first, count no more, because the asker has replied since."""
        return void_votes(self.changes)

    @property
    def people(self) -> People:
        """The people of the pause as they are now."""
        return People(answerers=self.answerers, revoked_links=self.revoked_links)

    @property
    def asked_at_mint(self) -> Answerers:
        """The people as the mint has named them, before every change."""
        if not self.changes:
            return self.answerers
        first = self.changes[0]
        recipients = self.answerers.recipients[: first.places]
        # The person to whom a member has passed the pause on has the member's demand.
        floors = tuple(each for each in self.answerers.member_floors if is_among(each[0], first.approvers))
        return replace(self.answerers, approvers=first.approvers, recipients=recipients, member_floors=floors)

    def delegated_for(self, person: str) -> str:
        """Return the member for whom this person decides, because the pause was passed on; empty for other people."""
        return next(iter(passed_on_by(self.changes, self.answerers.recipients, person)), "")

    @property
    def next_step(self) -> EscalationStep | None:
        """The step of the escalation that comes next, if one is left."""
        return next(iter(self.escalation[steps_done(self.changes) :]), None)

    @property
    def next_step_at(self) -> int | None:
        """When the next step of the escalation is due."""
        step = self.next_step
        return None if step is None else (self.claims.issued_at or 0) + step.after_seconds

    @property
    def redrivable(self) -> bool:
        """Whether an outcome could not be delivered, so that an operator can have it delivered once more."""
        return self.erased is None and (self.status is PauseStatus.UNDELIVERABLE or self.given_up)

    @property
    def settled(self) -> bool:
        """Whether the pause has ended and nothing is due any more, so that its content can be erased."""
        return self.status is not PauseStatus.ISSUED and self.due_at is None

    @property
    def ended_at(self) -> int:
        """The time of the answer, the revocation, the newer question or the expiry that ended the pause."""
        if self.answer is not None:
            return self.answer.answered_at
        if self.superseded is not None:
            return self.superseded.at
        return self.expires_at if self.revocation is None else self.revocation.at

    def open_too_long_at(self, alarm_seconds: int) -> int | None:
        """Return when the row counts as open for too long; None if it was counted, or with an alarm of 0 (off)."""
        if not alarm_seconds or self.open_too_long or self.claims.issued_at is None:
            return None
        return self.claims.issued_at + alarm_seconds

    def next_due(self, alarm_seconds: int) -> int:
        """Return when an open row needs something next.

        That is its reminder, its count as open for too long, the next step of its escalation, the announcement of a
        change, or its expiry.
        """
        announce_at = self.changes[-1].at + ANNOUNCED_AGAIN_SECONDS if self.to_announce is not None else None
        times = (self.remind_at, self.open_too_long_at(alarm_seconds), self.next_step_at, announce_at, self.expires_at)
        return min(time for time in times if time is not None)

    def require_of(self, claims: PauseClaims) -> None:
        """Compare the row that was read for a token with the token's claims; raises TokenRejected if one differs.

        An id alone proves nothing: a token of the legacy engine can have any id, also that of a pause of this
        deployment. Audience and recipient are not recorded, so they are not compared. Times are not compared either,
        because the earlier expiry of the two holds. The mark of a token that the legacy engine redeemed has only its
        id, its scope and a latest expiry; it has no run, which every token has.
        """
        known = self.claims
        if claims.legacy is not known.legacy:
            raise TokenRejected
        only_a_mark = known.legacy and not known.run_id
        same = claims.scope_hash == known.scope_hash if only_a_mark else claims.asks_as(known)
        if not same:
            raise TokenRejected

    def require_link(self, claims: PauseClaims) -> None:
        """Raise LinkRevoked if the token of these claims is the link of a recipient whose link was revoked."""
        if claims.recipient and claims.recipient in self.revoked_links:
            raise LinkRevoked

    def require_open(self, *, at: int) -> None:
        """Require that the pause can be answered at `at` (epoch seconds).

        An open pause after its expiry has ended too: the next sweep writes by which policy.

        Raises:
            AlreadyAnswered, PauseRevoked, PauseSuperseded, PauseExpired: how it ended.
        """
        if self.answer is not None:
            raise AlreadyAnswered(answered_at=self.answer.answered_at)
        self.require_kept()
        if self.status is not PauseStatus.ISSUED or self.expires_at <= at:
            raise PauseExpired(expired_at=self.expires_at)

    def require_kept(self) -> None:
        """Raise PauseRevoked or PauseSuperseded if the pause was taken back before its end."""
        if self.status is PauseStatus.REVOKED:
            raise PauseRevoked
        if self.superseded is not None:
            raise PauseSuperseded(superseded_by=self.superseded.by)

    def require_content(self) -> None:
        """Raise PauseErased if the content of the pause was erased."""
        if self.erased is not None:
            raise PauseErased

    def changed(
        self, people: People, kind: ChangeKind, *, at: int, alarm_seconds: int, by: str = "", **said: Any
    ) -> "RowChange":
        """Return the change after which these are the people of the pause; it is announced after the write.

        `said` are the further fields of the `PauseChange`. The row is due again soon, so that the sweep announces the
        change if the process dies before it has.
        """
        approvers, places = self.answerers.approvers, len(self.answerers.recipients)
        made = PauseChange(kind=kind, at=at, approvers=approvers, places=places, by=by, **said)
        change = RowChange(due_at=None, people=people, changes=(*self.changes, made))
        return replace(change, due_at=change.applied_to(self).next_due(alarm_seconds))

    def redriven(self, *, at: int) -> "LedgerRow":
        """Return a redrivable row as it is once an operator has it delivered again: due now, with new attempts.

        `may_have_landed` does not change.
        """
        status = PauseStatus.ANSWERED if self.status is PauseStatus.UNDELIVERABLE else self.status
        return replace(self, status=status, due_at=at, attempts=0, given_up=False)


def hides_votes(row: LedgerRow) -> bool:
    """Return whether only the number of the votes may be shown: they are hidden, and the pause is open."""
    return row.quorum is not None and row.quorum.hidden and row.status is PauseStatus.ISSUED


def quorum_said(row: LedgerRow, *, to_operators: bool = False) -> dict[str, Any]:
    """Return how far the decision of a row is, without names; empty for a row without a quorum.

    Of hidden votes, before the end, there is only the number; operators see all of it.
    """
    if row.quorum is None:
        return {}
    now = tally_of(row.quorum, row.answerers, row.votes, void=row.void_votes)
    hidden = hides_votes(row) and not to_operators
    return {
        "needed": now.needed,
        "members": now.members,
        "veto": row.quorum.veto,
        "round": round_of_next(row.votes, row.void_votes),
        "voted": now.approved + now.rejected,
        "approved": None if hidden else now.approved,
        "rejected": None if hidden else now.rejected,
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class RowChange:
    """The changes of one conditional write; a `due_at` of None means that no further action is due."""

    due_at: int | None
    status: PauseStatus | None = None
    deadline: int | None = None
    attempts: int | None = None
    may_have_landed: bool | None = None
    answer: AcceptedAnswer | None = None
    revocation: Revocation | None = None
    superseded: Supersession | None = None
    people: People | None = None
    """The people from now on; a change of them is added to `changes`, and is announced next."""
    changes: tuple[PauseChange, ...] = ()
    announced: bool = False
    """Whether the events of all changes are published."""
    clear_reminder: bool = False
    open_too_long: bool = False
    given_up: bool = False

    def applied_to(self, row: LedgerRow) -> LedgerRow:
        """Return the row after the write."""
        return replace(
            row,
            due_at=self.due_at,
            status=self.status or row.status,
            deadline=self.deadline or row.deadline,
            attempts=row.attempts if self.attempts is None else self.attempts,
            may_have_landed=row.may_have_landed if self.may_have_landed is None else self.may_have_landed,
            answer=self.answer or row.answer,
            revocation=self.revocation or row.revocation,
            superseded=self.superseded or row.superseded,
            answerers=row.answerers if self.people is None else self.people.answerers,
            revoked_links=row.revoked_links if self.people is None else self.people.revoked_links,
            changes=self.changes or row.changes,
            to_announce=None if self.announced else row.to_announce or (len(self.changes) or None),
            remind_at=None if self.clear_reminder else row.remind_at,
            open_too_long=self.open_too_long or row.open_too_long,
            given_up=self.given_up or row.given_up,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """The proof of an accepted answer; `replayed` is true when an earlier request had the same answer accepted.

    `row` is the pause after the claim; for a refused claim, the row that the store returned. For a vote that did not
    end its pause, `answer` is the vote, and the row is still `issued`.
    """

    answer: AcceptedAnswer
    replayed: bool
    row: LedgerRow


@dataclass(frozen=True, slots=True, kw_only=True)
class VoteWrite:
    """The row after the write of a vote; if it was not written, the row that was in the way."""

    row: LedgerRow
    written: bool


def settle_refused_claim(existing: LedgerRow | None, attempt: AcceptedAnswer) -> Receipt:
    """Return the receipt, or raise the reason, of a claim that the store refused; `existing` is the row in the store.

    If the row has the attempt id of this claim, the client library repeated a write whose reply was lost: the claim
    succeeded. The same answer by the same answerer gets the original receipt again. So does the same vote of a pause
    that votes have ended. Every other claim is refused.

    Raises:
        UnknownPause, AlreadyAnswered, PauseRevoked, PauseSuperseded, PauseExpired: the final state of the pause.
    """
    if existing is None:
        raise UnknownPause
    if existing.answer is not None:
        original = existing.answer
        same_answer = not original.by_policy and hmac.compare_digest(original.response_hash, attempt.response_hash)
        if original.response_text is None and same_answer:
            # The row has only a pointer; equal hashes mean equal texts.
            original = replace(original, response_text=attempt.response_text)
        if original.attempt_id == attempt.attempt_id:
            return Receipt(answer=original, replayed=False, row=existing)
        if same_answer and same_person(original.answered_by, attempt.answered_by):
            return Receipt(answer=original, replayed=True, row=existing)
        for vote in () if original.by_policy else existing.votes:
            if same_person(vote.by, attempt.answered_by) and vote.response_hash == attempt.response_hash:
                replayed = vote.attempt_id != attempt.attempt_id
                return Receipt(answer=vote_as_answer(vote, attempt), replayed=replayed, row=existing)
        raise AlreadyAnswered(answered_at=existing.answer.answered_at)
    existing.require_kept()
    # A row that is still `issued` refuses only after the expiry in the row; the expiry in the token does not count.
    raise PauseExpired(expired_at=existing.expires_at)


def vote_as_answer(vote: Vote, attempt: AcceptedAnswer) -> AcceptedAnswer:
    """Return a recorded vote as the answer in a receipt; `attempt` is the same vote as it came again."""
    return replace(
        attempt,
        answered_by=vote.by,
        answered_at=vote.at,
        attempt_id=vote.attempt_id,
        answered_via=vote.via,
        assurance=vote.assurance,
    )

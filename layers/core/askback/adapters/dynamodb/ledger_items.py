"""Converts ledger rows to table items and back.

Every claim is an attribute of its own; `scope_hash` is also a key of the scope index. An answer over the inline limit
is in the bucket, under a key that follows from the row and the hash of the answer; the item then says so.

A damaged item is never read as one that allows more. A short hash covers who may answer, the default answer, whether a
run waits, and which links are revoked; it is written also when there is none of these. Without it, a lost attribute
would let every person answer, or would let an answer be accepted that no run gets. Items of older versions have a hash
of who may answer, or no hash, and are read by what they have.
"""

import base64
import hashlib
import json
from collections.abc import Sequence
from typing import Any

from askback.adapters.dynamodb.keys import PK, body_key, due_shard, jti_of, ledger_key, scope_order
from askback.adapters.dynamodb.records import TTL
from askback.adapters.dynamodb.roster_items import (
    TO_ANNOUNCE,
    changes_attributes,
    escalation_attributes,
    read_roster_changes,
    read_steps,
    terms_said,
)
from askback.adapters.dynamodb.taken_back_items import (
    REVOKED_BY,
    read_revocation,
    read_supersedes,
    read_supersession,
    supersedes_attributes,
    taken_back_attributes,
)
from askback.adapters.dynamodb.vote_items import quorum_attributes, read_quorum, read_votes, vote_attributes
from askback.domain.errors import InvalidRequest, RowUnreadable
from askback.domain.pause.answerers import Answerers
from askback.domain.pause.assurance import AnsweredVia, Assurance
from askback.domain.pause.claims import PauseClaims, PauseIdentity
from askback.domain.pause.ledger import (
    AcceptedAnswer,
    Erasure,
    LedgerRow,
    PauseStatus,
    RowChange,
)
from askback.domain.pause.waiters import Waiter, WaiterKind

STATUS, EXP, DUE_AT, DUE_SHARD, SCOPE_ORDER = "status", "exp", "due_at", "due_shard", "scope_order"
RESPONSE, RESPONSE_HASH, IN_BUCKET = "response", "response_hash", "response_in_bucket"
ANSWERED_BY, ANSWERED_AT, ATTEMPT_ID, REDEEMED_SCOPE = "answered_by", "answered_at", "attempt_id", "redeemed_scope_hash"
BY_POLICY, ANSWERED_VIA = "by_policy", "answered_via"
ASSURANCE = "how"
"""How well the answerer is known. Name and values are short: an ordinary row must fit a write unit of 1,024 bytes."""
_ASSURANCES = {
    Assurance.POLICY: "p",
    Assurance.STATED: "s",
    Assurance.LINK: "l",
    Assurance.PERSONAL_LINK: "pl",
    Assurance.SIGNED_IN: "si",
    Assurance.STEPPED_UP: "su",
}
_ASSURANCES_READ = {text: assurance for assurance, text in _ASSURANCES.items()}
SCOPE_LABEL = "scope_label"
WAITER_KIND, WAITER_ADDRESS = "waiter_kind", "waiter_address"
ATTEMPTS, MAY_HAVE_LANDED = "attempts", "may_have_landed"
NOT_TAKEN = "not_taken"
"""The older form of `may_have_landed`: true when `attempts` is larger than this number (0 when missing).

Both forms are written and read. So this version and the one before it can work on the same row, during an update of a
deployment in either direction.
"""
DEFAULT_RESPONSE, REMIND_AT = "default_response", "remind_at"
OPEN_TOO_LONG = "open_too_long"
GIVEN_UP = "given_up"
ANNOUNCED, REMINDED = "announced", "reminded"
"""The key that signed the links, and the id of the event that announced them or reminded of them.

Only the notify function uses these two.
"""
TURN_RECORDED, REQUEST_HASH = "turn_recorded", "request_hash"
MAX_EXP = "max_exp"
"""Until when the tokens of a pause are good whose deadline can move; `EXP` is then its deadline.

A row without it has one time for both. So every condition compares `EXP`, and an older version keeps the deadline too.
"""
TURN_HASH = "turn_hash"
"""The hash of the recorded turn as bytes; rows of older versions have none, so their turn is not compared."""
ERASED_AT, ERASED_BY = "erased_at", "erased_by"
RENAMED_AT, RENAMED_BY = "renamed_at", "renamed_by"
"""When an operator erased the content of the pause, or the name of a person, and which operator did it."""
KEY_ID = "kid"
STEP = "step"
"""The id of the last step after the claim that was written: it tells a step whose reply was lost from another's."""
APPROVERS, RECIPIENTS, LEAST_ASSURANCE = "approvers", "recipients", "least_assurance"
REQUESTER, REQUESTER_EXCLUDED = "requester", "requester_excluded"
MEMBER_FLOORS = "member_floors"
"""The demands of single approvers as a list of names and demands; only in a row with such a demand."""
DELEGATES = "delegates"
"""The people to whom a member may pass the pause on; only in a row that allows it."""
REVOKED_LINKS = "revoked_links"
"""The recipients whose links are revoked; only in a row with such a link."""
TERMS = "terms"
"""The hash of who may answer, of the default answer, of whether a run waits, and of the revoked links, if any.

It is the first 6 bytes of a SHA-256.

A waiter may be added to a row later, by an older version too, which does not know this attribute. So a hash that says
that no run waits is good for a row with a waiter. A hash that says that one waits is not good for a row without.
"""
MINTER = "by"
"""The hash of the principal that minted the pause, as bytes: 11 bytes of the row with this name.

Only a version that has the scope in the place of the records writes it, so it is also the mark of that form.
"""
WHO = "who"
"""The hash that the version before wrote instead of `TERMS`: in base64, of who may answer only."""

_TEXT_CLAIMS = (
    "run_id",
    "session_id",
    "scope_hash",
    "thread_id",
    "checkpoint_id",
    "tool_call_id",
    REQUEST_HASH,
    "name",
    "interrupt_id",
)

Attributes = dict[str, Any]


def issued_item(row: LedgerRow, *, retention_seconds: int) -> Attributes:
    """Return the item of a new pause: due as the row says, and listed as an open pause of its scope."""
    claims = row.claims
    optional: Attributes = {}
    if row.key_id:
        optional[KEY_ID] = {"S": row.key_id}
    if row.pin:
        optional["pin"] = {"S": row.pin}
    if row.minter:
        optional[MINTER] = {"B": bytes.fromhex(row.minter)}
    if row.deadline is not None:
        optional[MAX_EXP] = {"N": str(claims.exp)}
    if row.scope_label:
        optional[SCOPE_LABEL] = {"S": row.scope_label}
    if row.default_response_text is not None:
        optional[DEFAULT_RESPONSE] = {"S": row.default_response_text}
    if row.remind_at is not None:
        optional[REMIND_AT] = {"N": str(row.remind_at)}
    if row.waiter is not None:
        optional |= waiter_attributes(row.waiter)
    if row.due_at is not None:
        optional |= due_attributes(claims.jti, row.due_at)
    return {
        **_claims_attributes(claims, retention_seconds=retention_seconds),
        EXP: {"N": str(row.expires_at)},
        STATUS: {"S": row.status.value},
        **turn_attributes(row.turn_hash, recorded=row.turn_recorded),
        SCOPE_ORDER: order_attribute(claims, is_open=True),
        **answerers_attributes(row.answerers),
        **quorum_attributes(row.quorum),
        **supersedes_attributes(row),
        **escalation_attributes(row.escalation),
        **delegates_attributes(row),
        **terms_attributes(row),
        **optional,
    }


def legacy_item(claims: PauseClaims, answer: AcceptedAnswer, *, in_bucket: bool, retention_seconds: int) -> Attributes:
    """Return the item that claims a legacy pause, which has no row before its answer."""
    return {
        **_claims_attributes(claims, retention_seconds=retention_seconds),
        # A legacy token has no time of issue.
        SCOPE_ORDER: {"S": scope_order(is_open=False, issued_at=answer.answered_at, jti=claims.jti)},
        STATUS: {"S": PauseStatus.ANSWERED.value},
        **answer_attributes(answer, in_bucket=in_bucket),
    }


def answer_attributes(answer: AcceptedAnswer, *, in_bucket: bool) -> Attributes:
    """Return the attributes that an accepted answer adds to its row."""
    text: Attributes = {} if answer.response_text is None else {RESPONSE: {"S": answer.response_text}}
    if in_bucket:
        text = {IN_BUCKET: {"BOOL": True}}
    by_policy: Attributes = {BY_POLICY: {"BOOL": True}} if answer.by_policy else {}
    via: Attributes = {ANSWERED_VIA: {"S": answer.answered_via.value}} if answer.answered_via else {}
    assurance: Attributes = {ASSURANCE: {"S": _ASSURANCES[answer.assurance]}} if answer.assurance else {}
    return {
        **text,
        **by_policy,
        **via,
        **assurance,
        RESPONSE_HASH: {"S": answer.response_hash},
        ANSWERED_BY: {"S": answer.answered_by},
        ANSWERED_AT: {"N": str(answer.answered_at)},
        ATTEMPT_ID: {"S": answer.attempt_id},
        REDEEMED_SCOPE: {"S": answer.redeemed_scope_hash},
    }


def change_attributes(seen: LedgerRow, change: RowChange) -> tuple[Attributes, list[str]]:
    """Return the attributes that a change sets in the row that was read, and those that it removes."""
    claims = seen.claims
    sets: Attributes = {} if change.due_at is None else due_attributes(claims.jti, change.due_at)
    if change.status is not None:
        sets[STATUS] = {"S": change.status.value}
        sets[SCOPE_ORDER] = order_attribute(claims, is_open=False)
    if change.deadline is not None:
        sets[EXP] = {"N": str(change.deadline)}
    if change.attempts is not None:
        sets[ATTEMPTS] = {"N": str(change.attempts)}
    if change.may_have_landed is not None:
        sets[MAY_HAVE_LANDED] = {"BOOL": change.may_have_landed}
    if change.may_have_landed is False:
        sets[NOT_TAKEN] = {"N": str(change.applied_to(seen).attempts)}
    if change.open_too_long:
        sets[OPEN_TOO_LONG] = {"BOOL": True}
    if change.given_up:
        sets[GIVEN_UP] = {"BOOL": True}
    if change.answer is not None:
        sets |= answer_attributes(change.answer, in_bucket=False)
    sets |= taken_back_attributes(change)
    sets |= people_attributes(seen, change)
    removes = [] if change.due_at is not None else [DUE_AT, DUE_SHARD]
    # The older hash of who may answer is not kept: the hash of the terms covers that too.
    gone = {REMIND_AT: change.clear_reminder, TO_ANNOUNCE: change.announced, WHO: change.people is not None}
    return sets, [*removes, *(name for name, is_gone in gone.items() if is_gone)]


def redriven_attributes(row: LedgerRow) -> Attributes:
    """Return the attributes that a redrive sets.

    If an attempt may have landed, `NOT_TAKEN` is one less than `attempts`. `MAY_HAVE_LANDED` is set to true but never
    to false here: another process may have set it since the row was read.
    """
    landed: Attributes = {MAY_HAVE_LANDED: {"BOOL": True}} if row.may_have_landed else {}
    return {
        STATUS: {"S": row.status.value},
        ATTEMPTS: {"N": str(row.attempts)},
        NOT_TAKEN: {"N": str(row.attempts - row.may_have_landed)},
        **landed,
        **({} if row.due_at is None else due_attributes(row.claims.jti, row.due_at)),
    }


def announcing_key(key_id: str) -> str:
    """Return how the mark of an announcement begins whose links this key signed; no key id contains a space."""
    return f"{key_id} "


def due_attributes(jti: str, due_at: int) -> Attributes:
    """Return the keys of the due index for a row that is due at `due_at`."""
    return {DUE_SHARD: {"S": due_shard(jti)}, DUE_AT: {"N": str(due_at)}}


def waiter_attributes(waiter: Waiter) -> Attributes:
    """Return the attributes of a waiter."""
    return {WAITER_KIND: {"S": waiter.kind.value}, WAITER_ADDRESS: {"S": waiter.address}}


def turn_attributes(turn_hash: str, *, recorded: bool) -> Attributes:
    """Return the attributes that say whether a turn is recorded, and which."""
    known: Attributes = {TURN_HASH: {"B": bytes.fromhex(turn_hash)}} if turn_hash else {}
    return {TURN_RECORDED: {"BOOL": recorded}, **known}


def order_attribute(claims: PauseClaims, *, is_open: bool) -> Attributes:
    """Return the attribute that orders a row in its scope's list."""
    return {"S": scope_order(is_open=is_open, issued_at=claims.issued_at or 0, jti=claims.jti)}


def answer_place(claims: PauseClaims) -> str:
    """Return under which name the large answers of a pause are in the bucket."""
    return f"answer:{claims.jti}"


def response_body_key(claims: PauseClaims, response_hash: str) -> str:
    """Return the key of a large answer in the bucket."""
    return body_key(
        thread_id=claims.thread_id,
        checkpoint_id=claims.checkpoint_id,
        key=answer_place(claims),
        expires_at=claims.exp,
        sha256=response_hash,
    )


def read_row(item: Attributes) -> LedgerRow:
    """Return the row of an item.

    Raises:
        RowUnreadable: it is damaged, or of a version that knows more than this one.
    """
    try:
        row = _read_row(item)
        damaged = _damage(row, item)
    except KeyError as error:
        damaged = f"no {error}"
    except (LookupError, TypeError, ValueError, AttributeError, InvalidRequest) as error:
        damaged = type(error).__name__
    if damaged:
        raise RowUnreadable(reason=f"the row {_named(item, PK)} cannot be read: {damaged}")
    return row


def _damage(row: LedgerRow, item: Attributes) -> str:
    """Return what is wrong with a row whose attributes can all be read; empty if nothing is."""
    if item.get(WHO, _who(row.answerers)) != _who(row.answerers):
        return "who may answer was changed"
    if TERMS in item and bytes(item[TERMS]["B"]) not in (_terms(row, waits=False), _terms(row, waits=bool(row.waiter))):
        return "who may answer, the default answer or the waiter was changed"
    if (row.quorum is not None or row.answerers.member_floors or row.delegates) and TERMS not in item:
        # Every such row was written with this hash. Without it, fewer or weaker votes could be made enough.
        return "the hash of what it allows is gone"
    if row.turn_hash and not row.turn_recorded:
        return "whether a turn is recorded was changed"
    return ""


def _read_row(item: Attributes) -> LedgerRow:
    return LedgerRow(
        claims=PauseClaims(
            jti=jti_of(item[PK]["S"]),
            exp=int(item[MAX_EXP if MAX_EXP in item else EXP]["N"]),
            issued_at=_number(item, "issued_at"),
            scoped=MINTER in item,
            **{name: item[name]["S"] for name in _TEXT_CLAIMS},
        ),
        status=PauseStatus(item[STATUS]["S"]),
        key_id=_text(item, KEY_ID) or "",
        pin=_text(item, "pin") or "",
        turn_recorded=_flag(item, TURN_RECORDED),
        turn_hash=bytes(item[TURN_HASH]["B"]).hex() if TURN_HASH in item else "",
        scope_label=_text(item, SCOPE_LABEL) or "",
        minter=bytes(item[MINTER]["B"]).hex() if MINTER in item else "",
        deadline=int(item[EXP]["N"]) if MAX_EXP in item else None,
        answerers=read_answerers(item),
        quorum=read_quorum(item),
        votes=read_votes(item),
        escalation=read_steps(item),
        delegates=_people(item, DELEGATES),
        changes=read_roster_changes(item),
        to_announce=_number(item, TO_ANNOUNCE),
        revoked_links=_people(item, REVOKED_LINKS),
        answer=_read_answer(item),
        waiter=_read_waiter(item),
        default_response_text=_text(item, DEFAULT_RESPONSE),
        remind_at=_number(item, REMIND_AT),
        open_too_long=_flag(item, OPEN_TOO_LONG),
        attempts=_number(item, ATTEMPTS) or 0,
        may_have_landed=_read_may_have_landed(item),
        due_at=_number(item, DUE_AT),
        revocation=read_revocation(item),
        supersedes=read_supersedes(item),
        superseded=read_supersession(item),
        given_up=_flag(item, GIVEN_UP),
        erased=_read_erasure(item, ERASED_AT, ERASED_BY),
        renamed=_read_erasure(item, RENAMED_AT, RENAMED_BY),
    )


def read_row_or_identity(item: Attributes) -> LedgerRow | PauseIdentity:
    """Return the row of an item, or the identity of its pause if the item is damaged or from a newer build."""
    try:
        return read_row(item)
    except RowUnreadable:
        name, scope_hash = (_named(item, attribute) for attribute in ("name", "scope_hash"))
        return PauseIdentity(jti=jti_of(item[PK]["S"]), name=name, scope_hash=scope_hash)


def _named(item: Attributes, name: str) -> str:
    return str(item.get(name, {}).get("S", ""))


def _claims_attributes(claims: PauseClaims, *, retention_seconds: int) -> Attributes:
    issued_at = {} if claims.issued_at is None else {"issued_at": {"N": str(claims.issued_at)}}
    return {
        **ledger_key(claims.jti),
        **{name: {"S": getattr(claims, name)} for name in _TEXT_CLAIMS},
        **issued_at,
        EXP: {"N": str(claims.exp)},
        TTL: {"N": str(claims.exp + retention_seconds)},
    }


def _read_answer(item: Attributes) -> AcceptedAnswer | None:
    if RESPONSE_HASH not in item:
        return None
    return AcceptedAnswer(
        response_text=_text(item, RESPONSE),
        response_hash=item[RESPONSE_HASH]["S"],
        answered_by=item[ANSWERED_BY]["S"],
        answered_at=int(item[ANSWERED_AT]["N"]),
        attempt_id=item[ATTEMPT_ID]["S"],
        redeemed_scope_hash=item[REDEEMED_SCOPE]["S"],
        by_policy=_flag(item, BY_POLICY),
        answered_via=AnsweredVia(item[ANSWERED_VIA]["S"]) if ANSWERED_VIA in item else None,
        assurance=_ASSURANCES_READ[item[ASSURANCE]["S"]] if ASSURANCE in item else None,
    )


def _read_erasure(item: Attributes, at: str, by: str) -> Erasure | None:
    return Erasure(by=item[by]["S"], at=int(item[at]["N"])) if at in item else None


def _read_may_have_landed(item: Attributes) -> bool:
    # A claimed row has only the counts, and so has a row that the version before has written.
    return _flag(item, MAY_HAVE_LANDED) or (_number(item, ATTEMPTS) or 0) > (_number(item, NOT_TAKEN) or 0)


def _read_waiter(item: Attributes) -> Waiter | None:
    if WAITER_KIND not in item:
        return None
    return Waiter(kind=WaiterKind(item[WAITER_KIND]["S"]), address=item[WAITER_ADDRESS]["S"])


def _text(item: Attributes, name: str) -> str | None:
    return item[name]["S"] if name in item else None


def _number(item: Attributes, name: str) -> int | None:
    return int(item[name]["N"]) if name in item else None


def _flag(item: Attributes, name: str) -> bool:
    return bool(item[name]["BOOL"]) if name in item else False


def answerers_attributes(answerers: Answerers) -> Attributes:
    """Return what is said about the people of a pause."""
    attributes: Attributes = {}
    for name, people in ((APPROVERS, answerers.approvers), (RECIPIENTS, answerers.recipients)):
        if people:
            attributes[name] = names(people)
    if answerers.requester:
        attributes[REQUESTER] = {"S": answerers.requester}
    if not answerers.requester_may_answer:
        attributes[REQUESTER_EXCLUDED] = {"BOOL": True}
    if answerers.least_assurance is not Assurance.STATED:
        attributes[LEAST_ASSURANCE] = {"S": answerers.least_assurance.value}
    if answerers.member_floors:
        attributes[MEMBER_FLOORS] = {"L": [names(each) for each in answerers.member_floors]}
    return attributes


def delegates_attributes(row: LedgerRow) -> Attributes:
    """Return the attribute of the people to whom a member may pass the pause on; none without them."""
    return {DELEGATES: names(row.delegates)} if row.delegates else {}


def people_attributes(seen: LedgerRow, change: RowChange) -> Attributes:
    """Return the attributes that a change of the people sets, if it is one: no list of people becomes empty by it."""
    if change.people is None:
        return {}
    row = change.applied_to(seen)
    revoked: Attributes = {REVOKED_LINKS: names(row.revoked_links)} if row.revoked_links else {}
    changes = changes_attributes(row.changes, row.to_announce)
    return {**answerers_attributes(row.answerers), **revoked, **changes, **terms_attributes(row)}


def names(people: Sequence[str]) -> Attributes:
    """Return the names of people as one value."""
    return {"L": [{"S": person} for person in people]}


def terms_attributes(row: LedgerRow) -> Attributes:
    """Return the hash of what a row allows; a write that adds a waiter writes it anew."""
    return {TERMS: {"B": _terms(row, waits=row.waiter is not None)}}


def _terms(row: LedgerRow, *, waits: bool) -> bytes:
    said = [*_people_said(row.answerers), row.default_response_text, waits]
    # Added only if there are any, so that the hash of an ordinary row stays the hash of earlier versions. A version
    # that knows no quorum then refuses the row, and does not take its first vote for the answer.
    if row.quorum is not None:
        said.append({"needed": row.quorum.needed, "veto": row.quorum.veto, "hidden": row.quorum.hidden})
    if row.delegates:
        said.append({"delegates": row.delegates})
    said += terms_said(row.escalation, row.changes)
    return _short_hash([*said, row.revoked_links] if row.revoked_links else said)


def renamed_attributes(item: Attributes, row: LedgerRow) -> Attributes:
    """Return the attributes with the names of people in `row`, and those hashes of them that the item has."""
    attributes = answerers_attributes(row.answerers) | delegates_attributes(row)
    if row.revoked_links:
        attributes[REVOKED_LINKS] = names(row.revoked_links)
    if row.votes:
        attributes |= vote_attributes(row.votes)
    attributes |= escalation_attributes(row.escalation) | changes_attributes(row.changes, None)
    if row.answer is not None:
        attributes[ANSWERED_BY] = {"S": row.answer.answered_by}
    if row.revocation is not None:
        attributes[REVOKED_BY] = {"S": row.revocation.by}
    if TERMS in item:
        attributes |= terms_attributes(row)
    if WHO in item:
        attributes[WHO] = _who(row.answerers)
    return attributes


def _who(answerers: Answerers) -> dict[str, str]:
    return {"S": base64.b64encode(_short_hash(_people_said(answerers))).decode()}


def _people_said(answerers: Answerers) -> list[Any]:
    said: list[Any] = [
        answerers.approvers,
        answerers.recipients,
        answerers.requester,
        answerers.requester_may_answer,
    ]
    # A demand is added only if there is one, so that the hash of a row without it stays the hash of earlier versions.
    if answerers.least_assurance is not Assurance.STATED:
        said.append(answerers.least_assurance)
    # A version that does not know these refuses the row: it would take an answer that is known less well.
    return [*said, {"floors": answerers.member_floors}] if answerers.member_floors else said


def _short_hash(said: list[Any]) -> bytes:
    return hashlib.sha256(json.dumps(said).encode()).digest()[:6]


def read_answerers(item: Attributes) -> Answerers:
    """Return the people of the pause in an item."""
    return Answerers(
        approvers=_people(item, APPROVERS),
        requester=item[REQUESTER]["S"] if REQUESTER in item else "",
        requester_may_answer=REQUESTER_EXCLUDED not in item,
        recipients=_people(item, RECIPIENTS),
        least_assurance=Assurance(item[LEAST_ASSURANCE]["S"]) if LEAST_ASSURANCE in item else Assurance.STATED,
        member_floors=_member_floors(item),
    )


def _member_floors(item: Attributes) -> tuple[tuple[str, Assurance], ...]:
    pairs = item[MEMBER_FLOORS]["L"] if MEMBER_FLOORS in item else ()
    return tuple((name["S"], Assurance(floor["S"])) for name, floor in (pair["L"] for pair in pairs))


def _people(item: Attributes, name: str) -> tuple[str, ...]:
    return tuple(person["S"] for person in item[name]["L"]) if name in item else ()

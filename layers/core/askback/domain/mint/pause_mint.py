"""The mint of a pause: the checks before the first write, and the order of the writes.

The bodies are written before the ledger row, and the row before the caller gets a token. A crash can leave records that
no token refers to, but never a token without records.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from askback.domain.delivery.delivery import Delivery
from askback.domain.errors import InvalidRequest, PauseConflict, StoreUnavailable
from askback.domain.interactions.default_answer import default_response_text
from askback.domain.interactions.floor import DEFAULT_FLOORS, Floor, floors_of
from askback.domain.interactions.registry import InteractionRegistration, InteractionRegistry, PausePlace
from askback.domain.limits import (
    THREAD_ID_MAX_BYTES,
    require_identifier,
    require_name,
)
from askback.domain.mint.about import recorded_with
from askback.domain.mint.command import MintCommand, checked_scope, remind_at, turn_of
from askback.domain.mint.quota import Quota
from askback.domain.mint.replacing import Replacing
from askback.domain.mint.votable import require_votable, why_too_few
from askback.domain.overlap import Overlap, in_the_event_loop
from askback.domain.pause import ids
from askback.domain.pause.answerers import Answerers
from askback.domain.pause.assurance import Assurance, strongest
from askback.domain.pause.claims import ASK_USER, PauseClaims
from askback.domain.pause.events import PauseEvent, PauseEventType
from askback.domain.pause.executions import WaitingTask
from askback.domain.pause.ledger import LedgerRow, PauseStatus
from askback.domain.pause.minter import minter_hash
from askback.domain.pause.person_names import is_among
from askback.domain.pause.scope import Scope
from askback.domain.pause.waiters import Waiter
from askback.domain.ports import CheckpointPort, EventSink, IssuanceLedger, WaitingTasks
from askback.domain.recorded_text import RecordedText
from askback.domain.records.payloads import PausePayloadStore, payload_key, require_payload_key_inputs
from askback.domain.records.turns import TurnCheckpoint, TurnCheckpointStore
from askback.domain.tokens.service import PauseTokenService

_WAITER_TRIES = 5
"""How often a mint begins again because another mint of the same pause has changed the row."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class PauseTokens:
    """The tokens that the caller of a mint gets.

    `answer` and `links` are empty, unless the mint returns links. `pause` is empty for a pause whose waiter gets the
    answer. `repr` does not show the tokens.
    """

    pause: str = ""
    answer: str = ""
    links: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class MintedPause:
    """A recorded pause and the tokens for its caller.

    `recorded` says that this mint certainly wrote the request, `resumable` that this or an earlier mint certainly wrote
    the turn. A repeated mint returns the claims of the first mint and the current status.
    """

    claims: PauseClaims
    status: PauseStatus
    expires_at: int
    payload: Mapping[str, Any]
    tokens: PauseTokens
    recorded: bool
    resumable: bool
    supersedes: str = ""
    """The id of the pause that this one has replaced; empty if it has replaced none."""
    unanswerable: str = ""
    """Why this deployment has no way to answer that is known as well as the pause demands; empty if it has one."""


class PauseMint:
    """Validates, records and issues pauses.

    The program that asks must not hold what answers: it could answer its own question in a person's name. So a mint
    returns no answer token. `askback.domain.people.answer_links` and the notifier issue them from the row. With
    `return_links`, the mint returns all tokens, as the deployment's setting says.
    """

    def __init__(
        self,
        *,
        registry: InteractionRegistry,
        tokens: PauseTokenService,
        payloads: PausePayloadStore,
        turns: TurnCheckpointStore,
        checkpoints: CheckpointPort | None,
        ledger: IssuanceLedger,
        delivery: Delivery,
        events: EventSink,
        new_interrupt_id: Callable[[], str],
        floors: Mapping[str, Floor] = DEFAULT_FLOORS,
        quota: Quota | None = None,
        waiting_tasks: WaitingTasks | None = None,
        overlap: Overlap = in_the_event_loop,
        open_alarm_seconds: int = 0,
        best_sign_in: Assurance | None = Assurance.STEPPED_UP,
        return_links: bool = False,
    ) -> None:
        """A pause that is open for `open_alarm_seconds` is due for the sweep, which counts it; 0 switches this off.

        `best_sign_in` is how well a person who signs in can be known here; None without sign-in. Without a `quota`, no
        open pause is counted: a program that mints in its own process can write the table anyway. Without
        `waiting_tasks`, no execution is recorded.
        """
        self._registry = registry
        self._tokens = tokens
        self._payloads = payloads
        self._turns = turns
        self._checkpoints = checkpoints
        self._ledger = ledger
        self._delivery = delivery
        self._replacing = Replacing(ledger=ledger, delivery=delivery)
        self._events = events
        self._new_interrupt_id = new_interrupt_id
        self._floors = floors
        self._quota = quota
        self._waiting_tasks = waiting_tasks
        self._overlap = overlap
        self._open_alarm_seconds = open_alarm_seconds
        self._best_sign_in = best_sign_in
        self._return_links = return_links

    async def mint(self, command: MintCommand) -> MintedPause:
        """Record the pause and return it with its caller's tokens; the same question in the same place is one pause.

        Raises:
            InvalidRequest: a field is wrong or over its limit, or the scope or the checkpoint is missing.
            UnknownInteraction: no interaction with this name is registered.
            PayloadBindingError: the pause cannot have a key, so no answer could consume it.
            PauseErased: the content of the pause was erased.
            TooManyOpen: the scope or a recipient has as many open pauses as the floors allow.
            PauseConflict: another request or turn is recorded for the same thread, checkpoint and call, or another
                principal has minted the pause.
            InteractionConfigurationError: there is no usable key.
            UnknownPause, AlreadyAnswered, PauseRevoked, PauseSuperseded, PauseExpired: the pause to replace is not the
                principal's, or has ended; there is no new pause.
            StoreUnavailable: the row may be missing; send the same request again.
        """
        registration = self._registry.named(require_name(command.name))
        require_payload_key_inputs(command.name, tool_call_id=command.tool_call_id)
        scope = checked_scope(command)
        answerers = self._checked_answerers(command, registration)
        place = await self._place(command, scope)
        new = registration.read_new_payload(command.payload, place)
        require_votable(command.quorum, registration, new.shown)
        request = recorded_with(command.about, new, registration)
        default_text = default_response_text(
            command.on_expiry,
            registration=registration,
            request=new.request,
            needs_votes=command.quorum is not None,
        )
        claims = self._claims(command, scope, place, request)
        turn = turn_of(command, claims)
        # Signed before the first write: a deployment without a usable key must not leave records. The row has the id of
        # the key that signed, also if the ring changes during the mint.
        key_id = await self._tokens.current_key_id()
        tokens = await self._issue(claims, key_id=key_id, recipients=command.answerers.recipients)
        # Before the records: most refusals of a replacement must leave none.
        replaced = await self._replaced(command, claims)
        if self._quota is not None:
            await self._quota.require_room(
                claims,
                people=_asked(command),
                floors=floors_of(self._floors, registration.name, registration.floor),
                at=command.at,
                replaced=replaced,
            )
        recorded, turn_hash = await self._record(command, claims, request, turn)
        minted = LedgerRow(
            claims=claims,
            status=PauseStatus.ISSUED,
            key_id=key_id,
            pin=command.binding.pin,
            turn_recorded=bool(turn_hash),
            turn_hash=turn_hash,
            scope_label=scope.label(),
            deadline=None if command.max_ttl_seconds is None else command.at + command.ttl_seconds,
            minter=minter_hash(command.principal),
            answerers=answerers,
            quorum=command.quorum,
            escalation=command.escalation,
            delegates=command.delegates,
            waiter=command.waiter,
            default_response_text=default_text,
            remind_at=remind_at(command),
            supersedes=command.supersedes,
        )
        row = await self._written(replace(minted, due_at=minted.next_due(self._open_alarm_seconds)), replaced, command)
        if other := _other_in(row, minted):
            raise PauseConflict(f"{other}; {_use_another(command)}")
        if turn is not None and row.turn_hash not in ("", turn_hash or turn.digest()):
            raise PauseConflict(f"another turn is recorded for this pause; {_use_another(command)}")
        if (row.claims, row.key_id) != (claims, key_id):
            tokens = await self._reissue(row)
        if not row.claims.scoped:
            # An older version minted it, and has its records in a place without the scope.
            recorded, turn_hash = await self._record(command, row.claims, request, turn)
        if turn_hash and not row.turn_recorded:
            row = await self._note_turn(row, turn_hash)
        if command.waiter is not None:
            row = await self._let_wait(row, command.waiter, command)
        if row.status is PauseStatus.ISSUED:
            # Before the caller gets the token: if the event fails, the caller repeats the mint, which sends the event.
            await self._events.publish(PauseEvent(type=PauseEventType.ISSUED, row=row, at=command.at))
        return MintedPause(
            claims=row.claims,
            status=row.status,
            expires_at=row.expires_at,
            payload=new.shown,
            tokens=self._for_the_caller(tokens, row, command.waiter),
            recorded=recorded,
            resumable=bool(turn_hash) or row.turn_recorded,
            supersedes=row.supersedes,
            unanswerable=self._unanswerable(row, registration),
        )

    def _unanswerable(self, row: LedgerRow, registration: InteractionRegistration) -> str:
        ways: dict[str, Any] = {"takes_links": registration.allow_link, "best_sign_in": self._best_sign_in}
        return row.answerers.why_unanswerable(**ways) or why_too_few(row.quorum, row.answerers, **ways)

    async def _replaced(self, command: MintCommand, claims: PauseClaims) -> LedgerRow | None:
        if not command.supersedes:
            return None
        return await self._replacing.replaced(command.supersedes, claims, principal=command.principal, at=command.at)

    async def _written(self, minted: LedgerRow, replaced: LedgerRow | None, command: MintCommand) -> LedgerRow:
        if self._waiting_tasks is not None and command.execution is not None and command.waiter is not None:
            # Before the row: after a crash there may be an entry without a row, and never an open pause without entry.
            task = WaitingTask.of(minted.claims.jti, command.waiter)
            await self._waiting_tasks.enter(command.execution, task, expires_at=minted.claims.exp)
        if replaced is None:
            return await self._ledger.issue(minted)
        return await self._replacing.issue(minted, replaced, principal=command.principal, at=command.at)

    def _checked_answerers(self, command: MintCommand, registration: InteractionRegistration) -> Answerers:
        """Return the people of the pause with the strongest demand on how an answerer is known.

        Raises:
            InvalidRequest: the command demands less than the floors of this deployment and of the interaction.
        """
        floors = floors_of(self._floors, registration.name, registration.floor)
        for floor in floors:
            floor.require(
                ttl_seconds=command.ttl_seconds,
                max_ttl_seconds=command.max_ttl_seconds,
                has_default=command.on_expiry is not None,
                answerers=command.answerers,
            )
            for index, step in enumerate(command.escalation):
                for number, person in enumerate(step.to):
                    floor.require_person(person, field=f"escalation[{index}].to[{number}]")
        demands = [command.answerers.least_assurance, *(floor.least_assurance for floor in floors)]
        if not command.answerers.requester_may_answer:
            # A link that names no person, and a name that a backend states, could be the requester's.
            demands.append(Assurance.PERSONAL_LINK)
        return replace(command.answerers, least_assurance=strongest(demands))

    async def _let_wait(self, row: LedgerRow, waiter: Waiter, command: MintCommand) -> LedgerRow:
        """Let the waiter of a repeated mint wait on the row, and return the row as it then is.

        A pause that has ended is delivered to the waiter at once. A row names one waiter, so a waiter that still waits
        is never replaced: its run would wait until its timeout.

        Raises:
            PauseConflict: the row's run and this one both wait, so they are two entries with one key.
            StoreUnavailable: other mints changed the row each time.
        """
        for _ in range(_WAITER_TRIES):
            if row.waiter == waiter:
                return row
            if row.status is PauseStatus.ISSUED:
                if not await self._gives_way(row, waiter, command):
                    return row
                if await self._ledger.replace_waiter(row, waiter):
                    return replace(row, waiter=waiter)
            # What is delivered and returned is the row as it is now: another request may have moved it on.
            current = await self._ledger.find(row.claims.jti)
            if current is None:
                break
            row = current
            if row.status is not PauseStatus.ISSUED:
                # The row's own waiter gets the outcome by the delivery that the row names.
                if row.waiter != waiter:
                    return await self._delivery.hand_over_late(row, waiter, at=command.at)
                return row
        raise StoreUnavailable(reason="the pause changed while its waiter was replaced")

    async def _gives_way(self, row: LedgerRow, waiter: Waiter, command: MintCommand) -> bool:
        """Return whether the row's waiter may be replaced; False for an older attempt whose own run does not wait."""
        if row.waiter is None or not row.waiter.kind.tells_whether_it_waits:
            return True
        if not await self._delivery.still_waits(row):
            return True
        # The row's run waits. A retry closes the task of the attempt before it, so a task that is closed here belongs
        # to an attempt that was given up, and whose mint arrives late.
        if not await self._delivery.still_waits(replace(row, waiter=waiter)):
            return False
        raise PauseConflict(f"another run waits for this pause; {_use_another(command)}")

    async def _note_turn(self, row: LedgerRow, turn_hash: str) -> LedgerRow:
        """Note in the row of an earlier mint the turn that only this mint could record; return the row as it then is.

        Without the note, the pause could be answered without its turn. A pause that has ended keeps what it said.
        """
        if row.status is PauseStatus.ISSUED:
            if await self._ledger.note_turn(row, turn_hash):
                return replace(row, turn_recorded=True, turn_hash=turn_hash)
            # Another mint has noted it, or the pause has ended.
            return await self._ledger.find(row.claims.jti) or row
        return row

    async def _record(
        self, command: MintCommand, claims: PauseClaims, request: RecordedText, turn: TurnCheckpoint | None
    ) -> tuple[bool, str]:
        """Write request and turn at the place of the claims; return whether the request, and which turn, is recorded.

        Raises:
            StoreUnavailable: a run waits and the record is not complete, so the pause must not be issued.
        """
        recorded, turn_hash = await self._overlap(
            self._payloads.record(claims, request), self._record_turn(claims, turn)
        )
        if command.waiter is not None and not (recorded and bool(turn_hash) == (turn is not None)):
            raise StoreUnavailable(reason="a pause with a waiter could not be recorded")
        return recorded, turn_hash

    async def _record_turn(self, claims: PauseClaims, turn: TurnCheckpoint | None) -> str:
        return "" if turn is None else await self._turns.record(claims, turn)

    async def _place(self, command: MintCommand, scope: Scope) -> PausePlace:
        binding = command.binding
        thread_id = binding.thread_id
        if thread_id is None:
            thread_id = scope.thread_id(session_id=binding.session_id, run_id=binding.run_id)
        require_identifier(thread_id, field="thread_id", max_bytes=THREAD_ID_MAX_BYTES)
        checkpoint_id = binding.checkpoint_id
        if checkpoint_id is None and command.idempotency_key is not None:
            checkpoint_id = ids.keyed_checkpoint_id(scope_hash=scope.digest(), idempotency_key=command.idempotency_key)
        if checkpoint_id is None and self._checkpoints is not None:
            checkpoint_id = await self._checkpoints.checkpoint_for(thread_id, has_turn=command.messages is not None)
        if checkpoint_id is None:
            raise InvalidRequest.of_field(
                "checkpoint_id", "must be given when there are neither messages nor an idempotency_key"
            )
        require_identifier(checkpoint_id, field="checkpoint_id")
        return PausePlace(thread_id=thread_id, checkpoint_id=checkpoint_id, tool_call_id=command.tool_call_id)

    def _claims(self, command: MintCommand, scope: Scope, place: PausePlace, request: RecordedText) -> PauseClaims:
        binding = command.binding
        claims = PauseClaims(
            run_id=binding.run_id,
            session_id=binding.session_id,
            scope_hash=scope.digest(),
            thread_id=place.thread_id,
            checkpoint_id=place.checkpoint_id,
            tool_call_id=place.tool_call_id,
            request_hash=request.sha256,
            exp=command.at + (command.max_ttl_seconds or command.ttl_seconds),
            jti="",
            name=command.name,
            interrupt_id=self._interrupt_id(command, place),
            issued_at=command.at,
            scoped=True,
        )
        if command.idempotency_key is not None:
            return claims.under(
                ids.keyed_pause_id(scope_hash=claims.scope_hash, idempotency_key=command.idempotency_key)
            )
        return claims.under(ids.pause_id(**claims.record_place, key=payload_key(claims)))

    def _interrupt_id(self, command: MintCommand, place: PausePlace) -> str:
        if command.name == ASK_USER:
            return ""
        if command.interrupt_id is not None:
            return command.interrupt_id
        # A retry must get the same id, so the id is random only without a call and without an idempotency key.
        named_by = place.tool_call_id or command.idempotency_key
        if named_by is None:
            return self._new_interrupt_id()
        return ids.interrupt_id(
            thread_id=place.thread_id, checkpoint_id=place.checkpoint_id, name=command.name, tool_call_id=named_by
        )

    async def _reissue(self, earlier: LedgerRow) -> PauseTokens:
        recipients = earlier.answerers.recipients
        if await self._tokens.has_key(earlier.key_id):
            return await self._issue(earlier.claims, key_id=earlier.key_id, recipients=recipients)
        # The key was removed from the ring, so no token of this pause verifies any more. The row is written first: each
        # issued token must be counted for its key.
        key_id = await self._tokens.current_key_id()
        if earlier.status is PauseStatus.ISSUED and not await self._ledger.replace_key(earlier, key_id):
            raise StoreUnavailable(reason="the pause changed while its key was replaced")
        return await self._issue(earlier.claims, key_id=key_id, recipients=recipients)

    async def _issue(self, claims: PauseClaims, *, key_id: str, recipients: Sequence[str]) -> PauseTokens:
        pause = await self._tokens.issue_pause_token(claims, key_id=key_id)
        if not self._return_links:
            return PauseTokens(pause=pause)
        people = await self._tokens.issue_answer_tokens(claims, key_id=key_id, recipients=recipients)
        return PauseTokens(pause=pause, answer=people.answer, links=people.links)

    def _for_the_caller(self, tokens: PauseTokens, row: LedgerRow, waiter: Waiter | None) -> PauseTokens:
        """Withhold the pause token if a waiter of the request or of the row gets the answer: nothing needs it then.

        The row counts too: otherwise the same request without its waiter would get the token. Revoked links are left
        out.
        """
        if self._return_links:
            links = {each: token for each, token in tokens.links.items() if each not in row.revoked_links}
            return replace(tokens, links=links)
        if not any(each is not None and each.kind.gets_the_answer for each in (waiter, row.waiter)):
            return tokens
        return replace(tokens, pause="")


def _other_in(row: LedgerRow, minted: LedgerRow) -> str:
    """Return what the row of an earlier mint has that this mint does not have; empty if both ask for the same.

    Raises:
        PauseErased: the row has no content any more.
    """
    # First of all: another principal learns nothing of the pause.
    if row.minter not in ("", minted.minter):
        return "another principal has minted this pause"
    row.require_content()
    # A repeated mint of a changed deployment has other demands; those of the first mint stay.
    if row.asked_at_mint != replace(minted.answerers, least_assurance=row.answerers.least_assurance):
        return "this pause is recorded with other approvers, requester or recipients"
    if row.supersedes != minted.supersedes:
        return "this pause is recorded as one that replaces another pause, or none"
    if row.quorum != minted.quorum:
        return "this pause is recorded with another quorum"
    if row.escalation != minted.escalation:
        return "this pause is recorded with another escalation"
    if row.delegates != minted.delegates:
        return "this pause is recorded with other delegates"
    # A retry is later than the first mint, so only its times may differ, and its version.
    if row.claims.as_minted_with(minted.claims) != minted.claims:
        return "another question is recorded for this pause"
    if row.default_response_text != minted.default_response_text:
        return "this pause is recorded with another default answer"
    return ""


def _asked(command: MintCommand) -> dict[str, str]:
    """Return everyone who may get a message, each once, by the field that names the person."""
    named = {f"recipients[{index}]": person for index, person in enumerate(command.answerers.recipients)}
    for index, step in enumerate(command.escalation):
        for number, person in enumerate(step.to):
            if not is_among(person, named.values()):
                named[f"escalation[{index}].to[{number}]"] = person
    return named


def _use_another(command: MintCommand) -> str:
    """Say what must differ so that the request asks a question of its own."""
    if command.idempotency_key is not None:
        return "give each question an idempotency_key of its own"
    return "give each question a thread_id, checkpoint_id or tool_call_id of its own"

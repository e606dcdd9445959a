"""The request and the reply of the mint; the body is read strictly."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, FailFast, Field

from askback.domain.errors import InvalidRequest
from askback.domain.interactions.default_answer import DefaultAnswer
from askback.domain.mint.command import MintCommand
from askback.domain.mint.pause_mint import MintedPause
from askback.domain.pause.answerers import Answerers
from askback.domain.pause.assurance import Assurance
from askback.domain.pause.binding import PauseBinding
from askback.domain.pause.quorum import Quorum
from askback.domain.pause.roster import EscalationStep, StepMode
from askback.domain.pause.waiters import Waiter, WaiterKind
from askback.domain.records.about import NO_ABOUT, About, Risk
from askback.domain.timestamps import rfc3339
from askback.edge.body import Body, Names, ScopeBody, read_body
from askback.edge.lambda_events import RouteRequest
from askback.edge.links import link_fields


class WaiterBody(Body):
    """The waiter, with the one address that its kind needs, the execution of a task, and how long the run waits."""

    kind: Literal["step_functions", "lambda_durable", "lambda", "event", "none"]
    task_token: str | None = None
    callback_id: str | None = None
    function: str | None = None
    execution: str | None = None
    timeout_seconds: int | None = None

    def waiter(self, functions: frozenset[str], *, has_event_bus: bool) -> Waiter | None:
        """Return the checked waiter, or None for the kind `none`.

        Raises:
            InvalidRequest: the address does not fit the kind, the function is not in `functions`, or the deployment
                has no event bus. Such a pause could not be delivered.
        """
        given = {name: getattr(self, name) for name in _ADDRESSES.values() if getattr(self, name) is not None}
        needed = _ADDRESSES.get(self.kind)
        if set(given) != ({needed} if needed else set()):
            wanted = f"{needed} and nothing else" if needed else "no address"
            raise InvalidRequest.of_field("waiter", f"a waiter of kind {self.kind} takes {wanted}")
        if self.kind == "none":
            return None
        if self.kind == "lambda" and self.function not in functions:
            raise InvalidRequest.of_field("waiter.function", "is not a function that this deployment may call")
        if self.kind == "event" and not has_event_bus:
            raise InvalidRequest.of_field("waiter.kind", "event needs an event bus; this deployment has none")
        return Waiter(kind=WaiterKind(self.kind), address=given[needed] if needed else "")


_ADDRESSES = {"step_functions": "task_token", "lambda_durable": "callback_id", "lambda": "function"}


class OnExpiryBody(Body):
    """The action at expiry without an answer."""

    policy: Literal["fail", "default"]
    response: Any = None

    def default(self) -> DefaultAnswer | None:
        """Return the default answer, or None for the policy `fail`; raises InvalidRequest."""
        if (self.policy == "default") != ("response" in self.model_fields_set):
            raise InvalidRequest.of_field("on_expiry.response", "must be given with the policy default, and only then")
        return DefaultAnswer(response=self.response) if self.policy == "default" else None


class QuorumBody(Body):
    """How many approvers must say yes."""

    needed: int
    veto: bool = True
    hidden: bool = False


class EscalationStepBody(Body):
    """One step of the escalation."""

    after_seconds: int
    to: Names
    mode: Literal["add", "replace"] = "add"

    def step(self) -> EscalationStep:
        """Return it as the domain has it."""
        return EscalationStep(after_seconds=self.after_seconds, to=tuple(self.to), mode=StepMode(self.mode))


AssuranceName = Literal["stated", "link", "personal_link", "signed_in", "stepped_up"]


class ApproverBody(Body):
    """One approver with a demand of their own."""

    name: str
    least_assurance: AssuranceName


def _approver(value: object) -> object:
    # The errors of a union name both of its forms; an entry that is no name has those of the other form alone.
    return value if isinstance(value, str) else ApproverBody.model_validate(value)


Approvers = Annotated[list[Annotated[str | ApproverBody, BeforeValidator(_approver)]], FailFast()]
"""Approvers: names, or names with a demand of their own."""


class AboutBody(Body):
    """What is said about the question; each text has a limit that the domain checks."""

    asker: str = ""
    reason: str = ""
    risk: Literal["normal", "high"] = "normal"
    if_approved: str = ""
    if_rejected: str = ""
    if_answered: str = ""
    contact: str = ""
    markdown: Names = Field(default_factory=list)
    takes_questions: bool = False

    def about(self) -> About:
        """Return it as the domain has it."""
        return About(**{**dict(self), "risk": Risk(self.risk), "markdown": tuple(self.markdown)})


class MintBody(Body):
    """The body of `POST /pauses`."""

    HALVES_ALLOWED = frozenset({"prompt", "messages"})

    name: str
    payload: dict[str, Any]
    run_id: str
    scope: ScopeBody
    ttl_seconds: int
    tool_call_id: str = ""
    interrupt_id: str | None = None
    session_id: str = ""
    root_run_id: str = ""
    thread_id: str | None = None
    checkpoint_id: str | None = None
    messages: list[Any] | None = None
    prompt: str = ""
    pin: str = ""
    waiter: WaiterBody | None = None
    idempotency_key: str | None = None
    on_expiry: OnExpiryBody | None = None
    max_ttl_seconds: int | None = None
    remind_after_seconds: int | None = None
    approvers: Approvers = Field(default_factory=list)
    requester: str = ""
    requester_may_answer: bool = True
    recipients: Names = Field(default_factory=list)
    least_assurance: AssuranceName = "stated"
    about: AboutBody | None = None
    quorum: QuorumBody | None = None
    escalation: Annotated[list[EscalationStepBody], FailFast()] = Field(default_factory=list)
    supersedes: str | None = None
    delegates: Names = Field(default_factory=list)


def mint_command(
    request: RouteRequest, *, at: int, waiter_functions: frozenset[str], has_event_bus: bool
) -> MintCommand:
    """Return the command of a mint request at `at` (epoch seconds).

    Raises:
        InvalidRequest: with each wrong field, or a waiter that this deployment cannot reach.
    """
    body = read_body(MintBody, request)
    return MintCommand(
        name=body.name,
        payload=body.payload,
        principal=request.caller.principal,
        binding=PauseBinding(
            pin=body.pin,
            scope=body.scope.scope(),
            run_id=body.run_id,
            root_run_id=body.root_run_id,
            session_id=body.session_id,
            thread_id=body.thread_id,
            checkpoint_id=body.checkpoint_id,
        ),
        ttl_seconds=body.ttl_seconds,
        max_ttl_seconds=body.max_ttl_seconds,
        at=at,
        tool_call_id=body.tool_call_id,
        interrupt_id=body.interrupt_id,
        messages=body.messages,
        prompt=body.prompt,
        waiter=body.waiter.waiter(waiter_functions, has_event_bus=has_event_bus) if body.waiter else None,
        execution=body.waiter.execution if body.waiter else None,
        waiter_timeout_seconds=body.waiter.timeout_seconds if body.waiter else None,
        idempotency_key=body.idempotency_key,
        on_expiry=body.on_expiry.default() if body.on_expiry else None,
        remind_after_seconds=body.remind_after_seconds,
        answerers=_answerers(body),
        quorum=Quorum(**dict(body.quorum)) if body.quorum else None,
        escalation=tuple(step.step() for step in body.escalation),
        about=body.about.about() if body.about else NO_ABOUT,
        supersedes=body.supersedes or "",
        delegates=tuple(body.delegates),
    )


def _answerers(body: MintBody) -> Answerers:
    floors = [(each.name, Assurance(each.least_assurance)) for each in body.approvers if not isinstance(each, str)]
    return Answerers(
        approvers=tuple(each if isinstance(each, str) else each.name for each in body.approvers),
        requester=body.requester,
        requester_may_answer=body.requester_may_answer,
        recipients=tuple(body.recipients),
        least_assurance=Assurance(body.least_assurance),
        # Every answerer is known as well as this anyway.
        member_floors=tuple(each for each in floors if each[1] is not Assurance.STATED),
    )


def mint_reply(minted: MintedPause, *, answer_url: str) -> dict[str, Any]:
    """Return the reply to a mint; it has a token only if the mint's caller gets it.

    `unanswerable` is in the reply only if it holds: it says why no person can answer. So is `supersedes`, the id of the
    pause that this one has replaced.
    """
    claims, tokens = minted.claims, minted.tokens
    reply = {
        "jti": claims.jti,
        "name": claims.name,
        "status": minted.status.value,
        "tool_call_id": claims.tool_call_id,
        "interrupt_id": claims.interrupt_id,
        "run_id": claims.run_id,
        "session_id": claims.session_id,
        "thread_id": claims.thread_id,
        "checkpoint_id": claims.checkpoint_id,
        "payload": minted.payload,
        "issued_at": rfc3339(claims.issued_at or 0),
        "expires_at": rfc3339(minted.expires_at),
        "resumable": minted.resumable,
        "recorded": minted.recorded,
    }
    if minted.supersedes:
        reply["supersedes"] = minted.supersedes
    if minted.unanswerable:
        reply["unanswerable"] = minted.unanswerable
    if tokens.pause:
        reply["pause_token"] = tokens.pause
    if tokens.answer:
        # A question that was not recorded cannot be shown, so its link would lead nowhere.
        reply |= link_fields(tokens.answer, tokens.links, answer_url=answer_url if minted.recorded else "")
    return reply

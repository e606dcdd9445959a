"""The four tools: ask a person, read the answer, revoke a question, list the open ones.

A refusal is a result of the tool, so that the model reads it. A call that asks is a task for a client that has declared
tasks. Every other client gets the id of the question at once, and reads the answer with `get_answer`.
"""

from collections.abc import Callable, Coroutine
from typing import Any

from pydantic import Field

from askback.domain.delivery.revoking import require_reason
from askback.domain.errors import HumanInteractionError, StoreUnavailable
from askback.domain.pause.ledger import PauseStatus, Revocation
from askback.domain.pause.listing import ListedPause, ListPlace
from askback.domain.pause.minter import minter_hash
from askback.domain.pause.person_names import ASKER
from askback.domain.timestamps import rfc3339
from askback.edge.body import Body, BodyT, read_body
from askback.edge.lambda_events import RouteRequest
from askback.edge.mcp.asking import AskHumanBody, Wait, mint_of
from askback.edge.mcp.catalogue import Catalogue, Result, Tool, ToolCall, structured
from askback.edge.mcp.context import McpContext
from askback.edge.mcp.results import ended_facts, refused_facts
from askback.edge.mcp.tasks import QuestionTasks, task_of

LIST_MAX = 20


class PauseBody(Body):
    """The arguments that name a question."""

    pause: str = Field(description="The id in the result of ask_human", max_length=256)


class GetAnswerBody(PauseBody):
    """The arguments of `get_answer`."""

    wait_seconds: int = Wait


class RevokeBody(PauseBody):
    """The arguments of `revoke_question`."""

    reason: str | None = Field(default=None, description="Why, for the people who were asked; up to 500 characters")


class ListBody(Body):
    """The arguments of `list_my_open_questions`."""

    next: str | None = Field(default=None, description="The `next` of an earlier result, for the questions after it")


Act = Callable[[ToolCall[McpContext]], Coroutine[Any, Any, Result]]


def _refusals_as_results(act: Act) -> Act:
    async def acted(call: ToolCall[McpContext]) -> Result:
        try:
            return await act(call)
        except HumanInteractionError as error:
            call.context.refused(error)
            return structured(refused_facts(error), is_error=True)

    return acted


def _read(model: type[BodyT], call: ToolCall[McpContext]) -> BodyT:
    request = call.context.request
    return read_body(model, RouteRequest(route=request.route, caller=request.caller, body=call.arguments))


async def _ask(call: ToolCall[McpContext]) -> Result:
    context = call.context
    body = _read(AskHumanBody, call)
    new_key = context.services.new_key()
    command = mint_of(body, context.asker, client=call.message.client, new_key=new_key, at=context.services.clock())
    minted = await context.services.mint.mint(command)
    repeated = minted.claims.issued_at != command.at
    context.done.append("MintRepeated" if repeated else "PauseIssued")
    if not minted.recorded:
        # A question that cannot be shown gets no answer; a repetition records it.
        raise StoreUnavailable(reason="the question was not recorded")
    row = await context.row(minted.claims.jti)
    if call.takes_task and row.status is PauseStatus.ISSUED:
        return {"resultType": "task", **task_of(row, context)}
    facts = await context.facts(row, wait_seconds=body.wait_seconds)
    if minted.unanswerable:
        context.done.append("Unanswerable")
        facts["unanswerable"] = minted.unanswerable
    return structured(facts)


async def _get_answer(call: ToolCall[McpContext]) -> Result:
    body = _read(GetAnswerBody, call)
    row = await call.context.row(body.pause)
    facts = await call.context.facts(row, wait_seconds=body.wait_seconds)
    call.context.done.append("OutcomeRead" if facts["status"] == "answered" else "AnswerAwaited")
    return structured(facts)


async def _revoke(call: ToolCall[McpContext]) -> Result:
    context = call.context
    body = _read(RevokeBody, call)
    reason = "" if body.reason is None else require_reason(body.reason)
    revocation = Revocation(by=ASKER, at=context.services.clock(), reason=reason)
    revoked = await context.services.revoking.revoke(body.pause, revocation, admit=context.admit)
    context.done.append("RevocationReplayed" if revoked.replayed else "PauseRevoked")
    return structured(ended_facts(revoked.row))


async def _list(call: ToolCall[McpContext]) -> Result:
    context = call.context
    body = _read(ListBody, call)
    after = None if body.next is None else ListPlace.of_cursor(body.next)
    own = minter_hash(context.asker.principal)

    def asked_here(listed: ListedPause) -> bool:
        return listed.row is not None and listed.row.minter == own and listed.row.status is PauseStatus.ISSUED

    page = await context.services.pauses.of_scope(
        context.asker.scope.digest(), limit=LIST_MAX, after=after, wanted=asked_here, open_only=True
    )
    rows = [listed.row for listed in page.pauses if listed.row is not None]
    titles = await context.services.titles.of([row.claims for row in rows])
    context.done.append("PausesListed")
    facts: dict[str, Any] = {
        "open": [
            {
                "pause": row.claims.jti,
                "question": titles.get(row.claims.jti),
                "asked_at": rfc3339(row.claims.issued_at),
                "expires_at": rfc3339(row.expires_at),
            }
            for row in rows
        ]
    }
    if page.next is not None:
        facts["next"] = page.next.cursor()
    return structured(facts)


def human_tools(version: str) -> Catalogue[McpContext]:
    """Return the server's catalogue."""
    return Catalogue(
        name="askback",
        version=version,
        instructions=_INSTRUCTIONS,
        tools=tuple(
            Tool(
                name=name,
                title=title,
                description=description,
                arguments=arguments,
                act=_refusals_as_results(act),
                hints=hints,
            )
            for name, title, description, arguments, act, hints in _TOOLS
        ),
        tasks=QuestionTasks(),
    )


_INSTRUCTIONS = (
    "Asks people, and keeps their answers until you read them. Use it before an action that a person must allow, or "
    "for a decision or a value that only a person has. Answers can take days, and survive the end of this "
    "conversation: keep the id of the question. Only an answer with approved: true is an approval. A wait that runs "
    "out, an expired, revoked or rejected question, and an error are not."
)
_ASK = (
    "Ask a person. Give options for a choice, action for an approval, form for values, or only a question for a text. "
    "The result has the id of the question (pause) and its status. open means that the person has not answered: go on "
    "with other work, or end your turn, and call get_answer later. A wait that runs out is not an answer, and never an "
    "approval. You cannot answer the question yourself, and you get no link to it: the people who may answer get it. "
    "Ask once: to repeat the call after an error, send the same idempotency_key."
)
_GET = (
    "Read the answer to a question, with the id that ask_human returned. It works until the deployment removes the "
    "question, at least a week after it expires, also in another conversation. For an approval, run the action only if "
    "approved is true, only once, and with the arguments in run: the person can have changed them. expired, revoked, "
    "superseded and approved: false mean: do not run it. While the status is open, wait before you call again: first "
    "some seconds, then minutes."
)
_REVOKE = (
    "Take back an open question of yours that needs no answer any more. An answer that has come before stays, and the "
    "result says so."
)
_LIST = (
    "List the open questions that you have asked, newest first, with their ids. Use it when you have lost an id, or "
    "before you ask something that you may have asked already."
)
_TOOLS: tuple[tuple[str, str, str, type[Body], Act, dict[str, bool]], ...] = (
    ("ask_human", "Ask a person", _ASK, AskHumanBody, _ask, {"readOnlyHint": False, "destructiveHint": False}),
    ("get_answer", "Read an answer", _GET, GetAnswerBody, _get_answer, {"readOnlyHint": True, "idempotentHint": True}),
    ("revoke_question", "Revoke a question", _REVOKE, RevokeBody, _revoke, {"readOnlyHint": False}),
    ("list_my_open_questions", "List open questions", _LIST, ListBody, _list, {"readOnlyHint": True}),
)

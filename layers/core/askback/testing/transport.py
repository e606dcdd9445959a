"""The client's transport to a deployment in this process; the edge reads and answers each call, as over HTTP.

The modules between client and services are the same as in a real deployment; only the Lambda function is missing.
Bodies are JSON texts in both directions, so caller and deployment share no object.
"""

import json
import secrets
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any

from askback.client.transport import Action, Reply
from askback.domain.errors import HumanInteractionError
from askback.domain.pause.ledger import LedgerRow, Revocation
from askback.domain.pause.minter import require_minter
from askback.domain.pause.person_names import ASKER
from askback.domain.resume.outcome import ResumeCommand
from askback.edge.answer import (
    answer_command,
    answer_reply,
    outcome_request,
    resume_command,
    resume_reply,
)
from askback.edge.asking_back import question_back, question_back_reply
from askback.edge.batch import Admit, batch_items, each_item
from askback.edge.clarifications import clarification_reply, clarification_request
from askback.edge.delegating import delegation_reply, delegation_request
from askback.edge.lambda_events import CallerAuth, RouteRequest, read_http
from askback.edge.links import links_reply, links_request
from askback.edge.mint import mint_command, mint_reply
from askback.edge.no_event_loop import run_straight_through
from askback.edge.problems import problem
from askback.edge.question import question_reply, question_request, unchanged_reply
from askback.edge.taking_back import asker_revocation, asker_revocation_reply
from askback.settings import ClaimNames
from askback.testing.services import InMemoryServices

ANSWER_URL = "https://answers.example.com/answer"
CALLER = "arn:aws:iam::123456789012:role/agent"
"""The caller of the signed routes."""
SIGNED_IN_ANSWER = "POST /user/answers"
"""The route of a person who has signed in; the client has no call for it."""

LINKS = "POST /pauses/{jti}/links"
REVOKE = "POST /pauses/{jti}/revoke"
CLARIFY = "POST /pauses/{jti}/clarifications"

_ROUTES = {
    Action.PAUSE: "POST /pauses",
    Action.RESUME: "POST /resume",
    Action.OUTCOME: "POST /outcomes",
    Action.ANSWER: "POST /answers",
    Action.ANSWERS: "POST /answers/batch",
    Action.QUESTION: "POST /questions",
    Action.LINKS: LINKS,
    Action.REVOKE: REVOKE,
    Action.ASK_BACK: "POST /clarifications",
    Action.CLARIFY: CLARIFY,
    Action.DELEGATE: "POST /delegations",
}
_VIAS = {
    "POST /pauses": CallerAuth.IAM,
    "POST /resume": CallerAuth.IAM,
    "POST /outcomes": CallerAuth.IAM,
    LINKS: CallerAuth.IAM,
    REVOKE: CallerAuth.IAM,
    CLARIFY: CallerAuth.IAM,
    "POST /answers": CallerAuth.LINK,
    "POST /answers/batch": CallerAuth.LINK,
    "POST /questions": CallerAuth.LINK,
    "POST /clarifications": CallerAuth.LINK,
    "POST /delegations": CallerAuth.LINK,
    SIGNED_IN_ANSWER: CallerAuth.JWT,
}
_CLAIM_NAMES = ClaimNames(tenant="tenant_id", sub_tenant="sub_tenant_id", namespace="namespace", answerer="sub")


class InProcessTransport:
    """A `Transport` to services in memory. `clock` returns epoch seconds."""

    def __init__(self, services: InMemoryServices, *, clock: Callable[[], int]) -> None:
        self._services = services
        self._clock = clock
        self._serve: Mapping[str, Callable[[RouteRequest], Awaitable[dict[str, Any]]]] = {
            "POST /pauses": self._mint,
            "POST /resume": self._resume,
            "POST /outcomes": self._outcome,
            LINKS: self._links,
            REVOKE: self._revoke,
            CLARIFY: self._clarify,
            "POST /answers": self._answer,
            "POST /answers/batch": self._answers,
            "POST /questions": self._question,
            "POST /clarifications": self._ask_back,
            "POST /delegations": self._delegate,
            SIGNED_IN_ANSWER: self._answer,
        }

    def send(self, action: Action, body: Mapping[str, Any]) -> Reply:
        """Answer one call of the client."""
        route = _ROUTES[action]
        if "{jti}" in route:
            path = {"jti": body["jti"]}
            return self.post(route, {name: value for name, value in body.items() if name != "jti"}, path=path)
        return self.post(route, body)

    def post(
        self,
        route: str,
        body: Mapping[str, Any],
        *,
        claims: Mapping[str, str] | None = None,
        path: Mapping[str, str] | None = None,
    ) -> Reply:
        """Answer one request; `claims` are those of a JWT if a person has signed in, `path` the values in the path."""
        event = {
            "routeKey": route,
            "pathParameters": path,
            "requestContext": {"http": {}, "authorizer": {"iam": {"userArn": CALLER}, "jwt": {"claims": claims}}},
            "body": json.dumps(body, allow_nan=False),
        }
        try:
            document = run_straight_through(self._served(read_http(event, _VIAS, trust_unsigned=False)))
        except HumanInteractionError as error:
            return Reply(status=error.status, document=problem(error))
        return Reply(status=200, document=json.loads(json.dumps(document)))

    async def _served(self, request: RouteRequest) -> dict[str, Any]:
        return await self._serve[request.route](request)

    async def _mint(self, request: RouteRequest) -> dict[str, Any]:
        command = mint_command(request, at=self._clock(), waiter_functions=frozenset(), has_event_bus=True)
        return mint_reply(await self._services.minting.mint(command), answer_url=ANSWER_URL)

    async def _links(self, request: RouteRequest) -> dict[str, Any]:
        asked = links_request(request)
        issued = await self._services.links.of(asked.jti, recipients=asked.recipients, at=self._clock())
        return links_reply(issued, answer_url=ANSWER_URL)

    async def _revoke(self, request: RouteRequest) -> dict[str, Any]:
        asked = asker_revocation(request)
        revoked = await self._services.revoking.revoke(
            asked.jti,
            Revocation(by=ASKER, at=self._clock(), reason=asked.reason),
            admit=_own(request),
        )
        return asker_revocation_reply(revoked)

    async def _clarify(self, request: RouteRequest) -> dict[str, Any]:
        jti, reply = clarification_request(request)
        clarifying, admit = self._services.clarifying, _own(request)
        if reply is None:
            return clarification_reply(await clarifying.pause(jti, admit=admit))
        clarified = await clarifying.reply(jti, number=reply.number, text=reply.text, at=self._clock(), admit=admit)
        return clarification_reply(clarified.row, replayed=clarified.replayed)

    async def _ask_back(self, request: RouteRequest) -> dict[str, Any]:
        person, asked = question_back(request, claim_names=_CLAIM_NAMES, at=self._clock())
        return question_back_reply(await self._services.asking_back.ask(person, asked))

    async def _delegate(self, request: RouteRequest) -> dict[str, Any]:
        person, to = delegation_request(request, claim_names=_CLAIM_NAMES, at=self._clock())
        return delegation_reply(await self._services.delegating.delegate(person, to))

    async def _resume(self, request: RouteRequest) -> dict[str, Any]:
        command = self._command(request, resume_command)
        return resume_reply(await self._services.resuming.resume(command, require_turn=True))

    async def _answer(self, request: RouteRequest) -> dict[str, Any]:
        command = self._command(request, answer_command)
        return answer_reply(await self._services.resuming.resume(command, require_turn=False))

    async def _answers(self, request: RouteRequest) -> dict[str, Any]:
        async def act(item: RouteRequest, admit: Admit) -> tuple[int, dict[str, Any]]:
            command = replace(self._command(item, answer_command), admit=admit)
            outcome = await self._services.resuming.resume(command, require_turn=False)
            return 202 if outcome.still_open else 200, answer_reply(outcome)

        return {"items": await each_item(batch_items(request), act, note=lambda _: None)}

    async def _outcome(self, request: RouteRequest) -> dict[str, Any]:
        token, redeemer = outcome_request(request)
        return resume_reply(await self._services.outcomes.read(token, redeemer, at=self._clock()))

    async def _question(self, request: RouteRequest) -> dict[str, Any]:
        token, seen = question_request(request)
        resuming, at = self._services.resuming, self._clock()
        if seen is not None and (row := await resuming.still_asked(token, request_hash=seen, at=at)):
            return unchanged_reply(row)
        return question_reply(await resuming.question(token, at=at))

    def _command(self, request: RouteRequest, read: Callable[..., ResumeCommand]) -> ResumeCommand:
        return read(request, claim_names=_CLAIM_NAMES, at=self._clock(), attempt_id=secrets.token_hex(8))


def _own(request: RouteRequest) -> Callable[[LedgerRow], None]:
    """Return the check that a pause is one of the caller."""
    return lambda row: require_minter(request.caller.principal, row.minter)

"""A tool of an MCP server asks a person inside its call.

    people = People(client=AsyncAskbackClient(HttpTransport("https://…")), scope="acme")

    @server.tool()
    async def refund(order: str, ctx: Context) -> str | InputRequiredResult:
        decision = await people.ask(ctx, approval(…), key=f"refund/{order}", ttl_seconds=86_400)
        if isinstance(decision, InputRequiredResult):
            return decision
        …

Only an answer is returned. Every other end raises a `ToolError` that the model reads: the question is open, or it ended
without an answer. So a tool that forgets a case does nothing, and never takes such an end for an approval.
"""

import json
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Any
from urllib.parse import quote

from askback.client.async_client import AsyncAskbackClient
from askback.client.calls import StillOpen
from askback.client.questions import Asked
from askback.client.results import IssuedPause, ResumedPause
from askback.domain.errors import AlreadyAnswered, AnswerInvalid, HumanInteractionError, NotAnswered
from askback.domain.pause.scope import Scope
from askback.mcp.forms import Form, form_of, response_of
from askback.mcp.sdk import InputRequiredResult, ToolError, call_again, declares, elicited, has_rounds, reply_in

FORMS_MAX = 10
"""How often one call shows a form whose values do not fit. Clients of the newer revision end their rounds there too."""


class QuestionOpen(ToolError):
    """No person has answered yet. The same call, made later, asks nothing new and gets the answer."""

    def __init__(self, jti: str) -> None:
        super().__init__(
            f"The question {jti} is open: no person has answered yet. Nothing was done, and this is no answer. Call "
            "this tool again later with the same arguments. It asks nothing new."
        )
        self.jti = jti


class NoAnswer(ToolError):
    """The question ended without an answer, or was refused: `error` says how. It is never an approval."""

    def __init__(self, error: HumanInteractionError) -> None:
        super().__init__(f"There is no answer ({error.code}): {error}. This is not an approval, and nothing was done.")
        self.error = error


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kept:
    """What the client keeps between two rounds of a call; the SDK seals it, and binds it to the tool and arguments."""

    key: str
    jti: str
    pause_token: str

    @classmethod
    def of(cls, ctx: Any, key: str) -> "_Kept | None":
        """Return what the client has brought back for this question; None in a first round."""
        try:
            kept = cls(**json.loads(getattr(ctx, "request_state", None) or "null"))
        except (ValueError, TypeError):
            return None
        return kept if kept.key == key else None

    def text(self) -> str:
        """Return the request state."""
        return json.dumps(asdict(self))


@dataclass(frozen=True, slots=True, kw_only=True)
class People:
    """The people whom the tools of a server can ask, in one scope of one deployment.

    `client` asks and reads answers, with the role of an agent. `backend` answers for the user of a client, with the
    role of a backend; without it, no tool takes an answer. `sign_in_url` is the `SignInUrl` of the stack: a client that
    takes addresses shows it with the id of the pause, which is no secret. A link that answers never leaves through a
    tool.
    """

    client: AsyncAskbackClient
    scope: Scope | str
    backend: AsyncAskbackClient | None = None
    sign_in_url: str = ""

    async def ask(
        self,
        ctx: Any,
        asked: Asked,
        *,
        key: str,
        ttl_seconds: int | timedelta,
        answerer: str | None = None,
        wait_seconds: float = 0,
        **options: Any,
    ) -> ResumedPause | InputRequiredResult:
        """Return the answer, or the `InputRequiredResult` that the tool must return for its client to call again.

        `key` names this one question, as an idempotency key does. A later call with the same key and question asks
        nothing new, in whichever process, and returns the one answer. The effect needs the same key: an answer can be
        returned twice. `options` are those of `AskbackClient.pause`, such as `approvers`, `recipients` or `on_expiry`.

        With an `answerer`, the user of the client decides, in a form of the client. The deployment records this name as
        `stated`: the server vouches for it, and a client can fill in a form without its user. Without an `answerer`,
        other people decide, through their links or signed in.

        Raises:
            QuestionOpen: there is no answer after `wait_seconds`, or the user has closed the form.
            NoAnswer: the question has expired, was revoked or replaced, or was refused.
            ValueError: there is an `answerer` and no `backend`.
        """
        if answerer is not None and self.backend is None:
            raise ValueError("a user can answer only where `People` has a `backend`")
        fault, kept = "", _Kept.of(ctx, key)
        try:
            if kept is not None:
                reply = reply_in(ctx)
                if answerer is None or reply is None:
                    return await self._outcome(kept, wait_seconds)
                try:
                    return await self._submit(kept, asked.name, reply, answerer)
                except AnswerInvalid as wrong:
                    fault = str(wrong)
            # Also for a form that is shown again: the reply has the question as it was recorded.
            pause = await self.client.pause(
                *asked,
                **{"run_id": key, "tool_call_id": "mcp", "messages": [], **options},
                scope=self.scope,
                ttl_seconds=ttl_seconds,
                idempotency_key=key,
            )
            kept = _Kept(key=key, jti=pause.jti, pause_token=pause.pause_token)
            shown = self._shown(ctx, pause, answerer)
            if pause.status != "issued" or shown is None:
                return await self._outcome(kept, wait_seconds)
            if has_rounds(ctx):
                return call_again(shown, fault, state=kept.text())
            return await self._in_the_call(ctx, shown, kept, asked.name, answerer, wait_seconds)
        except NotAnswered as still_open:
            raise QuestionOpen(kept.jti if kept else "") from still_open
        except HumanInteractionError as error:
            raise NoAnswer(error) from error

    def _shown(self, ctx: Any, pause: IssuedPause, answerer: str | None) -> Form | None:
        """Return what the client shows its user, or None if there is nothing that it has declared to show."""
        if answerer is not None:
            return form_of(pause.name, pause.payload) if declares(ctx, url=False) else None
        if not self.sign_in_url or not declares(ctx, url=True):
            return None
        join = "&" if "?" in self.sign_in_url else "?"
        return Form(
            "A person must sign in to decide.", url=f"{self.sign_in_url}{join}pause={quote(pause.jti, safe='')}"
        )

    async def _in_the_call(
        self, ctx: Any, shown: Form, kept: _Kept, name: str, answerer: str | None, wait_seconds: float
    ) -> ResumedPause:
        fault = ""
        for _ in range(FORMS_MAX):
            reply = await elicited(ctx, shown, fault, jti=kept.jti)
            if answerer is None or reply is None:
                return await self._outcome(kept, wait_seconds)
            try:
                return await self._submit(kept, name, reply, answerer)
            except AnswerInvalid as wrong:
                fault = str(wrong)
        raise QuestionOpen(kept.jti)

    async def _submit(self, kept: _Kept, name: str, reply: Any, answerer: str) -> ResumedPause:
        """Answer with the values of a form; if another answer came first, that one is returned."""
        if reply.action != "accept" or not reply.content:
            raise QuestionOpen(kept.jti)
        response = response_of(name, reply.content)
        assert self.backend is not None  # noqa: S101 - `ask` has said so
        try:
            return await self.backend.resume(kept.pause_token, response, scope=self.scope, answerer=answerer)
        except AlreadyAnswered:
            return await self._outcome(kept, 0)

    async def _outcome(self, kept: _Kept, wait_seconds: float) -> ResumedPause:
        try:
            return await self.client.wait(kept.pause_token, timeout=wait_seconds, scope=self.scope)
        except StillOpen as still_open:
            raise QuestionOpen(kept.jti) from still_open

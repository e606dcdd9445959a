"""One running deployment for the client: its address, its functions, and a front before it that can be told to fail."""

import io
import itertools
import os
from contextlib import ExitStack, redirect_stderr
from dataclasses import dataclass, field
from typing import Any, Final, Self

from pydantic import BaseModel

from askback.client.client import AskbackClient
from askback.client.http_transport import HttpTransport
from askback.client.lambda_transport import LambdaTransport
from askback.client.results import IssuedPause
from askback.client.transport import Transport
from askback.domain.interactions.registry import InteractionRegistration, InteractionRegistry
from askback.domain.pause.scope import Scope
from askback.interactions import ASK_USER_REGISTRATION
from askback.wiring.sources import now
from local.emulated.functions import Function, Handler
from local.emulated.stack import Stack
from local.emulated.template import REGION, STACK
from tests.support.loaded_function import load
from tests.unit.client.faulty_front import FaultyFront

SCOPE: Final = Scope(tenant_id="acme", sub_tenant_id="eu", namespace="billing")
QUESTION: Final = {
    "questions": [
        {"question": "Refund 49.90 EUR?", "header": "Refund", "options": [{"label": "Approve"}, {"label": "Reject"}]}
    ]
}

_numbers = itertools.count(1)
_deployments = itertools.count(1)


class Prompt(BaseModel):
    text: str


REGISTRY: Final = InteractionRegistry(
    [ASK_USER_REGISTRATION, InteractionRegistration(name="signed_in", payload_schema=Prompt, response_schema=bool)]
)


@dataclass
class Deployed:
    """The stack; `ahead` is how many seconds its clock runs ahead, `refusal` is what every call is refused with."""

    ahead: int = 0
    refusal: Exception | None = None
    waits: list[float] = field(default_factory=list)
    """What clients of this deployment slept, in seconds."""

    _number: int = field(default_factory=lambda: next(_deployments))

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            # The tests of answers take the tokens that the mint returns.
            self.stack = Stack(parameters={"DeployExample": "true", "ReturnLinks": "true"}, load=self._load)
            with redirect_stderr(io.StringIO()):
                stack.enter_context(self.stack)
            self.front = stack.enter_context(FaultyFront(self.stack.url))
            self._exit = stack.pop_all()
        return self

    def __exit__(self, *details: object) -> None:
        self._exit.close()

    def http(self, **options: Any) -> HttpTransport:
        """Return a transport to the API, by way of the front."""
        return HttpTransport(self.front.url, region=REGION, **options)

    def invocation(self) -> LambdaTransport:
        """Return a transport to the functions."""
        return LambdaTransport(mint=f"{STACK}-mint", resume=f"{STACK}-resumefunction", links=f"{STACK}-links")

    def client(self, transport: Transport, **options: Any) -> AskbackClient:
        """Return a client that notes its waits instead of sleeping them."""
        return AskbackClient(transport, sleep=self.waits.append, jitter=lambda: 0.0, **options)

    def calm(self) -> None:
        """Forget what a test asked for."""
        self.ahead, self.refusal = 0, None
        self.waits.clear()
        self.front.calm()

    def _load(self, function: Function) -> Handler:
        # A logger of a name that another test used in this process would still write to that test's stream.
        os.environ["POWERTOOLS_SERVICE_NAME"] = f"client-{self._number}-{function.code.name}"
        return load(function, registry=REGISTRY, clock=self._clock)

    def _clock(self) -> int:
        """Return the time, or refuse: every route reads the clock before it does anything."""
        if self.refusal is not None:
            raise self.refusal
        return now() + self.ahead


def a_request(**over: Any) -> dict[str, Any]:
    """Return the arguments of a pause of its own call, run and session."""
    number = next(_numbers)
    call = f"call_{number}"
    return {
        "name": "ask_user",
        "payload": QUESTION,
        "run_id": f"run-{number}",
        "session_id": f"sess-{number}",
        "scope": SCOPE,
        "ttl_seconds": 3600,
        "tool_call_id": call,
        "messages": [
            {"role": "user", "content": "Refund order A-1009"},
            {"role": "assistant", "content": None, "tool_calls": [{"id": call, "type": "function"}, {"id": "other"}]},
        ],
        "prompt": "Refund order A-1009",
        **over,
    }


def a_choice(pause: IssuedPause, label: str = "Approve") -> dict[str, Any]:
    """Return the response that takes an option."""
    return {"answers": [{"question_id": pause.payload["questions"][0]["id"], "selections": [label]}]}

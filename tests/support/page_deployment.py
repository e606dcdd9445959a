"""The deployment that people open their links on, with a clock that a test can put forward."""

import http.client
import itertools
import json
import os
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, Self

import boto3
import pytest

from askback.wiring.sources import now
from local.demo.api_client import Answer, Client
from local.emulated.functions import Function, Handler
from local.emulated.stack import Stack
from local.emulated.template import STACK
from tests.support.adopter_interactions import REGISTRY
from tests.support.answer_links import workflow_token
from tests.support.loaded_function import load
from tests.support.other_origin import another_origin
from tests.support.request_bodies import SCOPE

_numbers = itertools.count(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A pause as its agent got it back."""

    minted: Mapping[str, Any]

    @property
    def jti(self) -> str:
        return str(self.minted["jti"])

    @property
    def link(self) -> str:
        """The link that is nobody's in particular."""
        return str(self.minted["answer_link"])

    @property
    def token(self) -> str:
        return str(self.minted["answer_token"])

    def link_of(self, recipient: str) -> str:
        """Return the link that was made for one recipient."""
        return str(self._of(recipient)["answer_link"])

    def token_of(self, recipient: str) -> str:
        return str(self._of(recipient)["answer_token"])

    def _of(self, recipient: str) -> dict[str, Any]:
        (found,) = [each for each in self.minted["recipients"] if each["recipient"] == recipient]
        return dict(found)


class Deployed:
    """The stack, as agents and operators use it beside the browser."""

    def __init__(self) -> None:
        self._ahead = 0
        self._page: Handler
        self._exit = ExitStack()

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            self.listed_origin, self.other_origin = (stack.enter_context(another_origin()) for _ in range(2))
            # With the example, so that a workflow can wait for an answer.
            parameters = {"DeployExample": "true", "ReturnLinks": "true", "AllowedOrigins": self.listed_origin}
            self.stack = stack.enter_context(Stack(parameters=parameters, load=self._load))
            self._exit = stack.pop_all()
        return self

    def __exit__(self, *details: object) -> None:
        self._exit.close()

    @property
    def url(self) -> str:
        return self.stack.url

    def ask(self, name: str, payload: Mapping[str, Any], **over: Any) -> Asked:
        """Mint a pause in a thread of its own."""
        number = next(_numbers)
        request = {
            "name": name,
            "payload": payload,
            "scope": SCOPE,
            "run_id": f"run-{number}",
            "tool_call_id": f"call-{number}",
            "ttl_seconds": 2 * 3600 + 300,
            "messages": [{"role": "user", "content": "Help"}],
            **over,
        }
        minted = Client(self.url).post("/pauses", request)
        assert minted.status == 201, minted.document
        return Asked(minted=minted.document)

    def answer(self, token: str, response: Any) -> Answer:
        """Answer as somebody with another device would."""
        return Client(self.url).post("/answers", {"answer_token": token, "response": response})

    def question(self, asked: Asked) -> dict[str, Any]:
        """Return what is known of the pause."""
        shown = Client(self.url).post("/questions", {"pause_token": asked.minted["pause_token"]})
        assert shown.status == 200, shown.document
        return shown.document

    def outcome(self, asked: Asked) -> dict[str, Any]:
        """Return what the agent gets."""
        taken = Client(self.url).post("/outcomes", {"pause_token": asked.minted["pause_token"], "scope": SCOPE})
        assert taken.status == 200, taken.document
        return taken.document

    def revoke(self, asked: Asked) -> None:
        """Revoke the question, as an operator does."""
        connection = http.client.HTTPConnection(self.url.removeprefix("http://"))
        connection.request("DELETE", f"/pauses/{asked.jti}")
        assert connection.getresponse().status == 200
        connection.close()

    def take_back(self, asked: Asked, reason: str) -> None:
        """Revoke the question as the program that asked, with a reason."""
        revoked = Client(self.url).post(f"/pauses/{asked.jti}/revoke", {"reason": reason})
        assert revoked.status == 200, revoked.document

    def revoke_link(self, asked: Asked, recipient: str) -> None:
        """Revoke the link of one recipient, as an operator does."""
        revoked = Client(self.url).post(f"/pauses/{asked.jti}/links/revoke", {"recipient": recipient})
        assert revoked.status == 200, revoked.document

    def pass_on(self, asked: Asked, leaving: str, to: str) -> str:
        """Ask another person instead of one who is asked, as an operator does, and return the link of that person."""
        passed = Client(self.url).post(f"/pauses/{asked.jti}/reassign", {"from": leaving, "to": to})
        assert passed.status == 200, passed.document
        return self.link_now(asked, to)

    def link_now(self, asked: Asked, person: str) -> str:
        """Return the link of a person who is asked now, also of one whom the mint did not name."""
        links = Client(self.url).post(f"/pauses/{asked.jti}/links", {}).document["recipients"]
        return next(str(each["answer_link"]) for each in links if each["recipient"] == person)

    def ask_back(self, token: str, question: str) -> None:
        """Ask the program that asked something, as a person with another device does."""
        asked = Client(self.url).post("/clarifications", {"answer_token": token, "question": question})
        assert asked.status == 201, asked.document

    def reply(self, asked: Asked, number: int, text: str) -> None:
        """Reply to a question of the people, as the program that asked does."""
        replied = Client(self.url).post(f"/pauses/{asked.jti}/clarifications", {"number": number, "reply": text})
        assert replied.status == 200, replied.document

    def sweep(self) -> None:
        """Let the sweep look once, as its schedule does every minute."""
        swept = boto3.client("lambda").invoke(FunctionName=f"{STACK}-sweepfunction", Payload=b"{}")
        assert "FunctionError" not in swept

    def forget(self) -> None:
        """Remove every item of the table: the emulator copies all of them for each transaction."""
        client, table = boto3.client("dynamodb"), os.environ["ASKBACK_TABLE_NAME"]
        for page in client.get_paginator("scan").paginate(TableName=table, ProjectionExpression="pk, sk"):
            for key in page["Items"]:
                client.delete_item(TableName=table, Key=key)

    def start_workflow(self) -> tuple[str, str]:
        """Start the example's state machine, wait until it has asked, and return its execution and the link."""
        given = {"scope": SCOPE, "question": "Refund 49.90 EUR?", "ttl_seconds": 3600}
        client = boto3.client("stepfunctions")
        execution = client.start_execution(
            stateMachineArn=self.stack.state_machines["ApprovalFlow"], input=json.dumps(given)
        )["executionArn"]
        # In a thread without an event loop: the one that drives the browser has one.
        with ThreadPoolExecutor(max_workers=1) as aside:
            token = aside.submit(lambda: workflow_token(self.url, SCOPE, client, execution)).result()
        return execution, f"{self.url}/answer#{token}"

    def stop_workflow(self, execution: str) -> None:
        boto3.client("stepfunctions").stop_execution(executionArn=execution)

    @contextmanager
    def later(self, seconds: int) -> Iterator[None]:
        """Let the functions' clock run ahead."""
        self._ahead += seconds
        try:
            yield
        finally:
            self._ahead -= seconds

    @contextmanager
    def branded(self, **environment: str) -> Iterator[None]:
        """Serve the page with the face of an organisation: the variables of the page function."""
        plain = self._page
        with pytest.MonkeyPatch.context() as patch:
            for name, value in environment.items():
                patch.setenv(name, value)
            self._page = self._page_function.load()
        try:
            yield
        finally:
            self._page = plain

    def _load(self, function: Function) -> Handler:
        if function.code.name == "page":
            self._page_function, self._page = function, function.load()
            # Not the handler itself: `branded` puts another one in its place.
            return lambda event, context: self._page(event, context)  # noqa: PLW0108
        return load(function, registry=REGISTRY, clock=lambda: now() + self._ahead)

"""A pause on which several people decide, and its members, over the handlers."""

from typing import Any

from tests.support.function_deployment import Answer, Handlers
from tests.support.request_bodies import PERSON, SCOPE, Pause, a_mint

FIVE = ["ada", "bob", "cyd", "dan", "eve"]
ACTION = {
    "title": "Pay?",
    "action": {"name": "pay", "arguments": {"amount": 10, "to": "Lovelace"}},
    "editable": {"amount": {"type": "integer", "title": "Amount"}},
}
YES: dict[str, Any] = {"decision": "approve"}
NO: dict[str, Any] = {"decision": "reject"}


class Several:
    """A pause with a quorum, and its members."""

    def __init__(self, handlers: Handlers, quorum: dict[str, Any], **over: Any) -> None:
        fields = {"name": "approval", "payload": ACTION, "approvers": FIVE, "recipients": FIVE, "quorum": quorum}
        self.handlers = handlers
        self.request = a_mint(**{**fields, **over})
        self.reply = handlers.post("/pauses", self.request)
        self.minted = self.reply.document

    @property
    def pause(self) -> Pause:
        """The pause as other tests have it."""
        return Pause(request=self.request, minted=self.minted)

    def link(self, person: str) -> str:
        """Return the token of the link of a member."""
        tokens = {each["recipient"]: each["answer_token"] for each in self.minted["recipients"]}
        return str(tokens[person])

    def vote(self, person: str, response: dict[str, Any] = YES) -> Answer:
        """Vote by the link of a member."""
        return self.handlers.post("/answers", {"answer_token": self.link(person), "response": response})

    def vote_signed_in(self, person: str, response: dict[str, Any] = YES) -> Answer:
        """Vote as a person who has signed in."""
        body = {"answer_token": self.minted["answer_token"], "response": response}
        return self.handlers.post("/user/answers", body, claims={**PERSON, "sub": person})

    def vote_stated(self, person: str, response: dict[str, Any] = YES) -> Answer:
        """Vote as a backend that says who votes, and that wants to continue the run."""
        body = {"pause_token": self.minted["pause_token"], "scope": SCOPE, "response": response, "answerer": person}
        return self.handlers.post("/resume", body)

    def question(self, person: str, **over: Any) -> dict[str, Any]:
        """Return the question as the link of a member shows it."""
        return self.handlers.post("/questions", {"answer_token": self.link(person), **over}).document

    def outcome(self) -> Answer:
        """Ask for the outcome."""
        return self.handlers.post("/outcomes", {"pause_token": self.minted["pause_token"], "scope": SCOPE})

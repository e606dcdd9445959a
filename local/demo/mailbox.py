"""The mailbox of the people on this machine, in place of e-mail.

A mint's reply has no link. As in a real deployment without a channel of the stack, a messenger gets the links of each
new pause from the links function and brings them to people. Here the messenger is this module.
"""

from __future__ import annotations

import json
import queue
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from local.demo.checks import DemoError
from local.emulated.functions import Function, Handler


@dataclass(frozen=True, slots=True, kw_only=True)
class Mail:
    """One message: the link to a question, and for whom it is; an empty recipient means any person."""

    jti: str
    recipient: str
    link: str = field(repr=False)
    token: str = field(repr=False)


class Mailbox:
    """Gets the links of each new pause once; a stack loads its functions by `load`, and `arrived` gets each message."""

    def __init__(self, arrived: Callable[[Mail], None] = lambda _: None) -> None:
        self._arrived = arrived
        self._mails: queue.SimpleQueue[Mail] = queue.SimpleQueue()
        self._known: set[str] = set()
        self._links: Callable[[Any], Any] | None = None

    def load(self, function: Function) -> Handler:
        """Load a function's handler; after each mint, the messenger does its work."""
        handler = function.load()
        if function.code.name == "links":
            self._links = lambda event: function.invoke(handler, event)
        if function.code.name != "mint":
            return handler

        def mint_and_announce(event: Any, context: Any) -> Any:
            result = handler(event, context)
            self._announce(result)
            return result

        return mint_and_announce

    def next(self, *, seconds: float = 20) -> Mail:
        """Wait for the next message that was not taken; raises DemoError after `seconds`."""
        try:
            return self._mails.get(timeout=seconds)
        except queue.Empty:
            raise DemoError(f"no message after {seconds:.0f} s") from None

    def _announce(self, result: Any) -> None:
        minted = json.loads(result["body"]) if isinstance(result, dict) and "body" in result else result
        if not isinstance(minted, dict) or minted.get("status") != "issued" or minted["jti"] in self._known:
            return
        self._known.add(minted["jti"])
        for mail in self._mails_of(minted["jti"]):
            self._mails.put(mail)
            self._arrived(mail)

    def _mails_of(self, jti: str) -> Iterator[Mail]:
        if self._links is None:
            raise RuntimeError("the stack has no links function")
        links = self._links({"jti": jti, "operator": "mailbox"})
        for each in links["recipients"] or (links,):
            yield Mail(
                jti=jti,
                recipient=each.get("recipient", ""),
                link=each["answer_link"],
                token=each["answer_token"],
            )

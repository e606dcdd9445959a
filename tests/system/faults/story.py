"""One pause from mint to end, told by people and agents who send again what failed, and by a sweep that comes by.

Each step is one invocation of a real handler. A step that failed or died is repeated by a new process, as its caller
would.
"""

import io
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from askback.domain.errors import StoreUnavailable
from askback.domain.timestamps import epoch_seconds, rfc3339
from local.emulated.cloud import Cloud
from tests.support.ended_executions import ends_of
from tests.support.function_deployment import Handlers
from tests.support.memory_deployment import NOW
from tests.support.wire_faults import Died

TRIES = 4
SWEEPS = 40
_AGAIN = frozenset({"store-unavailable", "internal"})


@dataclass
class Story:
    """The actors of one pause; `clock` is everybody's time. It has to run over a connected wire."""

    cloud: Cloud
    request: dict[str, Any]
    retry_task: Callable[[], None]
    """Ends the task that waits, and lets the request name the task of its retry."""
    stop_run: Callable[[], None]
    """Stops the execution whose task waits."""
    clock: int = NOW
    minted: dict[str, Any] = field(default_factory=dict)
    newer: dict[str, Any] = field(default_factory=dict)
    """The pause that has replaced the minted one, if one has."""
    told: list[dict[str, Any]] = field(default_factory=list)
    """What the person who answered was told, at last."""
    _alive: dict[str, Handlers] = field(default_factory=dict)

    def mint(self) -> None:
        """Mint until there is a pause; the agent sends the very same request again."""
        self.minted = self._until_done("mint", self.request)

    def answer(self, response: Any, *, by: str = "ada", **over: Any) -> None:
        """Answer until it is accepted; the person presses the button again."""
        body = {
            **over,
            "action": "answer",
            "pause_token": self.minted["pause_token"],
            "scope": self.request["scope"],
            "response": response,
            "answerer": by,
        }
        self.told.append(self._until_done("resume", body))

    def revoke(self) -> None:
        """Revoke the pause until that is done; the operator gives the command again."""
        done = self._until_done("inbox", {"action": "revoke", "jti": self.minted["jti"], "operator": "olga"})
        assert (done["status"], done["revoked_by"]) == ("revoked", "olga")

    def take_back(self) -> None:
        """Revoke the pause as the program that asked, until that is done."""
        done = self._until_done("mint", {"action": "revoke", "jti": self.minted["jti"], "reason": "Not needed."})
        assert (done["status"], done["reason"]) == ("revoked", "Not needed.")

    def end_run(self, execution: str) -> None:
        """Send the ended function the end of the execution until its work is done, as the queue does."""
        for _ in range(TRIES):
            if self._once("ended", ends_of(execution)) == {"batchItemFailures": []}:
                return
            self.clock += 1
        raise AssertionError("the queue gave up")

    def replace(self) -> None:
        """Ask a newer question in place of the pause until there is one; the agent sends the same request again."""
        request = {name: value for name, value in self.request.items() if name != "waiter"}
        key = f"{self.request['idempotency_key']}/newer"
        self.newer = self._until_done("mint", {**request, "idempotency_key": key, "supersedes": self.minted["jti"]})
        assert (self.newer["status"], self.newer["supersedes"]) == ("issued", self.minted["jti"])
        # A story leaves no open question: the next one would find it due.
        self._until_done("mint", {"action": "revoke", "jti": self.newer["jti"]})

    def extend(self, seconds: int) -> None:
        """Move the deadline to `seconds` after the beginning; the operator gives the command again."""
        until = rfc3339(NOW + seconds)
        done = self._until_done("inbox", {"action": "extend", "jti": self.minted["jti"], "expires_at": until})
        assert done["expires_at"] == until

    def reassign(self, leaving: str, to: str) -> None:
        """Ask another person; the operator gives the command again."""
        body = {"action": "reassign", "jti": self.minted["jti"], "from": leaving, "to": to, "operator": "olga"}
        assert to in self._until_done("inbox", body)["asked"]

    def delegate(self, link: str, to: str) -> None:
        """Pass the pause on by the link of a member, until that is done; the person presses the button again."""
        tokens = {each["recipient"]: each["answer_token"] for each in self.minted["recipients"]}
        body = {"action": "delegate", "answer_token": tokens[link], "to": to, "answerer": link}
        done = self._until_done("resume", {**body, "scope": self.request["scope"]})
        assert (done["from"], done["to"]) == (link, to)

    def ask_back(self, question: str) -> None:
        """Ask the program that asked; the person presses the button again."""
        token = self.minted["answer_token"]
        done = self._until_done("resume", {"action": "ask-back", "answer_token": token, "question": question,
                                           "scope": self.request["scope"], "answerer": "ada"})  # fmt: skip
        assert done["number"] == 1

    def clarify(self, reply: str) -> None:
        """Reply to the question as the program that asked, until that is done."""
        done = self._until_done("mint", {"action": "clarify", "jti": self.minted["jti"], "number": 1, "reply": reply})
        (said,) = done["clarifications"]
        assert said["reply"] == reply

    def see(self) -> str:
        """Return the hash of the question as a person sees it now."""
        shown = self._until_done("resume", {"action": "question", "answer_token": self.minted["answer_token"]})
        return str(shown["request_hash"])

    def escalate(self, at: int) -> None:
        """Let the sweep come from `at` on until a step is done and nothing is left to announce."""
        self.clock = max(self.clock, at)
        for _ in range(SWEEPS):
            self._once("sweep", {})
            shown = self._until_done("inbox", {"action": "show", "jti": self.minted["jti"]})
            if shown["steps_left"] == 0 and epoch_seconds(shown["due_at"]) > self.clock + 60:
                return
            self.clock += 60
        raise AssertionError("the step is never done")

    def read_outcome(self) -> dict[str, Any]:
        """Fetch how the pause ended, as a backend that nobody tells does."""
        body = {"action": "outcome", "pause_token": self.minted["pause_token"], "scope": self.request["scope"]}
        return self._until_done("resume", body)

    def sweep_until_quiet(self, due: Callable[[], list[int]]) -> None:
        """Let the sweep come whenever something is due, until nothing is."""
        for _ in range(SWEEPS):
            times = due()
            if not times:
                return
            self.clock = max(self.clock + 1, min(times))
            self._once("sweep", {})
        raise AssertionError("something is due for ever")

    def _until_done(self, function: str, event: dict[str, Any]) -> dict[str, Any]:
        for _ in range(TRIES):
            done = self._once(function, event)
            if done is not None:
                return done
            self.clock += 1
        raise AssertionError("the caller gave up")

    def _once(self, function: str, event: dict[str, Any]) -> dict[str, Any] | None:
        try:
            done: dict[str, Any] = self._process(function).invoke(function, event)
        except (Died, StoreUnavailable):
            self._alive.clear()
            return None
        except Exception as error:
            if not type(error).__name__.startswith("Askback."):
                raise
            problem = json.loads(str(error))
            # Whoever is told anything else than "send it again" has been refused for good.
            assert problem["code"] in _AGAIN, problem
            return None
        return done

    def _process(self, function: str) -> Handlers:
        if function not in self._alive:
            self._alive[function] = Handlers(
                self.cloud, io.StringIO(), only=frozenset({function}), clock=lambda: self.clock
            )
        return self._alive[function]


def everything_due(cloud: Cloud, dynamodb: Any, jti: str) -> list[int]:
    """Return when the pause is due, if it is; looked up in the table itself."""
    table = cloud.functions[0].environment["ASKBACK_TABLE_NAME"]
    item = dynamodb.get_item(
        TableName=table, Key={"pk": {"S": f"pause#{jti}"}, "sk": {"S": "pause"}}, ConsistentRead=True
    )["Item"]
    return [int(item["due_at"]["N"])] if "due_at" in item else []

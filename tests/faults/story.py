"""One pause from mint to end, told by people and agents who send again what failed, and by a sweep that comes every minute.

Each step is one invocation of a real handler. A step that failed or died is repeated by a new process, as its caller would.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from local.cloud import Cloud
from tests.faults.wire import Died, Wire
from tests.functions.deployment import Handlers

NOW = 1_790_000_000
TRIES = 4
SWEEPS = 40


@dataclass
class Story:
    """The actors of one pause; `clock` is everybody's time."""

    cloud: Cloud
    wire: Wire
    mint_body: dict[str, Any]
    clock: int = NOW
    accepted: list[dict[str, Any]] = field(default_factory=list)
    minted: dict[str, Any] = field(default_factory=dict)

    def mint(self) -> None:
        """Mint until there is a pause; the agent sends the very same request again."""
        self.minted = self._until_done(lambda process: process.invoke("mint", self.mint_body))

    def answer(self, response: Any) -> None:
        """Answer until it is accepted; the person presses the button again."""
        body = {
            "pause_token": self.minted["pause_token"],
            "scope": self.mint_body["scope"],
            "response": response,
            "answerer": "ada",
        }
        self.accepted.append(self._until_done(lambda process: process.invoke("resume", body)))

    def sweep_until_quiet(self, due: Callable[[], list[int]]) -> None:
        """Let the sweep come whenever something is due, until nothing is."""
        for _ in range(SWEEPS):
            times = due()
            if not times:
                return
            self.clock = max(self.clock, min(times))
            self._once(lambda process: process.invoke("sweep", {}))
        raise AssertionError("something is due for ever")

    def _until_done(self, step: Callable[[Handlers], Any]) -> Any:
        for _ in range(TRIES):
            done = self._once(step)
            if done is not None:
                return done
            self.clock += 1
        raise AssertionError("the caller gave up")

    def _once(self, step: Callable[[Handlers], Any]) -> Any:
        with self._process() as process:
            try:
                return step(process)
            except Died:
                return None
            except Exception as error:
                if not type(error).__name__.startswith("Askback."):
                    raise
                problem = json.loads(str(error))
                # Whoever is told anything else than "send it again" has been refused for good.
                assert problem["retryable"] or problem["code"] == "misconfigured", problem
                return None

    @contextmanager
    def _process(self) -> Iterator[Handlers]:
        with self.wire.connected():
            yield Handlers.quiet(self.cloud, clock=lambda: self.clock)

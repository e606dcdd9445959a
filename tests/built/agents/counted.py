"""Counts the payments of an example: its approval resumed twice, bare and with askback, and its processes killed.

    python -m tests.built.agents.counted NAME --api URL --folder DIR

prints a `Counted` as JSON. The framework is imported once; then each command of the example is a process of its own,
forked from this one. It shares nothing with the others but the deployment and a folder.

`tests/built/agents/bare/NAME.py` is the same agent without askback. It has two functions:

    ask(example, state)      runs the agent until it stops; writes the framework's own state and the approval
    resume(example, state)   reads both in another process, and continues the agent
"""

import argparse
import asyncio
import importlib.util
import json
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from types import ModuleType

from tests.built.agents.forked import KILLED, ended, started
from tests.built.agents.steps import Death, Held, Record, watched

BARE = Path(__file__).parent / "bare"
# Not from local.example, which brings the emulated cloud: a framework may have an environment of its own.
EXAMPLES = Path(__file__).parents[3] / "docs" / "examples"
COMMANDS = (START, ANSWER, CONTINUE) = ("start",), ("answer", "--choose", "Approve"), ("continue",)
Range = tuple[int, int]
"""The least and the most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """How often an approved action was paid.

    `in_turn` and `at_once` are two processes that resume one stored approval: one after the other, and both between
    reading the approval and the payment. Bare is the framework alone, with a provider that takes no key; None without a
    program for it. `without_key` is askback, both at once, with such a provider. `killed` is over all steps that a
    process was killed at, and run again; `steps` is their number. `asked` is the number of pauses of such a run, beyond
    those of an undisturbed one.
    """

    bare_in_turn: Range | None
    bare_at_once: Range | None
    in_turn: Range
    at_once: Range
    without_key: Range
    killed: Range
    steps: int
    asked: Range


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run of the example in a folder of its own, with what its processes did."""

    example: ModuleType
    bare: ModuleType | None
    api: str
    state: Path

    @property
    def record(self) -> Record:
        """What the processes did."""
        return Record(path=self.state.with_suffix(".record"))

    def does(self, *words: str, dies: Death | None = None) -> None:
        """Do a command in a process of its own, which has to end well, or to be killed at the step of `dies`."""
        self._end(self._start(partial(self._command, *words), dies=dies), KILLED if dies else 0)

    def does_again(self, *words: str) -> None:
        """Do a command after its process was killed. An answer that was accepted by then is refused as a second one."""
        child = self._start(partial(self._command, *words))
        if words == ANSWER:
            ended(child)
        else:
            self._end(child, 0)

    def asks_bare(self) -> None:
        """Run the agent without askback until it stops."""
        assert self.bare is not None
        self._end(self._start(partial(self.bare.ask, self.example, self.state), keyed=False), 0)

    def resumes(self, *, at_once: bool, bare: bool = False, keyed: bool = True) -> Range:
        """Continue the run in two processes, and return how often each action was paid."""
        work = partial(self.bare.resume, self.example, self.state) if bare and self.bare else self._continue
        if not at_once:
            for _ in range(2):
                # The second may find that all is done, or fail on it: it may not pay again.
                ended(self._start(work, keyed=keyed))
            return spread(self.payments())
        (sees, arrived), (go, lets_go) = os.pipe(), os.pipe()
        first = self._start(work, keyed=keyed, held=Held(arrived=arrived, go=go))
        os.close(arrived)
        os.read(sees, 1)
        ended(self._start(work, keyed=keyed))
        # One for each thread of the first that is held.
        os.write(lets_go, b"." * 100)
        ended(first)
        for opened in (sees, go, lets_go):
            os.close(opened)
        return spread(self.payments())

    def payments(self, *, actions: int = 1) -> list[int]:
        """Return how often each action was paid; of `actions`, those that were never paid count with 0."""
        paid = Counter(self.record.of("paid"))
        return [*paid.values(), *[0] * (actions - len(paid))]

    def _command(self, *words: str) -> None:
        sys.argv = [self.example.__name__, *words, "--api", self.api, "--state", str(self.state)]
        if (ended_later := self.example.main()) is not None:
            asyncio.run(ended_later)

    def _continue(self) -> None:
        self._command(*CONTINUE)

    def _start(
        self, work: Callable[[], object], *, dies: Death | None = None, held: Held | None = None, keyed: bool = True
    ) -> int:
        def whole() -> None:
            with watched(self.example, self.record, dies=dies, held=held, keyed=keyed):
                work()

        return started(whole, said=self._said)

    def _end(self, child: int, status: int) -> None:
        if (was := ended(child)) != status:
            raise RuntimeError(f"a process ended with {was}:\n{self._said.read_text(encoding='utf-8')}")

    @property
    def _said(self) -> Path:
        return self.state.with_suffix(".said")


class Runs:
    """Runs of one example, each with a name of its own."""

    def __init__(self, name: str, api: str, folder: Path) -> None:
        self._example = loaded(EXAMPLES / f"{name}.py")
        path = BARE / f"{name}.py"
        self.bare = loaded(path) if path.exists() else None
        self._api = api
        self._folder = folder
        self._number = 0

    def new(self, *commands: Sequence[str]) -> Run:
        """Return a run that has done these commands."""
        self._number += 1
        # The name of the folder is that of the run: two examples in one deployment must not ask under one key.
        state = self._folder / f"{self._example.__name__}-{self._number}"
        state.mkdir()
        run = Run(example=self._example, bare=self.bare, api=self._api, state=state)
        for command in commands:
            run.does(*command)
        return run


def counted(runs: Runs) -> Counted:
    """Count everything."""
    whole = runs.new()
    steps = []
    for command in COMMANDS:
        known = len(whole.record.of("step"))
        whole.does(*command)
        steps.append(len(whole.record.of("step")) - known)
    actions, questions = len(whole.payments()), len(set(whole.record.of("minted")))
    killed: list[int] = []
    asked: list[int] = []
    for place, number in enumerate(steps):
        for dies in (*(Death(step=step) for step in range(number)), Death(step=number - 1, after=True)):
            run = runs.new(*COMMANDS[:place])
            run.does(*COMMANDS[place], dies=dies)
            run.does_again(*COMMANDS[place])
            for command in COMMANDS[place + 1 :]:
                run.does(*command)
            killed += run.payments(actions=actions)
            asked.append(len(set(run.record.of("minted"))) - questions)
    return Counted(
        bare_in_turn=bare(runs, at_once=False),
        bare_at_once=bare(runs, at_once=True),
        in_turn=runs.new(START, ANSWER).resumes(at_once=False),
        at_once=runs.new(START, ANSWER).resumes(at_once=True),
        without_key=runs.new(START, ANSWER).resumes(at_once=True, keyed=False),
        killed=spread(killed),
        steps=len(asked),
        asked=spread(asked),
    )


def bare(runs: Runs, *, at_once: bool) -> Range | None:
    """Return the payments of the framework alone, or None without a program for it."""
    if runs.bare is None:
        return None
    run = runs.new()
    run.asks_bare()
    return run.resumes(at_once=at_once, bare=True, keyed=False)


def spread(numbers: Iterable[int]) -> Range:
    """Return the least and the most."""
    known = list(numbers)
    return min(known), max(known)


def loaded(path: Path) -> ModuleType:
    """Import a program by its path, as a module that does not run itself."""
    spec = importlib.util.spec_from_file_location(f"{path.parent.name}_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # Frameworks look for the annotations of a tool in the module of its function.
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def main() -> None:
    """Count one example."""
    parser = argparse.ArgumentParser(description="Count the payments of an example.")
    parser.add_argument("name")
    parser.add_argument("--api", required=True)
    parser.add_argument("--folder", type=lambda text: Path(text).resolve(), required=True)
    given = parser.parse_args()
    print(json.dumps(asdict(counted(Runs(given.name, given.api, given.folder)))))


if __name__ == "__main__":
    main()

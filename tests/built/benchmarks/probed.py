"""A built function in a process of its own, so that its processor time and its AWS requests are its own."""

import json
import queue
import subprocess
from collections.abc import Mapping
from typing import Any, Self

PATIENCE_SECONDS = 60.0
"""How long a report may take; a function that is never called is told so, not waited for."""


class Probed:
    """A context manager that is called with an event as Lambda would call it.

    What each call did is put into a queue: not everybody who makes a function run is the one who calls it.
    """

    def __init__(self, command: list[str], environment: Mapping[str, str]) -> None:
        self._command = command
        self._environment = environment
        self._reports: queue.SimpleQueue[Mapping[str, Any]] = queue.SimpleQueue()

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            self._command, env=self._environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        return self

    def __exit__(self, *details: object) -> None:
        self._process.communicate()

    def __call__(self, event: Any, *, alias: str = "") -> Any:
        if self._process.stdin is None or self._process.stdout is None:
            raise RuntimeError("the process has no pipes")
        self._process.stdin.write(json.dumps({"event": event, "alias": alias}) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"the function's process ended with {self._process.wait()}")
        report = json.loads(line)
        self._reports.put(report)
        return report["result"]

    def report(self) -> Mapping[str, Any]:
        """Wait for the report of a call that has not been asked for yet; raises queue.Empty when there is none."""
        return self._reports.get(timeout=PATIENCE_SECONDS)

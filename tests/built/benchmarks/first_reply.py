"""The first reply of a new process: all of a cold start that is ours, and what the first request needs besides.

Each function is sent one event, after what has to be there before it, on an emulated AWS that answers at once. The
floor's function answers without calling anything. Runs are interleaved and the best of each is taken.
"""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tests.built.benchmarks.artifact import FLOOR, Artifact, floor_function
from tests.built.benchmarks.cycle import SCOPE, a_question, the_answer
from tests.built.benchmarks.deployment import Deployment
from tests.built.benchmarks.pseudo_text import Message
from tests.built.benchmarks.runtime import FirstReply, Runtime

RUNS = 5

Environment = Mapping[str, str]


def measure(artifact: Artifact, deployment: Deployment, messages: list[Message]) -> dict[str, FirstReply]:
    """Return the best of each function that has an event, and of the floor."""
    events = _events(deployment, messages)
    best: dict[str, FirstReply] = {}
    with floor_function(artifact) as floor:
        targets: dict[str, tuple[Path, Environment]] = {FLOOR: (floor, dict(os.environ))}
        for function in deployment.cloud.functions:
            if function.code.name in events:
                targets[function.code.name] = (artifact.function(function), os.environ | function.environment)
        for _ in range(RUNS):
            for name, (folder, environment) in targets.items():
                event = events[name]()
                with Runtime(artifact, folder, environment) as runtime:
                    best[name] = runtime.first_reply(event).or_better(best.get(name))
    return best


def _events(deployment: Deployment, messages: list[Message]) -> dict[str, Callable[[], Any]]:
    def resume() -> dict[str, Any]:
        asked = a_question(deployment, messages)
        return the_answer(asked, deployment.post("/pauses", asked)[0])

    return {
        FLOOR: dict,
        "mint": lambda: a_question(deployment, messages),
        "resume": resume,
        "sweep": dict,
        "inbox": lambda: {"action": "list", **SCOPE},
    }

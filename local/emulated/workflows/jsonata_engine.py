"""The JSONata engine, which moto's interpreter does not have."""

from __future__ import annotations

import json
from typing import Any

from jsonata import Jsonata  # type: ignore[import-untyped]
from moto.stepfunctions.parser.asl.jsonata import jsonata as engine


def install() -> None:
    """Let moto evaluate JSONata with jsonata-python; a second call changes nothing.

    moto sets its evaluator on first use, from a Java virtual machine, which is not installed here.
    """
    engine._eval_jsonata = evaluate  # noqa: SLF001


def evaluate(expression: str) -> Any:
    """Return the value of an expression as plain JSON; raises JSONataException, which becomes a query error."""
    try:
        return json.loads(json.dumps(Jsonata(expression).evaluate(None)))
    except Exception as error:
        raise engine.JSONataException("UNKNOWN", str(error)) from error

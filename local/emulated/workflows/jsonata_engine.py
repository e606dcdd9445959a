"""The JSONata engine, which moto's interpreter does not have."""

from __future__ import annotations

import json
import uuid
from typing import Any

from jsonata import Jsonata  # type: ignore[import-untyped]
from moto.stepfunctions.parser.asl.component.intrinsic import jsonata as intrinsic
from moto.stepfunctions.parser.asl.jsonata import jsonata as engine


def install() -> None:
    """Let moto evaluate JSONata with jsonata-python; a second call changes nothing.

    moto sets its evaluator on first use, from a Java virtual machine, which is not installed here. Its own `$uuid`
    returns one text for every call, so it is taken out, and the engine's is used.
    """
    engine._eval_jsonata = evaluate  # noqa: SLF001
    intrinsic._DECLARATION_BY_VARIABLE_REFERENCE.pop("$uuid", None)  # noqa: SLF001


def evaluate(expression: str) -> Any:
    """Return the value of an expression as plain JSON; raises JSONataException, which becomes a query error."""
    try:
        parsed = Jsonata(expression)
        parsed.register_lambda("uuid", lambda: str(uuid.uuid4()))
        return json.loads(json.dumps(parsed.evaluate(None)))
    except Exception as error:
        raise engine.JSONataException("UNKNOWN", str(error)) from error

"""Creates the template's state machines on the emulator and executes them."""

from __future__ import annotations

import logging
import re
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import boto3
from moto.core.config import default_user_config

from local.emulated.template import ACCOUNT, REGION, Resolver, TemplateError

KIND: Final = "AWS::Serverless::StateMachine"
# States, tasks and their threads stop within milliseconds; the limit is for a machine that hangs.
_PATIENCE_SECONDS: Final = 5.0
_LOGGER: Final = logging.getLogger("moto.stepfunctions")
_UNSUBSTITUTED = re.compile(r"\$\{\w+\}")


@contextmanager
def executing() -> Iterator[None]:
    """Let the emulator execute state machines; at the end all running executions are stopped."""
    limit = sys.getrecursionlimit()
    # Imported here: it takes a second, and most stacks have no state machine.
    from local.emulated.workflows import executions, jsonata_engine, task_tokens

    # The JSONata engine raises the limit on import. Handlers in this process would then read deeper JSON than Lambda.
    sys.setrecursionlimit(limit)
    for module in (executions, jsonata_engine, task_tokens):
        module.install()
    configured, level = default_user_config["stepfunctions"], _LOGGER.level
    default_user_config["stepfunctions"] = {"execute_state_machine": True}
    # moto logs every failed state with its task token; the execution's history has the same facts.
    _LOGGER.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        try:
            _stop_everything()
        finally:
            default_user_config["stepfunctions"] = configured
            _LOGGER.setLevel(level)


def create_state_machines(resolver: Resolver, root: Path) -> dict[str, str]:
    """Create each state machine of the template; return logical id to ARN.

    The definition is the deployed file with the template's substitutions, so both are always the same.
    """
    client = boto3.client("stepfunctions")
    created = {}
    for logical_id, properties in resolver.resources(KIND).items():
        name = resolver.local_name(logical_id)
        text = (root / properties["DefinitionUri"]).read_text(encoding="utf-8")
        arn = client.create_state_machine(
            name=name,
            definition=_substituted(text, resolver.resolve(properties.get("DefinitionSubstitutions", {})), logical_id),
            roleArn=f"arn:aws:iam::{ACCOUNT}:role/{name}",
        )["stateMachineArn"]
        resolver.bind(logical_id, arn, Arn=arn, Name=name)
        created[logical_id] = arn
    return created


def _substituted(text: str, values: Mapping[str, Any], logical_id: str) -> str:
    for name, value in values.items():
        text = text.replace(f"${{{name}}}", str(value))
    if left := _UNSUBSTITUTED.search(text):
        raise TemplateError(f"{logical_id} has no substitution for {left[0]}")
    return text


def _stop_everything() -> None:
    from moto.stepfunctions.parser.api import ExecutionStatus
    from moto.stepfunctions.parser.models import stepfunctions_parser_backends

    backend = stepfunctions_parser_backends[ACCOUNT][REGION]
    end = time.monotonic() + _PATIENCE_SECONDS
    while running := backend._get_executions(ExecutionStatus.RUNNING):  # noqa: SLF001
        for execution in running:
            # An execution that has just started cannot be stopped yet.
            if execution.exec_worker and execution.exec_worker.env:
                execution.stop(None, None, None)
        if time.monotonic() > end:
            raise RuntimeError(f"{len(running)} executions do not stop")
        time.sleep(0.01)

"""Runs a durable function on this machine, and answers its callbacks through the emulator.

The SDK's test runner replaces the service: it runs the function, lets it wait, and continues it when a callback
completes. The adapters' boto3 calls go to the emulator, and the emulator passes them to this module.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final
from urllib.parse import unquote

from aws_durable_execution_sdk_python.lambda_service import ErrorObject
from aws_durable_execution_sdk_python_testing import DurableFunctionTestRunner
from aws_durable_execution_sdk_python_testing.exceptions import AwsApiException

from local.emulated.emulator import Reply, answering
from local.emulated.functions import Handler
from local.emulated.template import ACCOUNT, REGION

_CALLBACKS: Final = "/2025-12-01/durable-execution-callbacks/"
_POLL_SECONDS: Final = 0.02


class DurableRuns:
    """Executions of one durable function."""

    def __init__(self, runner: DurableFunctionTestRunner, function: str) -> None:
        self._runner = runner
        self._function = function

    def start(self, event: dict[str, Any], *, name: str) -> str:
        """Start an execution and return its ARN."""
        return self._runner.run_async(
            json.dumps(event), function_name=self._function, execution_name=name, account_id=ACCOUNT
        )

    def waiting(self, execution: str, *, seconds: int) -> str:
        """Wait until an execution waits for a callback, and return the callback id; raises TimeoutError."""
        return self._runner.wait_for_callback(execution, timeout=seconds)

    def result(self, execution: str, *, seconds: int) -> Any:
        """Wait until an execution ends, and return its result, status and error; raises TimeoutError."""
        return self._runner.wait_for_result(execution, timeout=seconds)


@contextmanager
def durable_runs(handler: Handler, function: str) -> Iterator[DurableRuns]:
    """Run a durable function and answer its callbacks while the context is open. Needs a running emulator."""
    runner = DurableFunctionTestRunner(handler, poll_interval=_POLL_SECONDS, skip_time=False, region=REGION)
    try:
        with runner, answering("lambda", _callbacks(runner)):
            yield DurableRuns(runner, function)
    finally:
        # The runner stops its event loop but does not close it.
        runner._scheduler._loop.close()  # noqa: SLF001


def _callbacks(runner: DurableFunctionTestRunner) -> Callable[[str, bytes], Reply | None]:
    def answer(path: str, body: bytes) -> Reply | None:
        if not path.startswith(_CALLBACKS):
            return None
        callback_id, _, what = path.removeprefix(_CALLBACKS).rpartition("/")
        try:
            _send(runner, unquote(callback_id), what, body)
        except AwsApiException as error:
            kind = type(error).__name__
            problem = json.dumps({"Type": kind, "Message": str(error)}).encode()
            headers: dict[str, object] = {"content-type": "application/json", "x-amzn-errortype": kind}
            return error.http_status_code, headers, problem
        return 200, {"content-type": "application/json"}, b"{}"

    return answer


def _send(runner: DurableFunctionTestRunner, callback_id: str, what: str, body: bytes) -> None:
    if what == "succeed":
        runner.send_callback_success(callback_id, body)
    elif what == "fail":
        runner.send_callback_failure(callback_id, ErrorObject.from_dict(json.loads(body)))
    else:
        runner.send_callback_heartbeat(callback_id)

"""Lets moto's Lambda run our handlers in this process instead of in a container.

Every function call in moto (Invoke, a state machine's task, a rule's target) uses the two methods that are replaced
here.
"""

from __future__ import annotations

import functools
import io
import json
import threading
import traceback
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, Final

import boto3
from moto.awslambda.models import LambdaFunction

from local.emulated.template import ACCOUNT

Invocable = Callable[[Any], Any]
"""Takes an event and returns or raises like the handler."""

_MARK: Final = "__lambda_functions__"
_install_lock = threading.Lock()
_serving: dict[str, Invocable] = {}


def install() -> None:
    """Send every invocation to the served functions; a second call changes nothing."""
    with _install_lock:
        if hasattr(LambdaFunction, _MARK):
            return
        setattr(LambdaFunction, _MARK, True)
        for name, replacement in (("_invoke_lambda", _run), ("invoke", _without_waiting(LambdaFunction.invoke))):
            setattr(LambdaFunction, name, replacement)


@contextmanager
def serving(functions: Mapping[str, Invocable]) -> Iterator[None]:
    """Create functions with these names on the emulator, and run them on invocation while the context is open."""
    install()
    assumed = json.dumps({"Version": "2012-10-17", "Statement": []})
    iam = boto3.client("iam")
    # Another context may have created the role.
    with suppress(iam.exceptions.EntityAlreadyExistsException):
        iam.create_role(RoleName="local", AssumeRolePolicyDocument=assumed)
    client = boto3.client("lambda")
    for name in functions:
        client.create_function(
            FunctionName=name,
            Runtime="python3.13",
            Role=f"arn:aws:iam::{ACCOUNT}:role/local",
            Handler="app.handler",
            Code={"ZipFile": _some_code()},
        )
    _serving.update(functions)
    try:
        yield
    finally:
        for name in functions:
            del _serving[name]


def _run(function: Any, event: Any = None) -> tuple[str, bool, str]:
    """Return the result as text, whether it is an error, and the log, in moto's form."""
    given = json.loads(event or "{}") if isinstance(event, str) else event
    try:
        return json.dumps(_serving[function.function_name](given)), False, ""
    except Exception as error:  # noqa: BLE001  Lambda answers with every exception of a function
        report = {
            "errorMessage": str(error),
            "errorType": type(error).__name__,
            "stackTrace": traceback.format_tb(error.__traceback__),
        }
        return json.dumps(report), True, ""


def _without_waiting(invoke: Callable[..., Any]) -> Callable[..., Any]:
    """Return an `invoke` that accepts an asynchronous invocation at once and runs it later.

    moto would answer only after the run. A handler that invokes another function would then wait for it, while the
    other function waits for the lock that all handlers share.
    """

    @functools.wraps(invoke)
    def accept(function: Any, body: str, request_headers: Any, response_headers: Any) -> Any:
        if request_headers.get("x-amz-invocation-type") != "Event":
            return invoke(function, body, request_headers, response_headers)
        threading.Thread(target=invoke, args=(function, body, request_headers, {}), daemon=True).start()
        return ""

    return accept


def _some_code() -> bytes:
    # Never run; moto requires a package.
    package = io.BytesIO()
    with zipfile.ZipFile(package, "w") as archive:
        archive.writestr("app.py", "")
    return package.getvalue()

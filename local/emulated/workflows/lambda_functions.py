"""Lets moto's Lambda run our handlers in this process instead of in a container.

Every function call in moto (Invoke, a state machine's task, a rule's target) uses the two methods that are replaced
here. They do not say which alias was invoked, so an invocation through one is answered before moto.
"""

from __future__ import annotations

import functools
import io
import json
import re
import threading
import traceback
import zipfile
from collections.abc import Callable, Iterator, Mapping, Set
from contextlib import contextmanager, suppress
from typing import Any, Final
from urllib.parse import unquote

import boto3
from moto.awslambda.models import LambdaFunction

from local.emulated.emulator import Reply, answering
from local.emulated.template import ACCOUNT

Invocable = Callable[..., Any]
"""Takes an event and, as `alias`, the alias that was invoked; returns or raises like the handler."""

_MARK: Final = "__lambda_functions__"
# A function is named by its name or its ARN. The SDK writes the colons of an ARN as %3A.
_THROUGH_ALIAS: Final = re.compile(
    r"/2015-03-31/functions/(?:arn:[^/]*:function:)?(?P<name>[^:/]+)(?::(?P<in_name>\w+))?/invocations"
    r"(?:\?Qualifier=(?P<beside>\w+))?"
)
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
def serving(functions: Mapping[str, Invocable], aliases: Set[tuple[str, str]] = frozenset()) -> Iterator[None]:
    """Create functions with these names on the emulator, and run them on invocation while the context is open.

    `aliases` are the name of a function and an alias of it, each.
    """
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
        with answering("lambda", functools.partial(_through_alias, aliases)):
            yield
    finally:
        for name in functions:
            del _serving[name]


def _through_alias(aliases: Set[tuple[str, str]], path: str, body: bytes) -> Reply | None:
    """Answer an invocation through an alias; None for every other request."""
    found = _THROUGH_ALIAS.fullmatch(unquote(path))
    alias = found and (found["in_name"] or found["beside"])
    if not found or not alias or (found["name"], alias) not in aliases:
        return None
    result, failed, _ = _result(found["name"], json.loads(body or b"{}"), alias=alias)
    return 200, {"x-amz-function-error": "Unhandled"} if failed else {}, result.encode()


def _run(function: Any, event: Any = None) -> tuple[str, bool, str]:
    """Return the result as text, whether it is an error, and the log, in moto's form."""
    return _result(function.function_name, json.loads(event or "{}") if isinstance(event, str) else event)


def _result(name: str, event: Any, **alias: str) -> tuple[str, bool, str]:
    try:
        return json.dumps(_serving[name](event, **alias)), False, ""
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

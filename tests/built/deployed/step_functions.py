"""Step Functions beside MiniStack: moto's interpreter behind MiniStack's own check of the caller's role.

MiniStack's interpreter is weak, and moto knows nothing of the roles. So a function's signed call goes to MiniStack as
it is, which refuses it or finds no such task; only what is not refused is then answered by the interpreter. The calls
that a state machine makes go to MiniStack under the machine's own role.
"""

import functools
import http.client
import json
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final
from urllib.parse import urlsplit

import boto3
import pytest
from botocore.config import Config

from local.emulated.emulator import Emulator
from local.emulated.template import ACCOUNT
from local.emulated.workflows.interpreter import executing
from tests.built.deployed.ministack import MiniStack

_NOT_HERE: Final = frozenset({"TaskDoesNotExist", "TaskTimedOut", "InvalidToken"})
"""What MiniStack says of a task that it allows the caller to answer and does not have."""
Reply = tuple[int, str, bytes]


@contextmanager
def step_functions(cloud: MiniStack) -> Iterator[tuple[str, Any]]:
    """Yield the endpoint for the functions, and a client that needs no permission, until leaving."""
    with ExitStack() as stack:
        emulator = stack.enter_context(Emulator())
        stack.enter_context(executing())
        stack.enter_context(_calling(cloud))
        server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(cloud.url, emulator.endpoint))
        server.daemon_threads = True
        serving = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        serving.start()
        stack.callback(serving.join)
        stack.callback(server.server_close)
        stack.callback(server.shutdown)
        client = cloud.client("stepfunctions", endpoint=emulator.endpoint)
        yield f"http://127.0.0.1:{server.server_port}", client


def _handler(cloud: str, interpreter: str) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            reply = _sent(cloud, self.headers, body)
            if _type(reply) in _NOT_HERE:
                reply = _sent(interpreter, self.headers, body)
            status, kind, answer = reply
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  its name
            pass

    return Handler


def _sent(endpoint: str, headers: Any, body: bytes) -> Reply:
    """Send a request on as it was signed, host included."""
    connection = http.client.HTTPConnection(urlsplit(endpoint).netloc, timeout=30)
    try:
        connection.putrequest("POST", "/", skip_host=True, skip_accept_encoding=True)
        for name, value in headers.items():
            connection.putheader(name, value)
        connection.endheaders(body)
        reply = connection.getresponse()
        return reply.status, reply.getheader("content-type", ""), reply.read()
    finally:
        connection.close()


def _type(reply: Reply) -> str:
    try:
        document = json.loads(reply[2])
    except ValueError:
        return ""
    return str(document.get("__type", "")).rsplit("#", 1)[-1]


@contextmanager
def _calling(cloud: MiniStack) -> Iterator[None]:
    """Let the interpreter's tasks call MiniStack under the role of their state machine."""
    assumed = functools.cache(functools.partial(_assumed, cloud))

    def client(region: str, service: str, state_credentials: Any = None) -> Any:
        config = Config(parameter_validation=False, retries={"total_max_attempts": 1}, inject_host_prefix=False)
        make: Callable[..., Any] = assumed(state_credentials.role_arn).client
        return make(service, region_name=region, endpoint_url=cloud.url, config=config)

    named = "boto_client_for"
    modules = [module for name, module in sys.modules.items() if name.startswith("moto.stepfunctions.")]
    with pytest.MonkeyPatch.context() as patch:
        for module in modules:
            if hasattr(module, named):
                patch.setattr(module, named, client)
        yield


def _assumed(cloud: MiniStack, role: str) -> boto3.Session:
    """Return a session of a role that trusts Step Functions; its stand-in comes from outside, and is let in here."""
    iam, name = cloud.client("iam"), role.rsplit("/", 1)[-1]
    trust = iam.get_role(RoleName=name)["Role"]["AssumeRolePolicyDocument"]
    (statement,) = trust["Statement"]
    assert statement["Principal"] == {"Service": "states.amazonaws.com"}
    root = {"Effect": "Allow", "Principal": {"AWS": f"arn:aws:iam::{ACCOUNT}:root"}, "Action": "sts:AssumeRole"}
    iam.update_assume_role_policy(RoleName=name, PolicyDocument=json.dumps(trust | {"Statement": [statement, root]}))
    given = cloud.client("sts").assume_role(RoleArn=role, RoleSessionName="states")["Credentials"]
    return boto3.Session(
        aws_access_key_id=given["AccessKeyId"],
        aws_secret_access_key=given["SecretAccessKey"],
        aws_session_token=given["SessionToken"],
    )

"""Run one function as Lambda would and report what it does: `probe.py LATENCY LAYER FUNCTION`.

Reads an event on each line of standard input and answers it on one line of standard output: the result, every AWS
request as it left the process, the processor time in seconds and the bytes logged. Each request is held back by LATENCY
seconds first. Requests are caught at the transport, so retries count too, whatever made the client.
"""

import io
import json
import sys
import threading
import time

latency, layer, function = float(sys.argv[1]), sys.argv[2], sys.argv[3]
sys.path[:0] = [function, layer]
answers, sys.stdout = sys.stdout, io.StringIO()

from botocore.awsrequest import AWSPreparedRequest, AWSResponse  # noqa: E402  from the layer, on the path by now
from botocore.httpsession import URLLib3Session  # noqa: E402

LINE_OVERHEAD = 26  # bytes that CloudWatch Logs adds to each event
calls: list[dict[str, object]] = []
lock = threading.Lock()
send = URLLib3Session.send


def report_and_send(session: URLLib3Session, request: AWSPreparedRequest) -> AWSResponse:
    """Stand in for the transport's `send`."""
    headers = {name.lower(): _text(value) for name, value in request.headers.items()}
    service = headers["authorization"].split("Credential=")[1].split("/")[3]
    name = headers["x-amz-target"].rpartition(".")[2] if "x-amz-target" in headers else request.method
    start = time.perf_counter()
    time.sleep(latency)
    response = send(session, request)
    call = {
        "operation": f"{service}.{name}",
        "start": start,
        "end": time.perf_counter(),
        # Only DynamoDB's bodies are of interest; a secret is not to be passed on.
        "request": _text(request.body) if service == "dynamodb" else "",
        "response": _text(response.content) if service == "dynamodb" else "",
    }
    with lock:
        calls.append(call)
    return response


def _text(value: object) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


URLLib3Session.send = report_and_send  # type: ignore[method-assign,assignment]

import app  # type: ignore[import-not-found]  # noqa: E402  after the transport is watched


class Context:
    """What a handler is told about its invocation."""

    function_name = "probed"
    function_version = "$LATEST"
    memory_limit_in_mb = 1024
    aws_request_id = "00000000-0000-4000-8000-000000000000"

    def __init__(self, alias: str) -> None:
        """The function was invoked through this alias, or by its own ARN when it is empty."""
        self.invoked_function_arn = "arn:aws:lambda:us-east-1:123456789012:function:probed" + (alias and f":{alias}")

    def get_remaining_time_in_millis(self) -> int:
        """Always most of it: what is measured here runs to its end."""
        return 50_000


for line in sys.stdin:
    asked = json.loads(line)
    calls.clear()
    sys.stdout.seek(0)
    sys.stdout.truncate()
    cpu = time.process_time()
    result = app.handler(asked["event"], Context(asked["alias"]))
    cpu = time.process_time() - cpu
    logged = sys.stdout.getvalue().encode().splitlines()
    report = {
        "result": result,
        "calls": calls,
        "cpu": cpu,
        "log_bytes": sum(len(entry) + LINE_OVERHEAD for entry in logged),
    }
    answers.write(json.dumps(report) + "\n")
    answers.flush()

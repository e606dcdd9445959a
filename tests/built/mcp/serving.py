"""The mcp function as a program of its own, over the emulated AWS of the process that starts it.

On AWS, nothing of a question is in the function: this program can be killed at any time. Its argument is how many
seconds its clock is ahead. It prints its address, and answers at `/mcp`.
"""

import os
import sys
import threading
from functools import partial

from askback.wiring.sources import now
from local.emulated.cloud import ROOT
from local.emulated.front import Front
from local.emulated.functions import Function
from local.emulated.gateway import Gateway
from local.emulated.routes import Authorizer, Route

NAME = "mcp"


def main(ahead_seconds: int) -> None:
    """Serve until the process is killed."""
    function = Function(
        logical_id=NAME,
        name=NAME,
        code=ROOT / "functions/mcp",
        handler="app.handler",
        environment=os.environ,
        clock=lambda: now() + ahead_seconds,
    )
    invoke = partial(function.invoke, function.load())
    methods = {"POST": Authorizer.IAM, "GET": Authorizer.NONE, "DELETE": Authorizer.NONE}
    routes = tuple(
        Route(method=method, path="/mcp", authorizer=authorizer, function=NAME, alias="http")
        for method, authorizer in methods.items()
    )
    out = sys.stdout
    sys.stdout = sys.stderr
    with Front().lead_to(Gateway(routes=routes, cors=None, functions={NAME: invoke})) as front:
        print(f"{front.url}/mcp", file=out, flush=True)
        threading.Event().wait()


main(int(sys.argv[1]))

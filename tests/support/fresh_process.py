"""One function in an interpreter of its own: says it is ready, takes one event, prints one result.

The environment is the function's. Nothing else leads from the process that minted to this one.
"""

from __future__ import annotations

import json
import sys
from contextlib import redirect_stdout
from pathlib import Path

from askback.edge.lambda_events import HTTP_ALIAS
from local.emulated.functions import Function


def main() -> None:
    """Run one function: its code directory and its handler are the arguments."""
    code, handler = sys.argv[1:]
    function = Function(logical_id="Fresh", name="fresh", code=Path(code), handler=handler, environment={})
    out = sys.stdout
    with redirect_stdout(sys.stderr):
        loaded = function.load()
        out.write("ready\n")
        out.flush()
        event = json.loads(sys.stdin.readline())
        result = function.invoke(loaded, event, alias=HTTP_ALIAS)
    out.write(json.dumps(result) + "\n")
    out.flush()


if __name__ == "__main__":
    main()

#!/var/lang/bin/python3.13
"""The program /var/runtime/bootstrap, which the runtime interface emulator starts in the container.

It behaves like the managed runtime: the function's folder is first on the path, then the layer, then the runtime's own
packages; .pth files are used; the function runs as a user that may write only to /tmp.

There is one difference. `sam local` reports a function error only for a result with exactly the keys errorMessage,
errorType and stackTrace. The runtime client adds requestId, so an error would be reported as a success.
"""

import importlib
import os
import site
import sys
from pathlib import Path
from typing import Any

TASK = "/var/task"
LAYER = ("/opt/python/lib/python3.13/site-packages", "/opt/python")
RUNTIME = "/var/runtime"
USER = 993
GROUP = 990


def main() -> None:
    """Run the function's process; this returns only when the container ends."""
    standard = [entry for entry in sys.path if entry not in ("", RUNTIME)]
    sys.path[:] = [TASK, *LAYER, RUNTIME, *standard]
    for folder in (TASK, *LAYER):
        if Path(folder).is_dir():
            site.addsitedir(folder)
    os.environ["AWS_EXECUTION_ENV"] = "AWS_Lambda_python3.13"
    os.environ["LAMBDA_TASK_ROOT"] = TASK
    os.environ["LAMBDA_RUNTIME_DIR"] = RUNTIME
    os.setgroups([])
    os.setgid(GROUP)
    os.setuid(USER)

    client: Any = importlib.import_module("awslambdaric.bootstrap")
    make_error = client.make_error

    def make_error_for_sam(*arguments: Any, **options: Any) -> Any:
        error = make_error(*arguments, **options)
        error.pop("requestId", None)
        return error

    client.make_error = make_error_for_sam
    importlib.import_module("awslambdaric.__main__").main(["bootstrap", os.environ["_HANDLER"]])


if __name__ == "__main__":
    main()

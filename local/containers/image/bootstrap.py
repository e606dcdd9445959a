#!/var/lang/bin/python3.13
"""The program that the runtime interface emulator starts in the container, as /var/runtime/bootstrap.

It does what the managed runtime does: the function's folder comes first on the path, then the layer, then the runtime's
own packages; .pth files are honoured; the function runs as a user who may write to /tmp only.

One thing differs. `sam local` takes a result for a function error only when it has the keys errorMessage, errorType and
stackTrace and no others; the runtime client adds requestId, so a raised problem would come back as a success.
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
    """Become the function's process; does not return before the container ends."""
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

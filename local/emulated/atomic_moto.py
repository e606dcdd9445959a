"""Make moto's DynamoDB and S3 as atomic as the services they stand for.

moto checks a condition and writes in two steps with nothing round them, so two threads can both
win one conditional write. DynamoDB and S3 never allow that. Without the locks below a test of the
single-use claim would pass or fail by luck, and a pass would prove nothing.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any

from moto.dynamodb.responses import DynamoHandler
from moto.s3.responses import S3Response

# Where a request enters each service, after its body was read. S3 never goes through
# `call_action`: its URLs lead to these three, and the last one calls one of the others, which is
# why the lock is re-entrant.
_ENTRY_POINTS: tuple[tuple[type, tuple[str, ...]], ...] = (
    (DynamoHandler, ("call_action",)),
    (S3Response, ("bucket_response", "key_response", "ambiguous_response")),
)
_MARK = "__atomic_moto__"
_install_lock = threading.Lock()


def install() -> None:
    """Put one lock round every request of each service; a second call changes nothing.

    Patches the classes that answer requests, so it holds for `mock_aws` in this process and for
    a server thread in this process alike, whichever starts first.
    """
    with _install_lock:
        for service, names in _ENTRY_POINTS:
            lock = threading.RLock()
            for name in names:
                entry = getattr(service, name)
                if not hasattr(entry, _MARK):
                    setattr(service, name, _serialised(entry, lock))


def _serialised(entry: Callable[..., Any], lock: threading.RLock) -> Callable[..., Any]:
    @functools.wraps(entry)
    def locked(*args: Any, **kwargs: Any) -> Any:
        with lock:
            return entry(*args, **kwargs)

    setattr(locked, _MARK, True)
    return locked

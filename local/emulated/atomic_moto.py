"""Makes moto's DynamoDB and S3 as atomic as the real services.

moto checks a condition and then writes, without a lock. So two threads can both succeed with one
conditional write. DynamoDB and S3 never allow that. Without the locks below, a test of the
single-use claim would pass or fail at random and prove nothing.

moto also copies a table for each transaction, to have it back if the transaction is cancelled. The
records of its stream are never changed, so they are not copied: after some thousand writes, one
transaction would take seconds, and gigabytes.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any

from moto.dynamodb.models.table import StreamRecord
from moto.dynamodb.responses import DynamoHandler
from moto.s3.responses import S3Response

# The methods that handle a request of each service, after its body was read. S3 does not use
# `call_action`: its URLs call these three methods, and the last one calls one of the others, so
# the lock must be re-entrant.
_ENTRY_POINTS: tuple[tuple[type, tuple[str, ...]], ...] = (
    (DynamoHandler, ("call_action",)),
    (S3Response, ("bucket_response", "key_response", "ambiguous_response")),
)
_MARK = "__atomic_moto__"
_install_lock = threading.Lock()


def install() -> None:
    """Use one lock for all requests of each service; a second call changes nothing.

    This patches the classes that answer requests. So it works for `mock_aws` and for a server
    thread in this process, in any order of their starts.
    """
    with _install_lock:
        StreamRecord.__deepcopy__ = _itself  # type: ignore[attr-defined]
        for service, names in _ENTRY_POINTS:
            lock = threading.RLock()
            for name in names:
                entry = getattr(service, name)
                if not hasattr(entry, _MARK):
                    setattr(service, name, _serialised(entry, lock))


def _itself(record: StreamRecord, _: dict[int, Any]) -> StreamRecord:
    return record


def _serialised(entry: Callable[..., Any], lock: threading.RLock) -> Callable[..., Any]:
    @functools.wraps(entry)
    def locked(*args: Any, **kwargs: Any) -> Any:
        with lock:
            return entry(*args, **kwargs)

    setattr(locked, _MARK, True)
    return locked

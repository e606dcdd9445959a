"""AWS clients: how long each waits and how often it tries, and making one only when it is first asked for."""

import functools
import threading
from collections.abc import Callable
from typing import Any

import boto3
from botocore.config import Config

CLIENT_CONFIG = Config(
    connect_timeout=1, read_timeout=2, retries={"mode": "standard", "total_max_attempts": 3}, max_pool_connections=10
)
"""Three attempts of at most three seconds: a store that does not answer is told to the caller before the function
ends.
"""

DELIVERY_CONFIG = CLIENT_CONFIG.merge(Config(retries={"mode": "standard", "total_max_attempts": 1}))
"""No retries inside a delivery.

One that landed and lost its reply would come back as a closed task, and look like a run that ended without its answer.
The sweep tries again, and knows that it does.
"""

_MAKING = threading.Lock()
"""Making clients is not safe from several threads, and a mint writes from two."""


def client(service: str, config: Config = CLIENT_CONFIG) -> Callable[[], Any]:
    """Return a maker of one client, which is made when it is first asked for, once, from whichever thread."""
    # boto3's overloads take literal names only.
    make: Any = boto3.client
    made = functools.cache(lambda: make(service, config=config))

    def get() -> Any:
        with _MAKING:
            return made()

    return get

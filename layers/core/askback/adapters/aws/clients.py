"""AWS clients: their timeouts and retries. A client is made on first use.

The clients come from botocore. boto3 would make the same clients, but it first loads resources and file transfers,
which nothing here uses. botocore would also list the folders of four hundred services to check that a service exists.
Both together would be an eighth of a cold start, so both are left out.
"""

import functools
import threading
from collections.abc import Callable
from typing import Any

from botocore.config import Config
from botocore.loaders import Loader
from botocore.session import Session

CLIENT_CONFIG = Config(
    connect_timeout=1, read_timeout=2, retries={"mode": "standard", "total_max_attempts": 3}, max_pool_connections=10
)
"""Three attempts of at most three seconds each: the caller gets an error before the function runs out of time."""

DELIVERY_CONFIG = CLIENT_CONFIG.merge(Config(retries={"mode": "standard", "total_max_attempts": 1}))
"""No retries inside a delivery.

Suppose an attempt succeeds and its reply is lost. A retry would then find a closed task, and the run would look as if
it ended without its answer. The sweep repeats deliveries, and it knows that an earlier attempt may have succeeded.
"""

SERVICES = ("dynamodb", "events", "lambda", "logs", "s3", "secretsmanager", "sesv2", "sns", "stepfunctions")
"""The services that askback calls. botocore refuses a client of any other service until it is in this list."""

default_session: Session | None = None
"""The session of all clients when set; tests set it to observe every call. None: each `Clients` makes a session."""


class KnownServices(Loader):
    """Loads service descriptions without listing the available services."""

    def list_available_services(self, type_name: str) -> list[str]:
        """Return `SERVICES`; botocore's own method lists every folder for each type of description."""
        return list(SERVICES)


def new_session() -> Session:
    """Return a session that reads this process's environment."""
    session = Session()
    session.register_component("data_loader", KnownServices())
    return session


class Clients:
    """Makes clients from one session, so that shared data is loaded once."""

    def __init__(self) -> None:
        self._session = default_session or new_session()
        # botocore cannot make clients in several threads at once, and a mint writes from two threads.
        self._making = threading.Lock()

    def make(self, service: str, config: Config = CLIENT_CONFIG) -> Any:
        """Return a new client."""
        # The stubs' overloads take literal names only.
        create: Any = self._session.create_client
        with self._making:
            return create(service, config=config)

    def when_needed(self, service: str, config: Config = CLIENT_CONFIG) -> Callable[[], Any]:
        """Return a function that makes the client on its first call and returns the same client after that."""
        made = functools.cache(lambda: self.make(service, config))
        first = threading.Lock()

        def client() -> Any:
            with first:
                return made()

        return client

"""AWS clients: how long each waits and how often it tries, and making one only when it is first asked for.

They are botocore's own. boto3 makes the very same ones and loads its resources and file transfers first, which nothing
here uses. That, and looking through the folders of four hundred services to see that the one asked for exists, would be
an eighth of a cold start.
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
"""Three attempts of at most three seconds: a store that does not answer is told to the caller before the function
ends.
"""

DELIVERY_CONFIG = CLIENT_CONFIG.merge(Config(retries={"mode": "standard", "total_max_attempts": 1}))
"""No retries inside a delivery.

One that landed and lost its reply would come back as a closed task, and look like a run that ended without its answer.
The sweep tries again, and knows that it does.
"""

SERVICES = ("dynamodb", "events", "lambda", "s3", "secretsmanager", "sesv2", "sns", "stepfunctions")
"""What askback calls. A client of anything else is refused by name until it stands here."""

default_session: Session | None = None
"""What clients are made from, if not from a session of their own; for whoever has to hear of every call."""


class KnownServices(Loader):
    """Reads service descriptions, and knows beforehand which there are."""

    def list_available_services(self, type_name: str) -> list[str]:
        """Return `SERVICES`; botocore's own lists every folder, for each type of description."""
        return list(SERVICES)


def new_session() -> Session:
    """Return a session on this process's environment."""
    session = Session()
    session.register_component("data_loader", KnownServices())
    return session


class Clients:
    """Makes clients over one session, which reads what they share once."""

    def __init__(self) -> None:
        self._session = default_session or new_session()
        # Making clients is not safe from several threads, and a mint writes from two.
        self._making = threading.Lock()

    def make(self, service: str, config: Config = CLIENT_CONFIG) -> Any:
        """Return a new client."""
        # The stubs' overloads take literal names only.
        create: Any = self._session.create_client
        with self._making:
            return create(service, config=config)

    def when_needed(self, service: str, config: Config = CLIENT_CONFIG) -> Callable[[], Any]:
        """Return what gives one client, which is made when it is first asked for."""
        made = functools.cache(lambda: self.make(service, config))
        first = threading.Lock()

        def client() -> Any:
            with first:
                return made()

        return client

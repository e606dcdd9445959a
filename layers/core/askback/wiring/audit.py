"""The composition root of the audit function: the table's stream in, the log of decisions out."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from aws_lambda_powertools.logging import Logger

from askback.adapters.aws.clients import Clients
from askback.adapters.decision_log import CloudWatchDecisionLog
from askback.adapters.dynamodb.stream import read_writes
from askback.domain.errors import InteractionConfigurationError
from askback.domain.pause.decisions import RowWrite
from askback.settings import Settings
from askback.wiring.sources import now


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditServices:
    """The services of the audit function; `writes_of` reads an event of the stream."""

    writes_of: Callable[[Mapping[str, Any]], Sequence[RowWrite]]
    log: CloudWatchDecisionLog


def build(logger: Logger, *, clock: Callable[[], int] = now) -> AuditServices:
    """Build the services from the environment; raises InteractionConfigurationError."""
    log_group = Settings.from_environment(os.environ).decision_log_group
    if not log_group:
        raise InteractionConfigurationError(
            "the deployment has no log of decisions", reason="ASKBACK_DECISION_LOG_GROUP is not set"
        )
    log = CloudWatchDecisionLog(client=Clients().when_needed("logs"), log_group=log_group, clock=clock)
    return AuditServices(writes_of=read_writes, log=log)

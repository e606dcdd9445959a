"""What a function logs with and counts with."""

import os

from aws_lambda_powertools.logging import Logger
from aws_lambda_powertools.metrics import Metrics


def observers(service: str) -> tuple[Logger, Metrics]:
    """Return a function's logger and metrics; the environment may name the service and the namespace otherwise."""
    service = os.environ.get("POWERTOOLS_SERVICE_NAME") or service
    namespace = os.environ.get("POWERTOOLS_METRICS_NAMESPACE") or "askback"
    return Logger(service=service), Metrics(namespace=namespace, service=service)

"""The logger and the metrics of a function."""

import os

from aws_lambda_powertools.logging import Logger
from aws_lambda_powertools.metrics import Metrics


def observers(service: str) -> tuple[Logger, Metrics]:
    """Return a function's logger and metrics; the environment can set another service name and namespace."""
    service = os.environ.get("POWERTOOLS_SERVICE_NAME") or service
    namespace = os.environ.get("POWERTOOLS_METRICS_NAMESPACE") or "askback"
    return Logger(service=service), Metrics(namespace=namespace, service=service)

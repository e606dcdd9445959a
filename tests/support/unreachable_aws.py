"""Clients of an AWS that is not there, and the ways in which its wire can break."""

from typing import Any

import boto3
from botocore.exceptions import (
    ConnectionClosedError,
    ConnectTimeoutError,
    EndpointConnectionError,
    ReadTimeoutError,
    SSLError,
)

from tests.support.aws_stores import ONE_ATTEMPT

ENDPOINT = "http://127.0.0.1:1"
WIRE = [
    EndpointConnectionError(endpoint_url=ENDPOINT),
    ConnectTimeoutError(endpoint_url=ENDPOINT),
    ReadTimeoutError(endpoint_url=ENDPOINT),
    ConnectionClosedError(endpoint_url=ENDPOINT),
    SSLError(endpoint_url=ENDPOINT, error=OSError("broken")),
]


def client(service: Any) -> Any:
    """Return a client that tries once; the settings of `aws_environment` must be in force."""
    return boto3.client(service, config=ONE_ATTEMPT, endpoint_url=ENDPOINT)

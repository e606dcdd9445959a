"""Classifies the errors of AWS clients; this is the only place that does.

There are two results. `StoreUnavailable`: the caller can send the same request again. `InteractionConfigurationError`:
the deployment is misconfigured, and an operator must act. Errors that an operation expects (a failed condition, a
missing object) are handled by the calling code first.
"""

from collections.abc import Mapping, Sequence
from typing import Any, TypeGuard, cast

from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectionError as BotoConnectionError,
    ConnectTimeoutError,
    EndpointConnectionError,
    FlexibleChecksumError,
    HTTPClientError,
    IncompleteReadError,
)

from askback.domain.errors import HumanInteractionError, InteractionConfigurationError, StoreUnavailable

_PASSING = frozenset(
    {
        "ConditionalRequestConflict",
        "InternalException",
        "InternalServerError",
        "InternalServiceError",
        "KmsThrottlingException",
        "LimitExceededException",
        "OperationAborted",
        "ProvisionedThroughputExceededException",
        "RequestLimitExceeded",
        "RequestTimeout",
        "RequestTimeoutException",
        "ServiceException",
        "ServiceUnavailable",
        "SlowDown",
        "ThrottledException",
        "Throttling",
        "ThrottlingException",
        "TooManyRequestsException",
        "TransactionConflictException",
        "TransactionInProgressException",
    }
)
"""Temporary errors; every other error below status 500 needs an operator."""
_CANCELLED_FOR_NOW = frozenset({"TransactionConflict", "ProvisionedThroughputExceeded", "ThrottlingError"})
"""The reasons for which the same transaction can succeed later."""

CLIENT_ERRORS = (ClientError, BotoCoreError)
_NEVER_REACHED = (EndpointConnectionError, ConnectTimeoutError)


def classify(error: Exception, *, resource: str, endpoint: str) -> HumanInteractionError:
    """Return the domain's error for an exception of a client call on `resource` at `endpoint`.

    `did_nothing` is true when the call certainly had no effect: the service refused it, or was never reached. When a
    reply is missing, the call may have had an effect.
    """
    refusal = _refusal(error, resource=resource, endpoint=endpoint)
    refusal.did_nothing = isinstance(error, _NEVER_REACHED) or (isinstance(error, ClientError) and _status(error) < 500)
    return refusal


def _refusal(error: Exception, *, resource: str, endpoint: str) -> HumanInteractionError:
    where = f"{resource} at {endpoint}"
    if isinstance(error, ClientError):
        code = error_code(error)
        if code in _PASSING or _status(error) >= 500 or _only_passing(error):
            return StoreUnavailable(reason=f"{error.operation_name} on {where}: {code}")
        return InteractionConfigurationError(
            "the deployment cannot use one of its stores; an operator must look at the log",
            reason=f"{error.operation_name} on {where}: {code}",
        )
    if isinstance(error, (BotoConnectionError, HTTPClientError, IncompleteReadError, FlexibleChecksumError)):
        return StoreUnavailable(reason=f"{where} cannot be reached: {type(error).__name__}")
    return InteractionConfigurationError(
        "the deployment's AWS client is not set up; an operator must look at the log",
        reason=f"{where}: {type(error).__name__}",
    )


def cancelled(error: Exception) -> Sequence[Mapping[str, Any]]:
    """Return why DynamoDB cancelled a transaction, one reason for each of its items; empty for every other error."""
    if not isinstance(error, ClientError) or error_code(error) != "TransactionCanceledException":
        return ()
    # botocore's type of the response does not know the reasons.
    return cast("Sequence[Mapping[str, Any]]", error.response.get("CancellationReasons", ()))


def _only_passing(error: ClientError) -> bool:
    codes = {reason.get("Code") for reason in cancelled(error)} - {"None"}
    return bool(codes) and codes <= _CANCELLED_FOR_NOW


def _status(error: ClientError) -> int:
    return error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)


def condition_failed(error: Exception) -> TypeGuard[ClientError]:
    """Return whether DynamoDB refused a write because its condition was false."""
    return isinstance(error, ClientError) and error_code(error) == "ConditionalCheckFailedException"


def error_code(error: ClientError) -> str:
    """Return the service's error code."""
    return error.response.get("Error", {}).get("Code", "")

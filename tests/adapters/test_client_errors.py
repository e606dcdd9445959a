"""What each refusal of AWS means, as a real client meets it on the wire.

Two answers only: send the same request again, or an operator must act. The second names what cannot be used and where.
"""

import asyncio
import json
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

import boto3
import pytest
from botocore.exceptions import (
    ConnectionClosedError,
    ConnectTimeoutError,
    EndpointConnectionError,
    NoCredentialsError,
    ReadTimeoutError,
    SSLError,
)

from askback.adapters.bodies import S3Bodies
from askback.adapters.dynamo_checkpoints import DynamoCheckpoints
from askback.adapters.dynamo_ledger import DynamoIssuanceLedger
from askback.adapters.dynamo_state import DynamoPausedState
from askback.adapters.key_ring import SecretsManagerKeyRing
from askback.domain.errors import InteractionConfigurationError, StoreUnavailable
from tests.fakes.aws import ONE_ATTEMPT, aws_environment
from tests.fakes.faults import break_wire, reply
from tests.fakes.values import an_acceptance, an_issued_row, some_claims, some_legacy_claims

ENDPOINT = "http://127.0.0.1:1"
PLACE = {"thread_id": "t", "checkpoint_id": "c", "key": "k"}
Act = Callable[[], Any]

PASSING = [
    ("ProvisionedThroughputExceededException", 400),
    ("ThrottlingException", 400),
    ("RequestLimitExceeded", 400),
    ("LimitExceededException", 400),
    ("TransactionConflictException", 400),
    ("InternalServerError", 500),
    ("ServiceUnavailable", 503),
    ("NobodyKnowsThisError", 500),
    ("NobodyKnowsThisError", 502),
]
OPERATOR = [
    ("AccessDeniedException", 400),
    ("ResourceNotFoundException", 400),
    ("ValidationException", 400),
    ("UnrecognizedClientException", 400),
    ("ExpiredTokenException", 400),
    ("InvalidSignatureException", 403),
    ("NobodyKnowsThisError", 400),
]
S3_PASSING = [
    ("SlowDown", 503),
    ("InternalError", 500),
    ("RequestTimeout", 400),
    ("OperationAborted", 409),
    ("ConditionalRequestConflict", 409),
]
S3_OPERATOR = [("AccessDenied", 403), ("NoSuchBucket", 404), ("InvalidAccessKeyId", 403)]
WIRE = [
    EndpointConnectionError(endpoint_url=ENDPOINT),
    ConnectTimeoutError(endpoint_url=ENDPOINT),
    ReadTimeoutError(endpoint_url=ENDPOINT),
    ConnectionClosedError(endpoint_url=ENDPOINT),
    SSLError(endpoint_url=ENDPOINT, error=OSError("broken")),
]


@pytest.fixture(autouse=True)
def environment() -> Iterator[None]:
    with aws_environment():
        yield


def client(service: Any) -> Any:
    return boto3.client(service, config=ONE_ATTEMPT, endpoint_url=ENDPOINT)


def dynamo_calls(dynamodb: Any) -> dict[str, tuple[str, Coroutine[Any, Any, Any]]]:
    """Return every call that our adapters make on the table: its operation, and how to make it."""
    bodies = S3Bodies(client=lambda: client("s3"), bucket="turns")
    ledger = DynamoIssuanceLedger(
        client=dynamodb, table="pauses", bodies=bodies, inline_limit=8192, retention_seconds=1
    )
    checkpoints = DynamoCheckpoints(
        client=dynamodb,
        table="pauses",
        bodies=bodies,
        inline_limit=100,
        retention_seconds=1,
        new_checkpoint_id=lambda: "c",
    )
    states = DynamoPausedState(client=dynamodb, table="pauses", bodies=bodies)
    return {
        "issue": ("PutItem", ledger.issue(an_issued_row())),
        "claim": ("UpdateItem", ledger.claim(some_claims(), an_acceptance())),
        "claim legacy": ("PutItem", ledger.claim(some_legacy_claims(), an_acceptance())),
        "find": ("GetItem", ledger.find("jti")),
        "write": ("PutItem", checkpoints.write(**PLACE, text="x", expires_at=1)),
        "read": ("GetItem", checkpoints.read(**PLACE)),
        "read state": ("BatchGetItem", states.read(some_claims())),
    }


DYNAMO_CALLS = ["issue", "claim", "claim legacy", "find", "write", "read", "read state"]


def dynamo_refusal(call: str, *, code: str, status: int) -> Exception:
    """Return what an adapter raises when DynamoDB refuses the call."""
    dynamodb = client("dynamodb")
    body = json.dumps({"__type": f"com.amazonaws.dynamodb.v20120810#{code}", "message": "words of the service"})
    return failure_of(dynamodb, call, lambda operation: reply(dynamodb, operation, status=status, body=body))


def failure_of(dynamodb: Any, call: str, fault: Callable[[str], None]) -> Exception:
    calls = dynamo_calls(dynamodb)
    operation, coroutine = calls.pop(call)
    for _, other in calls.values():
        other.close()
    fault(operation)
    with pytest.raises(Exception) as raised:  # noqa: PT011 - which one is what the tests ask
        asyncio.run(coroutine)
    return raised.value


@pytest.mark.parametrize(("code", "status"), PASSING)
@pytest.mark.parametrize("call", DYNAMO_CALLS)
def test_what_passes_by_itself_on_the_table_can_be_sent_again(call: str, code: str, status: int) -> None:
    """A-36: a conflict with another transaction is neither an answered pause nor a missing one."""
    error = dynamo_refusal(call, code=code, status=status)
    assert type(error) is StoreUnavailable
    assert code in error.reason


@pytest.mark.parametrize(("code", "status"), OPERATOR)
@pytest.mark.parametrize("call", DYNAMO_CALLS)
def test_what_an_operator_must_mend_names_the_table_and_the_endpoint(call: str, code: str, status: int) -> None:
    """A-55: a missing table or a wrong endpoint is told with both names, in the log and to nobody else."""
    error = dynamo_refusal(call, code=code, status=status)
    assert type(error) is InteractionConfigurationError
    assert code in error.reason
    assert "table pauses" in error.reason
    assert ENDPOINT in error.reason
    assert ENDPOINT not in error.detail
    assert "pauses" not in error.detail


@pytest.mark.parametrize("broken", WIRE, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("call", DYNAMO_CALLS)
def test_a_table_that_cannot_be_reached_can_be_asked_again(call: str, broken: Exception) -> None:
    dynamodb = client("dynamodb")
    error = failure_of(dynamodb, call, lambda operation: break_wire(dynamodb, operation, broken))
    assert type(error) is StoreUnavailable
    assert "table pauses" in error.reason
    assert ENDPOINT in error.reason


def test_a_function_without_credentials_needs_an_operator() -> None:
    dynamodb = client("dynamodb")
    error = failure_of(dynamodb, "claim", lambda operation: break_wire(dynamodb, operation, NoCredentialsError()))
    assert type(error) is InteractionConfigurationError
    assert "NoCredentialsError" in error.reason


def s3_calls(s3: Any) -> dict[str, Act]:
    bodies = S3Bodies(client=lambda: s3, bucket="turns-bucket")
    return {"PutObject": lambda: bodies.put("turns/a", b"x"), "GetObject": lambda: bodies.get("turns/a")}


def s3_failure(operation: str, fault: Callable[[Any], None]) -> Exception:
    s3 = client("s3")
    fault(s3)
    with pytest.raises(Exception) as raised:  # noqa: PT011 - which one is what the tests ask
        s3_calls(s3)[operation]()
    return raised.value


def s3_refusal(operation: str, *, code: str, status: int) -> Exception:
    body = f"<Error><Code>{code}</Code><Message>words of the service</Message></Error>"
    return s3_failure(operation, lambda s3: reply(s3, operation, status=status, body=body))


@pytest.mark.parametrize(("code", "status"), S3_PASSING)
@pytest.mark.parametrize("operation", ["PutObject", "GetObject"])
def test_what_passes_by_itself_on_the_bucket_can_be_sent_again(operation: str, code: str, status: int) -> None:
    assert type(s3_refusal(operation, code=code, status=status)) is StoreUnavailable


@pytest.mark.parametrize(("code", "status"), S3_OPERATOR)
@pytest.mark.parametrize("operation", ["PutObject", "GetObject"])
def test_a_bucket_that_may_not_be_used_is_named_for_the_operator(operation: str, code: str, status: int) -> None:
    """A-39: a missing permission is a fault of the deployment, neither tampering nor a turn that is gone."""
    error = s3_refusal(operation, code=code, status=status)
    assert type(error) is InteractionConfigurationError
    assert "bucket turns-bucket" in error.reason
    assert code in error.reason
    assert ENDPOINT in error.reason


@pytest.mark.parametrize("broken", WIRE, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("operation", ["PutObject", "GetObject"])
def test_a_bucket_that_cannot_be_reached_can_be_asked_again(operation: str, broken: Exception) -> None:
    assert type(s3_failure(operation, lambda s3: break_wire(s3, operation, broken))) is StoreUnavailable


def test_an_object_that_is_not_there_is_missing_and_nothing_else() -> None:
    """A-39: the role may list the bucket, so S3 says NoSuchKey and not AccessDenied."""
    assert type(s3_refusal("GetObject", code="NoSuchKey", status=404)) is LookupError


def test_an_object_that_is_there_already_is_written() -> None:
    s3 = client("s3")
    reply(s3, "PutObject", status=412, body="<Error><Code>PreconditionFailed</Code></Error>")
    s3_calls(s3)["PutObject"]()


@pytest.mark.parametrize(
    "headers", [{"content-length": "8"}, {"x-amz-checksum-crc32": "AAAAAA=="}], ids=["broke off", "changed"]
)
def test_a_body_that_was_damaged_on_the_way_can_be_asked_for_again(headers: dict[str, str]) -> None:
    """The object is whole; what arrived of it is not."""
    error = s3_failure("GetObject", lambda s3: reply(s3, "GetObject", status=200, body="half", headers=headers))
    assert type(error) is StoreUnavailable


@pytest.mark.parametrize(
    ("code", "status", "expected"),
    [
        ("ThrottlingException", 400, StoreUnavailable),
        ("InternalServiceError", 500, StoreUnavailable),
        ("AccessDeniedException", 400, InteractionConfigurationError),
        ("ResourceNotFoundException", 400, InteractionConfigurationError),
        ("DecryptionFailure", 400, InteractionConfigurationError),
    ],
)
def test_a_key_secret_that_cannot_be_read_is_told_without_its_name_to_callers(
    code: str, status: int, expected: type[Exception]
) -> None:
    secrets = client("secretsmanager")
    reply(secrets, "GetSecretValue", status=status, body=json.dumps({"__type": code, "message": "words"}))
    with pytest.raises(expected) as raised:
        SecretsManagerKeyRing(client=lambda: secrets, secret_id="arn:keys", clock=lambda: 0.0).ring()
    error = raised.value
    assert isinstance(error, (StoreUnavailable, InteractionConfigurationError))
    assert "key secret" in error.reason
    assert code in error.reason
    assert "arn:keys" not in error.detail

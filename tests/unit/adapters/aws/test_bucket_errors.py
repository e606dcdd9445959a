"""What each refusal of the bucket and of the key secret means, as a real client meets it on the wire."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from askback.adapters.s3_bodies import S3Bodies
from askback.adapters.secrets.key_ring import SecretsManagerKeyRing
from askback.domain.errors import InteractionConfigurationError, StoreUnavailable
from tests.support.aws_faults import break_wire, reply
from tests.support.aws_stores import aws_environment
from tests.support.unreachable_aws import ENDPOINT, WIRE, client

Act = Callable[[], Any]
S3_PASSING = [
    ("SlowDown", 503),
    ("InternalError", 500),
    ("RequestTimeout", 400),
    ("OperationAborted", 409),
    ("ConditionalRequestConflict", 409),
]
S3_OPERATOR = [("AccessDenied", 403), ("NoSuchBucket", 404), ("InvalidAccessKeyId", 403)]


@pytest.fixture(autouse=True)
def environment() -> Iterator[None]:
    with aws_environment():
        yield


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
        SecretsManagerKeyRing(
            client=lambda: secrets, secret_id="arn:keys", clock=lambda: 0.0, wall_clock=lambda: 0.0
        ).ring()
    error = raised.value
    assert isinstance(error, (StoreUnavailable, InteractionConfigurationError))
    assert "key secret" in error.reason
    assert code in error.reason
    assert "arn:keys" not in error.detail

"""An answer over the inline limit is kept in the bucket: written before the claim, and checked when it is read."""

import asyncio

import boto3
import pytest

from askback.domain.errors import InteractionConfigurationError, StoreUnavailable
from askback.domain.pause.ledger import LedgerRow, PauseStatus, Receipt
from tests.support.aws_faults import Calls, lose_replies, refuse
from tests.support.aws_stores import INLINE_LIMIT, Aws
from tests.support.domain_values import an_acceptance, an_issued_row, incompressible, some_claims
from tests.support.memory_deployment import NOW

LARGE = '"' + incompressible(INLINE_LIMIT) + '"'
END = NOW + 3600


@pytest.fixture
def row(aws: Aws) -> LedgerRow:
    return asyncio.run(aws.ledger().issue(an_issued_row(due_at=END)))


def claim(aws: Aws, text: str = LARGE) -> Receipt:
    return asyncio.run(aws.ledger().claim(some_claims(), an_acceptance(text)))


def stored(aws: Aws) -> LedgerRow:
    found = asyncio.run(aws.ledger().find(some_claims().jti))
    assert found is not None
    return found


def test_the_body_is_written_before_the_claim_that_points_at_it(aws: Aws, row: LedgerRow) -> None:
    calls = Calls.of(aws.dynamodb, aws.s3)
    claim(aws)
    assert calls.operations == ["PutObject", "UpdateItem"]
    assert max(len(str(value)) for value in (aws.row(some_claims().jti) or {}).values()) < 200


@pytest.mark.parametrize(("extra", "objects"), [(-1, 0), (0, 0), (1, 1)])
def test_the_limit_is_the_last_size_that_stays_in_the_row(aws: Aws, row: LedgerRow, extra: int, objects: int) -> None:
    text = '"' + "a" * (INLINE_LIMIT - 2 + extra) + '"'
    claim(aws, text)
    assert len(aws.objects()) == objects
    assert asyncio.run(aws.ledger().response_text_of(stored(aws))) == text


@pytest.mark.parametrize(
    ("code", "status", "error"),
    [("SlowDown", 503, StoreUnavailable), ("AccessDenied", 403, InteractionConfigurationError)],
)
def test_a_body_that_cannot_be_written_spends_nothing(
    aws: Aws, row: LedgerRow, code: str, status: int, error: type[Exception]
) -> None:
    refuse(aws.s3, "PutObject", code=code, status=status, times=9)
    with pytest.raises(error):
        claim(aws)
    assert stored(aws).status is PauseStatus.ISSUED


def test_a_claim_that_is_sent_again_finds_its_body_there(aws: Aws, row: LedgerRow) -> None:
    lose_replies(aws.s3, "PutObject")
    assert not claim(aws).replayed
    assert len(aws.objects()) == 1


def test_a_body_that_is_gone_is_told_from_one_that_is_damaged(aws: Aws, row: LedgerRow) -> None:
    claim(aws)
    (key,) = aws.objects()
    for damage in (b"", b"another text", LARGE.encode() + b" "):
        boto3.client("s3").put_object(Bucket=aws.stores.bucket, Key=key, Body=damage)
        with pytest.raises(ValueError, match="not the one that was accepted"):
            asyncio.run(aws.ledger().response_text_of(stored(aws)))
    boto3.client("s3").delete_object(Bucket=aws.stores.bucket, Key=key)
    with pytest.raises(LookupError):
        asyncio.run(aws.ledger().response_text_of(stored(aws)))


def test_a_replay_of_a_large_answer_reads_no_object(aws: Aws, row: LedgerRow) -> None:
    """Equal hashes are equal texts, and the text is in the request."""
    claim(aws)
    calls = Calls.of(aws.s3)
    again = asyncio.run(aws.ledger().claim(some_claims(), an_acceptance(LARGE, attempt_id="attempt-2")))
    assert (again.replayed, again.answer.response_text) == (True, LARGE)
    assert "GetObject" not in calls.operations

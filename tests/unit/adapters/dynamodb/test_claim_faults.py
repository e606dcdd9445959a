"""A claim when something goes wrong between us and the table: nobody is told a wrong thing, and nothing is spent."""

import asyncio
from dataclasses import replace

import pytest
from botocore.exceptions import ConnectTimeoutError, ReadTimeoutError

from askback.domain.errors import AlreadyAnswered, PauseExpired, StoreUnavailable, UnknownPause
from tests.support.aws_deployment import AwsDeployment
from tests.support.aws_faults import Attempts, Refusals, break_wire, lose_replies, refuse
from tests.support.aws_stores import Aws
from tests.support.domain_values import an_acceptance, incompressible, some_legacy_claims
from tests.support.memory_deployment import NOW, a_binding


@pytest.fixture
def deployment(aws: Aws) -> AwsDeployment:
    return AwsDeployment(aws)


def test_a_claim_whose_reply_was_lost_is_the_winner_s_own(aws: Aws, deployment: AwsDeployment) -> None:
    """A-35: the client sends the write again, and the row that is now in its way carries our attempt id."""
    minted = deployment.mint()
    attempts, refusals = Attempts.of(aws.dynamodb, "UpdateItem"), Refusals.of(aws.dynamodb)
    lose_replies(aws.dynamodb, "UpdateItem")

    outcome = deployment.resume(minted, attempt_id="ours")

    assert attempts.count == 2
    assert refusals.codes == ["ConditionalCheckFailedException"]
    assert not outcome.replayed
    row = aws.row(minted.claims.jti)
    assert row is not None
    assert row["attempt_id"] == {"S": "ours"}


def test_a_legacy_claim_whose_reply_was_lost_is_the_winner_s_own_too(aws: Aws) -> None:
    """A-35: here the write that was sent twice is the one that creates the row."""
    refusals = Refusals.of(aws.dynamodb)
    lose_replies(aws.dynamodb, "PutItem")
    receipt = asyncio.run(aws.ledger().claim(some_legacy_claims(), an_acceptance()))
    assert refusals.codes == ["ConditionalCheckFailedException"]
    assert (receipt.answer, receipt.replayed) == (an_acceptance(), False)


def test_a_large_turn_whose_reply_was_lost_is_written(aws: Aws, deployment: AwsDeployment) -> None:
    """The object is there when the write is sent again, which its key says is the same one."""
    refusals = Refusals.of(aws.s3)
    lose_replies(aws.s3, "PutObject")
    messages = ({"role": "user", "content": incompressible(40_000)},)
    minted = deployment.mint(messages=messages)
    assert refusals.codes == ["PreconditionFailed"]
    assert minted.resumable
    turn = deployment.resume(minted).turn
    assert turn is not None
    assert turn.messages == messages


def test_somebody_else_afterwards_is_told_that_it_was_answered(aws: Aws, deployment: AwsDeployment) -> None:
    """A-35: a lost reply makes nobody else a winner."""
    minted = deployment.mint()
    lose_replies(aws.dynamodb, "UpdateItem")
    deployment.resume(minted)
    with pytest.raises(AlreadyAnswered):
        deployment.resume(minted, answered_by="bob", attempt_id="attempt-2")


def test_a_claim_that_landed_and_whose_replies_were_all_lost_is_found_in_the_row(
    aws: Aws, deployment: AwsDeployment
) -> None:
    """D-49, D-52: it is known by its attempt id, so the answer is announced and its delivery is made now."""
    minted = deployment.mint()
    lose_replies(aws.dynamodb, "UpdateItem", times=3)
    assert not deployment.resume(minted, attempt_id="ours").replayed


def test_a_claim_that_landed_and_never_answers_is_found_by_the_repeated_request(
    aws: Aws, deployment: AwsDeployment
) -> None:
    """A-33: the function died, or the table was gone, after the write; the person sends the same answer again."""
    minted = deployment.mint()
    ledger, answer = aws.ledger(), an_acceptance()
    lose_replies(aws.dynamodb, "UpdateItem", times=3)
    lose_replies(aws.dynamodb, "BatchGetItem", times=3)
    with pytest.raises(StoreUnavailable):
        asyncio.run(ledger.claim(minted.claims, answer))
    again = asyncio.run(ledger.claim(minted.claims, replace(answer, attempt_id="attempt-2", answered_at=NOW + 90)))
    assert again.replayed
    assert again.answer.answered_at == NOW + 60


def test_a_legacy_claim_that_never_landed_is_not_an_unknown_pause(aws: Aws) -> None:
    """D-38: no row is there, and the write may still land: that is no answer for the person."""
    break_wire(aws.dynamodb, "PutItem", ReadTimeoutError(endpoint_url="https://dynamodb"))
    with pytest.raises(StoreUnavailable):
        asyncio.run(aws.ledger().claim(some_legacy_claims(), an_acceptance()))


def test_a_mint_whose_replies_were_lost_gives_the_same_pause(aws: Aws, deployment: AwsDeployment) -> None:
    minted = deployment.mint(binding=a_binding(checkpoint_id="cp-1"))
    items = aws.items()
    lose_replies(aws.dynamodb, "PutItem", times=1)
    again = deployment.mint(binding=a_binding(checkpoint_id="cp-1"), at=NOW + 5)
    assert again.claims == minted.claims
    assert again.tokens == minted.tokens
    assert again.recorded
    assert again.resumable
    assert [item["pk"] for item in aws.items()] == [item["pk"] for item in items]


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("TransactionConflictException", 400),
        ("ProvisionedThroughputExceededException", 400),
        ("ThrottlingException", 400),
        ("InternalServerError", 500),
    ],
)
def test_a_claim_that_the_table_could_not_take_spends_nothing(
    aws: Aws, deployment: AwsDeployment, code: str, status: int
) -> None:
    """A-36: only a failed condition means that the pause takes no answer."""
    minted = deployment.mint()
    before = aws.items()
    refuse(aws.dynamodb, "UpdateItem", code=code, status=status)
    with pytest.raises(StoreUnavailable):
        deployment.resume(minted)
    assert aws.items() == before
    assert not deployment.resume(minted).replayed


def test_a_claim_that_never_reached_the_table_spends_nothing(aws: Aws, deployment: AwsDeployment) -> None:
    minted = deployment.mint()
    before = aws.items()
    cut_off = Aws(stores=aws.stores)
    break_wire(cut_off.dynamodb, "UpdateItem", ConnectTimeoutError(endpoint_url="https://dynamodb"))
    with pytest.raises(StoreUnavailable):
        AwsDeployment(cut_off).resume(minted)
    assert aws.items() == before
    assert not deployment.resume(minted).replayed


def test_a_row_deleted_by_hand_is_unknown_and_does_not_come_back(aws: Aws, deployment: AwsDeployment) -> None:
    """A-37: an update without `attribute_exists` would create a half-empty row, and call that a success."""
    minted = deployment.mint()
    row = aws.row(minted.claims.jti)
    assert row is not None
    aws.delete(row)
    before = aws.items()
    with pytest.raises(UnknownPause):
        deployment.resume(minted)
    assert aws.items() == before


@pytest.mark.parametrize("later", [60, 61, 47 * 3600])
def test_an_expired_row_that_ttl_has_not_removed_takes_no_answer(
    aws: Aws, deployment: AwsDeployment, later: int
) -> None:
    """A-12: TTL removes rows hours or days late."""
    minted = deployment.mint(ttl_seconds=60)
    before = aws.items()
    with pytest.raises(PauseExpired):
        deployment.resume(minted, at=NOW + later)
    assert aws.items() == before


@pytest.mark.parametrize(("row_exp", "at"), [(NOW + 9999, NOW + 61), (NOW + 30, NOW + 30)], ids=["later", "earlier"])
def test_of_the_token_s_and_the_row_s_expiry_the_earlier_one_counts(
    aws: Aws, deployment: AwsDeployment, row_exp: int, at: int
) -> None:
    """A-12: a row edited by hand makes a token live no longer, and its own earlier time is kept."""
    minted = deployment.mint(ttl_seconds=60)
    row = aws.row(minted.claims.jti)
    assert row is not None
    aws.edit(row, exp={"N": str(row_exp)})
    before = aws.items()
    with pytest.raises(PauseExpired):
        deployment.resume(minted, at=at)
    assert aws.items() == before

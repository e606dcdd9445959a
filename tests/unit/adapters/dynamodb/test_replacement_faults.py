"""A transaction that replaces a pause: its reply is lost, or DynamoDB cancels it for this reason or another."""

import asyncio

import pytest

from askback.domain.errors import InteractionConfigurationError, StoreUnavailable
from askback.domain.pause.ledger import LedgerRow, PauseStatus, RowChange, Supersession
from tests.support.aws_faults import Calls, lose_replies, refuse
from tests.support.aws_stores import Aws
from tests.support.ledger_steps import a_row, claim, find, issued
from tests.support.memory_deployment import NOW

OPERATION = "TransactWriteItems"
NEW = a_row("fedcba9876543210fedcba9876543210")
END = RowChange(
    due_at=None, status=PauseStatus.SUPERSEDED, superseded=Supersession(by=NEW.claims.jti, at=NOW), clear_reminder=True
)


def superseded(aws: Aws, old: LedgerRow) -> LedgerRow | None:
    return asyncio.run(aws.ledger().supersede(NEW, old, END))


def cancel(aws: Aws, *codes: str) -> None:
    """Let DynamoDB cancel the next transaction for these reasons, and say nothing of the rows that it met."""
    reasons = [{"Code": code} for code in codes]
    refuse(aws.dynamodb, OPERATION, code="TransactionCanceledException", status=400, CancellationReasons=reasons)


def test_a_transaction_whose_reply_was_lost_is_found_by_its_own_next_try(aws: Aws) -> None:
    """Both tries have one token, so the second is no other program's."""
    old, calls = issued(aws.ledger()), Calls.of(aws.dynamodb)
    lose_replies(aws.dynamodb, OPERATION, times=1)
    assert superseded(aws, old) == NEW
    assert (find(aws.ledger(), old).status, find(aws.ledger(), NEW)) == (PauseStatus.SUPERSEDED, NEW)
    assert [len(params["ClientRequestToken"]) for operation, params in calls.made if operation == OPERATION] == [36]


def test_a_transaction_of_which_no_reply_comes_is_tried_again_by_the_caller_who_then_finds_it(aws: Aws) -> None:
    old = issued(aws.ledger())
    lose_replies(aws.dynamodb, OPERATION, times=3)
    with pytest.raises(StoreUnavailable):
        superseded(aws, old)
    assert superseded(aws, old) == NEW


@pytest.mark.parametrize("code", ["TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"])
@pytest.mark.parametrize("place", [0, 1])
def test_what_another_write_or_the_load_cancels_can_be_sent_again(aws: Aws, code: str, place: int) -> None:
    old = issued(aws.ledger())
    reasons = ["None", "None"]
    reasons[place] = code
    cancel(aws, *reasons)
    with pytest.raises(StoreUnavailable) as raised:
        superseded(aws, old)
    assert raised.value.did_nothing
    assert "TransactionCanceledException" in raised.value.reason


def test_a_transaction_that_still_runs_can_be_sent_again(aws: Aws) -> None:
    old = issued(aws.ledger())
    refuse(aws.dynamodb, OPERATION, code="TransactionInProgressException", status=400, times=9)
    with pytest.raises(StoreUnavailable):
        superseded(aws, old)


@pytest.mark.parametrize("code", ["ValidationError", "ItemCollectionSizeLimitExceeded", "AccessDenied"])
def test_what_no_other_try_mends_needs_an_operator(aws: Aws, code: str) -> None:
    old = issued(aws.ledger())
    cancel(aws, "None", code)
    with pytest.raises(InteractionConfigurationError):
        superseded(aws, old)


def test_a_refusal_without_the_row_in_the_way_reads_it(aws: Aws) -> None:
    old = issued(aws.ledger())
    there = asyncio.run(aws.ledger().issue(NEW))
    cancel(aws, "ConditionalCheckFailed", "None")
    assert superseded(aws, old) == there


def test_a_row_in_the_way_that_is_gone_when_it_is_read_can_be_sent_again(aws: Aws) -> None:
    old = issued(aws.ledger())
    cancel(aws, "ConditionalCheckFailed", "ConditionalCheckFailed")
    with pytest.raises(StoreUnavailable, match="temporarily"):
        superseded(aws, old)


def test_an_answer_that_meets_a_transaction_can_be_sent_again(aws: Aws) -> None:
    """DynamoDB refuses a write of a row that a transaction is writing."""
    old = issued(aws.ledger())
    refuse(aws.dynamodb, "UpdateItem", code="TransactionConflictException", status=400, times=9)
    with pytest.raises(StoreUnavailable):
        claim(aws.ledger(), old)

"""What the races share: both ledgers, and how often each race is run."""

import pytest

from askback.domain.ports import IssuanceLedger
from askback.testing.memory_ledger import InMemoryLedger
from tests.support.aws_stores import Aws

FEW_ROUNDS, ROUNDS = 2, 50


@pytest.fixture(params=[FEW_ROUNDS, pytest.param(ROUNDS, marks=pytest.mark.slow)])
def rounds(request: pytest.FixtureRequest) -> int:
    """Return a few rounds, and many where all tests are run."""
    rounds: int = request.param
    return rounds


@pytest.fixture(params=["in memory", "dynamodb"])
def ledger(request: pytest.FixtureRequest) -> IssuanceLedger:
    """Return a ledger in memory, and one on DynamoDB made atomic."""
    if request.param == "in memory":
        return InMemoryLedger()
    aws: Aws = request.getfixturevalue("aws")
    return aws.ledger()

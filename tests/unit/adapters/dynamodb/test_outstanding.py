"""What counting open pauses reads: the index alone, to its end, whatever the table holds besides."""

import asyncio

import pytest

from askback.adapters.dynamodb.keys import DUE_SHARDS
from askback.domain.errors import InteractionConfigurationError, StoreUnavailable
from askback.domain.pause.ledger import PauseStatus, RowChange
from tests.support.aws_faults import Calls, refuse
from tests.support.aws_stores import Aws
from tests.support.domain_values import an_issued_row, some_claims
from tests.support.memory_deployment import NOW

END = NOW + 3600


def put(aws: Aws, *numbers: int, ended: bool = False, key_id: str = "k1") -> None:
    ledger = Aws(stores=aws.stores).ledger()
    for number in numbers:
        row = an_issued_row(some_claims(jti=f"pause-{number}", exp=END), due_at=END, key_id=key_id)
        asyncio.run(ledger.issue(row))
        if ended:
            asyncio.run(ledger.advance(row, RowChange(due_at=None, status=PauseStatus.EXPIRED)))


def uses(aws: Aws) -> dict[str, int]:
    found = asyncio.run(aws.outstanding().outstanding_by_key(at=NOW))
    return {key_id: use.outstanding for key_id, use in found.items()}


def test_every_shard_is_asked_once_and_no_row_is_read(aws: Aws) -> None:
    put(aws, *range(40))
    calls = Calls.of(aws.dynamodb)
    assert uses(aws) == {"k1": 40}
    assert calls.operations == ["Query"] * DUE_SHARDS
    asked = [sent["ExpressionAttributeValues"][":shard"]["S"] for _, sent in calls.made]
    assert sorted(asked) == [f"due#{number}" for number in range(DUE_SHARDS)]
    assert {sent["IndexName"] for _, sent in calls.made} == {"due"}


def test_pauses_that_have_ended_are_not_even_looked_at(aws: Aws) -> None:
    """The cost follows what is open: an ended pause has left the index."""
    put(aws, *range(10))
    put(aws, *range(100, 140), ended=True)
    looked_at = []
    aws.dynamodb.meta.events.register("after-call.dynamodb.Query", lambda parsed, **_: looked_at.append(parsed))
    assert uses(aws) == {"k1": 10}
    assert sum(page["ScannedCount"] for page in looked_at) == 10


def test_a_shard_of_more_than_one_page_is_read_to_its_end(aws: Aws) -> None:
    long = "k" * 60_000
    rows = [an_issued_row(some_claims(jti=f"pause-{number}", exp=END), due_at=END) for number in range(60)]
    for row in rows:
        asyncio.run(aws.ledger().issue(row))
        item = aws.row(row.claims.jti)
        assert item is not None
        # Entries are small; only one that is made large by hand fills a page with few of them.
        aws.edit(item, kid={"S": long}, due_shard={"S": "due#0"})
    calls = Calls.of(aws.dynamodb)
    assert uses(aws) == {long: 60}
    assert len(calls.made) > DUE_SHARDS


@pytest.mark.parametrize(
    ("code", "error"),
    [("ThrottlingException", StoreUnavailable), ("AccessDeniedException", InteractionConfigurationError)],
)
def test_pauses_that_could_not_all_be_counted_are_no_count(aws: Aws, code: str, error: type[Exception]) -> None:
    put(aws, *range(40))
    refuse(aws.dynamodb, "Query", code=code, status=400, times=9)
    with pytest.raises(error):
        uses(aws)

"""What the sweep reads follows what is due, and never what is stored."""

import asyncio
import json
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
from botocore.exceptions import EndpointConnectionError

from askback.adapters.dynamodb.keys import DUE_SHARDS, due_shard
from askback.domain.errors import StoreUnavailable
from askback.domain.pause.claims import PauseIdentity
from askback.domain.pause.ledger import LedgerRow, PauseStatus, RowChange
from askback.domain.ports import DueRows
from tests.support.aws_faults import Calls
from tests.support.aws_probe import aws_error
from tests.support.aws_stores import Aws
from tests.support.domain_values import an_issued_row, some_claims
from tests.support.memory_deployment import NOW

END = NOW + 3600


def put(aws: Aws, *numbers: int, due_at: int = END) -> list[LedgerRow]:
    rows = [an_issued_row(some_claims(jti=f"pause-{number}", exp=due_at), due_at=due_at) for number in numbers]
    ledger = Aws(stores=aws.stores).ledger()
    for row in rows:
        asyncio.run(ledger.issue(row))
    return rows


def due(aws: Aws, *, limit: int = 500) -> DueRows:
    return asyncio.run(aws.ledger().due(at=END, limit=limit))


def read(aws: Aws, *, limit: int = 500) -> list[LedgerRow | PauseIdentity]:
    return list(due(aws, limit=limit).rows)


class Reads:
    """The calls of one client, and how many items came back."""

    def __init__(self, aws: Aws) -> None:
        self.calls = Calls.of(aws.dynamodb)
        self.items = 0
        aws.dynamodb.meta.events.register("after-call.dynamodb", self._count)

    def _count(self, parsed: dict[str, Any], **_: Any) -> None:
        self.items += len(parsed.get("Items", ()))
        self.items += sum(map(len, parsed.get("Responses", {}).values()))

    def take(self) -> tuple[Counter[str], int]:
        taken = Counter(self.calls.operations), self.items
        self.calls.made.clear()
        self.items = 0
        return taken


def test_ten_times_the_stored_rows_cost_not_one_read_more(aws: Aws) -> None:
    put(aws, *range(12))
    put(aws, *range(100, 120), due_at=END + 1)
    reads = Reads(aws)
    assert len(read(aws)) == 12
    few = reads.take()
    put(aws, *range(200, 520), due_at=END + 1)
    assert len(read(aws)) == 12
    assert reads.take() == few == (Counter(Query=DUE_SHARDS, BatchGetItem=1), 24)


def test_when_nothing_is_due_no_row_is_read(aws: Aws) -> None:
    put(aws, *range(20), due_at=END + 1)
    reads = Reads(aws)
    assert read(aws) == []
    assert reads.take() == (Counter(Query=DUE_SHARDS), 0)


def test_rows_are_read_a_hundred_at_a_time_and_no_more_than_are_wanted(aws: Aws) -> None:
    put(aws, *range(230))
    reads = Reads(aws)
    assert len(read(aws)) == 230
    assert reads.take() == (Counter(Query=DUE_SHARDS, BatchGetItem=3), 460)
    assert len(read(aws, limit=7)) == 7
    queries = [sent for operation, sent in reads.calls.made if operation == "Query"]
    assert all(sent["Limit"] <= 7 for sent in queries)
    assert reads.items <= DUE_SHARDS * 7 + 7


def test_pauses_spread_over_all_shards() -> None:
    """One partition takes a thousand writes a second; eight take eight times as many."""
    shards = Counter(due_shard(f"{number:032x}") for number in range(4000))
    assert set(shards) == {f"due#{number}" for number in range(DUE_SHARDS)}
    assert max(shards.values()) < 1.2 * 4000 / DUE_SHARDS
    assert due_shard("a") == due_shard("a")


def test_the_index_is_asked_for_what_is_due_in_each_shard_once(aws: Aws) -> None:
    reads = Reads(aws)
    read(aws)
    asked = [sent["ExpressionAttributeValues"][":shard"]["S"] for _, sent in reads.calls.made]
    assert sorted(asked) == [f"due#{number}" for number in range(DUE_SHARDS)]
    assert {sent["IndexName"] for _, sent in reads.calls.made} == {"due"}


def before_rows_are_read(aws: Aws, act: Any) -> None:
    """Let somebody else act, in a thread of their own, between the index and the table."""

    def let(**_: Any) -> None:
        with ThreadPoolExecutor(1) as somebody:
            somebody.submit(act).result()

    aws.dynamodb.meta.events.register_first("before-call.dynamodb.BatchGetItem", let)


def test_a_row_that_was_worked_on_after_the_index_was_read_is_not_due(aws: Aws) -> None:
    """An index lags behind its table; the row itself says how things are."""
    put_off, ended, changed = put(aws, 1, 2, 3)
    ledger = Aws(stores=aws.stores).ledger()

    def work() -> None:
        asyncio.run(ledger.advance(put_off, RowChange(due_at=END + 60)))
        asyncio.run(ledger.advance(ended, RowChange(due_at=None, status=PauseStatus.EXPIRED)))
        asyncio.run(ledger.advance(changed, RowChange(due_at=END - 1, attempts=1, may_have_landed=True)))

    before_rows_are_read(aws, work)
    assert read(aws) == [replace(changed, due_at=END - 1, attempts=1, may_have_landed=True)]


def test_a_row_that_ttl_removed_is_not_due(aws: Aws) -> None:
    _, kept = put(aws, 1, 2)

    def remove() -> None:
        if (row := aws.row("pause-1")) is not None:
            aws.delete(row)

    before_rows_are_read(aws, remove)
    assert read(aws) == [kept]


def leave_unread(aws: Aws, *, times: int, everything: bool = False) -> None:
    """Let a throttled table leave half of the keys unread, or all of them."""
    left = iter(range(times))

    def halve(parsed: dict[str, Any], **_: Any) -> None:
        if next(left, None) is None:
            return
        ((table, found),) = parsed["Responses"].items()
        kept = 0 if everything else len(found) // 2
        unread = [{"pk": item["pk"], "sk": item["sk"]} for item in found[kept:]]
        del found[kept:]
        parsed["UnprocessedKeys"] = {table: {"Keys": unread, "ConsistentRead": True}}

    aws.dynamodb.meta.events.register("after-call.dynamodb.BatchGetItem", halve)


def test_keys_that_a_throttled_table_left_unread_are_asked_for_again_after_a_wait(aws: Aws) -> None:
    """D-60."""
    put(aws, *range(9))
    leave_unread(aws, times=2)
    assert len(read(aws)) == 9
    assert aws.waits == [0.05, 0.2]


def test_rows_that_stay_unread_are_left_to_the_next_run(aws: Aws) -> None:
    """D-60: one key that was left unread three times failed the run, and ten good rows with it."""
    put(aws, *range(9))
    leave_unread(aws, times=3)
    # Of nine, four came, then two of the other five, then one of the last three.
    assert len(read(aws)) == 7
    assert len(read(aws)) == 9


def test_how_many_rows_stayed_unread_is_counted(aws: Aws) -> None:
    put(aws, *range(9))
    leave_unread(aws, times=3)
    assert due(aws).rows_unread == 2
    assert due(aws).rows_unread == 0


def fail_shards(aws: Aws, *shards: str, error: Exception) -> list[str]:
    """Let the Query of these shards fail; return the shards that are asked for from now on."""
    asked: list[str] = []

    def fail(params: dict[str, Any], **_: Any) -> None:
        shard = json.loads(params["body"])["ExpressionAttributeValues"][":shard"]["S"]
        asked.append(shard)
        if shard in shards:
            raise error

    aws.dynamodb.meta.events.register_first("before-call.dynamodb.Query", fail)
    return asked


SILENT = EndpointConnectionError(endpoint_url="https://dynamodb.example.com")


@pytest.mark.parametrize("error", [aws_error("ThrottlingException"), SILENT], ids=["throttled", "no reply"])
def test_a_shard_that_cannot_be_read_is_named_and_the_rows_of_the_others_come(aws: Aws, error: Exception) -> None:
    rows = put(aws, *range(20))
    failing = due_shard("pause-7")
    fail_shards(aws, failing, error=error)
    found = due(aws)
    assert list(found.faults) == [failing]
    assert isinstance(found.faults[failing], StoreUnavailable)
    expected = {row.claims.jti for row in rows if due_shard(row.claims.jti) != failing}
    assert {row.claims.jti for row in found.rows if isinstance(row, LedgerRow)} == expected


def test_throttled_shards_do_not_keep_the_others_from_being_asked(aws: Aws) -> None:
    asked = fail_shards(aws, "due#0", "due#1", "due#2", error=aws_error("ThrottlingException"))
    assert sorted(due(aws).faults) == ["due#0", "due#1", "due#2"]
    assert len(asked) == DUE_SHARDS


def test_after_two_shards_without_a_reply_the_others_are_not_waited_for(aws: Aws) -> None:
    """Each costs seconds of a run; a run that only waits would work on no row."""
    everything = [f"due#{number}" for number in range(DUE_SHARDS)]
    asked = fail_shards(aws, *everything, error=SILENT)
    with pytest.raises(StoreUnavailable):
        due(aws)
    assert len(asked) == 2


def test_each_minute_begins_with_another_shard(aws: Aws) -> None:
    asked = fail_shards(aws, error=SILENT)
    for minute in range(DUE_SHARDS):
        asyncio.run(aws.ledger().due(at=END + 60 * minute, limit=1))
    assert len(set(asked[::DUE_SHARDS])) == DUE_SHARDS


def test_a_table_that_returns_nothing_ends_the_run(aws: Aws) -> None:
    put(aws, *range(9))
    leave_unread(aws, times=9, everything=True)
    with pytest.raises(StoreUnavailable, match="send the same request again") as raised:
        read(aws)
    assert "left keys unread" in raised.value.reason


def test_a_batch_that_fails_leaves_its_rows_to_the_next_run(aws: Aws) -> None:
    """D-60: a relative: the second request of a large run is refused."""
    put(aws, *range(130))
    asked = iter(range(9))

    def fail_the_second(**_: Any) -> None:
        if next(asked) == 1:
            raise EndpointConnectionError(endpoint_url="https://dynamodb.example.com")

    aws.dynamodb.meta.events.register_first("before-call.dynamodb.BatchGetItem", fail_the_second)
    assert len(read(aws)) == 100
    assert len(read(aws)) == 130


@pytest.mark.parametrize(
    "damage", [{"status": {"S": "pondered"}}, {"due_at": {"N": f"{END - 2}.5"}}], ids=["unreadable", "a fraction"]
)
def test_a_row_is_put_off_by_its_key_alone(aws: Aws, damage: dict[str, Any]) -> None:
    """D-34: a row that cannot be read makes room; D-54: also one whose due time has a fraction."""
    _, kept = put(aws, 1, 2)
    row = aws.row("pause-1")
    assert row is not None
    aws.edit(row, **damage)
    ledger, pause = aws.ledger(), some_claims(jti="pause-1").identity
    assert pause in read(aws)
    assert asyncio.run(ledger.put_off(pause, at=END, until=END + 240)) is True
    assert read(aws) == [kept]
    assert asyncio.run(ledger.put_off(pause, at=END, until=END + 999)) is False
    after = aws.row("pause-1")
    assert after == row | damage | {"due_at": {"N": str(END + 240)}}


@pytest.mark.parametrize(
    "damage",
    [
        {"waiter_kind": {"S": "carrier_pigeon"}, "waiter_address": {"S": "x"}},
        {"waiter_kind": {"S": "step_functions"}, "waiter_address": {"S": ""}},
        {"waiter_kind": {"S": "step_functions"}},
        {"status": {"S": "pondered"}},
        {"run_id": {"N": "1"}},
    ],
    ids=["a later kind", "no address", "half a waiter", "a later status", "another type"],
)
def test_a_row_that_this_build_cannot_read_is_named_and_the_others_come(aws: Aws, damage: dict[str, Any]) -> None:
    _, kept = put(aws, 1, 2)
    row = aws.row("pause-1")
    assert row is not None
    aws.edit(row, **damage)
    found = read(aws)
    identity = some_claims(jti="pause-1").identity
    assert sorted(found, key=lambda item: isinstance(item, LedgerRow)) == [identity, kept]

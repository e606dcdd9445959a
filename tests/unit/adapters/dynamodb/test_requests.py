"""What a whole pause sends to the table: placeholders only, single lookups only, and nothing left unread.

moto takes expressions that DynamoDB refuses (unused names and values), so they are checked here as they are sent.
"""

import asyncio
import re
from typing import Any

import pytest

from askback.adapters.dynamodb.open_census import DynamoOpenCensus
from askback.adapters.dynamodb.open_list import DynamoPauseDirectory
from askback.domain.errors import StoreUnavailable
from askback.domain.pause.ledger import LedgerRow, PauseStatus, RowChange
from askback.domain.pause.listing import ListPlace, OpenPlace
from askback.domain.ports import PausedState
from tests.support.aws_deployment import AwsDeployment
from tests.support.aws_faults import Calls
from tests.support.aws_stores import Aws
from tests.support.domain_values import an_acceptance, some_legacy_claims
from tests.support.memory_deployment import MESSAGES, NOW, a_binding
from tests.support.waiting_pauses import FUNCTION, TASK

WORDS = {"SET", "ADD", "REMOVE", "AND", "OR", "attribute_exists", "attribute_not_exists", "begins_with"}
EXPRESSIONS = (
    "ConditionExpression",
    "UpdateExpression",
    "FilterExpression",
    "KeyConditionExpression",
    "ProjectionExpression",
)


@pytest.fixture
def calls(aws: Aws) -> Calls:
    """Every call of a mint, its retries, answers and replays, a legacy answer, a sweep's steps and all reads."""
    calls = Calls.of(aws.dynamodb)
    deployment = AwsDeployment(aws)
    minted = deployment.mint(binding=a_binding(checkpoint_id="cp-1"))
    deployment.mint(binding=a_binding(checkpoint_id="cp-1"))
    deployment.resume(minted)
    deployment.resume(minted, attempt_id="attempt-2")
    ledger, checkpoints = aws.ledger(), aws.checkpoints()
    for attempt in ("attempt-1", "attempt-2"):
        asyncio.run(ledger.claim(some_legacy_claims(), an_acceptance(attempt_id=attempt)))
    asyncio.run(ledger.find(minted.claims.jti))
    keyed = {"idempotency_key": "k", "remind_after_seconds": 60}
    waiting = deployment.mint(**keyed, waiter=FUNCTION)
    deployment.mint(**keyed, waiter=TASK)
    deployment.mint(tool_call_id="call_2")
    answer = RowChange(due_at=None, status=PauseStatus.ANSWERED, answer=an_acceptance(by_policy=True))
    for row in asyncio.run(ledger.due(at=NOW + 3600, limit=9)).rows:
        assert isinstance(row, LedgerRow)
        put_off = RowChange(due_at=NOW + 90, clear_reminder=True, attempts=0)
        assert asyncio.run(ledger.advance(row, put_off))
        if row.waiter is None:
            assert asyncio.run(ledger.advance(put_off.applied_to(row), answer))
    deployment.resume(waiting)
    delivered = asyncio.run(ledger.find(waiting.claims.jti))
    assert delivered is not None
    assert not asyncio.run(ledger.redrive(delivered, at=NOW))
    directory = DynamoPauseDirectory(client=aws.dynamodb, table=aws.stores.table)
    for open_only in (None, True, False):
        asyncio.run(directory.of_scope("ab", limit=1, after=None, open_only=open_only))
    for due_before in (None, NOW + 9):
        opened = directory.open_pauses(
            limit=1, after=None, wanted=lambda _: True, expires_before=NOW + 9, due_before=due_before
        )
        asyncio.run(opened)
    census = DynamoOpenCensus(client=aws.dynamodb, table=aws.stores.table)
    asyncio.run(census.take(at=NOW, may_go_on=lambda: True))
    for number in range(3):
        asyncio.run(aws.open_pauses().enter(f"pause-{number}", person="ada", at=NOW + 3600 * number, most=1))
    asyncio.run(aws.open_pauses().leave("pause-2", person="ada"))
    asyncio.run(aws.open_pauses().count("ab", at=NOW, most=1))
    asyncio.run(checkpoints.read(thread_id="acme:eu:sess-1", checkpoint_id="cp-1", key="turn_state:call_Cc03Ask"))
    return calls


def test_every_name_and_value_in_an_expression_is_a_placeholder(calls: Calls) -> None:
    """A-38: `name`, `status`, `ttl` and 570 more are reserved words, which only the service itself refuses for sure."""
    seen = 0
    for _, params in calls.made:
        for kind in EXPRESSIONS:
            bare = re.findall(r"(?<![#:\w])[A-Za-z_]\w*", params.get(kind, ""))
            assert set(bare) <= WORDS
            seen += kind in params
    assert seen > 0
    assert {"PutItem", "UpdateItem", "BatchGetItem", "GetItem", "Query"} == set(calls.operations)


def test_every_placeholder_is_defined_and_every_definition_is_used(calls: Calls) -> None:
    """A-38: DynamoDB refuses an expression that leaves one of its names or values unused."""
    for _, params in calls.made:
        text = " ".join(params.get(kind, "") for kind in EXPRESSIONS)
        assert set(re.findall(r"#\w+", text)) == set(params.get("ExpressionAttributeNames", {}))
        assert set(re.findall(r":\w+", text)) == set(params.get("ExpressionAttributeValues", {}))


def test_a_page_that_goes_on_from_outside_what_is_asked_for_sends_no_such_place(aws: Aws) -> None:
    """DynamoDB refuses a starting key outside the condition on the keys; moto takes it."""
    directory = DynamoPauseDirectory(client=aws.dynamodb, table=aws.stores.table)
    calls = Calls.of(aws.dynamodb)
    opened, ended = (ListPlace(is_open=is_open, issued_at=NOW, jti="a") for is_open in (True, False))
    asyncio.run(directory.of_scope("ab", limit=1, after=ended, open_only=True))
    asyncio.run(directory.of_scope("ab", limit=1, after=opened, open_only=False))
    late = OpenPlace(part=2, due_at=str(NOW + 9), jti="a")
    asyncio.run(
        directory.open_pauses(limit=1, after=late, wanted=lambda _: True, expires_before=NOW, due_before=NOW + 9)
    )
    assert len(calls.made) > 1
    assert not [params for _, params in calls.made if "ExclusiveStartKey" in params]


def test_every_write_states_its_condition_and_asks_for_the_row_in_its_way(calls: Calls) -> None:
    writes = [params for operation, params in calls.made if operation in ("PutItem", "UpdateItem")]
    assert all("ConditionExpression" in params for params in writes)
    ledger = [params for params in writes if (params.get("Key") or params["Item"])["sk"] == {"S": "pause"}]
    assert len(ledger) == 16
    assert {params["ReturnValuesOnConditionCheckFailure"] for params in ledger} == {"ALL_OLD"}


def test_a_claim_never_creates_a_row(calls: Calls) -> None:
    """A-37: every update is held to a row that exists: by its key, or by the status that it was seen with."""
    updates = [params for operation, params in calls.made if operation == "UpdateItem"]
    updates = [params for params in updates if params["Key"]["sk"] == {"S": "pause"}]
    assert len(updates) == 9
    for params in updates:
        condition, names = params["ConditionExpression"], params["ExpressionAttributeNames"]
        if "attribute_exists(#pk)" in condition:
            assert names["#pk"] == "pk"
        else:
            assert condition.startswith("#status = :seen_status AND ") or condition == "#status = :undeliverable"
            assert names["#status"] == "status"


def test_every_read_is_consistent(calls: Calls) -> None:
    reads = [params for operation, params in calls.made if operation == "GetItem"]
    reads += [
        keys
        for operation, params in calls.made
        if operation == "BatchGetItem"
        for keys in params["RequestItems"].values()
    ]
    assert len(reads) == 9
    assert all(read["ConsistentRead"] for read in reads)


def test_one_pause_among_many_of_its_thread_is_found_by_its_keys(aws: Aws) -> None:
    """A-14: nothing is ever looked up through a page that might be followed by another."""
    deployment = AwsDeployment(aws)
    size = 100_000
    minted = [
        deployment.mint(
            binding=a_binding(checkpoint_id="cp-1"),
            tool_call_id=f"call_{number}",
            messages=(*MESSAGES, {"role": "tool", "content": str(number % 10) * size}),
        )
        for number in range(30)
    ]
    calls = Calls.of(aws.dynamodb)
    outcome = deployment.resume(minted[27])
    assert outcome.tool_call_id == "call_27"
    assert outcome.turn is not None
    assert outcome.turn.messages[-1]["content"] == "7" * size
    assert calls.operations == ["BatchGetItem", "UpdateItem"]


def leave_unread(aws: Aws, *, keep: int, rounds: int) -> None:
    """Let the table answer only the first `keep` keys of the next batches, as a throttled one does."""
    left = iter(range(rounds))

    def throttle(parsed: dict[str, Any], **_: Any) -> None:
        if next(left, None) is None:
            return
        items = parsed["Responses"][aws.stores.table]
        unread = [{"pk": item["pk"], "sk": item["sk"]} for item in items[keep:]]
        del items[keep:]
        parsed["UnprocessedKeys"] = {aws.stores.table: {"Keys": unread, "ConsistentRead": True}}

    aws.dynamodb.meta.events.register("after-call.dynamodb.BatchGetItem", throttle)


def read_state(aws: Aws, deployment: AwsDeployment) -> PausedState:
    minted = deployment.mint(at=NOW)
    return asyncio.run(aws.states().read(minted.claims))


@pytest.mark.parametrize(("keep", "rounds"), [(2, 1), (1, 1), (0, 1), (1, 2), (0, 2)])
def test_keys_that_were_left_unread_are_asked_for_again(aws: Aws, keep: int, rounds: int) -> None:
    """A-14: what a batch left out is not absent."""
    calls = Calls.of(aws.dynamodb)
    leave_unread(aws, keep=keep, rounds=rounds)
    state = read_state(aws, AwsDeployment(aws))
    assert state.request is not None
    assert state.turn is not None
    assert state.row is not None
    asked = [params["RequestItems"][aws.stores.table]["Keys"] for name, params in calls.made if name == "BatchGetItem"]
    assert [len(keys) for keys in asked] == [max(3 - keep * done, 0) for done in range(rounds + 1)]


def test_keys_that_stay_unread_are_not_absent_but_unavailable(aws: Aws) -> None:
    """A-14: the caller is told to come back, not that its pause is gone; and nothing is asked for ever."""
    calls = Calls.of(aws.dynamodb)
    leave_unread(aws, keep=0, rounds=100)
    with pytest.raises(StoreUnavailable):
        read_state(aws, AwsDeployment(aws))
    assert calls.operations.count("BatchGetItem") == 3

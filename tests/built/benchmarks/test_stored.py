"""What an invocation's requests read and wrote, by DynamoDB's rules."""

from typing import Any

import pytest

from tests.built.benchmarks.calls import Call
from tests.built.benchmarks.stored import units_written
from tests.support.write_units import Index, Item, page_read_units

DUE = Index(name="due", keys=("due_at",), carried=frozenset({"pk", "sk", "due_at"}))
KEY = ("p", "s")


def an_item(**attributes: str) -> Item:
    return {"pk": {"S": "p"}, "sk": {"S": "s"}, **{name: {"S": value} for name, value in attributes.items()}}


def a_call(operation: str, request: dict[str, Any], response: dict[str, Any] | None = None) -> Call:
    return Call(operation=f"dynamodb.{operation}", start=0, end=1, request=request, response=response or {})


def an_update(after: Item | None) -> Call:
    return a_call(
        "UpdateItem",
        {"Key": {"pk": {"S": "p"}, "sk": {"S": "s"}}, "ReturnValues": "ALL_NEW"},
        None if after is None else {"Attributes": after},
    )


class TestWrites:
    def test_an_item_written_twice_is_priced_at_each_step(self) -> None:
        issued, claimed, delivered = an_item(due_at="1"), an_item(due_at="2", a="x" * 2000), an_item(a="x" * 2000)
        calls = [an_update(claimed), an_update(delivered)]
        assert units_written(calls, {KEY: issued}, {KEY: delivered}, [DUE]) == {"table": 4, "due": 3}

    def test_a_put_tells_what_it_wrote(self) -> None:
        put, ended = an_item(due_at="1"), an_item()
        calls = [a_call("PutItem", {"Item": put}), an_update(ended)]
        assert units_written(calls, {}, {KEY: ended}, [DUE]) == {"table": 2, "due": 2}

    def test_a_last_write_is_priced_by_what_the_table_holds(self) -> None:
        assert units_written([an_update(None)], {KEY: an_item()}, {KEY: an_item(due_at="1")}, [DUE])["due"] == 1

    def test_a_write_whose_outcome_nobody_told_is_refused(self) -> None:
        with pytest.raises(RuntimeError, match="UpdateItem"):
            units_written([an_update(None), an_update(an_item())], {KEY: an_item()}, {KEY: an_item()}, [DUE])

    def test_reads_write_nothing(self) -> None:
        assert units_written([a_call("Query", {}, {"Items": []})], {}, {}, [DUE]) == {"table": 0, "due": 0}


class TestReads:
    @pytest.mark.parametrize(("lengths", "units"), [([], 0.5), ([100], 0.5), ([2000, 2000], 0.5), ([2000] * 3, 1.0)])
    def test_a_page_of_an_index_costs_half_a_unit_for_each_started_4_kib(
        self, lengths: list[int], units: float
    ) -> None:
        assert page_read_units([an_item(a="x" * length) for length in lengths]) == units

    def test_a_query_reads_what_it_returns(self) -> None:
        query = a_call("Query", {}, {"Items": [an_item(), an_item()]})
        assert (query.items_read, query.read_units()) == (2, 0.5)

    @pytest.mark.parametrize("over", [{"ConsistentRead": True}, {"FilterExpression": "a = b"}])
    def test_a_query_that_is_charged_otherwise_is_refused(self, over: dict[str, Any]) -> None:
        with pytest.raises(ValueError, match="without a filter"):
            a_call("Query", over, {"Items": []}).read_units()

    def test_a_batch_costs_a_unit_for_each_started_4_kib_and_for_each_missing_item(self) -> None:
        asked = {"t": {"Keys": [{}, {}, {}], "ConsistentRead": True}}
        batch = a_call("BatchGetItem", {"RequestItems": asked}, {"Responses": {"t": [an_item(a="x" * 5000)]}})
        assert (batch.items_read, batch.read_units()) == (1, 4)

    def test_an_eventually_consistent_batch_is_refused(self) -> None:
        asked: dict[str, Any] = {"RequestItems": {"t": {"Keys": [{}]}}}
        with pytest.raises(ValueError, match="strongly"):
            a_call("BatchGetItem", asked, {"Responses": {"t": []}}).read_units()

    def test_a_write_reads_nothing(self) -> None:
        assert (an_update(an_item()).items_read, an_update(an_item()).read_units()) == (0, 0)

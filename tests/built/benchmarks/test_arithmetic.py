"""The benchmark's own arithmetic; the measurements themselves are never part of a test run."""

import json
import zlib
from pathlib import Path

import pytest

from tests.built.benchmarks import layer_size
from tests.built.benchmarks.calls import Call, sequential_round_trips
from tests.built.benchmarks.pseudo_text import transcript
from tests.built.benchmarks.report import Row, broken, render
from tests.support.write_units import Index, Item, indexes_of, item_size, read_units, write_units

DUE = Index(name="due", keys=("due_shard", "due_at"), carried=frozenset({"pk", "due_shard", "due_at"}))
ALL = Index(name="all", keys=("group",), carried=None)


def an_item(**attributes: str) -> Item:
    return {"pk": {"S": "p"}, **{name: {"S": value} for name, value in attributes.items()}}


def a_call(start: float, end: float) -> Call:
    return Call(operation="dynamodb.PutItem", start=start, end=end, request={}, response={})


class TestItemSize:
    @pytest.mark.parametrize(
        ("value", "size"),
        [
            ({"S": "aé"}, 3),
            ({"B": b"abc"}, 3),
            ({"B": "YWJj"}, 3),
            ({"BOOL": True}, 1),
            ({"NULL": True}, 1),
            ({"N": "0"}, 2),
            ({"N": "7"}, 2),
            ({"N": "1790000000"}, 3),
            ({"N": "1790003600"}, 5),
            ({"N": "-12"}, 3),
            ({"L": []}, 3),
            ({"L": [{"S": "ab"}]}, 6),
            ({"M": {"k": {"S": "ab"}}}, 7),
        ],
    )
    def test_each_type_has_the_size_the_guide_gives_it(self, value: dict[str, object], size: int) -> None:
        assert item_size({"name": value}) == len("name") + size

    def test_a_type_without_a_known_size_is_refused(self) -> None:
        with pytest.raises(ValueError, match="SS"):
            item_size({"name": {"SS": ["a"]}})


class TestWriteUnits:
    @pytest.mark.parametrize(("length", "units"), [(1, 1), (1019, 1), (1020, 2), (2043, 2), (2044, 3)])
    def test_every_started_kib_is_one_unit(self, length: int, units: int) -> None:
        assert write_units(None, an_item(ab="x" * length), []) == {"table": units}

    def test_the_larger_of_the_old_and_the_new_item_counts(self) -> None:
        assert write_units(an_item(ab="x" * 3000), an_item(ab="x"), [])["table"] == 3

    def test_an_item_without_the_keys_has_no_entry(self) -> None:
        assert write_units(None, an_item(due_shard="1"), [DUE])["due"] == 0

    def test_a_new_entry_is_one_put(self) -> None:
        assert write_units(None, an_item(due_shard="1", due_at="2"), [DUE])["due"] == 1

    def test_an_entry_that_goes_is_one_delete(self) -> None:
        assert write_units(an_item(due_shard="1", due_at="2"), an_item(), [DUE])["due"] == 1

    def test_a_changed_index_key_is_a_delete_and_a_put(self) -> None:
        before, after = an_item(due_shard="1", due_at="2"), an_item(due_shard="1", due_at="3")
        assert write_units(before, after, [DUE])["due"] == 2

    def test_a_change_that_the_index_does_not_carry_is_free(self) -> None:
        before, after = an_item(due_shard="1", due_at="2"), an_item(due_shard="1", due_at="2", status="answered")
        assert write_units(before, after, [DUE])["due"] == 0

    def test_a_change_of_what_the_index_carries_is_one_write_of_the_larger_entry(self) -> None:
        before, after = an_item(group="g", text="x" * 2000), an_item(group="g", text="x")
        assert write_units(before, after, [ALL])["all"] == 2

    def test_a_read_is_charged_by_four_kib_and_at_least_once(self) -> None:
        assert [read_units(None), read_units(an_item(ab="x" * 4091)), read_units(an_item(ab="x" * 4092))] == [1, 1, 2]

    def test_indexes_are_read_from_the_tables_description(self) -> None:
        key = {"AttributeName": "pk", "KeyType": "HASH"}
        index = {
            "IndexName": "scope",
            "KeySchema": [{"AttributeName": "scope_hash", "KeyType": "HASH"}],
            "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["status"]},
        }
        assert indexes_of({"KeySchema": [key], "GlobalSecondaryIndexes": [index]}) == (
            Index(name="scope", keys=("scope_hash",), carried=frozenset({"pk", "scope_hash", "status"})),
        )


class TestSequentialRoundTrips:
    @pytest.mark.parametrize(
        ("spans", "trips"),
        [
            ([], 0),
            ([(0, 1)], 1),
            ([(0, 1), (0.1, 1.1)], 1),
            ([(0, 1), (0.1, 1.1), (1.2, 2)], 2),
            ([(0, 1), (1, 2), (2, 3)], 3),
            ([(0, 9), (1, 2), (3, 4)], 2),
            ([(3, 4), (1, 2), (0, 9)], 2),
        ],
    )
    def test_only_calls_that_do_not_overlap_add_up(self, spans: list[tuple[float, float]], trips: int) -> None:
        assert sequential_round_trips([a_call(start, end) for start, end in spans]) == trips


class TestTranscript:
    @pytest.mark.parametrize("size", [2048, 4096, 30_720])
    def test_a_transcript_has_the_size_asked_for_and_is_the_same_each_time(self, size: int) -> None:
        text = json.dumps(transcript(size), separators=(",", ":"))
        assert len(text) == size
        assert text == json.dumps(transcript(size), separators=(",", ":"))

    def test_a_transcript_compresses_like_prose_and_not_like_a_repeated_word(self) -> None:
        text = json.dumps(transcript(30_720)).encode()
        assert 2 < len(text) / len(zlib.compress(text)) < 4


class TestReport:
    def test_a_number_is_judged_by_its_ratio_where_there_is_one(self) -> None:
        kept = Row(group="g", what="kept", value=11, unit="", against=37, recorded=True, budget=1 / 3)
        over = Row(group="g", what="over", value=13, unit="", against=37, recorded=True, budget=1 / 3)
        told = Row(group="g", what="told", value=99, unit="")
        assert broken([kept, over, told]) == [over]

    def test_the_table_marks_recorded_figures_and_broken_budgets(self) -> None:
        row = Row(group="g", what="over", value=13, unit="", against=37, recorded=True, budget=1 / 3)
        assert render([row]).splitlines()[-1].split() == ["over", "13", "37*", "0.35", "<=", "0.33", "OVER"]


def test_the_size_of_a_package_includes_its_byte_code_and_metadata(tmp_path: Path) -> None:
    files = ("jwt/api.py", "jwt/__pycache__/api.cpython-313.pyc", "pyjwt-2.dist-info/WHEEL", "six.py")
    for name in (*files, "__pycache__/six.cpython-313.pyc"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"12345")
    sizes = layer_size.bytes_by_package(tmp_path)
    assert sizes == {"jwt": 10, "pyjwt": 5, "six": 10}
    assert layer_size.without_runtime(sizes) == 15

"""What every checkpoint port promises: in memory, on DynamoDB and S3, and over any LangGraph saver."""

import asyncio
import hashlib
import itertools
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from askback.domain.errors import PauseConflict
from askback.domain.ports import CheckpointPort
from askback.langgraph.saver_checkpoints import LangGraphCheckpoints
from askback.testing.memory_ports import InMemoryCheckpoints
from tests.support.aws_stores import INLINE_LIMIT, RETENTION_SECONDS, Aws, Stores
from tests.support.domain_values import incompressible
from tests.support.memory_deployment import NOW
from tests.support.memory_saver import InMemorySaver

NUMBERS = itertools.count(1)
PLACE = ("acme:eu:sess-1", "cp-1", "ask_user_request:call_1")

# Few and awkward signs, so that separators meet each other where ids do.
IDS = st.text(alphabet='ab#:/.\n\\"1é', min_size=1, max_size=6)
PLACES = st.tuples(IDS, IDS, IDS)
SCOPES = ("", hashlib.sha256(b"acme").hexdigest(), hashlib.sha256(b"globex").hexdigest())


TEXTS = {
    "empty": "",
    "one sign": "x",
    "object": '{"a":1.0,"b":null}',
    "escaped half of a surrogate pair": '{"content":"\\ud83d"}',
    "whole pair as one sign": '{"content":"😀"}',
    "decomposed and composed": "e\u0301 é",
    "NUL and line ends": "a\x00b\r\nc\n",
    "compresses well": "a" * 1_000_000,
    "at the inline limit": incompressible(INLINE_LIMIT),
    "over the inline limit": incompressible(4 * INLINE_LIMIT),
    "two megabytes": incompressible(2_000_000),
}


class OpensCheckpoints:
    """What a store promises that keeps turns itself."""

    def test_a_turn_that_is_to_be_kept_opens_a_checkpoint_of_its_own(self, port: CheckpointPort) -> None:
        opened = [asyncio.run(port.checkpoint_for("thread", has_turn=True)) for _ in range(3)]
        assert None not in opened
        assert len(set(opened)) == 3

    def test_without_a_turn_there_is_no_checkpoint_to_bind_to(self, port: CheckpointPort) -> None:
        assert asyncio.run(port.checkpoint_for("thread", has_turn=False)) is None


class NamesTheLatest:
    """What a saver promises, whose checkpoints a graph saves."""

    @pytest.mark.parametrize("has_turn", [False, True])
    def test_a_pause_binds_to_the_latest_checkpoint_of_its_thread(self, port: CheckpointPort, has_turn: bool) -> None:
        write(port, ("thread", "checkpoint-1", "key"), "text")
        write(port, ("thread", "checkpoint-2", "key"), "text")
        write(port, ("another", "checkpoint-3", "key"), "text")
        assert asyncio.run(port.checkpoint_for("thread", has_turn=has_turn)) == "checkpoint-2"

    def test_a_thread_without_a_checkpoint_has_none_to_bind_to(self, port: CheckpointPort) -> None:
        assert asyncio.run(port.checkpoint_for("thread", has_turn=True)) is None


class CheckpointContract:
    """Subclasses say which port."""

    @pytest.fixture
    def port(self) -> CheckpointPort:
        raise NotImplementedError

    def test_nothing_is_found_where_nothing_was_written(self, port: CheckpointPort) -> None:
        assert read(port, PLACE) is None

    @pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
    def test_a_text_comes_back_as_it_was_written(self, port: CheckpointPort, text: str) -> None:
        write(port, PLACE, text)
        assert read(port, PLACE) == text

    @pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
    def test_the_same_text_again_is_fine(self, port: CheckpointPort, text: str) -> None:
        write(port, PLACE, text)
        write(port, PLACE, text, expires_at=NOW + 5)
        assert read(port, PLACE) == text

    @pytest.mark.parametrize(
        ("first", "second"),
        [
            ('{"a":1.0}', '{"a":1}'),
            ('{"a":1}', '{"a": 1}'),
            ("é", "e\u0301"),
            ("", " "),
            (TEXTS["two megabytes"], TEXTS["two megabytes"] + "x"),
            ("small", TEXTS["over the inline limit"]),
            (TEXTS["over the inline limit"], "small"),
        ],
        ids=["number", "spacing", "normal form", "empty", "large", "small then large", "large then small"],
    )
    def test_another_text_is_refused_and_the_first_stays(self, port: CheckpointPort, first: str, second: str) -> None:
        write(port, PLACE, first)
        with pytest.raises(PauseConflict):
            write(port, PLACE, second)
        assert read(port, PLACE) == first

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            (("a#b", "c", "k"), ("a", "b#c", "k")),
            (("a#", "c", "k"), ("a", "#c", "k")),
            (("1#a", "c", "k"), ("1", "a#c", "k")),
            (("a", "b", "c:d"), ("a", "b:c", "d")),
            (("é", "c", "k"), ("e\u0301", "c", "k")),
            (("acme:eu", "x", "k"), ("acme", "eu:x", "k")),
            (("t", "c", "ask_user_request:1"), ("t", "c", "turn_state:1")),
            (("pause", "c", "pause"), ("pause#c", "c", "pause")),
        ],
    )
    @pytest.mark.parametrize("size", [10, 4 * INLINE_LIMIT], ids=["inline", "in the bucket"])
    def test_places_that_read_alike_when_joined_stay_apart(
        self, port: CheckpointPort, one: tuple[str, str, str], other: tuple[str, str, str], size: int
    ) -> None:
        """A-57: ids may contain whatever separates them."""
        write(port, one, "1" + incompressible(size))
        write(port, other, "2" + incompressible(size))
        assert read(port, one) == "1" + incompressible(size)
        assert read(port, other) == "2" + incompressible(size)


class KeepsScopesApart:
    """What a store promises whose places callers of every scope may choose."""

    @pytest.mark.parametrize("size", [10, 4 * INLINE_LIMIT], ids=["inline", "in the bucket"])
    def test_one_place_of_two_scopes_and_of_none_has_three_texts(self, port: CheckpointPort, size: int) -> None:
        for scope in SCOPES:
            write(port, PLACE, f"{scope} " + incompressible(size), scope_hash=scope)
        assert [read(port, PLACE, scope_hash=scope) for scope in SCOPES] == [
            f"{scope} " + incompressible(size) for scope in SCOPES
        ]

    def test_ids_that_spell_the_place_of_another_scope_stay_apart(self, port: CheckpointPort) -> None:
        scope = SCOPES[1]
        write(port, ("t", "c", "k"), "own", scope_hash=scope)
        for place in [(f"{scope}#1#t", "c", "k"), ("1#t", "c", "k"), ("t", "c", "k")]:
            assert read(port, place) is None
            write(port, place, "another")
        assert read(port, ("t", "c", "k"), scope_hash=scope) == "own"


class TestInMemoryCheckpoints(CheckpointContract, OpensCheckpoints, KeepsScopesApart):
    @pytest.fixture
    def port(self) -> InMemoryCheckpoints:
        return InMemoryCheckpoints()


class TestDynamoCheckpoints(CheckpointContract, OpensCheckpoints, KeepsScopesApart):
    @pytest.fixture
    def port(self, aws: Aws) -> CheckpointPort:
        return aws.checkpoints()

    def test_a_record_outlives_its_pause_by_the_retention(self, port: CheckpointPort, aws: Aws) -> None:
        write(port, PLACE, "text", expires_at=NOW)
        (item,) = aws.items()
        assert item["ttl"] == {"N": str(NOW + RETENTION_SECONDS)}

    def test_the_same_text_for_a_shorter_time_leaves_the_record_as_it_is(self, port: CheckpointPort, aws: Aws) -> None:
        """Another program could else let a record end before its pause, by a repetition that is refused later."""
        text = incompressible(4 * INLINE_LIMIT)
        write(port, PLACE, text, expires_at=NOW + 9999)
        before = aws.items()
        write(port, PLACE, text, expires_at=NOW + 30)
        assert aws.items() == before
        write(port, PLACE, text, expires_at=NOW + 99_999)
        (item,) = aws.items()
        assert item["ttl"] == {"N": str(NOW + 99_999 + RETENTION_SECONDS)}
        assert read(port, PLACE) == text


class SavedFirst(LangGraphCheckpoints):
    """Writes at checkpoints that were saved before, as a graph saves its own."""

    def __init__(self, saver: InMemorySaver) -> None:
        super().__init__(saver)
        self._graph = saver

    async def write(self, **write: Any) -> None:
        self._graph.save(write["thread_id"], write["checkpoint_id"])
        await super().write(**write)


@pytest.mark.parametrize("replaces", [False, True], ids=["keeps the first", "replaces"])
class TestSaver(CheckpointContract, NamesTheLatest):
    @pytest.fixture
    def port(self, replaces: bool) -> CheckpointPort:
        return SavedFirst(InMemorySaver(replaces=replaces))


@pytest.mark.agents
class TestSqliteSaver(CheckpointContract, NamesTheLatest):
    @pytest.fixture
    def port(self, tmp_path: Path) -> CheckpointPort:
        from tests.support.real_savers import ReopenedCheckpoints

        return ReopenedCheckpoints(f"sqlite:{tmp_path / 'checkpoints.db'}")


@pytest.mark.agents
class TestDynamoSaver(CheckpointContract, NamesTheLatest):
    @pytest.fixture
    def port(self, stores: Stores) -> CheckpointPort:
        from tests.support.real_savers import ReopenedCheckpoints, created_dynamodb

        return ReopenedCheckpoints(created_dynamodb(f"saver-{next(NUMBERS)}"))


def test_any_two_places_keep_their_own_texts(stores: Stores) -> None:
    """A-57: no choice of ids makes one pause's record another's, in one scope, in two, and in none."""
    port = Aws(stores=stores).checkpoints()

    @settings(max_examples=150, deadline=None, derandomize=True)
    @given(st.sets(st.tuples(PLACES, st.sampled_from(SCOPES)), min_size=2, max_size=4))
    def each_place_keeps_its_own(places: set[tuple[tuple[str, str, str], str]]) -> None:
        for place, scope in places:
            write(port, place, repr((place, scope)), scope_hash=scope)
        assert {read(port, place, scope_hash=scope) for place, scope in places} == set(map(repr, places))

    each_place_keeps_its_own()


def write(
    port: CheckpointPort,
    place: tuple[str, str, str],
    text: str,
    *,
    expires_at: int = NOW + 3600,
    scope_hash: str = "",
) -> None:
    thread_id, checkpoint_id, key = place
    written = {"thread_id": thread_id, "checkpoint_id": checkpoint_id, "key": key, "scope_hash": scope_hash}
    asyncio.run(port.write(**written, text=text, expires_at=expires_at))


def read(port: CheckpointPort, place: tuple[str, str, str], *, scope_hash: str = "") -> str | None:
    async def text() -> str | None:
        thread_id, checkpoint_id, key = place
        found = await port.read(thread_id=thread_id, checkpoint_id=checkpoint_id, key=key, scope_hash=scope_hash)
        return None if found is None else await found.read()

    return asyncio.run(text())

"""The port over savers that fail, that say more than was asked, and that the legacy engine wrote into."""

import asyncio
from typing import Any

import pytest

from askback.domain.errors import InteractionConfigurationError, PauseConflict, StoreUnavailable
from askback.langgraph.saver_checkpoints import LangGraphCheckpoints
from tests.support.memory_saver import InMemorySaver

PLACE = {"thread_id": "acme:eu:sess-1", "checkpoint_id": "cp-1", "key": "interrupt_payload:i-000000000001"}


@pytest.fixture
def saver() -> InMemorySaver:
    saver = InMemorySaver()
    saver.save("acme:eu:sess-1", "cp-1")
    return saver


def write(saver: InMemorySaver, text: str, **over: str) -> None:
    asyncio.run(LangGraphCheckpoints(saver).write(**{**PLACE, **over}, text=text, expires_at=0))


def read(saver: InMemorySaver) -> str | None:
    async def text() -> str | None:
        found = await LangGraphCheckpoints(saver).read(**PLACE)
        return None if found is None else await found.read()

    return asyncio.run(text())


def file(saver: InMemorySaver, task_id: str, value: Any) -> None:
    """File a write as somebody else does."""
    where = {"thread_id": PLACE["thread_id"], "checkpoint_id": PLACE["checkpoint_id"], "checkpoint_ns": ""}
    asyncio.run(saver.aput_writes({"configurable": where}, [(PLACE["key"], value)], task_id))


def test_a_checkpoint_that_the_saver_has_not_takes_no_text(saver: InMemorySaver) -> None:
    with pytest.raises(StoreUnavailable):
        write(saver, "text", checkpoint_id="cp-2")


def test_a_write_that_the_saver_dropped_is_not_called_written(saver: InMemorySaver) -> None:
    saver.drops = True
    with pytest.raises(StoreUnavailable):
        write(saver, "text")


def test_two_records_of_one_task_are_both_kept(saver: InMemorySaver) -> None:
    """A saver keeps one first write for each task, so the records must not share theirs."""
    write(saver, "first", task_id="run-1")
    write(saver, "second", task_id="run-1", key="another key")
    assert read(saver) == "first"


@pytest.mark.parametrize("method", [read, lambda saver: write(saver, "text")], ids=["read", "write"])
def test_what_a_driver_raises_is_an_unavailable_store_and_says_only_what_it_was(
    saver: InMemorySaver, method: Any
) -> None:
    saver.raises = OSError("could not write 'my secret payload'")
    with pytest.raises(StoreUnavailable) as refused:
        method(saver)
    assert refused.value.reason == "the saver raised OSError"


def test_a_saver_without_asynchronous_methods_is_told_apart(saver: InMemorySaver) -> None:
    saver.raises = NotImplementedError()
    with pytest.raises(InteractionConfigurationError) as refused:
        read(saver)
    assert "asynchronous" in refused.value.reason


def test_what_the_legacy_engine_filed_under_its_run_is_found(saver: InMemorySaver) -> None:
    file(saver, "run-1", '{"b": 1, "a": 2}')
    assert read(saver) == '{"b": 1, "a": 2}'


def test_what_the_legacy_engine_filed_is_not_written_over(saver: InMemorySaver) -> None:
    file(saver, "run-1", "theirs")
    with pytest.raises(PauseConflict):
        write(saver, "ours")
    assert read(saver) == "theirs"


def test_a_saver_that_parsed_what_it_was_given_gets_text_made_of_it(saver: InMemorySaver) -> None:
    file(saver, "run-1", {"amount": 1.0, "note": None})
    assert read(saver) == '{"amount": 1.0, "note": null}'


def test_a_record_that_is_no_text_at_all_cannot_be_read(saver: InMemorySaver) -> None:
    file(saver, "run-1", object())
    with pytest.raises(ValueError, match="not JSON"):
        read(saver)
    with pytest.raises(PauseConflict):
        write(saver, "ours")


def test_writes_of_another_place_that_a_saver_shows_too_are_not_taken(saver: InMemorySaver) -> None:
    """A-57: a saver that joins ids without escaping them shows the writes of `a#`, `c` to `a`, `#c`."""
    saver.save("another", "cp-1")
    write(saver, "another's", thread_id="another")
    saver.writes[PLACE["thread_id"], PLACE["checkpoint_id"]] = saver.writes["another", "cp-1"]
    assert read(saver) is None
    write(saver, "ours")
    assert read(saver) == "ours"

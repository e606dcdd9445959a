"""What is exported of a saver: the recorded texts as they stand, and the engine's interrupts where it recorded none."""

import asyncio
import json
from typing import Any

from askback.cutover.saver_export import Exported, exported
from tests.support.listed_saver import ListedSaver, a_checkpoint, asking, interrupt

ASKED = '{"questions":[{"question":"Sure?"}]}'


def _export(*checkpoints: Any, threads: list[str] | None = None, not_before: int = 0) -> list[Exported]:
    async def collected() -> list[Exported]:
        saver = ListedSaver(checkpoints)
        return [found async for found in exported(saver, thread_ids=threads, not_before=not_before)]

    return asyncio.run(collected())


def _places(*checkpoints: Any, **options: Any) -> set[tuple[str, str, str]]:
    return {
        (request.checkpoint_id, request.key, request.text)
        for found in _export(*checkpoints, **options)
        for request in found.requests
    }


def test_a_recorded_text_is_exported_as_it_stands() -> None:
    text = '{"b": 1.0,  "a": "é"}'
    found = _places(a_checkpoint("c-1", ("interrupt_payload:i-1", text), ("messages", "SECRET")))
    assert found == {("c-1", "interrupt_payload:i-1", text)}


def test_one_that_the_saver_has_parsed_is_json_again() -> None:
    found = _places(a_checkpoint("c-1", ("ask_user_request:call_1", {"questions": []})))
    assert found == {("c-1", "ask_user_request:call_1", '{"questions": []}')}


def test_where_none_is_recorded_the_interrupt_is_written_down_for_every_checkpoint_of_its_run() -> None:
    """Its token is bound to the latest that was saved by then, which may be the last of the run before."""
    run = (
        a_checkpoint("c-5", asking("call_1"), parent="c-4"),
        a_checkpoint("c-4", parent="c-3"),
        a_checkpoint("c-3", parent="c-2", source="input"),
        a_checkpoint("c-2", parent="c-1"),
        a_checkpoint("c-1", source="input"),
    )
    expected = {(f"c-{number}", "ask_user_request:call_1", ASKED) for number in (5, 4, 3, 2)}
    assert _places(*run) == expected


def test_a_run_that_was_resumed_begins_where_it_had_paused() -> None:
    run = (
        a_checkpoint("c-4", asking("call_2"), parent="c-3"),
        a_checkpoint("c-3", parent="c-2"),
        a_checkpoint("c-2", asking("call_1"), parent="c-1"),
        a_checkpoint("c-1", source="input"),
    )
    of_second = {place for place, key, _ in _places(*run) if key == "ask_user_request:call_2"}
    assert of_second == {"c-4", "c-3", "c-2"}


def test_what_is_recorded_goes_before_what_can_be_rebuilt() -> None:
    recorded = ("ask_user_request:call_1", '{"questions":[]}')
    found = _places(a_checkpoint("c-2", asking("call_1"), parent="c-1"), a_checkpoint("c-1", recorded))
    assert found == {("c-1", *recorded)}


def test_a_named_interrupt_is_written_as_the_engine_writes_it() -> None:
    value = {"type": "interrupt", "name": "approval", "interrupt_id": "i-1", "payload": {"b": "é", "a": 1.0}}
    ((_, key, text),) = _places(a_checkpoint("c-1", interrupt(value)))
    assert (key, text) == ("interrupt_payload:i-1", json.dumps(value["payload"]))


def test_interrupts_that_are_not_the_engines_are_left_alone() -> None:
    others: list[object] = [
        "Sure?",
        {"type": "ask_user", "tool_call_id": "", "request": {}},
        {"type": "ask_user", "tool_call_id": "call_1", "request": "Sure?"},
        {"type": "interrupt", "interrupt_id": None, "payload": {}},
        {"question": "Sure?"},
    ]
    assert _places(*(a_checkpoint(f"c-{n}", interrupt(value)) for n, value in enumerate(others))) == set()


def test_checkpoints_of_subgraphs_and_of_long_ago_are_left_out() -> None:
    recorded = ("ask_user_request:call_1", '{"questions":[]}')
    checkpoints = (
        a_checkpoint("c-1", recorded, ns="sub"),
        a_checkpoint("c-2", recorded, ts="2026-09-21T14:13:19+00:00"),
        a_checkpoint("c-3", recorded, ts="2026-09-21T14:13:20+00:00"),
        a_checkpoint("c-4", recorded),
    )
    assert {place for place, _, _ in _places(*checkpoints, not_before=1_790_000_000)} == {"c-3", "c-4"}


def test_of_two_texts_under_one_key_the_first_is_exported_and_the_other_counted() -> None:
    first, second = (("ask_user_request:call_1", text) for text in ('{"questions":[1]}', '{"questions":[2]}'))
    (found,) = _export(a_checkpoint("c-1", first, second, first))
    assert ([request.text for request in found.requests], found.others) == ([first[1]], 1)


def test_threads_are_listed_one_by_one_where_they_are_named() -> None:
    recorded = ("ask_user_request:call_1", '{"questions":[]}')
    checkpoints = [a_checkpoint("c-1", recorded, thread=thread) for thread in ("a", "b", "c")]
    found = _export(*checkpoints, threads=["c", "a", "unknown"])
    assert [one.requests[0].thread_id for one in found] == ["c", "a"]

"""Answers that continue a real graph with exactly their value, each at its own interrupt."""

from dataclasses import replace
from typing import Any

import pytest
from langgraph.graph import START, StateGraph
from langgraph.types import Command

from askback.domain.errors import (
    AnswerInvalid,
    InterruptNotOpen,
    InvalidRequest,
    NotAnswered,
    PauseExpired,
    PauseRevoked,
    PayloadMissing,
    TurnMissing,
)
from askback.domain.pause.quorum import Quorum
from askback.edge.answer import resume_reply
from askback.langgraph.continuing import resume_command, thread_config
from tests.built.agents.langgraph.graphs import State, asking, left_and_right, side_by_side
from tests.built.agents.langgraph.scenes import Scene, played
from tests.support.domain_values import an_issued_row

FALSY = [
    ("acknowledge", {}),
    ("yes_no", False),
    ("number", 0),
    ("free_text", ""),
    ("some", []),
    ("perhaps", None),
    ("anything", {}),
    ("anything", {"a" * 32: "b", "c" * 32: None}),
]
LOOKS_LIKE = ["no field", "false", "zero", "no text", "empty list", "null", "empty object", "keys like interrupt ids"]


@pytest.mark.parametrize(("name", "response"), FALSY, ids=LOOKS_LIKE)
def test_an_answer_continues_the_graph_with_exactly_the_value_given(where: str, name: str, response: Any) -> None:
    """A-04: an answer without content is an answer."""

    async def story(scene: Scene) -> Any:
        minted = await scene.mint_all()
        return await scene.go_on(await scene.answer(minted["Well?"], response))

    ((_, got),) = played(where, side_by_side(only=asking("only", name, "Well?")), story)
    assert repr(got) == repr(response)


def test_an_answer_that_looks_like_the_id_of_its_own_interrupt_is_an_answer_all_the_same(where: str) -> None:
    async def story(scene: Scene) -> Any:
        (interrupt,) = await scene.open()
        response = {interrupt.id: "not a map of answers"}
        return response, await scene.go_on(await scene.answer(await scene.mint(interrupt), response))

    response, got = played(where, side_by_side(only=asking("only", "anything", "Well?")), story)
    assert got == [["only", response]]


def test_null_is_refused_where_the_schema_has_no_null(where: str) -> None:
    """A-04: and the token redeems afterwards."""

    async def story(scene: Scene) -> Any:
        minted = await scene.mint_all()
        with pytest.raises(AnswerInvalid):
            await scene.answer(minted["Well?"], None)
        return await scene.go_on(await scene.answer(minted["Well?"], False))

    assert played(where, side_by_side(only=asking("only", "yes_no", "Well?")), story) == [["only", False]]


def test_a_chat_message_in_place_of_an_answer_is_refused_and_keeps_the_token(where: str) -> None:
    """A-07: the refusal names what was expected."""

    async def story(scene: Scene) -> Any:
        minted = await scene.mint_all()
        with pytest.raises(AnswerInvalid) as refused:
            await scene.answer(minted["Go on?"], "wait, what is this about?")
        assert "boolean" in refused.value.errors[0].message
        return await scene.go_on(await scene.answer(minted["Go on?"], True))

    assert played(where, side_by_side(only=asking("only", "yes_no", "Go on?")), story) == [["only", True]]


def test_of_two_open_interrupts_the_answered_one_goes_on_and_the_other_stays_open(where: str) -> None:
    """A-01, A-05: answered last first; the next question of the same words is a pause of its own."""

    async def story(scene: Scene) -> Any:
        minted = await scene.mint_all()
        outcomes = [await scene.answer(minted["Go on?"], True), await scene.answer(minted["Why?"], "one")]
        assert await scene.go_on(outcomes[0]) == [["right", True]]
        assert [interrupt.payload["text"] for interrupt in await scene.open()] == ["Why?"]
        again = await scene.mint_all()
        assert again["Why?"].claims == minted["Why?"].claims
        assert await scene.go_on(outcomes[1]) == [["right", True]]
        following = await scene.mint_all()
        assert following["Why?"].claims.jti != minted["Why?"].claims.jti
        return await scene.go_on(await scene.answer(following["Why?"], "two"))

    assert sorted(played(where, left_and_right(), story)) == [["left", "one", "two"], ["right", True]]


def test_two_answers_can_continue_the_graph_together(where: str) -> None:
    async def story(scene: Scene) -> Any:
        minted = await scene.mint_all()
        outcomes = [await scene.answer(minted["Why?"], "one"), await scene.answer(minted["Go on?"], False)]
        await scene.go_on(*outcomes)
        return [interrupt.payload["text"] for interrupt in await scene.open()], (
            await scene.go_on(await scene.answer((await scene.mint_all())["Why?"], "two"))
        )

    open_then, got = played(where, left_and_right(), story)
    assert open_then == ["Why?"]
    assert sorted(got) == [["left", "one", "two"], ["right", False]]


def test_an_outcome_that_was_used_continues_nothing_a_second_time(where: str) -> None:
    """LangGraph alone would give it to the next question of the same node, or pass over it."""

    async def story(scene: Scene) -> Any:
        first = await scene.answer((await scene.mint_all())["Why?"], "one")
        await scene.go_on(first)
        with pytest.raises(InterruptNotOpen):
            await scene.go_on(first)
        following = await scene.answer((await scene.mint_all())["Why?"], "two")
        got = await scene.go_on(following)
        with pytest.raises(InterruptNotOpen):
            await scene.go_on(following)
        return got

    assert played(where, side_by_side(only=asking("only", "free_text", "Why?", "Why?")), story) == [
        ["only", "one", "two"]
    ]


def test_what_answers_nothing_of_this_graph_is_refused(where: str) -> None:
    async def story(scene: Scene) -> None:
        outcome = await scene.answer((await scene.mint_all())["Go on?"], True)
        state = await scene.graph.aget_state(scene.config)
        reply = resume_reply(outcome)
        for wrong in ({**reply, "tool_call_id": "0" * 32}, {**reply, "thread_id": "thread-2"}):
            with pytest.raises(InterruptNotOpen):
                resume_command(state, wrong)
        for none in ((), (outcome, reply), ({"tool_call_id": reply["tool_call_id"]},)):
            with pytest.raises(InvalidRequest):
                resume_command(state, *none)
        with pytest.raises(PauseExpired):
            resume_command(state, {"outcome": "expired", "tool_call_id": reply["tool_call_id"]})
        with pytest.raises(PauseRevoked):  # D-40
            resume_command(state, {"outcome": "revoked", "tool_call_id": reply["tool_call_id"]})
        open_row = an_issued_row(quorum=Quorum(needed=2))
        vote = replace(outcome, several=open_row)
        for receipt in (vote, resume_reply(vote), {**reply, "status": "issued"}):
            with pytest.raises(NotAnswered):
                resume_command(state, receipt)

    played(where, left_and_right(), story)


def test_a_reply_continues_the_graph_as_the_outcome_does(where: str) -> None:
    async def story(scene: Scene) -> Any:
        outcome = await scene.answer((await scene.mint_all())["Well?"], {})
        reply = resume_reply(outcome)
        assert thread_config(reply) == thread_config(outcome) == scene.config
        delivered = {"outcome": "answered", "tool_call_id": outcome.tool_call_id, "response": outcome.response}
        state = await scene.graph.aget_state(scene.config)
        assert (
            resume_command(state, delivered)
            == resume_command(state, outcome)
            == Command(resume={outcome.tool_call_id: {}})
        )
        return await scene.go_on(reply)

    assert played(where, side_by_side(only=asking("only", "acknowledge", "Well?")), story) == [["only", {}]]


def test_interrupts_of_a_subgraph_are_asked_and_answered_as_those_of_the_graph(where: str) -> None:
    inner = side_by_side(inner=asking("inner", "free_text", "Why?", "Why?")).compile()
    outer: StateGraph[Any, Any, Any, Any] = StateGraph(State)
    outer.add_node("sub", inner)
    outer.add_node("side", asking("side", "yes_no", "Go on?"))
    for node in ("sub", "side"):
        outer.add_edge(START, node)

    async def story(scene: Scene) -> Any:
        minted = await scene.mint_all()
        await scene.go_on(await scene.answer(minted["Why?"], "one"))
        await scene.go_on(await scene.answer(minted["Go on?"], False))
        return await scene.go_on(await scene.answer((await scene.mint_all())["Why?"], "two"))

    assert sorted(played(where, outer, story)) == [["inner", "one", "two"], ["side", False]]


def test_a_lost_checkpoint_is_a_424_before_the_answer_is_accepted_and_after(where: str) -> None:
    async def story(scene: Scene) -> None:
        minted = await scene.mint_all()
        outcome = await scene.answer(minted["Go on?"], True)
        saver: Any = scene.graph.checkpointer
        await saver.adelete_thread(scene.thread_id)
        with pytest.raises(PayloadMissing):
            await scene.answer(minted["Why?"], "one")
        with pytest.raises(TurnMissing):
            await scene.go_on(outcome)
        with pytest.raises(TurnMissing):
            await scene.open()

    played(where, left_and_right(), story)

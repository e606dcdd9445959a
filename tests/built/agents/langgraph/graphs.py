"""Small graphs that ask people."""

import operator
from typing import Annotated, Any, Final, TypedDict

from langgraph.graph import START, StateGraph
from langgraph.types import interrupt
from pydantic import BaseModel

from askback.domain.interactions.registry import InteractionRegistration, InteractionRegistry
from askback.interactions import ASK_USER_REGISTRATION
from askback.langgraph.questions import question


class Prompt(BaseModel):
    text: str


class Nothing(BaseModel):
    pass


def _kind(name: str, answer: Any) -> InteractionRegistration:
    return InteractionRegistration(name=name, payload_schema=Prompt, response_schema=answer, allow_link=True)


REGISTRY: Final = InteractionRegistry(
    [
        ASK_USER_REGISTRATION,
        _kind("acknowledge", Nothing),
        _kind("yes_no", bool),
        _kind("number", int),
        _kind("free_text", str),
        _kind("some", list[str]),
        _kind("perhaps", str | None),
        _kind("anything", dict[str, Any]),
    ]
)


class State(TypedDict, total=False):
    got: Annotated[list[Any], operator.add]


def asking(where: str, name: str, *texts: str) -> Any:
    """Return a node that asks these questions, one after the other, and keeps the answers under `where`."""

    def ask(state: State) -> State:
        return {"got": [[where, *(interrupt(question(name, {"text": text})) for text in texts)]]}

    return ask


def side_by_side(**nodes: Any) -> StateGraph[Any, Any, Any, Any]:
    """Return a graph whose nodes all run in its first step."""
    graph: StateGraph[Any, Any, Any, Any] = StateGraph(State)
    for name, node in nodes.items():
        graph.add_node(name, node)
        graph.add_edge(START, name)
    return graph


def left_and_right() -> StateGraph[Any, Any, Any, Any]:
    """Return a graph with two questions open at once; the left one is followed by another of the same words."""
    return side_by_side(
        left=asking("left", "free_text", "Why?", "Why?"),
        right=asking("right", "yes_no", "Go on?"),
    )

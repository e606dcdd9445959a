"""Attack: an agent that may read outcomes answers through the same function.

The policy of an agent names the alias `outcomes` of the resume function, whose plain ARN also answers. Through this
alias the function reads outcomes and does nothing else: it refuses every other request, and that consumes nothing.
"""

from typing import Any

import pytest

from askback.edge.lambda_events import OUTCOMES_ALIAS
from tests.support.function_deployment import Handlers
from tests.support.request_bodies import Pause

ROUTES = [
    "/user/answers",
    "/user/answers/batch",
    "/user/delegations",
    "/delegations",
    "/answers/batch",
    "/user/resume",
    "/resume",
    "/answers",
    "/questions",
    "/outcomes",
]


def answers(pause: Pause) -> dict[str, dict[str, Any]]:
    """Return the event of every other action, complete, so that the plain function would serve it."""
    question = {"answer_token": pause.minted["answer_token"]}
    return {
        "resume": {"action": "resume", **pause.resume()},
        "no action, which is a resume": pause.resume(),
        "answer": {"action": "answer", **pause.answer(), "scope": pause.request["scope"]},
        "question": {"action": "question", **question},
    }


@pytest.mark.cannot("answer with its pause token under `AgentPolicy`")
@pytest.mark.parametrize("event", ["resume", "no action, which is a resume", "answer", "question"])
def test_every_other_action_is_refused(handlers: Handlers, event: str) -> None:
    pause = handlers.pause()
    sent = answers(pause)[event]
    refused = handlers.refused("resume", sent, alias=OUTCOMES_ALIAS)
    assert (refused["code"], refused["errors"]) == (
        "bad-request",
        [{"field": "action", "message": "must be one of outcome"}],
    )
    # The plain function, which another role may invoke, still serves it.
    assert handlers.invoke("resume", sent)["name"] == "ask_user"


@pytest.mark.parametrize("action", ["Outcome", "outcome ", "", None, 7, ["outcome"], {"outcome": 1}], ids=str)
def test_an_action_that_looks_like_it_is_refused(handlers: Handlers, action: Any) -> None:
    pause = handlers.pause()
    refused = handlers.refused("resume", {**pause.resume(), "action": action}, alias=OUTCOMES_ALIAS)
    assert refused["code"] == "bad-request"
    assert handlers.redeems(pause)


def test_an_outcome_that_brings_an_answer_is_refused(handlers: Handlers) -> None:
    pause = handlers.pause()
    refused = handlers.refused("resume", {"action": "outcome", **pause.resume()}, alias=OUTCOMES_ALIAS)
    assert refused["code"] == "bad-request"
    assert handlers.redeems(pause)


@pytest.mark.parametrize("path", ROUTES)
def test_an_event_of_the_gateway_is_refused(handlers: Handlers, path: str) -> None:
    pause = handlers.pause()
    body = pause.answer() if "answers" in path else pause.resume()
    refused = handlers.refused("resume", handlers.event(path, body), alias=OUTCOMES_ALIAS)
    assert refused["code"] == "bad-request"
    assert handlers.redeems(pause)

"""Turns of any size: what Lambda can return comes with the answer, what it cannot comes as a reference."""

import base64
import json
import random
from typing import Any

import pytest

from askback.domain.interactions.registry import InteractionRegistration, InteractionRegistry
from askback.domain.pause.scope import Scope
from tests.support.answer_kinds import Prompt
from tests.support.function_deployment import Deployment, Handlers
from tests.support.request_bodies import SCOPE, Pause, a_mint

LAMBDA_LIMIT = 6_291_556
"""Bytes of a function's response, the whole JSON of it."""

Message = dict[str, Any]


def an_image(size: int) -> Message:
    """Return a message with a data URI of about this many bytes."""
    noise = random.Random(7).randbytes(size * 3 // 4)  # noqa: S311 - the same image in every run
    url = "data:image/png;base64," + base64.b64encode(noise).decode()
    return {"role": "user", "content": [{"type": "image_url", "image_url": {"url": url}}]}


def minted_directly(handlers: Handlers, messages: list[Message], **over: Any) -> Pause:
    request = a_mint(messages=messages, **over)
    return Pause(request=request, minted=handlers.invoke("mint", request))


def both_forms(handlers: Handlers, pause: Pause) -> list[dict[str, Any]]:
    """Return the outcome by direct invocation and over HTTP; each as Lambda would send it fits its limit."""
    direct = handlers.invoke("resume", pause.resume(answerer="ada"))
    event = handlers.event("/resume", {})
    result = handlers.gateway("resume", event | {"body": json.dumps(pause.resume(answerer="ada"))})
    assert result["statusCode"] == 200
    for sent in (direct, result):
        assert len(json.dumps(sent)) <= LAMBDA_LIMIT
    return [direct, json.loads(result["body"])]


@pytest.mark.parametrize("size", [350_000, 399_000, 401_000, 2_000_000, 5_000_000])
def test_a_turn_with_an_image_comes_back_whole(handlers: Handlers, size: int) -> None:
    """A-09."""
    messages = [an_image(size), {"role": "assistant", "content": None}]
    pause = minted_directly(handlers, messages)
    assert pause.minted["resumable"] is True
    for outcome in both_forms(handlers, pause):
        assert outcome["turn"]["messages"] == messages
        assert "turn_reference" not in outcome


TOO_LARGE: dict[str, list[Message]] = {
    "an image": [an_image(6_200_000)],
    "quotes": [{"role": "user", "content": '"' * 1_900_000}],
    "line feeds": [{"role": "user", "content": "\n" * 2_080_000}],
    "other alphabets": [{"role": "user", "content": "\u0416" * 900_000}],
    "short numbers": [{"role": "tool", "content": [100] * 1_350_000}],
    # Each id stands in the messages, and again among the open calls.
    "calls without a result": [{"role": "assistant", "tool_calls": [{"id": "asked"}, {"id": "c" * 3_100_000}]}],
}


@pytest.mark.parametrize("what", TOO_LARGE)
def test_a_turn_too_large_for_lambdas_response_travels_as_a_reference(handlers: Handlers, what: str) -> None:
    pause = minted_directly(handlers, TOO_LARGE[what], tool_call_id="asked")
    for outcome in both_forms(handlers, pause):
        assert outcome["turn"] is None
        assert outcome["turn_reference"] == {
            "thread_id": pause.minted["thread_id"],
            "checkpoint_id": pause.minted["checkpoint_id"],
            "key": f"turn_state:{pause.minted['tool_call_id']}",
            "scope_hash": Scope(**SCOPE).digest(),
        }


def test_the_largest_turn_with_the_largest_request_and_answer_stays_under_the_limit(deployment: Deployment) -> None:
    """What counts is the whole reply, escaped as it is sent, and not the turn alone."""
    registry = InteractionRegistry(
        [InteractionRegistration(name="free_text", payload_schema=Prompt, response_schema=list[str])]
    )
    handlers = deployment.load(registry=registry)
    # The payload is all quotes: 256 KiB of them, and every one is escaped twice.
    payload = {"text": '"' * 131_000}
    for answers, whole in ((21_000, True), (130_000, False)):
        pause = minted_directly(handlers, [an_image(5_450_000)], name="free_text", payload=payload)
        body = pause.resume(response=[""] * answers, answerer="ada")
        direct = handlers.invoke("resume", body)
        result = handlers.gateway("resume", handlers.event("/resume", body))
        for outcome in (direct, json.loads(result["body"])):
            assert (outcome["turn"] is not None) is whole
            assert ("turn_reference" in outcome) is not whole
        assert len(json.dumps(direct)) <= LAMBDA_LIMIT
        assert len(json.dumps(result)) <= LAMBDA_LIMIT

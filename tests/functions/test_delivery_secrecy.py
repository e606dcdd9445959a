"""No task token, callback id, answer or token of ours gets into a log, a metric, an event, a reply or a problem."""

import json
from typing import Any

import pytest

from askback.domain.errors import StoreUnavailable
from askback.domain.pause.waiters import Waiter
from tests.support.aws_probe import aws_error
from tests.support.recorded_output import SAID, Recorded, a_secret_mint
from tests.support.request_bodies import Pause
from tests.support.waiting_world import DAY, World, body_of

CODES = ("ThrottlingException", "AccessDeniedException")
ASKS = ("SendTaskHeartbeat", "SendDurableExecutionCallbackHeartbeat")
SENDS = (
    "SendTaskSuccess",
    "SendTaskFailure",
    "SendDurableExecutionCallbackSuccess",
    "SendDurableExecutionCallbackFailure",
    "PutEvents",
)
STEPS = ("Query", "BatchGetItem", "UpdateItem")


def minted(world: World, recorded: Recorded, kind: str, said: list[str], **over: Any) -> tuple[Pause, Waiter]:
    waiter = getattr(world, kind).start()
    recorded.secrets.append(waiter.address)
    pause = world.handlers.pause(**a_secret_mint(waiter=body_of(waiter), idempotency_key=said[-1], **over))
    recorded.keep(pause.minted)
    said.append(json.dumps({**pause.minted, "pause_token": "", "answer_token": "", "answer_link": "", "payload": ""}))
    return pause, waiter


@pytest.mark.parametrize("kind", ["tasks", "callbacks"])
def test_a_whole_delivery_with_everything_that_can_go_wrong_tells_no_secret(
    world: World, recorded: Recorded, kind: str
) -> None:
    said = [f"{kind}-key"]
    pause, first = minted(world, recorded, kind, said)
    answer = pause.answer(response=pause.response(selections=[], other=SAID))
    for code in CODES:
        with world.deployment.probe.failing(**dict.fromkeys(ASKS, aws_error(code))):
            said.append(json.dumps(world.handlers.post("/answers", answer).document))
            said.append(json.dumps(world.handlers.refused("resume", pause.resume(response=answer["response"]))))
    again = getattr(world, kind).start()
    recorded.secrets.append(again.address)
    retried = {**pause.request, "waiter": body_of(again)}
    said.append(json.dumps(world.handlers.post("/pauses", {**retried, "tool_call_id": "another"}).document))
    # A run that still waits keeps its place; once it has ended, the retry's run takes it.
    said.append(json.dumps(world.handlers.post("/pauses", retried).document))
    # A direct caller is another principal.
    said.append(json.dumps(world.handlers.refused("mint", retried)))
    world.ending_runs(kind).end(first)
    assert world.handlers.post("/pauses", retried).status == 201
    with world.deployment.probe.failing(**dict.fromkeys(SENDS, aws_error("ThrottlingException"))):
        taken = world.handlers.post("/answers", answer)
    assert taken.document["delivery"] == "pending"
    said.append(json.dumps({**taken.document, "response": ""}))
    for code in CODES:
        with world.deployment.probe.failing(**dict.fromkeys(SENDS, aws_error(code))):
            said.append(json.dumps(world.sweep(after=7200)))
    for operation in STEPS:
        with world.deployment.probe.failing(**{operation: aws_error("ThrottlingException")}):
            try:
                said.append(json.dumps(world.sweep(after=7200)))
            except StoreUnavailable as error:
                said.append(f"{error!r} {vars(error)}")
    said.append(json.dumps(world.sweep(after=7200)))
    assert getattr(world, kind).outcome(again)[0] == "success"

    left, _ = minted(world, recorded, kind, [f"{kind}-left"])
    said.append(json.dumps(world.sweep(after=DAY)))
    said.append(json.dumps(world.handlers.post("/answers", left.answer()).document))
    said.append(json.dumps(world.listener.heard()))

    assert "PauseExpired" in said[-1]
    # An address is in no reply either; the answer and the tokens are in those they are meant for, which are left out.
    found = [secret for secret in recorded.secrets for text in said if secret in text]
    assert not found


def test_a_waiter_stands_in_its_row_and_in_no_other_item(world: World, recorded: Recorded) -> None:
    waiter = world.tasks.start()
    pause = world.handlers.pause(**a_secret_mint(waiter=body_of(waiter)))
    recorded.keep(pause.minted)
    world.handlers.post("/answers", pause.answer(response=pause.response(selections=[], other=SAID)))
    pages = world.deployment.dynamodb.get_paginator("scan").paginate(TableName=world.deployment.table)
    holders = [item["pk"]["S"] for page in pages for item in page["Items"] if waiter.address in str(item)]
    assert holders == [f"pause#{pause.minted['jti']}"]
    assert waiter.address not in str(world.deployment.claims(pause.minted["pause_token"]))

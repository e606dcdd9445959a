"""A task token reaches Step Functions as it came from there, and nobody else sees it."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from local.emulated.emulator import Reply, answering
from tests.system.flows.flows import QUESTION, Flows


@pytest.fixture
def told() -> Iterator[list[dict[str, Any]]]:
    """What Step Functions is sent, in order."""
    seen: list[dict[str, Any]] = []

    def look(path: str, body: bytes) -> None:
        seen.append(json.loads(body))

    with answering("states", look):
        yield seen


@pytest.fixture
def refused_once() -> Iterator[None]:
    """The bus takes no entry once, so the first mint fails after its row was written."""
    refusals = [json.dumps({"FailedEntryCount": 1, "Entries": [{"ErrorCode": "InternalFailure"}]}).encode()]

    def refuse(path: str, body: bytes) -> Reply | None:
        return (200, {"content-type": "application/x-amz-json-1.1"}, refusals.pop()) if refusals else None

    with answering("events", refuse):
        yield


def test_a_task_token_with_plus_slash_and_equals_signs_arrives_byte_by_byte_and_is_told_to_nobody(
    flows: Flows, told: list[dict[str, Any]]
) -> None:
    execution = flows.start(QUESTION)
    token = flows.answer_token(execution)
    (task_token,) = flows.task_tokens(execution)

    shown = flows.people.post("/questions", {"answer_token": token})
    receipt = flows.choose(token, "Approve")
    refused = flows.choose(token, "Reject")
    output = flows.output(execution)

    assert {"+", "/", "="} <= set(task_token)
    sent = [each for each in told if "taskToken" in each]
    assert [each["taskToken"] for each in sent] == [task_token, task_token]
    assert set(sent[1]) == {"taskToken", "output"}
    said = [shown.document, receipt.document, refused.document, output, sent[1]["output"], flows.logs.getvalue()]
    assert "PauseIssued" in flows.logs.getvalue()
    assert not [each for each in said if task_token[16:60] in json.dumps(each)]


def test_a_mint_that_is_tried_again_lets_the_newest_task_wait_on_the_same_pause(
    flows: Flows, refused_once: None
) -> None:
    execution = flows.start(QUESTION)
    token = flows.answer_token(execution)
    first_row = flows.row(execution)

    flows.until(lambda: len(flows.task_tokens(execution)) == 2, "the second attempt")
    first, second = flows.task_tokens(execution)
    flows.until(lambda: second in str(flows.row(execution)), "the new waiter")
    receipt = flows.choose(token, "Approve")

    assert flows.output(execution)["decision"] == "approved"
    assert receipt.document["delivery"] == "delivered"
    assert first != second
    assert first not in str(flows.row(execution))
    assert first_row["pk"] == flows.row(execution)["pk"]
    (failed,) = flows.events(execution, "TaskFailed")
    assert failed["taskFailedEventDetails"]["error"] == "Askback.StoreUnavailable"
    assert len(flows.events(execution, "TaskSucceeded")) == 1


def test_nothing_that_the_functions_log_looks_like_a_token_of_ours(flows: Flows) -> None:
    execution = flows.start(QUESTION)
    token = flows.answer_token(execution)
    flows.choose(token, "Approve")
    flows.output(execution)

    assert token not in flows.logs.getvalue()
    assert not re.search(r"eyJ[\w-]+\.[\w-]+\.[\w-]+", flows.logs.getvalue())

"""Many people answer at once, each something else: one is heard, and the execution continues once."""

import asyncio
import json
import sys
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from aws_lambda_powertools.logging import Logger

from askback.domain.errors import HumanInteractionError
from askback.edge.lambda_events import CallerAuth, read_http
from askback.wiring.resume import ResumeServices, build
from tests.support.answer_kinds import ANSWER_KINDS
from tests.system.flows.flows import MINT, Flows, a_flow_input
from tests.system.flows.machines import jsonpath_ask

PEOPLE = 64


@pytest.mark.parametrize("round_", [1, *(pytest.param(later, marks=pytest.mark.slow) for later in (2, 3))])
def test_of_64_different_answers_at_once_one_is_accepted_and_the_execution_continues_once(
    flows: Flows, round_: int
) -> None:
    execution = flows.start(a_flow_input("free_text"), flows.machine(jsonpath_ask(MINT)))
    token = flows.answer_token(execution)

    told = _at_once(token, [f"answer {number}" for number in range(PEOPLE)])

    assert Counter(status for status, _ in told) == {200: 1, 409: PEOPLE - 1}
    (heard,) = (answer for status, answer in told if status == 200)
    assert flows.output(execution)["response"] == heard
    assert len(flows.events(execution, "TaskSucceeded")) == 1


def test_of_64_clicks_with_one_answer_all_are_accepted_and_the_execution_continues_once(flows: Flows) -> None:
    execution = flows.start(a_flow_input("free_text"), flows.machine(jsonpath_ask(MINT)))

    told = _at_once(flows.answer_token(execution), ["the same"] * PEOPLE)

    assert Counter(status for status, _ in told) == {200: PEOPLE}
    assert flows.output(execution)["response"] == "the same"
    assert len(flows.events(execution, "TaskSucceeded")) == 1


def _at_once(token: str, responses: list[str]) -> list[tuple[int, str]]:
    start = threading.Barrier(len(responses))
    services = build(Logger(service="race"), registry=ANSWER_KINDS)

    def person(response: str) -> tuple[int, str]:
        start.wait()
        return _answer(token, response, services)

    with ThreadPoolExecutor(len(responses)) as crowd:
        return list(crowd.map(person, responses))


def _answer(token: str, response: str, services: ResumeServices) -> tuple[int, str]:
    """Answer through the resume function's own route, outside the lock that handlers of one process share."""
    resume: Any = sys.modules["local_resume_app"]
    event = {
        "version": "2.0",
        "routeKey": "POST /answers",
        "headers": {"content-type": "application/json"},
        "requestContext": {"http": {"method": "POST"}},
        "body": json.dumps({"answer_token": token, "response": response}),
        "isBase64Encoded": False,
    }
    request = read_http(event, {"POST /answers": CallerAuth.LINK}, trust_unsigned=False)
    try:
        return asyncio.run(resume.answer(request, services)).status, response
    except HumanInteractionError as error:
        return error.status, response

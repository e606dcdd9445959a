"""Sizes and times: what is over a limit is refused by field and limit, and what is exactly at it works."""

import base64
import json
from typing import Any

import pytest

from tests.support.answer_kinds import ANSWER_KINDS
from tests.support.function_deployment import Deployment, Handlers
from tests.support.problems import require_problem
from tests.support.request_bodies import a_mint, a_question

MEGABYTE = 1_000_000
PAYLOAD_LIMIT, RESPONSE_LIMIT, TOKEN_LIMIT = 256 * 1024, 512 * 1024, 16 * 1024

LONG_WINDED = {"label": "A", "description": "d" * 401}


@pytest.fixture(scope="module")
def paging(deployment: Deployment) -> Handlers:
    return deployment.load(registry=ANSWER_KINDS)


def of_size(size: int) -> str:
    """Return a JSON object of exactly this many bytes, with a field nobody knows."""
    return '{"x":"' + "a" * (size - len('{"x":""}')) + '"}'


@pytest.mark.parametrize("path", ["/pauses", "/resume", "/answers", "/questions"])
@pytest.mark.parametrize(
    "body",
    [of_size(MEGABYTE + 1), "[" * (MEGABYTE + 1), '{"x":"' + "\u20ac" * 333_400 + '"}'],
    ids=["json", "not", "utf8"],
)
def test_a_body_over_a_megabyte_is_too_large_before_it_is_read(handlers: Handlers, path: str, body: str) -> None:
    refused = handlers.post(path, body)
    require_problem(refused, 413, "bad-request")
    assert "1000000" in refused.document["detail"]


def test_a_body_of_exactly_a_megabyte_is_read(handlers: Handlers) -> None:
    require_problem(handlers.post("/resume", of_size(MEGABYTE)), 400, "bad-request")


@pytest.mark.parametrize(("size", "status"), [(MEGABYTE, 400), (MEGABYTE + 1, 413), (3 * MEGABYTE, 413)])
def test_an_encoded_body_is_measured_as_what_it_encodes(handlers: Handlers, size: int, status: int) -> None:
    encoded = base64.b64encode(of_size(size).encode()).decode()
    event = handlers.event("/resume", "{}") | {"body": encoded, "isBase64Encoded": True}
    require_problem(handlers.send(event), status, "bad-request")


@pytest.mark.parametrize(("extra", "code"), [(0, "token-rejected"), (1, "token-rejected")])
def test_a_token_over_its_limit_is_no_token(handlers: Handlers, extra: int, code: str) -> None:
    token = "a." + "b" * (TOKEN_LIMIT + extra - 4) + ".c"
    require_problem(handlers.post("/questions", {"answer_token": token}), 401, code)


def test_every_token_that_the_longest_ids_give_is_taken_back(handlers: Handlers) -> None:
    pause = handlers.pause(thread_id="\u20ac" * 341, tool_call_id="\u20ac" * 170, run_id="\u20ac" * 85)
    assert len(pause.minted["pause_token"]) <= TOKEN_LIMIT
    assert handlers.redeems(pause)


@pytest.mark.parametrize("character", ["a", "\u20ac", "\n"])
def test_a_payload_over_256_kib_is_refused_and_one_of_exactly_that_is_minted(paging: Handlers, character: str) -> None:
    room = PAYLOAD_LIMIT - len('{"text":""}')
    width = len(json.dumps(character)) - 2
    text = character * (room // width)
    refused = paging.post("/pauses", a_mint(name="free_text", payload={"text": text + "aaaaaa"}))
    require_problem(refused, 400, "bad-request")
    assert refused.document["errors"] == [{"field": "payload", "message": f"must be at most {PAYLOAD_LIMIT} bytes"}]
    pause = paging.pause(name="free_text", payload={"text": text})
    shown = paging.post("/questions", {"answer_token": pause.minted["answer_token"]})
    assert shown.document["payload"] == {"text": text}


def test_an_answer_over_512_kib_is_refused_and_one_of_exactly_that_is_taken(paging: Handlers) -> None:
    pause = paging.pause(name="free_text", payload={"text": "?"})
    refused = paging.post("/resume", pause.resume(response="a" * (RESPONSE_LIMIT - 1)))
    require_problem(refused, 422, "answer-invalid")
    assert refused.document["errors"] == [{"field": "response", "message": f"must be at most {RESPONSE_LIMIT} bytes"}]
    taken = paging.post("/resume", pause.resume(response="a" * (RESPONSE_LIMIT - 2)))
    assert (taken.status, len(taken.document["response"])) == (200, RESPONSE_LIMIT - 2)


@pytest.mark.parametrize("seconds", [29, 0, -60, 2_592_001, 10**12, 10**30, 3600.0, "3600", True, None, [3600]])
def test_a_time_to_answer_from_30_seconds_to_30_days_and_nothing_else(handlers: Handlers, seconds: Any) -> None:
    refused = handlers.post("/pauses", a_mint(ttl_seconds=seconds))
    require_problem(refused, 400, "bad-request")
    assert refused.document["errors"][0]["field"] == "ttl_seconds"


@pytest.mark.parametrize("seconds", [30, 2_592_000])
def test_the_shortest_and_the_longest_time_to_answer_work(handlers: Handlers, seconds: int) -> None:
    assert handlers.redeems(handlers.pause(ttl_seconds=seconds))


@pytest.mark.parametrize("seconds", [float("nan"), float("inf")])
def test_a_direct_caller_may_send_what_is_no_json_and_is_told(handlers: Handlers, seconds: float) -> None:
    """A-42: the platform's own reader lets it through to the function."""
    assert handlers.refused("mint", a_mint(ttl_seconds=seconds))["code"] == "bad-request"
    messages = [{"role": "user", "score": {"deep": [1, seconds]}}]
    refused = handlers.refused("mint", a_mint(messages=messages))
    assert refused["errors"] == [{"field": "messages[0].*.*[1]", "message": "must be a finite number"}]
    pause = handlers.pause()
    assert handlers.refused("resume", pause.resume(response=seconds))["code"] == "answer-invalid"
    assert handlers.redeems(pause)


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize("depth", [101, 400])
def test_nesting_over_its_limit_is_refused_by_its_path(handlers: Handlers, depth: int) -> None:
    refused = handlers.post("/pauses", a_mint(messages=[{"role": "user", "content": nested(depth)}]))
    require_problem(refused, 400, "bad-request")
    assert refused.document["errors"][0]["field"].startswith("messages[0].content[0]")
    pause = handlers.pause()
    require_problem(handlers.post("/resume", pause.resume(response=nested(depth))), 422, "answer-invalid")
    require_problem(handlers.post("/pauses", a_mint(payload={"questions": nested(depth)})), 400, "bad-request")
    assert handlers.redeems(pause)


@pytest.mark.parametrize(
    ("field", "question"),
    [
        ("payload.questions[0].question", {"question": "?" * 501}),
        ("payload.questions[0].question", {"question": ""}),
        ("payload.questions[0].header", {"header": "h" * 13}),
        ("payload.questions[0].options", {"options": [{"label": "A"}]}),
        ("payload.questions[0].options", {"options": [{"label": label} for label in "ABCDE"]}),
        ("payload.questions[0].options[0].label", {"options": [{"label": "l" * 81}, {"label": "B"}]}),
        ("payload.questions[0].options[0].description", {"options": [LONG_WINDED, {"label": "B"}]}),
        ("payload.questions[0].multi_select", {"multi_select": "no"}),
        ("payload.questions[0].colour", {"colour": "blue"}),
    ],
)  # fmt: skip
def test_a_question_over_a_limit_is_refused_by_its_path(
    handlers: Handlers, field: str, question: dict[str, Any]
) -> None:
    refused = handlers.post("/pauses", a_mint(payload={"questions": [a_question(**question)]}))
    require_problem(refused, 400, "bad-request")
    assert [error["field"] for error in refused.document["errors"]] == [field]


@pytest.mark.parametrize("count", [0, 5])
def test_there_are_one_to_four_questions(handlers: Handlers, count: int) -> None:
    refused = handlers.post("/pauses", a_mint(payload={"questions": [a_question()] * count}))
    require_problem(refused, 400, "bad-request")
    assert refused.document["errors"][0]["field"] == "payload.questions"


def test_the_refusal_of_a_prompt_over_its_limit_has_the_field(handlers: Handlers) -> None:
    refused = handlers.post("/pauses", a_mint(prompt="p" * (256 * 1024 + 1)))
    require_problem(refused, 400, "bad-request")
    assert [error["field"] for error in refused.document["errors"]] == ["prompt"]


@pytest.mark.parametrize("field", ["pin", "root_run_id"])
def test_what_only_names_a_run_or_a_build_is_limited_in_bytes_like_an_id(handlers: Handlers, field: str) -> None:
    """A-17."""
    handlers.pause(**{field: "\u20ac" * 85})
    refused = handlers.post("/pauses", a_mint(**{field: "\u20ac" * 86}))
    require_problem(refused, 400, "bad-request")
    assert [error["field"] for error in refused.document["errors"]] == [field]

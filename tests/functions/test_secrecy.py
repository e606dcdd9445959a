"""What the functions write to their logs and metrics: enough to find a pause, and nothing that could answer one."""

import json

import pytest

from askback.domain.errors import FieldError
from askback.domain.interactions.ask_user import AskUserRequest, AskUserResponse, stamp_question_ids
from askback.domain.interactions.registry import InteractionRegistration, InteractionRegistry
from tests.support.aws_probe import aws_error
from tests.support.function_deployment import Deployment, Handlers
from tests.support.problems import require_problem
from tests.support.recorded_output import ASKED, LABEL, QUESTION, SAID, Recorded, a_secret_mint
from tests.support.request_bodies import PERSON


def _breaks(request: AskUserRequest, response: AskUserResponse) -> list[FieldError]:
    raise RuntimeError(f"cannot judge {response!r} for {request!r}")


FAULTY = InteractionRegistry(
    [
        InteractionRegistration(
            name="ask_user",
            payload_schema=AskUserRequest,
            response_schema=AskUserResponse,
            prepare=stamp_question_ids,
            validate_response=_breaks,
            hash_model=True,
            allow_link=True,
        )
    ]
)


def test_the_whole_story_writes_ids_and_codes_and_no_secret(
    deployment: Deployment, handlers: Handlers, recorded: Recorded
) -> None:
    """Refusals and broken stores included."""
    request = a_secret_mint()
    pause = handlers.pause(**request)
    recorded.keep(pause.minted)
    answer = pause.response(selections=[], other=SAID)

    handlers.post("/questions", {"answer_token": pause.minted["answer_token"]})
    for body in (
        pause.resume(response=pause.response(SAID)),
        pause.resume(response=SAID),
        pause.resume(response={SAID: LABEL}),
        pause.resume(pause_token=pause.minted["pause_token"] + "x"),
        pause.resume(scope={"tenant_id": SAID}),
        pause.resume(**{SAID: SAID}),
    ):
        assert handlers.post("/resume", body).status >= 400
        handlers.refused("resume", body)
    handlers.post("/resume", json.dumps(pause.resume())[:-1])
    handlers.post("/pauses", {**request, "payload": {"questions": [{**QUESTION, LABEL: 1}]}})
    handlers.post("/user/answers", pause.answer(), claims={**PERSON, "tenant_id": SAID})
    for code in ("ThrottlingException", "ValidationException"):
        with deployment.probe.failing(UpdateItem=aws_error(code), PutItem=aws_error(code)):
            assert handlers.post("/resume", pause.resume(response=answer)).status >= 500
            assert handlers.post("/pauses", a_secret_mint()).status >= 500
    handlers.post("/answers", pause.answer(response=answer))
    handlers.post("/answers", pause.answer(response=answer))
    handlers.post("/answers", pause.answer(response=pause.response(LABEL)))

    entries = recorded.entries()
    for message in ("PauseIssued", "QuestionShown", "PauseAnswered", "AnswerReplayed"):
        logged = [entry for entry in entries if entry.get("message") == message]
        assert logged, message
        assert all(entry["jti"] == pause.minted["jti"] for entry in logged)
        assert any(entry.get(message) == [1.0] for entry in entries), "its metric"
    codes = {entry["code"] for entry in entries if entry.get("message") == "refused"}
    assert codes == {
        "answer-invalid", "token-rejected", "scope-mismatch", "bad-request", "store-unavailable", "misconfigured",
        "already-answered",
    }  # fmt: skip
    assert all("request_id" in entry for entry in entries if "message" in entry)


def test_an_unforeseen_exception_is_an_internal_error_without_its_text(
    deployment: Deployment, handlers: Handlers, recorded: Recorded
) -> None:
    """The log has its type and the lines of code it went through; its text may hold the answer."""
    pause = handlers.pause(**a_secret_mint())
    recorded.keep(pause.minted)
    broken = deployment.load(registry=FAULTY)
    body = pause.resume(response=pause.response(selections=[], other=SAID))

    over_http = broken.post("/resume", body)
    direct = broken.refused("resume", body)

    assert over_http.said == (500, "internal")
    assert over_http.document == direct
    assert set(direct) == {"type", "title", "status", "detail", "code", "retryable"}
    for part in ("Traceback", "RuntimeError", "cannot judge", SAID, ASKED, ".py"):
        assert part not in json.dumps(direct)
    assert "AskUserResponse(" not in recorded.text
    unforeseen = [entry for entry in recorded.entries() if entry.get("message") == "unforeseen"]
    assert [entry["error"] for entry in unforeseen] == ["RuntimeError", "RuntimeError"]
    assert any("validate_response" in frame for frame in unforeseen[0]["frames"])
    assert any(entry.get("Unforeseen") == [1.0] for entry in recorded.entries())
    assert handlers.post("/resume", body).document["replayed"] is False


def test_an_exception_raised_to_a_direct_caller_carries_no_earlier_one(
    deployment: Deployment, handlers: Handlers, recorded: Recorded
) -> None:
    """What Lambda reports of an exception is its type, its text and its trace; the first one's text must not show."""
    pause = handlers.pause(**a_secret_mint())
    broken = deployment.load(registry=FAULTY)
    with pytest.raises(Exception, match="internal") as raised:
        broken.invoke("resume", pause.resume(response=pause.response(LABEL)))
    assert raised.value.__suppress_context__
    assert raised.value.__cause__ is None


def test_a_permitted_redemption_from_another_scope_is_audited_by_hashes_alone(
    deployment: Deployment, recorded: Recorded
) -> None:
    registration = InteractionRegistration(
        name="ask_user",
        payload_schema=AskUserRequest,
        response_schema=AskUserResponse,
        prepare=stamp_question_ids,
        hash_model=True,
        allow_cross_scope=True,
    )
    handlers = deployment.load(registry=InteractionRegistry([registration]))
    pause = handlers.pause(**a_secret_mint())
    recorded.keep(pause.minted)
    taken = handlers.post("/resume", pause.resume(scope={"tenant_id": "globex"}, answerer="ada"))
    assert (taken.status, taken.document["cross_scope"]) == (200, True)

    audits = [entry["audit"] for entry in recorded.entries() if "audit" in entry]
    assert len(audits) == 1
    assert (audits[0]["jti"], audits[0]["redeemed_by"]) == (pause.minted["jti"], "ada")
    assert audits[0]["issued_scope_hash"] != audits[0]["redeemed_scope_hash"]
    assert "globex" not in recorded.text


def test_a_refusal_is_counted_by_its_function_and_by_its_code_too(handlers: Handlers, recorded: Recorded) -> None:
    """An alarm on the sum would see nothing if only the codes were counted."""
    require_problem(handlers.post("/questions", {"answer_token": "a.b.c"}), 401, "token-rejected")
    (counted,) = [entry for entry in recorded.entries() if entry.get("Refused") == [1.0]]
    assert counted["code"] == "token-rejected"
    assert counted["service"].endswith("-resume")
    (directive,) = counted["_aws"]["CloudWatchMetrics"]
    assert (directive["Namespace"], directive["Dimensions"]) == ("askback", [["service"], ["service", "code"]])


def test_a_callers_mistake_that_is_raised_to_it_is_told_from_a_failure_of_the_function(
    deployment: Deployment, handlers: Handlers, recorded: Recorded
) -> None:
    """Lambda counts both as errors; a deployment that is set up wrongly is a failure."""
    over_http, direct = ({"pause_token": "a.b.c"}, {"action": "question", "answer_token": "a.b.c"})
    handlers.post("/questions", over_http)
    handlers.refused("resume", direct)
    misconfigured = deployment.load(ASKBACK_TABLE_NAME="")
    misconfigured.refused("resume", direct)
    counted = [entry.get("RefusalRaised") for entry in recorded.entries() if "Refused" in entry]
    assert counted == [None, [1.0], None]


def test_a_refusal_names_the_pause_as_soon_as_the_token_is_known_and_no_later_one(
    handlers: Handlers, recorded: Recorded
) -> None:
    pause = handlers.pause(**a_secret_mint())
    recorded.keep(pause.minted)
    handlers.post("/resume", pause.resume(scope={"tenant_id": SAID}))
    handlers.post("/resume", pause.resume(pause_token="a.b.c"))
    refused = [entry for entry in recorded.entries() if entry.get("message") == "refused"]
    assert [entry["code"] for entry in refused] == ["scope-mismatch", "token-rejected"]
    assert (refused[0]["jti"], refused[0]["interaction"]) == (pause.minted["jti"], "ask_user")
    assert not {"jti", "interaction", "scope_hash"} & set(refused[1])

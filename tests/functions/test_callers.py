"""Who may answer what: each route lets its own callers in, and believes the authorizer and never the body."""

from typing import Any

import pytest

from askback.domain.interactions.ask_user import AskUserRequest, AskUserResponse, check_answers, stamp_question_ids
from askback.domain.interactions.registry import InteractionRegistration, InteractionRegistry
from local.emulated.gateway import LOCAL_USER
from tests.functions.reply_fields import RECEIPT
from tests.support.function_deployment import Deployment, Handlers
from tests.support.request_bodies import PERSON, SCOPE, a_mint

SIGNED_IN_ONLY = InteractionRegistry(
    [
        InteractionRegistration(
            name="ask_user",
            payload_schema=AskUserRequest,
            response_schema=AskUserResponse,
            prepare=stamp_question_ids,
            validate_response=check_answers,
            hash_model=True,
        )
    ]
)
IAM_ROUTES = ["/pauses", "/resume", "/outcomes"]
JWT_ROUTES = ["/user/resume", "/user/answers"]


def test_the_holder_of_an_answer_link_answers_and_never_sees_the_turn(handlers: Handlers) -> None:
    pause = handlers.pause()
    receipt = handlers.post("/answers", pause.answer())
    assert receipt.status == 200
    assert set(receipt.document) == RECEIPT
    assert receipt.document["answered_by"] == "link"


def test_a_link_answer_is_refused_where_the_registration_does_not_allow_it(deployment: Deployment) -> None:
    handlers = deployment.load(registry=SIGNED_IN_ONLY)
    pause = handlers.pause()
    assert handlers.post("/answers", pause.answer()).said == (403, "answerer-not-allowed")
    signed_in = handlers.post("/user/answers", pause.answer())
    assert (signed_in.status, signed_in.document["answered_by"]) == (200, "ada")


def test_an_answer_token_never_gives_the_turn(handlers: Handlers) -> None:
    pause = handlers.pause()
    for path in ("/resume", "/user/resume"):
        taken = handlers.post(path, pause.resume(pause_token=pause.minted["answer_token"]))
        assert taken.said == (401, "token-rejected")
    assert handlers.redeems(pause)


def test_a_pause_token_is_not_taken_on_the_open_route(handlers: Handlers) -> None:
    pause = handlers.pause()
    taken = handlers.post("/answers", pause.answer(answer_token=pause.minted["pause_token"]))
    assert taken.said == (401, "token-rejected")
    assert handlers.redeems(pause)


@pytest.mark.parametrize("token", ["pause_token", "answer_token"])
def test_a_person_who_has_signed_in_answers_with_either_token(handlers: Handlers, token: str) -> None:
    pause = handlers.pause()
    receipt = handlers.post("/user/answers", pause.answer(answer_token=pause.minted[token]))
    assert (receipt.status, receipt.document["answered_by"]) == (200, "ada")
    assert "turn" not in receipt.document


def test_a_backend_under_a_jwt_gets_the_turn(handlers: Handlers) -> None:
    pause = handlers.pause()
    resumed = handlers.post("/user/resume", pause.resume(scope=...))
    assert (resumed.status, resumed.document["answered_by"]) == (200, "ada")
    assert resumed.document["turn"]["messages"] == pause.request["messages"]


@pytest.mark.parametrize("path", JWT_ROUTES)
def test_under_a_jwt_the_bodys_scope_and_answerer_are_ignored(handlers: Handlers, path: str) -> None:
    pause = handlers.pause()
    body = pause.resume(scope={"tenant_id": "globex"}, answerer="mallory")
    receipt = handlers.post(path, body)
    assert (receipt.status, receipt.document["answered_by"]) == (200, "ada")


@pytest.mark.parametrize("path", JWT_ROUTES)
@pytest.mark.parametrize(
    "claims",
    [{"tenant_id": "globex"}, {"sub_tenant_id": "us"}, {"namespace": ""}, {"tenant_id": "acme", "sub_tenant_id": ""}],
)
def test_a_jwt_of_another_scope_is_refused_whatever_the_body_says(
    handlers: Handlers, path: str, claims: dict[str, str]
) -> None:
    """A-48: the same token forwarded to another tenant is of no use there, even with a perfect signature."""
    pause = handlers.pause()
    taken = handlers.post(path, pause.resume(), claims={**PERSON, **claims})
    assert taken.said == (403, "scope-mismatch")
    assert handlers.redeems(pause)


@pytest.mark.parametrize("missing", ["tenant_id", "sub"])
def test_a_jwt_that_names_no_tenant_or_no_person_is_not_a_caller(handlers: Handlers, missing: str) -> None:
    pause = handlers.pause()
    claims = {name: value for name, value in PERSON.items() if name != missing}
    taken = handlers.post("/user/answers", pause.answer(), claims=claims)
    assert taken.said == (401, "unauthenticated")
    assert missing in taken.document["detail"]
    assert handlers.redeems(pause)


@pytest.mark.parametrize("person", ["\ud83d", "a\x00", "s" * 257])
def test_a_person_whose_name_cannot_be_kept_is_refused_by_name(handlers: Handlers, person: str) -> None:
    pause = handlers.pause()
    taken = handlers.post("/user/answers", pause.answer(), claims={**PERSON, "sub": person})
    assert taken.said == (400, "bad-request")
    assert [error["field"] for error in taken.document["errors"]] == ["answerer"]
    assert handlers.redeems(pause)


def test_the_claims_names_are_settings(deployment: Deployment) -> None:
    handlers = deployment.load(
        ASKBACK_TENANT_CLAIM="org",
        ASKBACK_SUB_TENANT_CLAIM="unit",
        ASKBACK_NAMESPACE_CLAIM="app",
        ASKBACK_ANSWERER_CLAIM="email",
    )
    pause = handlers.pause()
    claims = {"org": "acme", "unit": "eu", "app": "billing", "email": "ada@example.com", "sub": "7"}
    receipt = handlers.post("/user/answers", pause.answer(), claims=claims)
    assert (receipt.status, receipt.document["answered_by"]) == (200, "ada@example.com")


def test_a_backend_under_iam_states_the_scope_in_the_body(handlers: Handlers) -> None:
    pause = handlers.pause()
    taken = handlers.post("/resume", pause.resume(scope=...))
    assert taken.said == (400, "bad-request")
    assert taken.document["errors"] == [{"field": "scope", "message": "must be given"}]
    assert handlers.post("/resume", pause.resume(scope={"tenant_id": "globex"})).said == (403, "scope-mismatch")
    assert handlers.redeems(pause)


@pytest.mark.parametrize(("stated", "recorded"), [("ada", "ada"), (..., LOCAL_USER["userArn"])])
def test_under_iam_the_stated_answerer_or_else_the_principal_is_recorded(
    handlers: Handlers, stated: Any, recorded: str
) -> None:
    pause = handlers.pause()
    resumed = handlers.post("/resume", pause.resume(answerer=stated))
    assert (resumed.status, resumed.document["answered_by"]) == (200, recorded)


def test_the_same_answer_by_another_person_is_a_conflict(handlers: Handlers) -> None:
    pause = handlers.pause()
    assert handlers.post("/resume", pause.resume(answerer="ada")).status == 200
    assert handlers.post("/resume", pause.resume(answerer="bob")).said == (409, "already-answered")


@pytest.mark.parametrize("path", IAM_ROUTES + JWT_ROUTES)
@pytest.mark.parametrize("authorizer", [..., None, {}, {"iam": None}, {"jwt": {}}, {"jwt": {"claims": None}}, "iam"])
def test_a_route_without_the_data_of_its_authorizer_refuses_every_caller(
    handlers: Handlers, path: str, authorizer: object
) -> None:
    pause = handlers.pause()
    event = handlers.event(path, a_mint() if path == "/pauses" else pause.resume())
    del event["requestContext"]["authorizer"]
    if authorizer is not ...:
        event["requestContext"]["authorizer"] = authorizer
    assert handlers.send(event).said == (401, "unauthenticated")
    assert handlers.redeems(pause)


@pytest.mark.parametrize(
    ("path", "other"), [("/resume", {"jwt": {"claims": PERSON}}), ("/user/resume", {"iam": LOCAL_USER})]
)
def test_the_authorizer_of_one_route_is_no_pass_for_another(
    handlers: Handlers, path: str, other: dict[str, Any]
) -> None:
    event = handlers.event(path, handlers.pause().resume())
    event["requestContext"]["authorizer"] = other
    assert handlers.send(event).said == (401, "unauthenticated")


@pytest.mark.parametrize(("value", "status"), [("true", 200), ("false", 401), ("1", 401)])
def test_only_under_sam_local_an_iam_route_does_without_an_authorizer(
    deployment: Deployment, value: str, status: int
) -> None:
    handlers = deployment.load(AWS_SAM_LOCAL=value)
    event = handlers.event("/resume", handlers.pause().resume())
    del event["requestContext"]["authorizer"]
    assert handlers.send(event).status == status


def test_sam_local_never_opens_a_jwt_route(deployment: Deployment) -> None:
    handlers = deployment.load(AWS_SAM_LOCAL="true")
    event = handlers.event("/user/resume", handlers.pause().resume())
    del event["requestContext"]["authorizer"]
    assert handlers.send(event).said == (401, "unauthenticated")


def test_a_scope_without_its_optional_parts_is_another_scope(handlers: Handlers) -> None:
    pause = handlers.pause(scope={"tenant_id": "acme"})
    assert handlers.post("/resume", pause.resume(scope=SCOPE)).said == (403, "scope-mismatch")
    assert handlers.redeems(pause)


@pytest.mark.parametrize("over_http", [True, False], ids=["over HTTP", "direct"])
def test_bodies_of_before_are_still_taken_on_each_route_for_people(handlers: Handlers, over_http: bool) -> None:
    """Pages that are open and clients that are deployed send the answer token as `pause_token`."""
    pause = handlers.pause()
    shown = {"pause_token": pause.minted["answer_token"]}
    answer = {**shown, "response": pause.response()}
    if over_http:
        assert handlers.post("/questions", shown).status == 200
        assert [handlers.post(path, answer).status for path in ("/answers", "/user/answers")] == [200, 409]
    else:
        assert handlers.invoke("resume", {"action": "question", **shown})["jti"] == pause.minted["jti"]
        direct = {"action": "answer", "scope": pause.request["scope"], **answer}
        assert handlers.invoke("resume", direct)["jti"] == pause.minted["jti"]


def test_a_backend_shows_a_question_with_its_pause_token_under_either_name(handlers: Handlers) -> None:
    pause = handlers.pause()
    for name in ("pause_token", "answer_token"):
        assert handlers.post("/questions", {name: pause.minted["pause_token"]}).status == 200

"""Attack: a direct caller sends an event that looks like the gateway's.

Its `requestContext` says that a person has signed in, so the answer would be recorded as that person's; and a refusal
would be returned like a success, so a workflow would go on. Only an invocation through the alias `http` is the
gateway's, and no role may invoke that alias. What a JWT claims in a form that is not text is refused, never ignored.
"""

from typing import Any

import pytest

from askback.edge.lambda_events import HTTP_ALIAS
from local.emulated.functions import LambdaContext
from tests.support.function_deployment import Handlers
from tests.support.request_bodies import PERSON, a_mint

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


@pytest.mark.cannot("pass for the gateway by an event alone")
def test_a_direct_caller_does_not_sign_in_with_an_event_of_its_own(handlers: Handlers) -> None:
    pause = handlers.pause()
    forged = handlers.event("/user/answers", pause.answer(), claims={**PERSON, "sub": "ciso"})
    assert handlers.refused("resume", forged)["code"] == "bad-request"
    assert handlers.redeems(pause)


@pytest.mark.cannot("pass for the gateway by an event alone")
@pytest.mark.parametrize("path", ROUTES)
def test_an_event_of_no_route_is_believed(handlers: Handlers, path: str) -> None:
    pause = handlers.pause()
    body = {**pause.resume(), "answer_token": ...} if "answer" not in path else pause.answer()
    forged = handlers.event(path, {name: value for name, value in body.items() if value is not ...})
    assert handlers.refused("resume", forged)["code"] == "bad-request"
    assert handlers.redeems(pause)


@pytest.mark.parametrize("context", [{}, {"http": {}}, {"authorizer": {"jwt": {"claims": PERSON}}}, {"stage": "x"}, []])
def test_a_refusal_of_a_direct_caller_is_always_raised(handlers: Handlers, context: Any) -> None:
    assert handlers.refused("mint", {**a_mint(), "requestContext": context})["code"] == "bad-request"
    assert handlers.refused("mint", {"requestContext": context, "version": "2.0"})["code"] == "bad-request"
    assert handlers.refused("inbox", {"action": "list", "requestContext": context})["code"] == "bad-request"


@pytest.mark.cannot("pass for the gateway by an event alone")
@pytest.mark.parametrize("alias", ["", "live", "https", "http2", "HTTP", "$LATEST", "7"])
def test_only_the_alias_of_the_gateway_is_the_gateways(handlers: Handlers, alias: str) -> None:
    pause = handlers.pause()
    forged = handlers.event("/user/answers", pause.answer())
    with pytest.raises(Exception, match=r"^\{") as raised:
        handlers.invoke("resume", forged, alias=alias)
    assert type(raised.value).__name__ == "Askback.BadRequest"
    assert handlers.redeems(pause)


@pytest.mark.parametrize("name", ["http", "function:http"])
def test_a_function_whose_name_is_that_of_the_alias_is_not_the_alias(handlers: Handlers, name: str) -> None:
    pause = handlers.pause()
    context = LambdaContext(function_name=name.rpartition(":")[2])
    with pytest.raises(Exception, match=r"^\{"):
        handlers.invoke("resume", handlers.event("/user/answers", pause.answer()), context)
    assert handlers.redeems(pause)


@pytest.mark.parametrize("claim", ["tenant_id", "sub_tenant_id", "namespace", "sub"])
@pytest.mark.parametrize("value", [["acme"], {"acme": 1}, 7, 0, True, False, None, 1.5], ids=str)
def test_a_claim_that_is_not_text_is_refused_and_not_ignored(handlers: Handlers, claim: str, value: Any) -> None:
    """The scope without a part that was ignored is another scope, perhaps one that the pause is in."""
    scope = {name: part for name, part in a_mint()["scope"].items() if name != claim or name == "tenant_id"}
    pause = handlers.pause(scope=scope)
    refused = handlers.post("/user/answers", pause.answer(), claims={**PERSON, claim: value})
    assert refused.said == (401, "unauthenticated")
    assert claim in refused.document["detail"]
    assert handlers.redeems(pause)


def test_the_gateway_itself_is_believed(handlers: Handlers) -> None:
    pause = handlers.pause()
    event = handlers.event("/user/answers", pause.answer())
    assert handlers.invoke("resume", event, alias=HTTP_ALIAS)["statusCode"] == 200

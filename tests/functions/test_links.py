"""The program that asks does not get what answers: a mint returns no link, and links leave by a route of their own."""

import json
from typing import Any

import pytest

from tests.functions.inbox import OLGA
from tests.functions.reply_fields import MINTED
from tests.support.function_deployment import Answer, Deployment, Handlers
from tests.support.recorded_output import Recorded, a_secret_mint
from tests.support.request_bodies import Pause, a_mint
from tests.support.waiting_world import World, body_of

LINKED = {"answer_token", "answer_link", "recipients"}
ASKED = MINTED - LINKED
PEOPLE = {"recipients": ["ada@example.com", "bob@example.com"]}


@pytest.fixture
def quiet(world: World) -> Handlers:
    """The functions with the default setting: a mint returns no links."""
    return world.load(ASKBACK_RETURN_LINKS="false")


def links(handlers: Handlers, jti: str, body: Any = ...) -> Answer:
    return handlers.post(f"/pauses/{jti}/links", body)


def minted_twice(handlers: Handlers, request: dict[str, Any]) -> list[dict[str, Any]]:
    """Mint over HTTP, and repeat it; directly, where the caller is another principal, a pause has the same fields."""
    first, again = (handlers.post("/pauses", request).document for _ in range(2))
    direct = handlers.invoke("mint", {**request, "idempotency_key": request["idempotency_key"] + "-direct"})
    assert set(direct) == set(first)
    return [first, again]


def test_without_a_waiter_the_mint_returns_the_pause_token_and_no_other(quiet: Handlers) -> None:
    first, again = minted_twice(quiet, a_mint(**PEOPLE, idempotency_key="no-waiter"))
    assert (set(first), again) == (ASKED, first)
    # The pause token is of no use on the routes for people.
    body = {"answer_token": first["pause_token"], "response": None}
    assert quiet.post("/answers", body).said == (401, "token-rejected")


@pytest.mark.parametrize("kind", ["tasks", "callbacks", "functions"])
def test_with_a_waiter_that_gets_the_answer_the_mint_returns_no_token(world: World, quiet: Handlers, kind: str) -> None:
    waiter = body_of(world.runs(kind).start())
    request = a_mint(**PEOPLE, waiter=waiter, idempotency_key=f"waits-{kind}")
    first, again = minted_twice(quiet, request)
    assert (set(first), again) == (ASKED - {"pause_token"}, first)
    # The same request without its waiter is the same pause, so it gets no token either.
    for other in minted_twice(quiet, {name: value for name, value in request.items() if name != "waiter"}):
        assert other == first


def test_a_consumer_of_events_fetches_the_answer_so_its_mint_returns_the_pause_token(world: World) -> None:
    handlers = world.load(ASKBACK_RETURN_LINKS="false", ASKBACK_EVENT_BUS="default")
    first, again = minted_twice(handlers, a_mint(waiter={"kind": "event"}, idempotency_key="event"))
    assert (set(first), again) == (ASKED, first)


def test_the_old_reply_is_a_setting(world: World) -> None:
    waiter = body_of(world.runs("tasks").start())
    first, again = minted_twice(
        world.load(ASKBACK_RETURN_LINKS="true"), a_mint(**PEOPLE, waiter=waiter, idempotency_key="old")
    )
    assert (set(first), again) == (MINTED, first)


def test_the_links_are_those_that_a_mint_can_return(world: World, quiet: Handlers) -> None:
    request = a_mint(**PEOPLE, idempotency_key="same")
    known = world.load(ASKBACK_RETURN_LINKS="true").post("/pauses", request).document
    given = links(quiet, known["jti"], {})
    assert given.status == 200
    assert set(given.document) == LINKED | {"jti", "status", "expires_at"}
    assert given.document == {name: known[name] for name in given.document}
    assert given.headers["cache-control"] == "no-store"
    assert links(quiet, known["jti"]).document == quiet.invoke("links", {"jti": known["jti"]}) == given.document
    answer = Pause(request=request, minted=known).answer(answer_token=given.document["recipients"][1]["answer_token"])
    assert quiet.post("/answers", answer).document["answered_by"] == "bob@example.com"


def test_a_messenger_can_ask_for_the_links_of_some_recipients_alone(quiet: Handlers) -> None:
    jti = quiet.pause(**PEOPLE).minted["jti"]
    some = links(quiet, jti, {"recipients": ["bob@example.com", "bob@example.com"]}).document
    assert [each["recipient"] for each in some["recipients"]] == ["bob@example.com"]
    assert (some["answer_token"], some["answer_link"]) == (None, None)


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"recipients": ["eve@example.com"]}, "recipients[0]"),
        ({"recipients": []}, "recipients"),
        ({"recipients": ["ada@example.com"] * 21}, "recipients"),
        ({"recipients": None}, "recipients"),
        ({"recipients": "ada@example.com"}, "recipients"),
        ({"recipients": [1]}, "recipients.0"),
        ({"operator": "eve"}, "operator"),
        ({"jti": "x"}, "jti"),
    ],
)
def test_a_wrong_request_is_refused_with_its_field(quiet: Handlers, body: dict[str, Any], field: str) -> None:
    refused = links(quiet, quiet.pause(**PEOPLE).minted["jti"], body)
    assert refused.said == (400, "bad-request")
    assert [error["field"] for error in refused.document["errors"]] == [field]


def test_a_pause_that_is_not_open_has_no_links(world: World, quiet: Handlers) -> None:
    answered, revoked, expired = (quiet.pause(ttl_seconds=600) for _ in range(3))
    assert quiet.redeems(answered)
    quiet.revoke(revoked.minted["jti"])
    assert links(quiet, answered.minted["jti"]).said == (409, "already-answered")
    assert links(quiet, revoked.minted["jti"]).said == (410, "revoked")
    assert links(quiet, "unknown").said == (404, "unknown-pause")
    world.now += 600
    assert links(quiet, expired.minted["jti"]).said == (410, "expired")
    world.sweep()
    assert quiet.refused("links", {"jti": expired.minted["jti"]})["code"] == "expired"


def test_a_pause_whose_key_was_removed_has_no_links(world: World, quiet: Handlers) -> None:
    pause = quiet.pause()
    row = world.deployment.item(world.deployment.row_key(pause))
    world.deployment.put(row | {"kid": {"S": "removed"}})
    assert links(quiet, pause.minted["jti"]).said == (500, "misconfigured")


def test_the_log_says_who_got_links_and_has_none(world: World, recorded: Recorded, deployment: Deployment) -> None:
    pause = world.load(ASKBACK_RETURN_LINKS="true").pause(**a_secret_mint(**PEOPLE))
    recorded.keep(pause.minted)
    recorded.secrets += [part for each in pause.minted["recipients"] for part in each["answer_token"].split(".")[1:]]
    links(world.handlers, pause.minted["jti"])
    world.handlers.invoke(
        "links", {"jti": pause.minted["jti"], "operator": "mailer", "recipients": ["ada@example.com"]}
    )
    lines = [entry for entry in recorded.entries() if entry.get("message") == "LinksIssued"]
    assert [(line["jti"], line["operator"], line["recipients"]) for line in lines] == [
        (pause.minted["jti"], OLGA, "2"),
        (pause.minted["jti"], "mailer", "1"),
    ]
    assert "ada@example.com" not in json.dumps(lines)

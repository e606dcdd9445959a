"""Attack: a principal that serves one tenant states the scope of another, on a signed route or directly.

With `PrincipalScopes` every signed route compares the scope of the request, or of the pause, with those of the
principal. Without the parameter, a permission on a route is one in every scope.
"""

import json
from collections.abc import Callable
from typing import Any

import pytest

from local.emulated.template import ACCOUNT
from tests.support.function_deployment import Answer, Deployment, Handlers
from tests.support.problems import require_problem
from tests.support.request_bodies import SCOPE, Pause, a_mint

GLOBEX = {"tenant_id": "globex"}
INSIDE = f"arn:aws:sts::{ACCOUNT}:assumed-role/acme-agent/one"
BY_PATTERN = f"arn:aws:sts::{ACCOUNT}:assumed-role/team-acme/one"
EVERYWHERE = f"arn:aws:iam::{ACCOUNT}:user/olga"
OUTSIDE = [
    f"arn:aws:sts::{ACCOUNT}:assumed-role/globex-agent/one",
    f"arn:aws:sts::{ACCOUNT}:assumed-role/unlisted/one",
    "arn:aws:sts::999999999999:assumed-role/acme-agent/one",
    f"arn:aws:iam::{ACCOUNT}:user/acme-agent",
    f"arn:aws:iam::{ACCOUNT}:user/x:role/acme-agent",
    f"arn:aws:sts::{ACCOUNT}:assumed-role/other/acme-agent",
    "direct",
    "",
]
ENTRIES = {
    f"arn:aws:iam::{ACCOUNT}:role/acme-agent": ["acme/eu/billing"],
    f"arn:aws:iam::{ACCOUNT}:role/team-*": ["acme/*"],
    f"arn:aws:iam::{ACCOUNT}:role/globex-agent": ["globex", "acme", "acme/eu", "acme/us/*", "acme//billing"],
    f"arn:aws:iam::{ACCOUNT}:user/olga": ["*"],
}

Call = Callable[[Handlers, Pause, str], Answer]
OF_A_SCOPE: dict[str, Call] = {
    "mint": lambda up, pause, arn: up.post("/pauses", a_mint(), arn=arn),
    "outcomes": lambda up, pause, arn: up.post("/outcomes", _fetch(pause), arn=arn),
    "list": lambda up, pause, arn: up.get(
        "/pauses?" + "&".join(f"{name}={part}" for name, part in SCOPE.items()), arn=arn
    ),
    "show": lambda up, pause, arn: up.get(f"/pauses/{pause.minted['jti']}", arn=arn),
    "links": lambda up, pause, arn: up.post(f"/pauses/{pause.minted['jti']}/links", {}, arn=arn),
    "revoke-link": lambda up, pause, arn: up.post(
        f"/pauses/{pause.minted['jti']}/links/revoke", {"recipient": "ada"}, arn=arn
    ),
    "extend": lambda up, pause, arn: up.post(
        f"/pauses/{pause.minted['jti']}/extend", {"expires_at": pause.minted["expires_at"]}, arn=arn
    ),
    "redrive": lambda up, pause, arn: up.redrive(pause.minted["jti"], arn=arn),
    "resume": lambda up, pause, arn: up.post("/resume", pause.resume(), arn=arn),
}
ENDS: dict[str, Call] = {
    "reassign": lambda up, pause, arn: up.post(
        f"/pauses/{pause.minted['jti']}/reassign", {"from": "ada", "to": "bob"}, arn=arn
    ),
    "revoke": lambda up, pause, arn: up.revoke(pause.minted["jti"], arn=arn),
}
DIRECT: dict[str, tuple[str, Callable[[Pause], dict[str, Any]]]] = {
    "mint": ("mint", lambda pause: a_mint()),
    "resume": ("resume", lambda pause: pause.resume()),
    "answer": ("resume", lambda pause: {**pause.answer(), "action": "answer", "scope": SCOPE}),
    "outcome": ("resume", lambda pause: {**_fetch(pause), "action": "outcome"}),
    "links": ("links", lambda pause: {"jti": pause.minted["jti"]}),
    "list": ("inbox", lambda pause: {"action": "list", **SCOPE}),
    "show": ("inbox", lambda pause: {"action": "show", "jti": pause.minted["jti"]}),
    "revoke": ("inbox", lambda pause: {"action": "revoke", "jti": pause.minted["jti"]}),
    "revoke-link": (
        "inbox",
        lambda pause: {"action": "revoke-link", "jti": pause.minted["jti"], "recipient": "ada"},
    ),
    "extend": (
        "inbox",
        lambda pause: {"action": "extend", "jti": pause.minted["jti"], "expires_at": pause.minted["expires_at"]},
    ),
    "reassign": (
        "inbox",
        lambda pause: {"action": "reassign", "jti": pause.minted["jti"], "from": "ada", "to": "bob"},
    ),
    "redrive": ("inbox", lambda pause: {"action": "redrive", "jti": pause.minted["jti"]}),
    "keys": ("inbox", lambda pause: {"action": "keys"}),
    "audit-due": ("inbox", lambda pause: {"action": "audit-due"}),
}


def _fetch(pause: Pause) -> dict[str, Any]:
    return {"pause_token": pause.minted["pause_token"], "scope": pause.request["scope"]}


def _restricted(deployment: Deployment, **more: list[str]) -> Handlers:
    return deployment.load(ASKBACK_PRINCIPAL_SCOPES=json.dumps({**ENTRIES, **more}))


@pytest.fixture(scope="module")
def restricted(deployment: Deployment) -> Handlers:
    return _restricted(deployment)


@pytest.fixture
def pause(handlers: Handlers) -> Pause:
    return handlers.pause(recipients=["ada"])


@pytest.mark.cannot("use another scope than its own")
@pytest.mark.parametrize("arn", OUTSIDE)
def test_a_principal_outside_the_scope_is_refused_on_every_signed_route_and_changes_nothing(
    restricted: Handlers, handlers: Handlers, pause: Pause, arn: str
) -> None:
    for call in (OF_A_SCOPE | ENDS).values():
        refused = call(restricted, pause, arn)
        require_problem(refused, 403, "principal-not-allowed")
        assert "acme" not in json.dumps(refused.document)
    assert handlers.redeems(pause)


@pytest.mark.parametrize("arn", [INSIDE, BY_PATTERN, EVERYWHERE])
def test_a_principal_inside_the_scope_is_admitted_on_every_signed_route(
    restricted: Handlers, pause: Pause, arn: str
) -> None:
    said = {name: call(restricted, pause, arn).said for name, call in OF_A_SCOPE.items()}
    assert said == {
        **dict.fromkeys(OF_A_SCOPE, (200, "")),
        "mint": (201, ""),
        "outcomes": (409, "not-answered"),
        "redrive": (409, "not-redrivable"),
    }
    assert ENDS["revoke"](restricted, pause, arn).said == (409, "already-answered")


def test_what_is_of_no_scope_needs_every_scope(restricted: Handlers) -> None:
    require_problem(restricted.send(restricted.event("/keys", method="GET", arn=INSIDE)), 403, "principal-not-allowed")
    assert restricted.get("/keys", arn=EVERYWHERE).status == 200


@pytest.mark.parametrize("what", DIRECT)
def test_a_direct_caller_needs_an_entry_of_its_own(
    restricted: Handlers, deployment: Deployment, handlers: Handlers, pause: Pause, what: str
) -> None:
    function, event = DIRECT[what]
    refused = restricted.refused(function, event(pause))
    assert (refused["code"], refused["status"]) == ("principal-not-allowed", 403)
    elsewhere = _restricted(deployment, direct=["globex/*"])
    assert elsewhere.refused(function, event(pause))["code"] == "principal-not-allowed"
    assert handlers.redeems(pause)


def test_a_direct_caller_with_an_entry_is_admitted(deployment: Deployment, pause: Pause) -> None:
    handlers = _restricted(deployment, direct=["acme/*"])
    assert handlers.invoke("resume", pause.resume())["replayed"] is False
    assert handlers.invoke("mint", a_mint())["status"] == "issued"
    assert handlers.refused("mint", a_mint(scope=GLOBEX))["code"] == "principal-not-allowed"


def test_people_need_no_entry(restricted: Handlers, handlers: Handlers) -> None:
    """A link and a JWT have their scope in themselves, and it is compared with that of the pause."""
    by_link, signed_in = handlers.pause(), handlers.pause()
    assert restricted.post("/questions", {"answer_token": by_link.minted["answer_token"]}).status == 200
    assert restricted.post("/answers", by_link.answer()).status == 200
    assert restricted.post("/user/answers", signed_in.answer()).status == 200


def test_a_scope_that_only_looks_like_one_below_is_refused(handlers: Handlers, deployment: Deployment) -> None:
    """The text of a scope is for people: `acme / eu` can be one tenant, and it is the hash that decides."""
    pause = handlers.pause(scope={"tenant_id": "acme / eu", "namespace": "billing"})
    jti = pause.minted["jti"]
    require_problem(_restricted(deployment).get(f"/pauses/{jti}", arn=BY_PATTERN), 403, "principal-not-allowed")
    assert _restricted(deployment).get(f"/pauses/{jti}", arn=EVERYWHERE).status == 200


@pytest.mark.parametrize(
    "said",
    [
        "{",
        "[]",
        "null",
        '"*"',
        '{"*":["acme"]}',
        '{"arn:aws:iam::1:role":"acme"}',
        '{"direct":[]}',
        '{"direct":"*"}',
        '{"direct":[1]}',
        '{"direct":[""]}',
        '{"direct":["acme:eu"]}',
        '{"direct":["acme/eu/b/c"]}',
        '{"direct":["acme/eu/b/*"]}',
        '{"direct":["ac*"]}',
        '{"direct":["*/eu"]}',
        '{"direct":["*/*"]}',
        '{"arn:aws:iam::123456789012:role/path/agent":["acme"]}',
        '{"arn:aws:sts::123456789012:assumed-role/agent/*":["acme"]}',
        '{"support-agent":["acme"]}',
    ],
)
def test_a_map_that_cannot_be_read_lets_no_request_through(
    deployment: Deployment, caplog: pytest.LogCaptureFixture, said: str
) -> None:
    handlers = deployment.load(ASKBACK_PRINCIPAL_SCOPES=said)
    require_problem(handlers.post("/pauses", a_mint(), arn=EVERYWHERE), 500, "misconfigured")
    require_problem(handlers.get("/pauses/x", arn=EVERYWHERE), 500, "misconfigured")
    reasons = [vars(record)["reason"] for record in caplog.records if hasattr(record, "reason")]
    assert reasons
    assert all(reason.startswith("ASKBACK_PRINCIPAL_SCOPES: ") for reason in reasons)

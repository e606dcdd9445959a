"""Lists that help an operator to decide: of a tenant as a whole, with filters, in pages of bounded work."""

import json
from typing import Any

import pytest

from askback.adapters.dynamodb import listed_rows
from askback.domain.timestamps import rfc3339
from tests.functions.inbox import listed
from tests.support.function_deployment import Deployment, Handlers
from tests.support.problems import require_problem
from tests.support.request_bodies import Pause, a_question, a_scope
from tests.support.waiting_world import World

HOUR = 3600


def tenant() -> str:
    return a_scope()["tenant_id"]


def jtis(page: Any) -> list[str]:
    assert page.status == 200, page.document
    return [line["jti"] for line in page.document["pauses"]]


def whole(handlers: Handlers, tenant_id: str, **over: Any) -> set[str]:
    """Return the ids on all pages; no pause is on two of them."""
    found: list[str] = []
    while True:
        page = listed(handlers, {"tenant_id": tenant_id, "whole": "true"}, **over)
        found += jtis(page)
        if page.document["next"] is None:
            assert len(found) == len(set(found))
            return set(found)
        over["next"] = page.document["next"]


def ids(*pauses: Pause) -> set[str]:
    return {pause.minted["jti"] for pause in pauses}


def test_a_tenant_as_a_whole_has_the_open_pauses_of_every_narrower_scope(handlers: Handlers) -> None:
    ours = tenant()
    scopes: list[dict[str, str]] = [
        {"tenant_id": ours},
        {"tenant_id": ours, "sub_tenant_id": "eu"},
        {"tenant_id": ours, "sub_tenant_id": "eu", "namespace": "billing"},
        {"tenant_id": ours, "namespace": "billing"},
        {"tenant_id": ours, "sub_tenant_id": "us"},
    ]
    pauses = [handlers.pause(scope=scope) for scope in scopes]
    handlers.pause(scope={"tenant_id": ours + "x"})
    answered = handlers.pause(scope=scopes[0])
    assert handlers.redeems(answered)
    assert whole(handlers, ours) == ids(*pauses)
    assert whole(handlers, ours, sub_tenant_id="eu") == ids(*pauses[1:3])
    direct = handlers.invoke("inbox", {"action": "list", "tenant_id": ours, "whole": True})
    assert {line["jti"] for line in direct["pauses"]} == ids(*pauses)
    assert {line["scope_label"] for line in direct["pauses"]} >= {ours, f"{ours} / eu / billing"}


def test_what_expires_first_comes_first_on_a_page(handlers: Handlers) -> None:
    ours = tenant()
    pauses = [handlers.pause(scope={"tenant_id": ours}, ttl_seconds=ttl) for ttl in (900, 300, 600)]
    page = listed(handlers, {"tenant_id": ours, "whole": "true"})
    assert jtis(page) == [pauses[number].minted["jti"] for number in (1, 2, 0)]


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_the_pages_of_a_tenant_are_all_of_it(handlers: Handlers, limit: int) -> None:
    ours = tenant()
    pauses = [handlers.pause(scope={"tenant_id": ours, "sub_tenant_id": f"s{number}"}) for number in range(7)]
    assert whole(handlers, ours, limit=limit) == ids(*pauses)


def test_a_page_looks_through_a_bounded_number_of_pauses_and_says_so(
    handlers: Handlers, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = tenant()
    pauses = [handlers.pause(scope={"tenant_id": ours}, run_id=f"run-{number % 2}") for number in range(6)]
    monkeypatch.setattr(listed_rows, "LOOK_MAX", 2)
    pages = []
    for first in ({"tenant_id": ours, "whole": "true"}, {"tenant_id": ours}):
        over: dict[str, Any] = {"run_id": "run-0"}
        found: list[str] = []
        while True:
            page = listed(handlers, first, **over)
            pages.append(page.document["looked_at"])
            found += jtis(page)
            if page.document["next"] is None:
                break
            over["next"] = page.document["next"]
        assert set(found) == ids(*pauses[::2])
    assert max(pages) == 2


FILTERS = {
    "status": ({"status": "issued"}, 4),
    "another interaction": ({"name": "ask_user"}, 3),
    "an interaction": ({"name": "approval"}, 1),
    "a run": ({"run_id": "run-of-two"}, 2),
    "a requester": ({"requester": "  REQUESTER@example.com "}, 1),
    "a recipient": ({"recipient": "Ada@example.com"}, 2),
    "an age": ({"older_than_seconds": str(2 * HOUR)}, 2),
    "no such age": ({"older_than_seconds": str(20 * HOUR)}, 0),
    "a run and a recipient": ({"run_id": "run-of-two", "recipient": "ada@example.com"}, 1),
}


@pytest.fixture
def four(world: World) -> tuple[str, list[Pause]]:
    """Four pauses of a tenant: two of them are three hours old, and one of these expires in an hour."""
    ours, asked = {"tenant_id": tenant()}, world.handlers
    first = asked.pause(scope=ours, ttl_seconds=4 * HOUR, run_id="run-of-two", recipients=["ada@example.com"])
    approval = {"title": "Pay?", "action": {"name": "pay", "arguments": {}}}
    second = asked.pause(scope=ours, ttl_seconds=9 * HOUR, name="approval", payload=approval)
    world.now += 3 * HOUR
    third = asked.pause(scope=ours, ttl_seconds=9 * HOUR, requester="requester@example.com", run_id="run-of-two")
    fourth = asked.pause(scope=ours, ttl_seconds=9 * HOUR, recipients=["bob@example.com", "ada@example.com"])
    return ours["tenant_id"], [first, second, third, fourth]


@pytest.mark.parametrize("of", ["the scope", "the whole tenant"])
def test_a_filter_leaves_what_fits_it(world: World, four: tuple[str, list[Pause]], of: str) -> None:
    ours, pauses = four
    scope = {"tenant_id": ours} | ({"whole": "true"} if of == "the whole tenant" else {})
    for what, (over, count) in FILTERS.items():
        assert len(jtis(listed(world.handlers, scope, **over))) == count, what
    soon = rfc3339(world.now + 2 * HOUR)
    assert jtis(listed(world.handlers, scope, expires_before=soon)) == [pauses[0].minted["jti"]]
    line = next(
        line for line in listed(world.handlers, scope).document["pauses"] if line["jti"] == pauses[0].minted["jti"]
    )
    assert (line["run_id"], line["recipients"], line["age_seconds"]) == ("run-of-two", ["ada@example.com"], 3 * HOUR)


def test_ended_pauses_are_found_by_their_status_in_their_exact_scope(handlers: Handlers) -> None:
    scope = a_scope()
    opened, revoked, answered = (handlers.pause(scope=scope) for _ in range(3))
    handlers.revoke(revoked.minted["jti"])
    assert handlers.redeems(answered)
    for status, pause in (("issued", opened), ("revoked", revoked), ("answered", answered)):
        assert jtis(listed(handlers, scope, status=status)) == [pause.minted["jti"]]
    first = listed(handlers, scope, limit=1).document["next"]
    assert len(jtis(listed(handlers, scope, status="revoked", next=first))) == 1
    refused = listed(handlers, {"tenant_id": scope["tenant_id"], "whole": "true"}, status="answered")
    require_problem(refused, 400, "bad-request")
    assert "only open pauses" in refused.document["detail"]


def test_a_damaged_row_is_on_every_list_of_its_tenant_as_unreadable(deployment: Deployment, handlers: Handlers) -> None:
    ours = tenant()
    bad, good = (handlers.pause(scope={"tenant_id": ours}, approvers=["ada"]) for _ in range(2))
    row = deployment.item(deployment.row_key(bad))
    del row["approvers"]
    deployment.put(row)
    for over in ({}, {"run_id": good.request["run_id"]}):
        page = listed(handlers, {"tenant_id": ours, "whole": "true"}, **over)
        found = {line["jti"]: line["status"] for line in page.document["pauses"]}
        assert found == {bad.minted["jti"]: "unreadable", good.minted["jti"]: "issued"}
    assert len(jtis(listed(handlers, {"tenant_id": ours}, status="unreadable"))) == 1


@pytest.mark.parametrize(
    ("over", "field"),
    [
        ({"whole": "yes"}, "whole"),
        ({"whole": "True"}, "whole"),
        ({"titles": "1"}, "titles"),
        ({"titles": "true"}, "titles"),
        ({"status": "open"}, "status"),
        ({"name": "Approval"}, "name"),
        ({"run_id": ""}, "run_id"),
        ({"requester": " "}, "requester"),
        ({"older_than_seconds": "0"}, "older_than_seconds"),
        ({"older_than_seconds": "1.5"}, "older_than_seconds"),
        ({"older_than_seconds": "2592001"}, "older_than_seconds"),
        ({"expires_before": "2026-11-30"}, "expires_before"),
        ({"expires_before": "2026-11-30T00:00:00"}, "expires_before"),
        ({"expires_before": "tomorrow"}, "expires_before"),
    ],
)
def test_a_filter_that_is_none_is_refused_by_its_field(handlers: Handlers, over: dict[str, str], field: str) -> None:
    refused = listed(handlers, {"tenant_id": "acme"}, **over)
    require_problem(refused, 400, "bad-request")
    assert [error["field"] for error in refused.document["errors"]] == [field]


def test_a_cursor_is_good_for_its_own_list_alone(handlers: Handlers) -> None:
    ours = tenant()
    for _ in range(2):
        handlers.pause(scope={"tenant_id": ours})
    of_scope = listed(handlers, {"tenant_id": ours}, limit=1).document["next"]
    of_whole = listed(handlers, {"tenant_id": ours, "whole": "true"}, limit=1).document["next"]
    require_problem(listed(handlers, {"tenant_id": ours}, next=of_whole), 400, "bad-request")
    require_problem(listed(handlers, {"tenant_id": ours, "whole": "true"}, next=of_scope), 400, "bad-request")
    refused = listed(handlers, {"tenant_id": ours, "namespace": "n", "whole": "true"})
    assert [error["field"] for error in refused.document["errors"]] == ["whole"]


def test_a_principal_sees_on_a_tenants_list_only_the_scopes_that_it_may_use(
    deployment: Deployment, handlers: Handlers
) -> None:
    ours = tenant()
    eu, us = (handlers.pause(scope={"tenant_id": ours, "sub_tenant_id": sub}) for sub in ("eu", "us"))
    handlers.pause(scope={"tenant_id": ours})
    entries = {"arn:aws:iam::*:user/eu": [f"{ours}/eu/*"], "arn:aws:iam::*:user/other": ["other/*"], "direct": ["*"]}
    own = deployment.load(only=frozenset({"inbox"}), ASKBACK_PRINCIPAL_SCOPES=json.dumps(entries))
    target = f"/pauses?tenant_id={ours}&whole=true&limit="
    for limit in ("1", "50"):
        page = own.get(target + limit, arn="arn:aws:iam::123456789012:user/eu")
        assert jtis(page) == [eu.minted["jti"]]
    require_problem(own.get(target + "1", arn="arn:aws:iam::123456789012:user/other"), 403, "principal-not-allowed")
    assert us.minted["jti"] in {
        line["jti"] for line in own.invoke("inbox", {"action": "list", "tenant_id": ours, "whole": True})["pauses"]
    }


def test_titles_are_shown_where_the_deployment_says_so_and_never_logged(
    deployment: Deployment, handlers: Handlers
) -> None:
    ours, title = {"tenant_id": tenant()}, "Wire 5 EUR to Luzern?"
    short = handlers.pause(scope=ours, payload={"questions": [a_question(question=title)]})
    options = [{"label": f"{number}", "preview": f"{number}" * 4000} for number in range(4)]
    # Text that does not pack well, so that it goes into the bucket.
    noise = [{**each, "preview": "".join(chr(0x4E00 + hash((n, i)) % 20_000) for i in range(4000))}
             for n, each in enumerate(options)]  # fmt: skip
    large = handlers.pause(scope=ours, payload={"questions": [a_question(question="Large?", options=noise)]})
    changed = handlers.pause(scope=ours)
    record = deployment.item(deployment.request_key(changed))
    deployment.put({**deployment.item(deployment.request_key(short)), "pk": record["pk"], "sk": record["sk"]})
    gone = handlers.pause(scope=ours)
    deployment.delete(deployment.request_key(gone))
    own = deployment.load(only=frozenset({"inbox"}), ASKBACK_LIST_TITLES="true")
    start = len(deployment.output.getvalue())
    page = own.get(f"/pauses?tenant_id={ours['tenant_id']}&titles=true").document["pauses"]
    assert {line["jti"]: line["title"] for line in page} == {
        short.minted["jti"]: title,
        large.minted["jti"]: None,
        changed.minted["jti"]: None,
        gone.minted["jti"]: None,
    }
    assert title not in deployment.output.getvalue()[start:]
    require_problem(own.get(f"/pauses?tenant_id={ours['tenant_id']}&titles=true&limit=26"), 400, "bad-request")
    assert "title" not in own.get(f"/pauses?tenant_id={ours['tenant_id']}").document["pauses"][0]

"""Every sample event of events/ gives its documented result, as `sam local invoke` would hand it to the function."""

import json
from typing import Any

import pytest

from askback.domain.timestamps import epoch_seconds, rfc3339
from local.emulated.cloud import ROOT
from tests.functions.reply_fields import RECEIPT
from tests.support.function_deployment import Answer, Deployment, Handlers, read_answer
from tests.support.request_bodies import Pause, a_mint
from tests.support.sample_events import NAMES, function_of, read_event
from tests.support.sample_results import expected_of

LATER = (
    "ask-back",
    "delegate",
    "asker-clarify",
    "asker-revoke",
    "batch",
    "outcome",
    "inbox-list",
    "inbox-redrive",
    "inbox-revoke-link",
    "inbox-extend",
    "inbox-reassign",
    "inbox-keys",
    "inbox-audit-due",
    "links",
    "mcp",
    "usermcp",
)
"""Samples of what comes after something else, or is about more than one pause."""


@pytest.fixture
def own(deployment: Deployment, handlers: Handlers) -> Pause:
    """Return a pause made by the sample mint, in a checkpoint of its own so that no other test shares it."""
    request = json.loads((ROOT / "events" / "mint-direct.json").read_text(encoding="utf-8"))
    request["checkpoint_id"] = a_mint()["run_id"]
    return Pause(request=request, minted=handlers.invoke("mint", request))


@pytest.fixture
def ended(handlers: Handlers, own: Pause) -> Pause:
    """Return the pause of the sample mint once it has been answered."""
    assert handlers.redeems(own)
    return own


@pytest.mark.parametrize("name", NAMES)
def test_a_sample_is_known_to_the_suite_that_runs_it_in_a_container(name: str) -> None:
    assert (ROOT / "functions" / function_of(name)).is_dir()
    assert expected_of(name).status < 500


@pytest.mark.parametrize("name", [name for name in NAMES if "-direct" in name and not name.startswith(LATER)])
def test_a_direct_sample_gives_the_object_itself(handlers: Handlers, own: Pause, name: str) -> None:
    """A-56."""
    result = handlers.invoke(function_of(name), read_event(name, own.minted))
    assert "statusCode" not in result
    assert result["name"] == "ask_user"


@pytest.mark.parametrize("name", [name for name in NAMES if "-http" in name and not name.startswith(LATER)])
def test_an_http_sample_gives_a_response_with_status_headers_and_a_text(
    handlers: Handlers, own: Pause, name: str
) -> None:
    """A-56: `isBase64Encoded` stands there only when it is true."""
    answer = read_answer(handlers.gateway(function_of(name), read_event(name, own.minted)))
    if name.endswith("payload-1.0"):
        assert answer.said == (400, "bad-request")
    else:
        assert answer.status == (201 if name.startswith("mint") else 200)
        assert answer.document["name"] == "ask_user"


def _later(minted: dict[str, Any]) -> str:
    return rfc3339(epoch_seconds(minted["expires_at"]) + 60)


def answered(handlers: Handlers, name: str, own: Pause) -> dict[str, Any]:
    result = handlers.gateway("resume", read_event(name, own.minted))
    if "-direct" in name:
        return dict(result)
    answer: Answer = read_answer(result)
    return answer.document


@pytest.mark.parametrize(
    ("name", "answered_by", "turn"),
    [
        ("answer-direct", "direct", False),
        ("answer-http-jwt", "user-7", False),
        ("answer-http-link", "link", False),
        ("resume-direct", None, True),
        ("resume-http-iam", None, True),
        ("resume-http-jwt", None, True),
    ],
)
def test_a_sample_that_answers_records_who_answered_and_gives_the_turn_to_backends_only(
    handlers: Handlers, own: Pause, name: str, answered_by: str | None, turn: bool
) -> None:
    document = answered(handlers, name, own)
    assert set(document) >= RECEIPT
    assert ("turn" in document) is turn
    if answered_by is not None:
        assert document["answered_by"] == answered_by
    if turn:
        assert document["turn"]["messages"] == own.request["messages"]


@pytest.mark.parametrize(
    ("name", "answered_by"),
    [("batch-direct", "direct"), ("batch-http-link", "link"), ("batch-http-jwt", "user-7")],
)
def test_a_sample_of_a_batch_gives_a_receipt_for_its_item(
    handlers: Handlers, own: Pause, name: str, answered_by: str
) -> None:
    (item,) = answered(handlers, name, own)["items"]
    assert (item["status"], item["receipt"]["answered_by"]) == (200, answered_by)


@pytest.mark.parametrize("name", ["outcome-direct", "outcome-http-iam"])
def test_a_sample_that_reads_an_outcome_gives_the_answer_and_the_turn(
    handlers: Handlers, ended: Pause, name: str
) -> None:
    document = answered(handlers, name, ended)
    assert set(document) >= RECEIPT
    assert document["response"]["answers"][0]["selections"] == ["Approve"]
    assert document["turn"]["messages"] == ended.request["messages"]


@pytest.mark.parametrize("name", ["inbox-list-direct", "inbox-list-http"])
def test_a_sample_that_lists_shows_the_scopes_pauses(handlers: Handlers, own: Pause, name: str) -> None:
    listed = handlers.gateway("inbox", read_event(name, own.minted))
    page = listed if "-direct" in name else read_answer(listed).document
    assert set(page) == {"pauses", "next", "looked_at"}
    assert 0 < len(page["pauses"]) <= 20


@pytest.mark.parametrize("name", ["inbox-keys-direct", "inbox-keys-http"])
def test_a_sample_that_asks_for_the_keys_gets_their_ids(handlers: Handlers, own: Pause, name: str) -> None:
    shown = handlers.gateway("inbox", read_event(name, own.minted))
    report = shown if "-direct" in name else read_answer(shown).document
    assert set(report) == {"keys", "unnamed", "legacy_key"}
    assert [key["key_id"] for key in report["keys"] if key["signs"]] == ["initial"]


@pytest.mark.parametrize("name", ["links-direct", "links-http"])
def test_a_sample_that_asks_for_links_gets_those_that_the_mint_can_return(
    handlers: Handlers, own: Pause, name: str
) -> None:
    given = handlers.gateway("links", read_event(name, own.minted))
    links = given if "-direct" in name else read_answer(given).document
    assert links == {name: own.minted[name] for name in links}
    assert {"answer_token", "answer_link", "recipients"} <= set(links)


def test_a_sample_that_audits_the_due_marks_says_how_many_rows_it_looked_through(
    handlers: Handlers, own: Pause
) -> None:
    page = handlers.invoke("inbox", read_event("inbox-audit-due-direct", own.minted))
    assert set(page) == {"scanned", "rows", "next"}
    assert 0 < page["scanned"] <= 100


def test_a_sample_that_redrives_needs_an_undeliverable_pause(handlers: Handlers, own: Pause) -> None:
    assert handlers.refused("inbox", read_event("inbox-redrive-direct", own.minted))["code"] == "not-redrivable"
    over_http = handlers.gateway("inbox", read_event("inbox-redrive-http", own.minted))
    assert read_answer(over_http).said == (409, "not-redrivable")


def test_a_sample_that_revokes_a_link_needs_a_pause_with_recipients(handlers: Handlers, own: Pause) -> None:
    for name in ("inbox-revoke-link-direct", "inbox-revoke-link-http"):
        event = read_event(name, own.minted)
        http = name.endswith("http")
        refused = read_answer(handlers.gateway("inbox", event)).document if http else handlers.refused("inbox", event)
        assert [error["field"] for error in refused["errors"]] == ["recipient"]
    asked = {**own.request, "idempotency_key": own.minted["jti"], "recipients": ["ada@example.com"]}
    minted = handlers.invoke("mint", asked)
    revoked = handlers.invoke("inbox", read_event("inbox-revoke-link-direct", minted))
    over_http = read_answer(handlers.gateway("inbox", read_event("inbox-revoke-link-http", minted)))
    assert revoked["revoked_links"] == over_http.document["revoked_links"] == ["ada@example.com"]


def test_the_schedules_event_makes_the_sweep_report(handlers: Handlers, own: Pause) -> None:
    report = handlers.invoke("sweep", read_event("sweep-schedule", own.minted))
    assert set(report) == {"done", "oldest_due_seconds", "cut_off"}


def test_a_message_about_an_execution_that_asked_nothing_is_done(handlers: Handlers, own: Pause) -> None:
    assert handlers.invoke("ended", read_event("ended-queue", own.minted)) == {"batchItemFailures": []}


@pytest.mark.parametrize("what", ["extend", "reassign"])
def test_a_sample_that_changes_a_pause_needs_one_that_was_minted_for_it(
    handlers: Handlers, own: Pause, what: str
) -> None:
    field = {"extend": "expires_at", "reassign": "from"}[what]
    refused = handlers.refused("inbox", read_event(f"inbox-{what}-direct", own.minted))
    assert [error["field"] for error in refused["errors"]] == [field]
    asked = {**own.request, "idempotency_key": f"{what} {own.minted['jti']}", "recipients": ["ada@example.com"]}
    minted = handlers.invoke("mint", {**asked, "max_ttl_seconds": 7200})
    for name in (f"inbox-{what}-direct", f"inbox-{what}-http"):
        event = json.loads(json.dumps(read_event(name, minted)).replace("2026-01-02T09:30:00Z", _later(minted)))
        changed = handlers.gateway("inbox", event) if "-direct" in name else None
        document = changed or read_answer(handlers.gateway("inbox", event)).document
        assert document["jti"] == minted["jti"]


@pytest.mark.parametrize("name", ["notify-escalated", "notify-reassigned", "notify-delegated", "notify-clarified"])
def test_an_event_of_a_change_that_the_row_does_not_have_sends_no_message(
    handlers: Handlers, own: Pause, name: str
) -> None:
    assert handlers.invoke("notify", read_event(name, own.minted))["skipped"] == "unknown"


@pytest.mark.parametrize("name", ["notify-issued", "notify-reminder"])
def test_an_announcement_without_a_channel_sends_no_message(handlers: Handlers, own: Pause, name: str) -> None:
    told = handlers.invoke("notify", read_event(name, own.minted))
    assert told == {"sent": {}, "unreached": 0, "skipped": "no-channel"}


def test_a_sample_that_revokes_for_the_program_that_asked_works_for_its_own_pause_only(
    handlers: Handlers, own: Pause
) -> None:
    foreign = read_answer(handlers.gateway("mint", read_event("asker-revoke-http", own.minted)))
    assert foreign.said == (404, "unknown-pause")
    revoked = handlers.invoke("mint", read_event("asker-revoke-direct", own.minted))
    assert (revoked["jti"], revoked["status"], revoked["replayed"]) == (own.minted["jti"], "revoked", False)


@pytest.mark.parametrize("way", ["direct", "http-link", "http-jwt"])
def test_a_sample_that_asks_back_is_replied_to_by_the_program_that_asked_only(
    handlers: Handlers, own: Pause, way: str
) -> None:
    place = {"checkpoint_id": f"{way} {own.minted['jti']}", "idempotency_key": f"{way} {own.minted['jti']}"}
    asked = {**own.request, **place, "about": {"takes_questions": True}}
    minted = handlers.invoke("mint", asked)
    event = read_event(f"ask-back-{way}", minted)
    if way == "direct":
        assert handlers.invoke("resume", event)["number"] == 1
    else:
        assert read_answer(handlers.gateway("resume", event)).status == 201
    foreign = read_answer(handlers.gateway("mint", read_event("asker-clarify-http", minted)))
    assert foreign.said == (404, "unknown-pause")
    replied = handlers.invoke("mint", read_event("asker-clarify-direct", minted))
    assert replied["clarifications"][0]["reply"] == "Order A-1009."


@pytest.mark.parametrize("way", ["direct", "http-link", "http-jwt"])
def test_a_sample_that_passes_a_pause_on_needs_one_that_names_its_delegates(
    handlers: Handlers, own: Pause, way: str
) -> None:
    refused = handlers.gateway("resume", read_event(f"delegate-{way}", own.minted)) if way != "direct" else None
    if refused is not None:
        assert read_answer(refused).said == (400, "bad-request")
    members = ["ada@example.com", "user-7"]
    place = {"checkpoint_id": f"{way} {own.minted['jti']}", "idempotency_key": f"{way} {own.minted['jti']}"}
    people = {"approvers": members, "recipients": members, "delegates": ["*@example.com"]}
    minted = handlers.invoke("mint", {**own.request, **place, **people})
    if way == "http-link":
        minted = {**minted, "answer_token": minted["recipients"][0]["answer_token"]}
    event = read_event(f"delegate-{way}", minted)
    passed = (
        handlers.invoke("resume", event) if way == "direct" else read_answer(handlers.gateway("resume", event)).document
    )
    assert (passed["from"], passed["to"]) == (members[way == "http-jwt"], "bob@example.com")


@pytest.mark.parametrize("name", [name for name in NAMES if name.startswith(("mcp", "usermcp"))])
def test_a_sample_of_a_tool_server_gives_what_the_protocol_says(handlers: Handlers, own: Pause, name: str) -> None:
    result = handlers.gateway(function_of(name), read_event(name, own.minted))
    expected, document = expected_of(name), json.loads(result["body"] or "{}")
    assert (result["statusCode"], document.get("code", "")) == (expected.status, expected.code)
    assert set(document) >= expected.members

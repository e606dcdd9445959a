"""The cutover command against a deployed stack: repeatable, refusing a second use, and sure before a key goes."""

import hashlib
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import boto3
import jwt
import pytest

from askback.cutover.ledger_marks import NOTE_KEY
from tests.support.aws_probe import aws_error
from tests.support.cutover_deployment import SECRET, Cutover, cut_over_to
from tests.support.function_deployment import Deployment

SCOPE = {"tenant_id": "acme", "sub_tenant_id": "eu"}
SCOPE_HASH = hashlib.sha256(b"acme:eu:_").hexdigest()[:16]
PAYLOAD = {"reason": "crushed", "amount": 49.9, "lines": [], "note": None}
TEXT = json.dumps(PAYLOAD)


@pytest.fixture
def cutover(deployment: Deployment, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Cutover]:
    deployment.delete(NOTE_KEY)
    name = "cutover-" + hashlib.sha256(request.node.nodeid.encode()).hexdigest()[:16]
    with cut_over_to(deployment, name=name, folder=tmp_path) as up:
        yield up


def _token(cutover: Cutover, number: int, **over: Any) -> str:
    """Return a token as the engine signs it, for a named interrupt of this stack alone."""
    claims = {
        "run_id": "run-1",
        "session_id": "sess-1",
        "scope_hash": SCOPE_HASH,
        "thread_id": "acme:eu:sess-1",
        "checkpoint_id": cutover.stack,
        "tool_call_id": "",
        "request_hash": hashlib.sha256(json.dumps(PAYLOAD, sort_keys=True).encode()).hexdigest(),
        "exp": cutover.now + 600,
        "jti": f"{cutover.stack}-{number}",
        "name": "approval_required",
        "interrupt_id": f"i-{number}",
        **over,
    }
    return jwt.encode(claims, SECRET, algorithm="HS256")


def _request(cutover: Cutover, number: int, text: str = TEXT) -> dict[str, Any]:
    place = {"thread_id": "acme:eu:sess-1", "checkpoint_id": cutover.stack}
    return {**place, "key": f"interrupt_payload:i-{number}", "text": text}


def _consumed(cutover: Cutover, number: int, **over: Any) -> dict[str, Any]:
    return {"jti": f"{cutover.stack}-{number}", "scope_hash": SCOPE_HASH, "name": "approval_required", **over}


def _answer(token: str) -> dict[str, Any]:
    response = {"approved": True}
    return {"action": "answer", "pause_token": token, "scope": SCOPE, "response": response, "answerer": "ada"}


def test_what_was_consumed_before_is_used_up_and_what_was_not_redeems_once(cutover: Cutover) -> None:
    handlers = cutover.cut_over(
        requests=[_request(cutover, 1), _request(cutover, 2)],
        consumed=[_consumed(cutover, 1, consumed_at=cutover.now - 60)],
    )
    problem = handlers.refused("resume", _answer(_token(cutover, 1)))
    assert (problem["status"], problem["code"]) == (409, "already-answered")
    assert datetime.fromisoformat(problem["answered_at"]).timestamp() == cutover.now - 60
    assert handlers.invoke("resume", _answer(_token(cutover, 2)))["replayed"] is False
    assert handlers.invoke("resume", _answer(_token(cutover, 2)))["replayed"] is True


def test_an_import_can_be_repeated_and_never_touches_an_answer(cutover: Cutover) -> None:
    handlers = cutover.cut_over(requests=[_request(cutover, 1)], consumed=[])
    receipt = handlers.invoke("resume", _answer(_token(cutover, 1)))
    rows = [_consumed(cutover, 1), _consumed(cutover, 2), _consumed(cutover, 2)]
    ran = cutover.imported("consumed", rows)
    assert (ran.code, ran.out.splitlines()) == (
        3,
        ["1 answered here, 1 known, 1 written", f"line 1: {cutover.stack}-1 was also answered in askback"],
    )
    assert cutover.imported("consumed", rows, "--json").document["counts"] == {"answered here": 1, "known": 2}
    again = handlers.invoke("resume", _answer(_token(cutover, 1)))
    assert (again["replayed"], again["answered_at"]) == (True, receipt["answered_at"])


def test_a_request_is_copied_once_and_another_text_is_told(cutover: Cutover) -> None:
    assert cutover.imported("requests", [_request(cutover, 1)]).out == "1 written\n"
    large = json.dumps({"reason": "".join(hashlib.sha256(bytes([n])).hexdigest() for n in range(250))})
    ran = cutover.imported("requests", [_request(cutover, 1), _request(cutover, 2, large)])
    assert (ran.code, ran.out) == (0, "1 known, 1 written\n")
    ran = cutover.imported("requests", [_request(cutover, 1, "{}"), _request(cutover, 2, large)])
    assert (ran.code, ran.out.splitlines()) == (
        3,
        [
            "1 conflict, 1 known",
            "line 1: interrupt_payload:i-1: another text is already recorded there; it was not replaced",
        ],
    )


def test_tokens_that_have_expired_for_certain_are_left_out(cutover: Cutover) -> None:
    rows = [_consumed(cutover, number, consumed_at=cutover.now - 600 - after) for number, after in ((1, 60), (2, 61))]
    assert cutover.imported("consumed", rows, "--longest-ttl", "600").out == "1 expired, 1 written\n"


def test_a_file_with_a_wrong_line_changes_nothing(cutover: Cutover) -> None:
    ran = cutover.imported("consumed", [_consumed(cutover, 1), _consumed(cutover, 2, scope_hash="SECRET")])
    assert ran.code == 1
    assert ran.err.endswith("consumed.jsonl, line 2: scope_hash must be 16 hex digits\n")
    ran = cutover.imported("consumed", [{"token": "SECRET"}], "--json")
    assert (ran.code, ran.document["code"], ran.document["line"]) == (1, "line-refused", 1)
    assert "SECRET" not in ran.err
    assert cutover.imported("consumed", [_consumed(cutover, 1)]).out == "1 written\n"


def test_an_import_that_broke_off_is_not_made_and_goes_on_where_it_did(cutover: Cutover) -> None:
    assert cutover.imported("consumed", []).out == "nothing to import\n"
    rows = [_consumed(cutover, number) for number in range(1, 40)]
    throttled = aws_error("ThrottlingException")

    def refuse_the_twentieth(params: dict[str, Any], **_: Any) -> None:
        if f"{cutover.stack}-20" in str(params["body"]):
            raise throttled

    cutover.before_put = refuse_the_twentieth
    ran = cutover.imported("consumed", rows)
    assert ran.code == 1
    assert ran.err.startswith("Refused: store-unavailable: ")
    assert ran.err.endswith("; continue with --from-line 20\n")
    cutover.before_put = None
    assert cutover.run("admit", key=SECRET).err.startswith("Refused: not-imported")
    # The chunk that it broke off in was written as far as it could be.
    assert cutover.imported("consumed", rows, "--from-line", "20").out == "12 known, 8 written\n"
    assert cutover.imported("consumed", rows).out == "39 known\n"
    assert cutover.run("admit", key=SECRET).code == 0


def test_the_key_is_admitted_once_and_exactly_as_it_is(cutover: Cutover) -> None:
    assert cutover.imported("consumed", []).code == 0
    for short in ("", "short", "framework-default-secret-change-me"):
        refused = cutover.run("admit", key=short)
        assert (refused.code, refused.err.split(":")[1]) == (1, " misconfigured")
    assert "line break" not in cutover.run("admit", key=SECRET).out
    assert cutover.run("admit", key=SECRET).out == "The ring already has this legacy key.\n"
    assert cutover.run("admit", key=SECRET + "\n").err.startswith("Refused: another-key")
    assert cutover.run("retire", "--even-though-outstanding").code == 0
    assert "ends with a line break" in cutover.run("admit", key=SECRET + "\n").out


def test_an_engine_that_is_not_frozen_yet_is_not_taken_over(cutover: Cutover) -> None:
    row = _consumed(cutover, 1, consumed_at=cutover.now - 10)
    late = cutover.imported("consumed", [row], "--frozen-at", str(cutover.now - 100))
    assert "stop the engine, export again" in late.err
    assert cutover.imported("consumed", [row], "--frozen-at", str(cutover.now + 1)).err.startswith(
        "Refused: frozen-later"
    )


def test_the_key_goes_only_when_no_token_can_be_outstanding(cutover: Cutover) -> None:
    assert cutover.run("status", "--json").document["verdict"] == "absent"
    assert cutover.run("retire").err.startswith("Refused: no-legacy-key")
    cutover.cut_over(requests=[], consumed=[])
    frozen = cutover.now
    for after, verdict in ((0, "needed"), (86_400 + 59, "needed"), (86_400 + 60, "done")):
        cutover.now = frozen + after
        ran = cutover.run("status", "--json")
        assert (ran.code, ran.document["verdict"], ran.document["redeemed"]) == (0, verdict, 0)
        if verdict == "needed":
            refused = cutover.run("retire")
            assert (refused.code, refused.err.split(",")[0]) == (
                1,
                "Refused: not-retired: tokens of the engine can still be outstanding",
            )
    assert "retire the legacy key" in cutover.run("status").out
    assert cutover.run("retire").code == 0
    assert cutover.run("status", "--json").document["verdict"] == "absent"


def test_a_ring_with_a_key_that_no_import_knows_of_is_told(cutover: Cutover) -> None:
    cutover.cut_over(requests=[], consumed=[])
    cutover.deployment.delete(NOTE_KEY)
    assert "it is not known when" in cutover.run("status").out
    assert "their last expiry is not known" in cutover.run("retire").err


def test_what_is_noted_of_the_last_expiry_never_shrinks(cutover: Cutover) -> None:
    expiries = []
    for ttl in ("600", "1200", "60"):
        assert cutover.imported("consumed", [], "--longest-ttl", ttl).code == 0
        document = cutover.run("status", "--json").document
        moment = datetime.fromisoformat(document["latest_possible_expiry"])
        expiries.append(int(moment.timestamp()) - cutover.now)
    assert expiries == [600, 1200, 1200]


def test_the_last_redemption_is_read_from_the_metric(cutover: Cutover) -> None:
    cutover.cut_over(requests=[], consumed=[])
    cutover.now += 7200
    boto3.client("cloudwatch").put_metric_data(
        Namespace="askback",
        MetricData=[
            {
                "MetricName": "LegacyRedeemed",
                "Dimensions": [{"Name": "service", "Value": f"{cutover.stack}-resume"}],
                "Timestamp": datetime.fromtimestamp(cutover.now - 3600, UTC),
                "Value": 1,
            }
        ]
        * 2,
    )
    document = cutover.run("status", "--json").document
    hour = datetime.fromisoformat(document["last_redeemed_in_the_hour_from"]).timestamp()
    assert (document["redeemed"], int(hour)) == (2, (cutover.now - 3600) // 3600 * 3600)
    assert "2, the last in the hour from " in cutover.run("status").out


def test_a_file_that_is_not_there_is_told_by_name(cutover: Cutover) -> None:
    ran = cutover.run("consumed", "/nowhere/consumed.csv", "--frozen-at", str(cutover.now))
    assert (ran.code, ran.err) == (1, "Refused: /nowhere/consumed.csv: No such file or directory\n")

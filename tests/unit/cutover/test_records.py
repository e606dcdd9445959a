"""The records of both exports: what is taken, what is refused by the name of its field, and what follows from them."""

import json
from typing import Any

import pytest

from askback.cutover.consumed import LEGACY_ENGINE, ConsumedToken
from askback.cutover.freeze import Freeze
from askback.cutover.lines import FieldRefused, epoch_seconds
from askback.cutover.recorded import RecordedRequest

FROZEN = 1_790_000_000
FREEZE = Freeze(at=FROZEN, longest_ttl=600)
A_TOKEN = {"jti": "0123456789abcdef", "scope_hash": "0123456789abcdef"}
A_REQUEST = {
    "thread_id": "acme:eu:sess-1",
    "checkpoint_id": "c-1",
    "key": "ask_user_request:call_1",
    "text": '{"questions": []}',
}


def _token(**over: Any) -> ConsumedToken:
    record = {name: value for name, value in {**A_TOKEN, **over}.items() if value is not ...}
    return ConsumedToken.from_record(record, FREEZE)


def test_a_row_of_either_store_is_read() -> None:
    postgres = _token(name="approval_required", consumed_at="2026-09-21 14:13:20+00")
    assert (postgres.jti, postgres.name, postgres.consumed_at) == (A_TOKEN["jti"], "approval_required", FROZEN)
    mongo = _token(jti=..., _id="a-jti")
    assert (mongo.jti, mongo.name, mongo.consumed_at) == ("a-jti", "ask_user", None)


def test_it_is_kept_until_its_token_has_expired_whatever_its_expiry_was() -> None:
    early, late, untold = _token(consumed_at=FROZEN - 500), _token(consumed_at=FROZEN + 60), _token()
    assert [token.latest_expiry(FREEZE) - FROZEN for token in (early, late, untold)] == [100, 600, 600]
    assert [token.answer(FREEZE).answered_at - FROZEN for token in (early, late, untold)] == [-500, 0, 0]
    assert early.claims(FREEZE).exp == FROZEN + 100
    assert early.claims(FREEZE).legacy
    assert early.answer(FREEZE).answered_by == LEGACY_ENGINE


@pytest.mark.parametrize(
    ("over", "field"),
    [
        ({"jti": ""}, "jti"),
        ({"jti": 7}, "jti"),
        ({"jti": "é" * 129}, "jti"),
        ({"jti": "\ud800"}, "jti"),
        ({"jti": ...}, "jti or _id"),
        ({"_id": "another"}, "jti or _id"),
        ({"scope_hash": "0123456789ABCDEF"}, "scope_hash"),
        ({"scope_hash": "0" * 64}, "scope_hash"),
        ({"scope_hash": ...}, "scope_hash"),
        ({"name": "x" * 65}, "name"),
        ({"consumed_at": "2026-09-21 14:13:20"}, "consumed_at"),
        ({"consumed_at": "yesterday"}, "consumed_at"),
        ({"consumed_at": True}, "consumed_at"),
        ({"token": "SECRET"}, "unknown fields"),
    ],
)
def test_a_row_that_is_none_is_refused_by_the_name_of_its_field(over: dict[str, Any], field: str) -> None:
    with pytest.raises(FieldRefused, match=field) as refused:
        _token(**over)
    assert "SECRET" not in str(refused.value)


def test_a_token_that_was_consumed_after_the_freeze_shows_that_there_was_none() -> None:
    with pytest.raises(FieldRefused, match="stop the engine, export again"):
        _token(consumed_at=FROZEN + 61)


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        (FROZEN, FROZEN),
        (FROZEN - 0.5, FROZEN),
        (str(FROZEN), FROZEN),
        ("2026-09-21T14:13:20Z", FROZEN),
        ("2026-09-21T14:13:19.25+00:00", FROZEN),
        ("2026-09-21 16:13:20+02", FROZEN),
        ("2026-09-21", None),
        ("", None),
        (None, None),
        ([], None),
    ],
)
def test_times_need_a_zone_and_are_rounded_up(written: object, seconds: int | None) -> None:
    assert epoch_seconds(written) == seconds


def test_a_recorded_request_comes_out_as_it_went_in() -> None:
    request = RecordedRequest.from_record(A_REQUEST)
    assert RecordedRequest.from_record(json.loads(json.dumps(request.to_record()))) == request


@pytest.mark.parametrize(
    ("over", "field"),
    [
        ({"key": "turn_state:call_1"}, "key"),
        ({"key": "ask_user_request:"}, "key"),
        ({"key": "ask_user_request:" + "x" * 513}, "key"),
        ({"key": None}, "key"),
        ({"text": ""}, "text"),
        ({"text": "[]"}, "text"),
        ({"text": '{"a": 1, "a": 2}'}, "text"),
        ({"text": {"questions": []}}, "text"),
        ({"thread_id": "x" * 1025}, "thread_id"),
        ({"checkpoint_id": 7}, "checkpoint_id"),
        ({"secret": "SECRET"}, "unknown fields"),
    ],
)
def test_a_request_that_no_token_can_be_redeemed_with_is_refused(over: dict[str, Any], field: str) -> None:
    with pytest.raises(FieldRefused, match=field) as refused:
        RecordedRequest.from_record({**A_REQUEST, **over})
    assert "SECRET" not in str(refused.value)

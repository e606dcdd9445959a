"""Every form that leaves a process, byte for byte.

Rows and tokens of one build are read by the next for as long as a pause and its retention last. A change here is a
change of the stored form: it needs a reader for the old one, not a new literal.
"""

import asyncio
import base64
import hashlib
import json
from dataclasses import replace
from typing import Any

import pytest

from askback.adapters.jwt_codec import JwtTokenCodec
from askback.adapters.secrets.key_ring import FixedKeyRing
from askback.domain.pause.ledger import PauseStatus, Revocation, RowChange
from askback.domain.pause.waiters import Waiter, WaiterKind
from askback.domain.tokens.answer_token import AnswerTokenClaims
from tests.support.aws_stores import INLINE_LIMIT, Aws
from tests.support.domain_values import an_acceptance, an_issued_row, some_claims, some_legacy_claims
from tests.support.memory_deployment import KEY_RING, NOW, signed

HEADER = b'{"alg":"HS256","kid":"k1","typ":"JWT"}'
PAYLOAD = (
    b'{"run_id":"run-1","session_id":"sess-1",'
    b'"scope_hash":"a246859cecc362102ba253d47282c7047f5ba9e843b19b62ee49c6a9a0a9584f",'
    b'"thread_id":"acme:eu:sess-1","checkpoint_id":"cp-1","tool_call_id":"call_Cc03Ask",'
    b'"request_hash":"abababababababababababababababababababababababababababababababab",'
    b'"exp":1790003600,"jti":"0123456789abcdef0123456789abcdef","name":"ask_user","interrupt_id":"",'
    b'"iat":1790000000,"aud":"resume"}'
)
SIGNATURE = "n7ZdwpMlJjXKLANNC1D1YlSAbo2PSS_Noogx_jocMnI"

LEDGER_KEY = {"pk": {"S": "pause#0123456789abcdef0123456789abcdef"}, "sk": {"S": "pause"}}
CLAIMS: dict[str, Any] = {
    "run_id": {"S": "run-1"},
    "session_id": {"S": "sess-1"},
    "scope_hash": {"S": "a246859cecc362102ba253d47282c7047f5ba9e843b19b62ee49c6a9a0a9584f"},
    "thread_id": {"S": "acme:eu:sess-1"},
    "checkpoint_id": {"S": "cp-1"},
    "tool_call_id": {"S": "call_Cc03Ask"},
    "request_hash": {"S": "abababababababababababababababababababababababababababababababab"},
    "name": {"S": "ask_user"},
    "interrupt_id": {"S": ""},
    "exp": {"N": "1790003600"},
    "ttl": {"N": "1792595600"},
}
ANSWER: dict[str, Any] = {
    "status": {"S": "answered"},
    "response": {"S": '"Approve"'},
    "response_hash": {"S": "6a170dd7aac698f8c5dacdc0bb308a794f2bcdf4ba87698066b1f9b46f4d2156"},
    "answered_by": {"S": "ada"},
    "answered_at": {"N": "1790000060"},
    "attempt_id": {"S": "attempt-1"},
    "redeemed_scope_hash": {"S": "a246859cecc362102ba253d47282c7047f5ba9e843b19b62ee49c6a9a0a9584f"},
}
OPEN: dict[str, Any] = {
    "status": {"S": "issued"},
    "due_shard": {"S": "due#6"},
    "due_at": {"N": "1790003600"},
    "scope_order": {"S": "0#001790000000#0123456789abcdef0123456789abcdef"},
}
CLOSED = {"scope_order": {"S": "1#001790000000#0123456789abcdef0123456789abcdef"}}
AN_ISSUED_ROW = an_issued_row(due_at=NOW + 3600)
MINTED: dict[str, Any] = {
    "issued_at": {"N": "1790000000"},
    "kid": {"S": "k1"},
    "pin": {"S": "v7"},
    "turn_recorded": {"BOOL": True},
    # The hash of a row that every person may answer, without a default answer and without a waiter.
    "terms": {"B": bytes.fromhex("14a2f4a4d366")},
}


def test_a_token_is_this_header_these_claims_and_this_signature() -> None:
    """A-20: every PyJWT that the layer's requirements allow signs these bytes."""
    envelope = signed(JwtTokenCodec(FixedKeyRing(KEY_RING)), some_claims().to_mapping())
    header, payload, signature = envelope.split(".")
    assert base64.urlsafe_b64decode(header + "==") == HEADER
    assert base64.urlsafe_b64decode(payload + "==") == PAYLOAD
    assert signature == SIGNATURE


@pytest.mark.parametrize(("number", "recipient"), [(0, b""), (20, b',"n":20')])
def test_an_answer_token_has_these_claims(number: int, recipient: bytes) -> None:
    claims = AnswerTokenClaims(jti="0123456789abcdef0123456789abcdef", exp=NOW + 3600, number=number)
    envelope = signed(JwtTokenCodec(FixedKeyRing(KEY_RING)), claims.to_mapping())
    payload = base64.urlsafe_b64decode(envelope.split(".")[1] + "==")
    assert payload == (b'{"jti":"0123456789abcdef0123456789abcdef","exp":1790003600,"aud":"answer"' + recipient + b"}")


def test_an_issued_pause_is_this_item(aws: Aws) -> None:
    asyncio.run(aws.ledger().issue(AN_ISSUED_ROW))
    assert aws.items() == [{**LEDGER_KEY, **CLAIMS, **MINTED, **OPEN}]


def test_a_pause_whose_records_are_in_its_scope_says_so_in_its_token_and_by_its_minter_in_its_row(aws: Aws) -> None:
    claims = some_claims(scoped=True)
    envelope = signed(JwtTokenCodec(FixedKeyRing(KEY_RING)), claims.to_mapping())
    assert base64.urlsafe_b64decode(envelope.split(".")[1] + "==") == PAYLOAD[:-1] + b',"scoped":true}'
    asyncio.run(aws.ledger().issue(replace(AN_ISSUED_ROW, claims=claims, minter="00112233445566778a")))
    minter = {"by": {"B": bytes.fromhex("00112233445566778a")}}
    assert aws.items() == [{**LEDGER_KEY, **CLAIMS, **MINTED, **OPEN, **minter}]


def test_a_pause_with_everything_optional_is_this_item_and_one_with_nothing_says_nothing_of_it(aws: Aws) -> None:
    waiter = Waiter(kind=WaiterKind.STEP_FUNCTIONS, address="AAAA+/==")
    turn_hash = "00112233445566778899aabbccddeeff"
    row = replace(
        AN_ISSUED_ROW,
        turn_hash=turn_hash,
        waiter=waiter,
        default_response_text='"Reject"',
        remind_at=NOW + 60,
        due_at=NOW + 60,
    )
    asyncio.run(aws.ledger().issue(row))
    optional = {
        "waiter_kind": {"S": "step_functions"},
        "waiter_address": {"S": "AAAA+/=="},
        "default_response": {"S": '"Reject"'},
        "remind_at": {"N": "1790000060"},
        "turn_hash": {"B": bytes.fromhex(turn_hash)},
        "terms": {"B": bytes.fromhex("ac4b4ecb806e")},
        "due_at": {"N": "1790000060"},
    }
    assert aws.items() == [{**LEDGER_KEY, **CLAIMS, **MINTED, **OPEN, **optional}]

    aws.empty()
    asyncio.run(aws.ledger().issue(replace(AN_ISSUED_ROW, key_id="", pin="", turn_recorded=False, due_at=None)))
    (item,) = aws.items()
    kept = {name: value for name, value in (MINTED | OPEN).items() if name not in ("kid", "pin", "due_at", "due_shard")}
    assert item == {**LEDGER_KEY, **CLAIMS, **kept, "turn_recorded": {"BOOL": False}}


def test_an_answered_pause_is_this_item_and_is_due_no_more(aws: Aws) -> None:
    asyncio.run(aws.ledger().issue(AN_ISSUED_ROW))
    asyncio.run(aws.ledger().claim(some_claims(), an_acceptance()))
    assert aws.items() == [{**LEDGER_KEY, **CLAIMS, **MINTED, **ANSWER, **CLOSED}]


def test_an_answered_pause_with_a_waiter_is_due_again_and_counts_its_first_delivery(aws: Aws) -> None:
    event = Waiter(kind=WaiterKind.EVENT)
    asyncio.run(aws.ledger().issue(replace(AN_ISSUED_ROW, waiter=event)))
    asyncio.run(aws.ledger().claim(some_claims(), an_acceptance(), redeliver_at=NOW + 120))
    waiting = {
        "waiter_kind": {"S": "event"},
        "waiter_address": {"S": ""},
        "terms": {"B": bytes.fromhex("37c0287942a4")},
        "attempts": {"N": "1"},
        "due_shard": {"S": "due#6"},
        "due_at": {"N": "1790000120"},
    }
    assert aws.items() == [{**LEDGER_KEY, **CLAIMS, **MINTED, **ANSWER, **CLOSED, **waiting}]


def test_an_answer_over_the_inline_limit_is_this_item_and_this_object(aws: Aws) -> None:
    answer = an_acceptance('"' + "a" * INLINE_LIMIT + '"')
    asyncio.run(aws.ledger().issue(AN_ISSUED_ROW))
    asyncio.run(aws.ledger().claim(some_claims(), answer))
    inline = {name: value for name, value in ANSWER.items() if name != "response"}
    large = {"response_hash": {"S": answer.response_hash}, "response_in_bucket": {"BOOL": True}}
    assert aws.items() == [{**LEDGER_KEY, **CLAIMS, **MINTED, **inline, **CLOSED, **large}]
    written = ["acme:eu:sess-1", "cp-1", "answer:0123456789abcdef0123456789abcdef", str(some_claims().exp)]
    place = hashlib.sha256(json.dumps(written).encode()).hexdigest()
    assert aws.objects() == {f"turns/{place}/{answer.response_hash}": INLINE_LIMIT + 2}


def test_an_answer_by_policy_says_so(aws: Aws) -> None:
    asyncio.run(aws.ledger().issue(AN_ISSUED_ROW))
    by_policy = an_acceptance(by_policy=True, answered_by="policy")
    change = RowChange(due_at=None, status=PauseStatus.ANSWERED, answer=by_policy)
    assert asyncio.run(aws.ledger().advance(AN_ISSUED_ROW, change))
    said = {"by_policy": {"BOOL": True}, "answered_by": {"S": "policy"}}
    assert _without_step(aws.items()) == [{**LEDGER_KEY, **CLAIMS, **MINTED, **ANSWER, **CLOSED, **said}]


def test_a_revoked_pause_says_by_whom_and_when(aws: Aws) -> None:
    asyncio.run(aws.ledger().issue(AN_ISSUED_ROW))
    change = RowChange(due_at=None, status=PauseStatus.REVOKED, revocation=Revocation(by="olga", at=NOW + 60))
    assert asyncio.run(aws.ledger().advance(AN_ISSUED_ROW, change))
    said = {"status": {"S": "revoked"}, "revoked_by": {"S": "olga"}, "revoked_at": {"N": "1790000060"}}
    assert _without_step(aws.items()) == [{**LEDGER_KEY, **CLAIMS, **MINTED, **CLOSED, **said}]


def _without_step(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the items without the random id of their last step."""
    assert [len(item["step"]["S"]) for item in found] == [8]
    return [{name: value for name, value in item.items() if name != "step"} for item in found]


def test_an_answered_legacy_pause_is_this_item(aws: Aws) -> None:
    asyncio.run(aws.ledger().claim(some_legacy_claims(), an_acceptance()))
    assert aws.items() == [
        {
            **CLAIMS,
            **ANSWER,
            "pk": {"S": "pause#legacy-jti"},
            "sk": {"S": "pause"},
            "scope_hash": {"S": "a246859cecc36210"},
            "scope_order": {"S": "1#001790000060#legacy-jti"},
        }
    ]

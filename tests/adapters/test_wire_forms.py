"""Every form that leaves a process, byte for byte.

Rows and tokens of one build are read by the next for as long as a pause and its retention last. A change here is a
change of the stored form: it needs a reader for the old one, not a new literal.
"""

import asyncio
import base64
import hashlib
import zlib
from typing import Any

import pytest

from askback.adapters.bodies import PackedBody, pack, unpack
from askback.adapters.item_keys import body_key, due_shard, ledger_key, record_key, scope_order
from askback.adapters.jwt_codec import JwtTokenCodec
from askback.adapters.key_ring import FixedKeyRing
from askback.domain.claims import Audience
from tests.fakes.aws import Aws
from tests.fakes.deployment import KEY_RING, NOW
from tests.fakes.values import an_acceptance, an_issued_row, some_claims, some_legacy_claims

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
MINTED: dict[str, Any] = {"issued_at": {"N": "1790000000"}, "pin": {"S": "v7"}, "turn_recorded": {"BOOL": True}}

RECORD_KEY = {"pk": {"S": "record#14#acme:eu:sess-1#cp-1"}, "sk": {"S": "turn_state:call_1"}}
SHA256_OF_X = "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"
OBJECT_KEY = f"turns/887ebbdde7bad29654aaf6985679255bb932bf9da2ff5c9e65a7834e3325603a/{SHA256_OF_X}"
"""The SHA-256 of `["acme:eu:sess-1", "cp-1", "turn_state:call_1"]`, then that of the text."""
SIXTY_A_IN_ZLIB = b"x\x9cKL$\x1f\x00\x00\xb5\xc0\x16\xbd"
PLACE = {"thread_id": "acme:eu:sess-1", "checkpoint_id": "cp-1", "key": "turn_state:call_1"}


def test_a_token_is_this_header_these_claims_and_this_signature() -> None:
    """A-20: every PyJWT that the layer's requirements allow signs these bytes."""
    envelope = asyncio.run(JwtTokenCodec(FixedKeyRing(KEY_RING)).sign(some_claims().to_mapping()))
    header, payload, signature = envelope.split(".")
    assert base64.urlsafe_b64decode(header + "==") == HEADER
    assert base64.urlsafe_b64decode(payload + "==") == PAYLOAD
    assert signature == SIGNATURE


def test_the_answer_token_differs_in_its_audience_alone() -> None:
    claims = some_claims().for_audience(Audience.ANSWER)
    envelope = asyncio.run(JwtTokenCodec(FixedKeyRing(KEY_RING)).sign(claims.to_mapping()))
    payload = base64.urlsafe_b64decode(envelope.split(".")[1] + "==")
    assert payload == PAYLOAD.replace(b'"aud":"resume"', b'"aud":"answer"')


def test_an_issued_pause_is_this_item(aws: Aws) -> None:
    asyncio.run(aws.ledger().issue(an_issued_row()))
    assert aws.items() == [
        {
            **LEDGER_KEY,
            **CLAIMS,
            **MINTED,
            "status": {"S": "issued"},
            "due_shard": {"S": "due#6"},
            "due_at": {"N": "1790003600"},
            "scope_order": {"S": "0#001790000000#0123456789abcdef0123456789abcdef"},
        }
    ]


def test_an_answered_pause_is_this_item_and_is_due_no_more(aws: Aws) -> None:
    asyncio.run(aws.ledger().issue(an_issued_row()))
    asyncio.run(aws.ledger().claim(some_claims(), an_acceptance()))
    assert aws.items() == [
        {
            **LEDGER_KEY,
            **CLAIMS,
            **MINTED,
            **ANSWER,
            "scope_order": {"S": "1#001790000000#0123456789abcdef0123456789abcdef"},
        }
    ]


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


@pytest.mark.parametrize(
    ("text", "inline_limit", "stored"),
    [
        (
            "x",
            1,
            {
                "data": {"B": b"x"},
                "encoding": {"S": "plain"},
                "size": {"N": "1"},
                "sha256": {"S": SHA256_OF_X},
            },
        ),
        (
            "x",
            0,
            {
                "body_key": {"S": OBJECT_KEY},
                "encoding": {"S": "plain"},
                "size": {"N": "1"},
                "sha256": {"S": SHA256_OF_X},
            },
        ),
        (
            "a" * 60,
            30,
            {
                "data": {"B": SIXTY_A_IN_ZLIB},
                "encoding": {"S": "zlib"},
                "size": {"N": "60"},
                "sha256": {"S": "11ee391211c6256460b6ed375957fadd8061cafbb31daf967db875aebd5aaad4"},
            },
        ),
    ],
    ids=["inline", "in the bucket", "compressed"],
)
def test_a_recorded_text_is_this_item(aws: Aws, text: str, inline_limit: int, stored: dict[str, Any]) -> None:
    asyncio.run(aws.checkpoints(inline_limit=inline_limit).write(**PLACE, text=text, expires_at=NOW))
    (item,) = aws.items()
    # Builds of zlib may compress to other bytes, and read each other's.
    if "data" in stored and stored["encoding"] == {"S": "zlib"}:
        assert zlib.decompress(item["data"]["B"]) == zlib.decompress(stored["data"]["B"])
        item["data"] = stored["data"]
    assert item == {**RECORD_KEY, **stored, "ttl": {"N": str(NOW + 2_592_000)}}


def test_a_body_in_the_bucket_stands_under_this_key(aws: Aws) -> None:
    asyncio.run(aws.checkpoints(inline_limit=0).write(**PLACE, text="x", expires_at=NOW))
    assert aws.objects() == {OBJECT_KEY: 1}


def test_the_keys_are_these() -> None:
    assert ledger_key("j") == {"pk": {"S": "pause#j"}, "sk": {"S": "pause"}}
    assert record_key(thread_id="é#", checkpoint_id="c", key="k") == {"pk": {"S": "record#3#é##c"}, "sk": {"S": "k"}}
    assert body_key(**PLACE, sha256=SHA256_OF_X) == OBJECT_KEY
    assert due_shard("0123456789abcdef0123456789abcdef") == "due#6"
    assert scope_order(is_open=True, issued_at=7, jti="j") == "0#000000000007#j"


def test_a_compressed_body_of_another_build_is_read() -> None:
    sha256 = hashlib.sha256(b"a" * 60).hexdigest()
    assert unpack(PackedBody(data=SIXTY_A_IN_ZLIB, encoding="zlib", sha256=sha256, size=60)) == "a" * 60


@pytest.mark.parametrize(("text", "encoding"), [("", "plain"), ("x", "plain"), ("é", "plain"), ("a" * 60, "zlib")])
def test_a_body_is_compressed_only_when_that_makes_it_smaller(text: str, encoding: str) -> None:
    body = pack(text)
    raw = text.encode()
    assert (body.encoding, body.size, body.sha256) == (encoding, len(raw), hashlib.sha256(raw).hexdigest())
    assert len(body.data) <= len(raw)

"""Recorded texts as they are stored, byte for byte; what `test_wire_forms` says of a change holds here too."""

import asyncio
import hashlib
import zlib
from typing import Any

import pytest

from askback.adapters.dynamodb.keys import body_key, due_shard, ledger_key, record_key, scope_order
from askback.adapters.s3_bodies import PackedBody, pack, unpack
from tests.support.aws_stores import Aws
from tests.support.memory_deployment import NOW

RECORD_KEY = {"pk": {"S": "record#14#acme:eu:sess-1#cp-1"}, "sk": {"S": "turn_state:call_1"}}
SHA256_OF_X = "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"
OBJECT_KEY = f"turns/f383a76e13496eb64b589142a5fba44c69b8b43771941d904b8a8573dc1825f2/{SHA256_OF_X}"
"""The SHA-256 of `["acme:eu:sess-1", "cp-1", "turn_state:call_1", "1790000000"]`, then that of the text."""
SIXTY_A_IN_ZLIB = b"x\x9cKL$\x1f\x00\x00\xb5\xc0\x16\xbd"
PLACE = {"thread_id": "acme:eu:sess-1", "checkpoint_id": "cp-1", "key": "turn_state:call_1"}


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
    scoped = record_key(thread_id="é#", checkpoint_id="c", key="k", scope_hash="0123456789abcdef" * 4)
    assert scoped == {"pk": {"S": "place#1c840e7ebdec996fe5461215ce41495a"}, "sk": {"S": "k"}}
    assert body_key(**PLACE, expires_at=NOW, sha256=SHA256_OF_X) == OBJECT_KEY
    scoped_object = body_key(**PLACE, expires_at=NOW, sha256=SHA256_OF_X, scope_hash="ab" * 32)
    assert scoped_object == f"turns/f47759068944b7a15f8edd67c0d2ee1701e3f61e0c38bf5085e9a2dcfb1a87d9/{SHA256_OF_X}"
    assert body_key(**PLACE, expires_at=NOW + 1, sha256=SHA256_OF_X) != OBJECT_KEY
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

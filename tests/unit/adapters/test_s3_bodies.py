"""Bodies of any size and kind come back as they were, from small items; one that is gone or damaged says so."""

import asyncio
import json
import string
import zlib
from typing import Any

import boto3
import pytest
from boto3.dynamodb.types import Binary

from askback.domain.errors import InteractionConfigurationError, PayloadMissing, TurnMissing, TurnUnreadable
from askback.domain.mint.pause_mint import MintedPause
from askback.domain.ports import StoredText
from askback.domain.records.turns import TurnCheckpoint
from tests.support.aws_deployment import AwsDeployment
from tests.support.aws_faults import refuse
from tests.support.aws_stores import INLINE_LIMIT, Aws
from tests.support.domain_values import incompressible
from tests.support.memory_deployment import NOW
from tests.support.template import granted

KIB = 1024
ITEM_MAX = 400 * KIB
LARGEST_INLINE_LIMIT = 350_000
PLACE = {"thread_id": "acme:eu:sess-1", "checkpoint_id": "cp-1", "key": "turn_state:call_1"}


@pytest.fixture
def deployment(aws: Aws) -> AwsDeployment:
    return AwsDeployment(aws)


def image(size: int) -> tuple[dict[str, Any], ...]:
    """Return messages with one picture of `size` characters that does not compress well."""
    picture = f"data:image/png;base64,{incompressible(size)}"
    part = {"type": "image_url", "image_url": {"url": picture}}
    return ({"role": "user", "content": [part]}, {"role": "assistant", "content": None})


def noise(size: int) -> str:
    """Return a text whose bytes compress hardly at all, and take more than one byte each in part."""
    return "".join(chr(0x100 + ord(sign) * 37 % 0x6000) for sign in incompressible(size))


def item_size(item: dict[str, Any]) -> int:
    """Return the size that DynamoDB counts, near enough: names and values."""
    return sum(len(name) + len(next(iter(value.values()))) for name, value in item.items() if "BOOL" not in value)


def turn_of(deployment: AwsDeployment, minted: MintedPause) -> TurnCheckpoint:
    turn = deployment.resume(minted).turn
    assert turn is not None
    return turn


@pytest.mark.parametrize("inline_limit", [INLINE_LIMIT, LARGEST_INLINE_LIMIT], ids=["default", "largest"])
@pytest.mark.parametrize("size", [350 * KIB, 399 * KIB, 401 * KIB, 2 * KIB * KIB, 5 * KIB * KIB])
def test_a_turn_with_a_picture_comes_back_whole_from_small_items(aws: Aws, size: int, inline_limit: int) -> None:
    """A-09: base64 screenshots must not push an item over 400 KB."""
    deployment = AwsDeployment(aws, inline_limit=inline_limit)
    minted = deployment.mint(messages=image(size))
    assert minted.resumable
    assert max(map(item_size, aws.items())) < min(inline_limit + 4 * KIB, ITEM_MAX)
    assert turn_of(deployment, minted).messages == image(size)


@pytest.mark.parametrize("size", [0, 1, 8191, 8192, 8193, 349_999, 350_000, 350_001, 399 * KIB, 401 * KIB])
@pytest.mark.parametrize("inline_limit", [0, INLINE_LIMIT, LARGEST_INLINE_LIMIT])
def test_no_size_of_a_text_makes_an_item_too_large(aws: Aws, size: int, inline_limit: int) -> None:
    """A-09: at and round every limit, for texts that do not get smaller."""
    text = noise(size)
    port = aws.checkpoints(inline_limit=inline_limit)
    asyncio.run(port.write(**PLACE, text=text, expires_at=NOW))
    assert recorded(aws) == text
    assert max(map(item_size, aws.items())) < ITEM_MAX - 40 * KIB


def test_a_large_request_beside_a_large_turn_has_an_item_of_its_own(aws: Aws) -> None:
    """A-09: 390 KB of turn and a 30 KB request never add up in one item."""
    deployment = AwsDeployment(aws, inline_limit=LARGEST_INLINE_LIMIT)
    options = [{"label": label, "preview": incompressible(3900)} for label in ("Approve", "Reject")]
    payload = {"questions": [{"question": f"Refund {number}?", "options": options} for number in range(4)]}
    minted = deployment.mint(messages=image(390 * KIB), payload=payload)
    assert minted.recorded
    assert minted.resumable
    answers = [{"question_id": question["id"], "selections": ["Reject"]} for question in minted.payload["questions"]]
    outcome = deployment.resume(minted, response={"answers": answers})
    assert outcome.payload == minted.payload
    assert outcome.turn is not None
    assert outcome.turn.messages == image(390 * KIB)


FLOATS = [0.7, 1.0, 30.40, 1e-7, 49.9, 1, -0.0, 0, 1e21, 2**53 + 1, True, None, "1.0"]


def test_numbers_deep_inside_keep_their_type_and_their_digits(deployment: AwsDeployment) -> None:
    """A-10: no Decimal, no rounding, no `1` for `1.0`."""
    messages = ({"a": {"b": {"c": {"d": {"e": FLOATS}}}}}, {"role": "assistant"})
    turn = turn_of(deployment, deployment.mint(messages=messages))
    assert repr(turn.messages[0]["a"]["b"]["c"]["d"]["e"]) == repr(FLOATS)
    assert json.dumps(turn.messages[0]) == json.dumps(messages[0])


def test_stored_bytes_are_the_same_through_the_client_and_the_resource(aws: Aws) -> None:
    """A-11: the resource API wraps bytes; what is inside is what was written."""
    text = "é" * 4000
    asyncio.run(aws.checkpoints().write(**PLACE, text=text, expires_at=NOW))
    (item,) = aws.items()
    through_client = item["data"]["B"]
    resource: Any = boto3.resource("dynamodb")
    table = resource.Table(aws.stores.table)
    through_resource: Any = table.get_item(Key={"pk": item["pk"]["S"], "sk": item["sk"]["S"]})["Item"]["data"]
    assert isinstance(through_client, bytes)
    assert through_resource == Binary(through_client)
    assert through_resource != Binary(through_client + b"x")
    assert zlib.decompress(bytes(through_resource)).decode() == text


def test_nothing_stored_or_returned_shows_how_bytes_were_wrapped(aws: Aws, deployment: AwsDeployment) -> None:
    """A-11: no `Binary(...)` and no `b'...'` in anything a caller sees."""
    outcome = deployment.resume(deployment.mint(messages=image(4000)))
    assert "Binary(" not in repr(outcome)
    assert "b'" not in repr(outcome)


def test_a_turn_whose_object_is_gone_is_missing_and_the_token_is_kept(aws: Aws, deployment: AwsDeployment) -> None:
    """A-39: the paused state is lost, until the object is back."""
    minted = deployment.mint(messages=image(40_000))
    before = aws.items()
    ((key, _),) = aws.objects().items()
    body = aws.s3.get_object(Bucket=aws.stores.bucket, Key=key)["Body"].read()
    aws.s3.delete_object(Bucket=aws.stores.bucket, Key=key)
    with pytest.raises(TurnMissing):
        deployment.resume(minted)
    assert aws.items() == before

    aws.s3.put_object(Bucket=aws.stores.bucket, Key=key, Body=body)
    assert turn_of(deployment, minted).messages == image(40_000)


def test_a_turn_that_may_not_be_read_is_the_operator_s_matter_and_the_token_is_kept(
    aws: Aws, deployment: AwsDeployment
) -> None:
    """A-39: not gone, and nobody has tampered with anything."""
    minted = deployment.mint(messages=image(40_000))
    refuse(aws.s3, "GetObject", code="AccessDenied", status=403)
    with pytest.raises(InteractionConfigurationError) as refused:
        deployment.resume(minted)
    assert aws.stores.bucket in refused.value.reason
    assert turn_of(deployment, minted).messages == image(40_000)


def test_the_role_that_reads_turns_sees_the_difference() -> None:
    """A-39: without ListBucket S3 answers 403 for an object that is not there."""
    assert ("s3:ListBucket", "Bucket.Arn") in granted("ResumeFunction")


def test_a_large_request_whose_object_is_gone_is_missing(aws: Aws) -> None:
    deployment = AwsDeployment(aws, inline_limit=0)
    minted = deployment.mint()
    for key in aws.objects():
        aws.s3.delete_object(Bucket=aws.stores.bucket, Key=key)
    with pytest.raises(PayloadMissing):
        deployment.resume(minted)


@pytest.mark.parametrize(
    "damage",
    [
        {"data": {"B": b"other bytes"}},
        {"data": {"B": zlib.compress(b"another text")}},
        {"data": {"B": zlib.compress(b"a" * 10_000_000)}},
        {"data": {"B": b""}},
        {"encoding": {"S": "plain"}},
        {"encoding": {"S": "gzip"}},
        {"size": {"N": "1"}},
        {"size": {"N": "999999"}},
        {"sha256": {"S": "00" * 32}},
    ],
    ids=lambda damage: f"{next(iter(damage))} {str(next(iter(damage.values())))[:20]}",
)
def test_a_stored_body_that_is_not_the_written_one_is_never_handed_on(
    aws: Aws, deployment: AwsDeployment, damage: dict[str, Any]
) -> None:
    minted = deployment.mint(messages=({"role": "user", "content": "a" * 500},))
    (item,) = [item for item in aws.items() if item["sk"]["S"].startswith("turn_state:")]
    aws.edit(item, **damage)
    with pytest.raises(TurnUnreadable):
        deployment.resume(minted)
    aws.edit(item)
    assert not deployment.resume(minted).replayed


@pytest.mark.parametrize("attribute", ["data", "encoding", "size", "sha256"])
def test_a_stored_body_with_a_part_missing_is_unreadable_and_not_gone(
    aws: Aws, deployment: AwsDeployment, attribute: str
) -> None:
    minted = deployment.mint()
    (item,) = [item for item in aws.items() if item["sk"]["S"].startswith("turn_state:")]
    del item[attribute]
    aws.edit(item)
    with pytest.raises(TurnUnreadable):
        deployment.resume(minted)


def test_two_pauses_with_the_same_picture_do_not_share_an_object(aws: Aws, deployment: AwsDeployment) -> None:
    """A lifecycle rule counts from the first write: the second pause would lose its turn with the first one's."""
    deployment.mint(messages=image(40_000), tool_call_id="call_1")
    deployment.mint(messages=image(40_000), tool_call_id="call_2")
    assert len(aws.objects()) == 2


def test_an_object_is_named_in_hexadecimal_below_its_prefix(aws: Aws, deployment: AwsDeployment) -> None:
    deployment.mint(messages=image(40_000))
    ((key, _),) = aws.objects().items()
    prefix, *hashes = key.split("/")
    assert prefix == "turns"
    assert [len(part) for part in hashes] == [64, 64]
    assert set("".join(hashes)) <= set(string.hexdigits.lower())


def recorded(aws: Aws) -> str | None:
    async def text() -> str | None:
        found: StoredText | None = await aws.checkpoints().read(**PLACE)
        return None if found is None else await found.read()

    return asyncio.run(text())

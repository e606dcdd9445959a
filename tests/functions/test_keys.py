"""`GET /keys`: how many open pauses each signing key still has, so that it can go on evidence."""

import json
from typing import Any

import boto3
import pytest

from tests.support.aws_probe import aws_error
from tests.support.function_deployment import Handlers
from tests.support.problems import require_problem
from tests.support.waiting_world import World

OLD, NEW = "the older key, which only tests use, 32+", "the newer key, which only tests use, 32+"


def with_ring(world: World, current: str, **more: str) -> Handlers:
    """Return the functions with a ring of their own."""
    ring = {"current": current, "key:drain-old": OLD, "key:drain-new": NEW, **more}
    kept = {name: value for name, value in ring.items() if value}
    return world.load(ASKBACK_KEY_SECRET_ID="", ASKBACK_LOCAL_KEY_RING=json.dumps(kept))


def of_key(handlers: Handlers, key_id: str) -> dict[str, Any]:
    answer = handlers.get("/keys")
    assert answer.status == 200
    assert answer.document == handlers.invoke("inbox", {"action": "keys"})
    (found,) = [key for key in answer.document["keys"] if key["key_id"] == key_id]
    return dict(found)


def test_a_key_is_drained_when_its_last_open_pause_has_ended(world: World) -> None:
    before = with_ring(world, "drain-old")
    answered, revoked, expiring = (before.pause(ttl_seconds=3600 + number) for number in range(3))
    after = with_ring(world, "drain-new", **{"until:drain-old": str(world.now + 9999)})
    of_new = after.pause()

    found = of_key(after, "drain-old")
    assert (found["in_ring"], found["signs"], found["outstanding"]) == (True, False, 3)
    assert found["latest_expiry"] == expiring.minted["expires_at"]
    assert found["until"] is not None
    assert of_key(after, "drain-new")["signs"] is True
    assert after.get(f"/pauses/{answered.minted['jti']}").document["key_id"] == "drain-old"
    assert after.get(f"/pauses/{of_new.minted['jti']}").document["key_id"] == "drain-new"

    assert after.post("/resume", answered.resume()).status == 200
    assert after.revoke(revoked.minted["jti"]).status == 200
    assert of_key(after, "drain-old")["outstanding"] == 1
    world.now += 3700
    left = of_key(after, "drain-old")
    assert (left["outstanding"], left["latest_expiry"]) == (0, None)


def test_a_key_that_is_gone_too_early_is_shown_as_lost_with_the_pauses_that_nobody_can_answer(world: World) -> None:
    pause = with_ring(world, "drain-old").pause()
    after = with_ring(world, "drain-new", **{"key:drain-old": ""})
    found = of_key(after, "drain-old")
    assert (found["in_ring"], found["signs"], found["outstanding"]) == (False, False, 1)
    require_problem(after.post("/resume", pause.resume()), 401, "token-rejected")


@pytest.mark.parametrize("legacy", [True, False])
def test_whether_there_is_a_legacy_key_is_said_and_no_key_is(world: World, legacy: bool) -> None:
    handlers = with_ring(world, "drain-old", legacy=NEW if legacy else "")
    start = len(world.deployment.output.getvalue())
    answer = handlers.get("/keys")
    assert answer.document["legacy_key"] is legacy
    said = json.dumps(answer.document) + world.deployment.output.getvalue()[start:]
    assert OLD not in said
    assert NEW not in said


def test_a_pause_that_names_no_key_is_counted_apart(world: World) -> None:
    handlers = with_ring(world, "drain-old")
    pause = handlers.pause()
    item = world.deployment.item(world.deployment.row_key(pause))
    del item["kid"]
    before = handlers.get("/keys").document["unnamed"]["outstanding"]
    world.deployment.put(item)
    assert handlers.get("/keys").document["unnamed"]["outstanding"] == before + 1
    world.deployment.delete(world.deployment.row_key(pause))


@pytest.mark.parametrize(
    ("operation", "error", "status", "code"),
    [
        ("Query", "ThrottlingException", 503, "store-unavailable"),
        ("DescribeSecret", "AccessDeniedException", 500, "misconfigured"),
    ],
)
def test_a_ring_that_cannot_be_read_or_pauses_that_cannot_be_counted_are_refusals(
    world: World, operation: str, error: str, status: int, code: str
) -> None:
    handlers = world.load()
    with world.deployment.probe.failing(**{operation: aws_error(error)}):
        require_problem(handlers.get("/keys"), status, code)


def test_a_ring_without_the_key_that_signs_is_for_the_operator(world: World) -> None:
    require_problem(with_ring(world, "nobody").get("/keys"), 500, "misconfigured")


def test_a_ring_that_no_rotation_has_described_yet_is_not_known_and_its_pauses_are_counted(world: World) -> None:
    """A stack of an earlier version, until its next rotation."""
    pause = world.load().pause()
    secret = boto3.client("secretsmanager").create_secret(
        Name="not-described", SecretString=json.dumps({"current": "initial", "key:initial": NEW})
    )
    answer = world.load(ASKBACK_KEY_SECRET_ID=secret["ARN"]).get("/keys")
    (found,) = [key for key in answer.document["keys"] if key["key_id"] == "initial"]
    assert (found["in_ring"], found["signs"], found["until"]) == (None, None, None)
    assert found["outstanding"] >= 1
    assert found["latest_expiry"] >= pause.minted["expires_at"]
    assert answer.document["legacy_key"] is None


def test_the_keys_are_shown_without_reading_one(world: World) -> None:
    handlers = world.load()
    with world.deployment.probe.counting() as calls:
        assert handlers.get("/keys").status == 200
    assert set(calls) == {"DescribeSecret", "Query"}

"""Rows whose due marks are damaged: the audit finds and repairs them, and leaves every other row alone."""

from typing import Any

import pytest

from askback.adapters.dynamodb.keys import due_shard
from tests.support.request_bodies import Pause
from tests.support.waiting_world import World, body_of

DAMAGE: dict[str, tuple[dict[str, Any], str]] = {
    "shard missing": ({"due_shard": ...}, "due_shard is missing"),
    "no shard of that name": ({"due_shard": {"S": "due#99"}}, "due_shard is not a shard"),
    "time missing": ({"due_at": ...}, "due_at is missing"),
    "time far ahead": ({"due_at": {"N": "4000000000"}}, "due_at is more than an hour ahead"),
    "both missing": ({"due_shard": ..., "due_at": ...}, "due_shard is missing, due_at is missing"),
}


def damage(world: World, pause: Pause, **attributes: Any) -> None:
    item = world.deployment.item(world.deployment.row_key(pause)) | attributes
    world.deployment.put({name: value for name, value in item.items() if value is not ...})


def audit(world: World, *, repair: bool = False, limit: int = 1000) -> dict[str, dict[str, Any]]:
    """Return the reported rows of all pages by jti."""
    rows: dict[str, dict[str, Any]] = {}
    after: dict[str, str] = {}
    while True:
        page = world.handlers.invoke("inbox", {"action": "audit-due", "repair": repair, "limit": limit, **after})
        assert page["scanned"] <= limit
        rows |= {row["jti"]: row for row in page["rows"]}
        if page["next"] is None:
            return rows
        after = {"next": page["next"]}


@pytest.mark.parametrize("what", DAMAGE)
def test_an_expired_row_that_the_sweep_cannot_see_is_reported_and_the_sweep_works_on_it_after_a_repair(
    world: World, what: str
) -> None:
    """D-54: a damaged mark keeps a row from the sweep, and the audit says so."""
    pause, (attributes, said) = world.handlers.pause(ttl_seconds=60), DAMAGE[what]
    jti = pause.minted["jti"]
    damage(world, pause, **attributes)
    assert jti not in audit(world)
    assert world.sweep(after=61)["done"] == {}
    expected = {"jti": jti, "status": "issued", "damage": said, "repaired": False}
    before = world.row(pause)
    assert audit(world)[jti] == expected
    assert world.row(pause) == before
    assert audit(world, repair=True)[jti] == expected | {"repaired": True}
    assert (world.row(pause)["due_shard"], world.row(pause)["due_at"]) == (due_shard(jti), str(world.now))
    assert jti not in audit(world)
    world.sweep()
    assert world.row(pause)["status"] == "expired"


@pytest.mark.parametrize("what", DAMAGE)
def test_an_outcome_that_would_never_arrive_is_reported_and_arrives_after_a_repair(world: World, what: str) -> None:
    waiter = world.tasks.start()
    pause, (attributes, said) = world.handlers.pause(waiter=body_of(waiter)), DAMAGE[what]
    jti = pause.minted["jti"]
    world.handlers.revoke(jti)
    damage(world, pause, **attributes)
    assert world.sweep(after=61)["done"] == {}
    assert audit(world, repair=True)[jti] == {"jti": jti, "status": "revoked", "damage": said, "repaired": True}
    assert world.sweep()["done"]["RevocationSettled"] >= 1
    assert jti not in audit(world)


def test_rows_that_are_late_settled_or_without_a_waiter_are_not_reported(world: World) -> None:
    late = world.handlers.pause(ttl_seconds=60)
    answered = world.handlers.pause()
    world.handlers.post("/answers", answered.answer())
    settled = world.handlers.pause(waiter=body_of(world.tasks.start()))
    world.handlers.revoke(settled.minted["jti"])
    world.sweep()
    # The sweep reads every shard, so it sees the row in a wrong one.
    moved = world.handlers.pause(ttl_seconds=60)
    wrong = next(f"due#{number}" for number in range(2) if f"due#{number}" != due_shard(moved.minted["jti"]))
    damage(world, moved, due_shard={"S": wrong})
    world.now += 3600
    reported = audit(world, repair=True, limit=3)
    assert not reported.keys() & {pause.minted["jti"] for pause in (late, answered, settled, moved)}
    world.sweep()
    assert [world.row(pause)["status"] for pause in (late, moved)] == ["expired", "expired"]


@pytest.mark.parametrize("fields", [{"limit": 0}, {"limit": 1001}, {"limit": True}, {"next": "x"}, {"repair": "yes"}])
def test_a_wrong_request_is_refused(world: World, fields: dict[str, Any]) -> None:
    refused = world.handlers.refused("inbox", {"action": "audit-due", **fields})
    assert (refused["code"], refused["errors"][0]["field"]) == ("bad-request", next(iter(fields)))


def test_a_time_of_another_type_is_reported(world: World) -> None:
    pause = world.handlers.pause(ttl_seconds=60)
    damage(world, pause, due_at={"S": "soon"})
    world.now += 61
    assert audit(world, repair=True)[pause.minted["jti"]]["damage"] == "due_at is not a number"
    world.sweep()
    assert world.row(pause)["status"] == "expired"

"""A signing key is retired on evidence, and the ring is replaced only if it is the one that the evidence was about."""

import json
from typing import Any

import boto3
import pytest
from botocore.exceptions import EndpointConnectionError

from askback.operate.output import keys_text
from askback.operate.retirement import ring_without
from askback.operate.stack import StackOperator
from tests.support.operator_terminal import NEW, OLD, RING, Terminal, row_of


def test_a_key_that_nothing_needs_leaves_the_ring_and_nothing_else_does(terminal: Terminal) -> None:
    pause = terminal.world.handlers.pause()
    ran = terminal.run("retire", "old")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("Retired the key old; ")
    assert terminal.ring() == {name: value for name, value in RING.items() if name not in ("key:old", "until:old")}
    assert terminal.stages() == {"AWSCURRENT", "AWSPREVIOUS"}
    fresh = terminal.world.load(ASKBACK_KEY_SECRET_ID=terminal.secret).get("/keys").document
    assert [key["key_id"] for key in fresh["keys"] if key["in_ring"]] == ["new"]
    assert terminal.world.handlers.redeems(pause)
    again = terminal.run("retire", "old")
    assert (again.code, again.err) == (1, "Not retired: the ring has no key 'old'\n")


def test_a_key_that_open_pauses_need_stays_unless_the_operator_insists(terminal: Terminal) -> None:
    before = json.dumps({"current": "old", "key:old": OLD})
    terminal.world.load(ASKBACK_KEY_SECRET_ID="", ASKBACK_LOCAL_KEY_RING=before).pause()
    ran = terminal.run("retire", "old")
    assert ran.code == 1
    assert ran.err.startswith("Not retired: open pauses that need the key old: 1; the last expires at ")
    assert terminal.run("--json", "retire", "old").document["code"] == "not-retired"
    assert terminal.ring() == RING
    assert terminal.run("retire", "old", "--even-though-outstanding").code == 0
    fresh = terminal.world.load(ASKBACK_KEY_SECRET_ID=terminal.secret).get("/keys").document
    (lost,) = [key for key in fresh["keys"] if key["key_id"] == "old"]
    assert (lost["in_ring"], lost["outstanding"]) == (False, 1)
    assert "old  LOST" in keys_text({**fresh, "keys": [lost]})


def test_a_key_that_signs_is_never_retired(terminal: Terminal) -> None:
    for insisting in ((), ("--even-though-outstanding",)):
        ran = terminal.run("retire", "new", *insisting)
        assert (ran.code, ran.err) == (1, "Not retired: the key new signs; rotate the secret first\n")
    assert terminal.ring() == RING


def test_a_ring_that_was_changed_a_moment_ago_is_left_alone(terminal: Terminal) -> None:
    terminal.after_seconds = 0
    ran = terminal.run("retire", "old")
    assert ran.code == 1
    assert ran.err == ("Not retired: the ring changed recently and a function may still use the old one; wait 600 s\n")
    assert terminal.ring() == RING


def test_a_change_whose_first_reply_was_lost_is_known_to_have_been_made(terminal: Terminal) -> None:
    """The client tries again by itself, and finds that the version that was read counts no more."""
    session = boto3.session.Session()
    operator = StackOperator(session=session, stack=terminal.stack)
    landed: list[str] = []

    def land_first(params: dict[str, Any], **_: Any) -> None:
        request = json.loads(params["body"])
        if request["VersionStage"] == "AWSCURRENT" and not landed:
            landed.append(request["MoveToVersionId"])
            terminal.secrets.update_secret_version_stage(**request)

    session.events.register("before-call.secrets-manager.UpdateSecretVersionStage", land_first)
    seen = operator.stored_ring()
    assert [operator.replace_ring(seen, ring_without(seen.ring, "old"))] == landed
    assert "key:old" not in terminal.ring()


def test_a_ring_that_changes_meanwhile_is_not_overwritten(terminal: Terminal) -> None:
    rotated = {**RING, "current": "newer", "key:newer": NEW, "until:new": "1790000000"}
    seen = terminal.connect(stack=terminal.stack, function=None, secret=None, region=None, profile=None)
    stored = seen.stored_ring()
    version = terminal.secrets.put_secret_value(
        SecretId=terminal.secret, SecretString=json.dumps(rotated), VersionStages=["AWSPENDING"]
    )["VersionId"]
    terminal.secrets.update_secret_version_stage(
        SecretId=terminal.secret,
        VersionStage="AWSCURRENT",
        MoveToVersionId=version,
        RemoveFromVersionId=stored.version_id,
    )
    with pytest.raises(Exception, match="ring-changed"):
        seen.replace_ring(stored, stored.ring)
    assert terminal.ring() == rotated
    assert "askback-retiring" not in terminal.stages()


def test_a_ring_that_is_not_described_yet_loses_a_key_on_the_same_evidence(terminal: Terminal) -> None:
    """A stack of an earlier version: the ring is read with the operator's permissions, and the pauses are counted."""
    tags = terminal.secrets.describe_secret(SecretId=terminal.secret)["Tags"]
    terminal.secrets.untag_resource(SecretId=terminal.secret, TagKeys=[tag["Key"] for tag in tags])
    shown = terminal.run("keys").out
    assert "The stack does not know the keys of the ring yet; the next rotation makes them known." in shown
    assert "LOST" not in shown
    before = json.dumps({"current": "old", "key:old": OLD})
    pause = terminal.world.load(ASKBACK_KEY_SECRET_ID="", ASKBACK_LOCAL_KEY_RING=before).pause()
    assert row_of(terminal.run("keys"), "old")[:3] == ["old", "unknown", "1"]
    assert terminal.run("retire", "old").err.startswith("Not retired: open pauses that need the key old: 1;")
    assert terminal.world.handlers.revoke(pause.minted["jti"]).status == 200
    assert terminal.run("retire", "old").code == 0
    assert row_of(terminal.run("keys"), "new")[:2] == ["new", "signs"]


def test_a_retirement_whose_facts_cannot_be_written_has_been_done(terminal: Terminal) -> None:
    """Without the permission to write tags; the facts of before do not count any more."""
    session = boto3.session.Session()
    operator = StackOperator(session=session, stack=terminal.stack)

    def refuse(**_: Any) -> Any:
        raise EndpointConnectionError(endpoint_url="https://secretsmanager.invalid")

    session.events.register("before-call.secrets-manager.TagResource", refuse)
    seen = operator.stored_ring()
    operator.replace_ring(seen, ring_without(seen.ring, "old"))
    assert "key:old" not in terminal.ring()
    assert "The stack does not know the keys of the ring yet" in terminal.run("keys").out

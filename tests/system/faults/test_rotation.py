"""Every AWS call of a key rotation, hurt in turn: in one way, and in every way where all tests are run.

Wherever a rotation stopped, the ring that counts is whole: the old one as it was, or the new one once the write landed
that makes it count. Then the rotation is started again, in both ways in which that happens, and comes to its end:
Secrets Manager repeats the steps for the same version, or an operator gives that version up and rotates anew.
"""

import asyncio
import io
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from askback.adapters.jwt_codec import JwtTokenCodec
from askback.adapters.secrets.key_ring import FixedKeyRing
from askback.domain.keys.next_ring import key_id_of
from tests.support.domain_values import some_claims
from tests.support.function_deployment import Handlers
from tests.support.key_secret import STEPS, KeySecret, Rotations
from tests.support.memory_deployment import NOW, signed
from tests.support.template import granted
from tests.support.wire_faults import Died, Fault, Wire

CLAIMS = some_claims().to_mapping()


@pytest.fixture(scope="module")
def rotations() -> Iterator[Rotations]:
    with Rotations.served() as served:
        yield served


@pytest.fixture(scope="module")
def wire() -> Wire:
    return Wire()


def function(secret: KeySecret) -> Callable[[dict[str, Any]], Any]:
    """Return the rotation function in a process of its own."""
    process = Handlers(
        secret.rotations.cloud,
        io.StringIO(),
        only=frozenset({"rotate"}),
        clock=lambda: NOW,
        ASKBACK_KEY_SECRET_ID=secret.arn,
    )
    return lambda event: process.invoke("rotate", event)


def rotated(secret: KeySecret, token: str, wire: Wire) -> bool:
    """Ask for the four steps over the wire until one fails; tell whether none did."""
    with wire.connected():
        invoke = function(secret)
        for step in STEPS:
            try:
                invoke(secret.event(step, token))
            except (Died, Exception):  # noqa: BLE001 - whatever it is, Secrets Manager goes no further
                return False
    return True


def repeated(secret: KeySecret, token: str, wire: Wire) -> str:
    """Secrets Manager asks for all steps again."""
    assert rotated(secret, token, wire)
    return token


def given_up(secret: KeySecret, token: str, wire: Wire) -> str:
    """An operator gives the version up, where it is still pending, and rotates anew."""
    if secret.is_pending():
        secret.let_go(token)
    token = secret.begin()
    assert rotated(secret, token, wire)
    return token


def require_whole(secret: KeySecret, before: dict[str, str], envelope: str, token: str) -> None:
    """Check that the ring that counts is the old one or all of the new one, and verifies what is in flight."""
    ring = secret.ring()
    if secret.version() == token:
        new = key_id_of(token)
        assert ring["current"] == new
        assert set(ring) == {"current", f"key:{new}", "key:initial", "until:initial"}
        assert ring["key:initial"] == before["key:initial"]
    else:
        assert ring == before
    verified = asyncio.run(JwtTokenCodec(FixedKeyRing(json.dumps(ring))).verify(envelope))
    assert verified.claims == CLAIMS


def test_an_undisturbed_rotation_makes_the_calls_that_its_role_allows(rotations: Rotations, wire: Wire) -> None:
    secret = KeySecret(rotations)
    wire.rearm()
    assert rotated(secret, secret.begin(), wire)
    asked = ["DescribeSecret", "GetSecretValue", "GetSecretValue"]
    staged = ["UpdateSecretVersionStage"] * 2
    # The facts of the ring are written twice: while the new version is tested there are none, and when it is current.
    test = [*asked, "GetSecretValue", "TagResource"]
    assert wire.calls == [*asked, "PutSecretValue", "DescribeSecret", *test, *asked, *staged, "TagResource"]
    assert not secret.is_pending()
    keys = {action for action, resource in granted("RotateFunction") if resource == "KeyRing"}
    assert {f"secretsmanager:{call}" for call in wire.calls} == keys


@pytest.mark.parametrize(("first", "again"), [(0, repeated), (2, given_up)])
def test_every_call_may_be_hurt_in_one_way(
    rotations: Rotations, wire: Wire, first: int, again: Callable[[KeySecret, str, Wire], str]
) -> None:
    kinds = tuple(Fault)
    hurt_every_call(rotations, wire, lambda target: kinds[(first + target) % len(kinds)], again)


@pytest.mark.slow
@pytest.mark.parametrize("again", [repeated, given_up])
@pytest.mark.parametrize("fault", Fault, ids=lambda fault: fault.name)
def test_every_call_may_be_hurt_in_every_way(
    rotations: Rotations, wire: Wire, fault: Fault, again: Callable[[KeySecret, str, Wire], str]
) -> None:
    hurt_every_call(rotations, wire, lambda _: fault, again)


def hurt_every_call(
    rotations: Rotations,
    wire: Wire,
    fault_of: Callable[[int], Fault],
    again: Callable[[KeySecret, str, Wire], str],
) -> None:
    """Rotate once for each call of a rotation, with that call hurt, and start it again."""
    secret = KeySecret(rotations)
    wire.rearm()
    assert rotated(secret, secret.begin(), wire)
    calls = wire.calls
    for target, operation in enumerate(calls):
        secret = KeySecret(rotations)
        before, version = secret.ring(), secret.version()
        envelope = signed(JwtTokenCodec(FixedKeyRing(json.dumps(before))), CLAIMS)
        token = secret.begin()
        fault = fault_of(target)
        wire.rearm(fault, target)
        whole = rotated(secret, token, wire)
        assert wire.hurt == operation
        require_whole(secret, before, envelope, token)
        # Only one write changes what counts, and only once it has landed; after it nothing is left but to tidy up.
        decisive = calls.index("UpdateSecretVersionStage")
        landed = target > decisive or (target == decisive and fault is not Fault.REFUSED)
        assert (secret.version() != version) == (whole or landed), (target, operation)

        wire.rearm()
        token = again(secret, token, wire)
        assert secret.version() == token
        assert (secret.ring()["current"], secret.is_pending()) == (key_id_of(token), False)
        assert asyncio.run(JwtTokenCodec(FixedKeyRing(json.dumps(secret.ring()))).verify(envelope)).claims == CLAIMS


def overtaken(rotations: Rotations) -> tuple[KeySecret, str]:
    """Return a secret whose ring an operator changed after the next one was derived from it."""
    secret = KeySecret(rotations)
    token = secret.begin()
    function(secret)(secret.event("createSecret", token))
    secret.put({**secret.ring(), "legacy": "a legacy key that only tests use, 32 bytes"})
    return secret, token


@pytest.mark.parametrize(
    "fault", [Fault.DEATH, *(pytest.param(fault, marks=pytest.mark.slow) for fault in Fault if fault != Fault.DEATH)]
)
def test_letting_go_of_a_ring_that_an_operator_overtook_may_be_hurt(
    rotations: Rotations, wire: Wire, fault: Fault
) -> None:
    secret, token = overtaken(rotations)
    wire.rearm()
    assert not rotated(secret, token, wire)
    assert wire.calls[-1] == "UpdateSecretVersionStage"
    for target, operation in enumerate(wire.calls):
        secret, token = overtaken(rotations)
        changed = secret.ring()
        wire.rearm(fault, target)
        assert not rotated(secret, token, wire)
        assert wire.hurt == operation
        wire.rearm()
        # Where it was not let go yet, Secrets Manager asks for the steps again, and now it is.
        assert not secret.is_pending() or not rotated(secret, token, wire)
        assert (secret.is_pending(), secret.ring()) == (False, changed)
        assert rotated(secret, secret.begin(), wire)
        assert secret.ring()["legacy"] == changed["legacy"]

"""The row names the key that signs, so that a key's open pauses can be counted before it is retired."""

import json
from typing import Any

import pytest
from jwt.utils import base64url_decode

from askback.domain.errors import StoreUnavailable, TokenRejected
from askback.domain.mint.pause_mint import MintedPause
from askback.domain.pause.ledger import LedgerRow, PauseStatus
from askback.testing.memory_ledger import InMemoryLedger
from tests.support.memory_deployment import NOW, InMemoryDeployment, a_binding

HERE = a_binding(checkpoint_id="c1")
OLD, NEW = "an old key that only tests use, 32 bytes", "a new key that only tests use, 32 bytes+"


def ring(current: str, **keys: str) -> str:
    return json.dumps({"current": current, **{f"key:{key_id}": key for key_id, key in keys.items()}})


BEFORE, ROTATED, RETIRED = ring("k1", k1=OLD), ring("k2", k1=OLD, k2=NEW), ring("k2", k2=NEW)


def signed_by(minted: MintedPause) -> set[str]:
    headers = (token.partition(".")[0] for token in (minted.tokens.pause, minted.tokens.answer))
    return {json.loads(base64url_decode(header))["kid"] for header in headers}


def row(deployment: InMemoryDeployment, minted: MintedPause) -> LedgerRow:
    return deployment.ledger.rows[minted.claims.jti]


def test_the_row_names_the_key_that_signed_both_tokens() -> None:
    deployment = InMemoryDeployment(key_ring=ROTATED)
    minted = deployment.mint()
    assert signed_by(minted) == {row(deployment, minted).key_id} == {"k2"}


def test_a_retry_after_a_rotation_gives_the_first_tokens_byte_for_byte() -> None:
    deployment = InMemoryDeployment(key_ring=BEFORE)
    first = deployment.mint(binding=HERE)
    deployment.key_ring = ROTATED
    assert deployment.mint(binding=HERE, at=NOW + 600) == first
    assert deployment.mint(binding=HERE) == first
    assert row(deployment, first).key_id == "k1"


def test_a_retry_after_its_key_was_taken_out_is_signed_anew_and_counted_there() -> None:
    deployment = InMemoryDeployment(key_ring=BEFORE)
    first = deployment.mint(binding=HERE)
    deployment.key_ring = RETIRED
    again = deployment.mint(binding=HERE, at=NOW + 600)
    assert (again.claims, signed_by(again), row(deployment, again).key_id) == (first.claims, {"k2"}, "k2")
    with pytest.raises(TokenRejected):
        deployment.resume(first)
    assert not deployment.resume(again).replayed


def test_a_retry_of_an_ended_pause_signs_anew_and_leaves_its_row_alone() -> None:
    """Its tokens still read the outcome; nothing of it is outstanding."""
    deployment = InMemoryDeployment(key_ring=BEFORE)
    first = deployment.mint(binding=HERE)
    deployment.resume(first)
    deployment.key_ring = RETIRED
    again = deployment.mint(binding=HERE)
    assert (again.status, signed_by(again)) == (PauseStatus.ANSWERED, {"k2"})
    assert row(deployment, first).key_id == "k1"


class _Overtaken(InMemoryLedger):
    """Another retry notes its own key first."""

    async def replace_key(self, row: LedgerRow, key_id: str) -> bool:
        assert await super().replace_key(row, "k3")
        return await super().replace_key(row, key_id)


def test_a_retry_that_another_one_overtook_gives_no_token_and_can_be_sent_again() -> None:
    deployment = InMemoryDeployment(key_ring=BEFORE, ledger=_Overtaken())
    deployment.mint(binding=HERE)
    deployment.key_ring = RETIRED
    with pytest.raises(StoreUnavailable):
        deployment.mint(binding=HERE)


class _RotatedMeanwhile(InMemoryLedger):
    """The ring is rotated after the tokens were signed and before their row is written."""

    deployment: InMemoryDeployment

    async def issue(self, row: LedgerRow) -> LedgerRow:
        self.deployment.key_ring = RETIRED
        return await super().issue(row)


@pytest.mark.parametrize("over", [{}, {"messages": None}])
def test_a_rotation_in_the_middle_of_a_mint_does_not_part_the_row_from_its_tokens(over: dict[str, Any]) -> None:
    ledger = _RotatedMeanwhile()
    deployment = ledger.deployment = InMemoryDeployment(key_ring=BEFORE, ledger=ledger)
    minted = deployment.mint(binding=HERE, **over)
    assert signed_by(minted) == {row(deployment, minted).key_id} == {"k1"}

"""The principal of a mint: a role is one, whatever its session, and no two principals have one hash."""

import pytest

from askback.domain.pause.minter import DIRECT, IN_PROCESS, UNKNOWN_SIGNED, minter_hash, principal_of_arn

ROLE = "arn:aws:iam::123456789012:role/agent"
AS_THEY_ARE = [
    ROLE,
    "arn:aws:iam::123456789012:user/team/agent",
    "arn:aws:iam::123456789012:user/assumed-role/agent/x",
    "arn:aws:iam::123456789012:root",
    "arn:aws:sts::123456789012:federated-user/agent",
    "arn:aws:s3:::assumed-role/agent/x",
    "assumed-role/agent/x",
]


@pytest.mark.parametrize("session", ["a", "i-0123456789", "ada@example.com", "x:y", ""])
def test_a_role_is_one_principal_in_every_session(session: str) -> None:
    assert principal_of_arn(f"arn:aws:sts::123456789012:assumed-role/agent/{session}") == ROLE


def test_a_role_of_another_partition_or_account_is_another_principal() -> None:
    govcloud = principal_of_arn("arn:aws-us-gov:sts::123456789012:assumed-role/agent/x")
    assert govcloud == "arn:aws-us-gov:iam::123456789012:role/agent"
    assert principal_of_arn("arn:aws:sts::210987654321:assumed-role/agent/x") != ROLE


@pytest.mark.parametrize("arn", AS_THEY_ARE)
def test_every_other_principal_is_its_arn(arn: str) -> None:
    assert principal_of_arn(arn) == arn


def test_each_kind_of_caller_without_an_arn_is_one_principal_of_its_own() -> None:
    assert principal_of_arn("") == UNKNOWN_SIGNED
    principals = [DIRECT, IN_PROCESS, UNKNOWN_SIGNED, *AS_THEY_ARE]
    assert len({minter_hash(each) for each in principals}) == len(principals)


def test_the_hashes_are_frozen_because_rows_have_them() -> None:
    assert minter_hash(ROLE) == "5ea47c7191aeceb5e3"
    assert (minter_hash(DIRECT), minter_hash(IN_PROCESS)) == ("d0d292b6110a06579c", "670fa2c16d68d4eec8")

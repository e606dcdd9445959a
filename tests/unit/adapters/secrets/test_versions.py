"""The versions of the key secret: what is moved, only instead of what, and what a refusal is taken for."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

import pytest

from askback.adapters.secrets.versions import SecretsManagerVersions
from askback.domain.errors import InteractionConfigurationError, StoreUnavailable
from askback.domain.keys.facts import RingFacts
from askback.domain.keys.ring import KeyState
from askback.domain.keys.rotation import RingVersion
from tests.support.aws_faults import lose_replies, refuse
from tests.support.aws_stores import Aws

TOKEN = "d565feff-8f3d-4c57-9c0b-6b0a4a1f7e52"
TEXT = '{"current":"a ring, as far as these versions know"}'
FACTS = RingFacts(version_id=TOKEN, keys=(KeyState(key_id="k1", signs=True, until=None),), has_legacy=False)
Act = Callable[[SecretsManagerVersions], Awaitable[object]]
CALLS: dict[str, tuple[str, Act]] = {
    "state": ("DescribeSecret", lambda versions: versions.state()),
    "current": ("GetSecretValue", lambda versions: versions.current()),
    "pending": ("GetSecretValue", lambda versions: versions.pending(TOKEN)),
    "store": ("PutSecretValue", lambda versions: versions.store_pending(TOKEN, TEXT)),
    "make current": ("UpdateSecretVersionStage", lambda versions: versions.make_current(TOKEN, instead_of=TOKEN)),
    "publish": ("TagResource", lambda versions: versions.publish(FACTS)),
    "let go": ("UpdateSecretVersionStage", lambda versions: versions.let_go(TOKEN)),
}


@pytest.fixture
def versions(aws: Aws) -> SecretsManagerVersions:
    secret = aws.secrets.create_secret(Name="ring", SecretString="{}")
    return SecretsManagerVersions(client=lambda: aws.secrets, secret_id=secret["ARN"])


@pytest.fixture(autouse=True)
def empty(aws: Aws) -> object:
    yield
    aws.secrets.delete_secret(SecretId="ring", ForceDeleteWithoutRecovery=True)


def stages(versions: SecretsManagerVersions) -> dict[str, set[str]]:
    return {version: set(names) for version, names in asyncio.run(versions.state()).stages.items()}


def test_a_version_is_stored_pending_and_made_current(versions: SecretsManagerVersions) -> None:
    first = asyncio.run(versions.current())
    asyncio.run(versions.store_pending(TOKEN, TEXT))
    assert asyncio.run(versions.pending(TOKEN)) == TEXT
    assert asyncio.run(versions.current()) == first
    asyncio.run(versions.make_current(TOKEN, instead_of=first.version_id))
    assert asyncio.run(versions.current()) == RingVersion(version_id=TOKEN, text=TEXT)
    assert stages(versions) == {first.version_id: {"AWSPREVIOUS"}, TOKEN: {"AWSPENDING", "AWSCURRENT"}}


def test_a_version_is_made_current_only_instead_of_the_one_that_was_looked_at(
    aws: Aws, versions: SecretsManagerVersions
) -> None:
    """Whoever changed the ring since then is not undone."""
    looked_at = asyncio.run(versions.current())
    asyncio.run(versions.store_pending(TOKEN, TEXT))
    aws.secrets.put_secret_value(SecretId="ring", SecretString='{"changed":"by hand"}')
    changed, before = asyncio.run(versions.current()), stages(versions)
    assert changed != looked_at
    with pytest.raises(StoreUnavailable):
        asyncio.run(versions.make_current(TOKEN, instead_of=looked_at.version_id))
    assert (asyncio.run(versions.current()), stages(versions)) == (changed, before)


def test_a_version_that_is_let_go_is_pending_no_more(versions: SecretsManagerVersions) -> None:
    asyncio.run(versions.store_pending(TOKEN, TEXT))
    asyncio.run(versions.let_go(TOKEN))
    assert "AWSPENDING" not in set().union(*stages(versions).values())


def test_a_version_that_was_let_go_already_stays_let_go(aws: Aws, versions: SecretsManagerVersions) -> None:
    """D-51: the first call landed and its reply was lost, so the client's second one is refused."""
    asyncio.run(versions.store_pending(TOKEN, TEXT))
    asyncio.run(versions.let_go(TOKEN))
    for code in ("InvalidParameterException", "ResourceNotFoundException"):
        refuse(aws.secrets, "UpdateSecretVersionStage", code=code, status=400)
        asyncio.run(versions.let_go(TOKEN))


def test_a_version_that_was_made_current_already_is_current(aws: Aws, versions: SecretsManagerVersions) -> None:
    """D-51."""
    first = asyncio.run(versions.current())
    asyncio.run(versions.store_pending(TOKEN, TEXT))
    asyncio.run(versions.make_current(TOKEN, instead_of=first.version_id))
    refuse(aws.secrets, "UpdateSecretVersionStage", code="InvalidParameterException", status=400)
    asyncio.run(versions.make_current(TOKEN, instead_of=first.version_id))


def test_a_stage_that_could_not_be_taken_away_and_is_still_there_is_tried_again(
    aws: Aws, versions: SecretsManagerVersions
) -> None:
    """D-51."""
    asyncio.run(versions.store_pending(TOKEN, TEXT))
    refuse(aws.secrets, "UpdateSecretVersionStage", code="InvalidParameterException", status=400)
    with pytest.raises(StoreUnavailable):
        asyncio.run(versions.let_go(TOKEN))


@pytest.mark.parametrize("times", [1, 3])
def test_the_last_call_of_a_rotation_may_lose_its_reply(aws: Aws, versions: SecretsManagerVersions, times: int) -> None:
    """D-51: at worst the step is repeated, and then it is done."""
    asyncio.run(versions.store_pending(TOKEN, TEXT))
    lose_replies(aws.secrets, "UpdateSecretVersionStage", times=times)
    for _ in range(2):
        with suppress(StoreUnavailable):
            asyncio.run(versions.let_go(TOKEN))
    assert "AWSPENDING" not in set().union(*stages(versions).values())


def test_a_secret_that_was_never_set_up_to_be_rotated_says_so(versions: SecretsManagerVersions) -> None:
    assert not asyncio.run(versions.state()).rotates


def test_two_runs_that_store_at_once_leave_the_first_ring_and_the_second_is_repeated(
    aws: Aws, versions: SecretsManagerVersions
) -> None:
    refuse(aws.secrets, "PutSecretValue", code="ResourceExistsException", status=400)
    with pytest.raises(StoreUnavailable):
        asyncio.run(versions.store_pending(TOKEN, TEXT))


@pytest.mark.parametrize(
    ("code", "status", "error"),
    [
        ("ThrottlingException", 400, StoreUnavailable),
        ("InternalServiceError", 500, StoreUnavailable),
        ("AccessDeniedException", 400, InteractionConfigurationError),
        ("InvalidRequestException", 400, InteractionConfigurationError),
    ],
)
@pytest.mark.parametrize("call", CALLS)
def test_a_refusal_says_whether_to_repeat_the_step_or_to_act(
    aws: Aws, versions: SecretsManagerVersions, call: str, code: str, status: int, error: type[Exception]
) -> None:
    operation, act = CALLS[call]
    refuse(aws.secrets, operation, code=code, status=status, times=9)
    with pytest.raises(error):
        asyncio.run(_done(act(versions)))


def test_a_secret_of_bytes_is_no_ring(aws: Aws, versions: SecretsManagerVersions) -> None:
    aws.secrets.put_secret_value(SecretId="ring", SecretBinary=b"{}")
    with pytest.raises(InteractionConfigurationError):
        asyncio.run(versions.current())


def test_a_version_shows_its_id_and_not_its_ring() -> None:
    assert TEXT not in repr(RingVersion(version_id=TOKEN, text=TEXT))


async def _done(act: Awaitable[object]) -> object:
    return await act


def test_facts_count_for_the_version_that_they_are_of(versions: SecretsManagerVersions) -> None:
    first = asyncio.run(versions.current())
    assert asyncio.run(versions.state()).facts is None
    asyncio.run(versions.publish(FACTS))
    assert asyncio.run(versions.state()).facts is None
    asyncio.run(versions.store_pending(TOKEN, TEXT))
    asyncio.run(versions.make_current(TOKEN, instead_of=first.version_id))
    assert asyncio.run(versions.state()).facts == FACTS
    asyncio.run(versions.make_current(first.version_id, instead_of=TOKEN))
    assert asyncio.run(versions.state()).facts is None

"""Whatever the checks of the waiters say, and whichever waiter the row has by then: no answer without a yes. D-58."""

import itertools

import pytest

from askback.domain.errors import HumanInteractionError, InteractionConfigurationError, StoreUnavailable, WaiterGone
from askback.domain.pause.ledger import PauseStatus
from askback.domain.pause.waiters import Waiter
from askback.testing.memory_waiters import InMemoryWaiters
from tests.support.memory_deployment import InMemoryDeployment
from tests.support.waiting_pauses import CALLBACK, NEXT_TASK, TASK, row_of

SAYS: dict[str, bool | HumanInteractionError] = {
    "waits": True,
    "ended": False,
    "unavailable": StoreUnavailable(),
    "forbidden": InteractionConfigurationError("not allowed", reason="access denied"),
}


class AskedWaiters(InMemoryWaiters):
    """Waiters whose checks answer in a given order; after the first one, another mint may replace the waiter."""

    def __init__(self, says: tuple[str, ...], *, replaced_by: Waiter | None) -> None:
        super().__init__()
        self.says = iter(says)
        self.replaced_by = replaced_by
        self.deployment: InMemoryDeployment | None = None
        self.said_yes: list[Waiter] = []

    async def still_waits(self, waiter: Waiter) -> bool:
        said = SAYS[next(self.says)]
        if self.deployment is not None and self.replaced_by is not None:
            ((jti, row),) = self.deployment.ledger.rows.items()
            replaced_by, self.replaced_by = self.replaced_by, None
            assert jti == row.claims.jti
            assert await self.deployment.ledger.replace_waiter(row, replaced_by)
        if not isinstance(said, bool):
            raise said
        if said:
            self.said_yes.append(waiter)
        return said


@pytest.mark.parametrize("replaced_by", [None, NEXT_TASK, CALLBACK], ids=["same", "another task", "a callback"])
@pytest.mark.parametrize("says", list(itertools.product(SAYS, repeat=2)), ids="-".join)
def test_an_answer_is_accepted_only_for_a_waiter_that_said_that_it_waits(
    says: tuple[str, str], replaced_by: Waiter | None
) -> None:
    waiters = AskedWaiters(says, replaced_by=replaced_by)
    deployment = InMemoryDeployment(waiters=waiters)
    minted = deployment.mint(waiter=TASK)
    waiters.deployment = deployment
    accepted = True
    try:
        deployment.resume(minted)
    except (WaiterGone, StoreUnavailable, InteractionConfigurationError):
        accepted = False
    row = row_of(deployment, minted)
    assert accepted is (row.answer is not None) is (row.status is not PauseStatus.ISSUED)
    if accepted:
        assert row.waiter in waiters.said_yes

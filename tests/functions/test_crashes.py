"""A function that is ended half way: whatever was written, the same request gets to a definite end."""

import pytest

from tests.support.function_deployment import Deployment, Handlers
from tests.support.request_bodies import Pause, a_mint

# A process that is killed does not get to count anything either.
pytestmark = pytest.mark.filterwarnings("ignore:No application metrics")


class Killed(BaseException):
    """The end of the process, as near as one process can come to it: nothing of ours handles it."""


def test_ended_after_the_checks_and_before_the_claim_nothing_is_consumed(
    deployment: Deployment, handlers: Handlers
) -> None:
    """A-33."""
    pause = handlers.pause()
    with deployment.probe.failing(UpdateItem=Killed()), pytest.raises(Killed):
        handlers.post("/resume", pause.resume())
    assert handlers.redeems(pause)


def test_ended_after_the_claim_the_same_answer_gets_the_receipt_and_another_is_refused(
    deployment: Deployment, handlers: Handlers
) -> None:
    """A-33: no state that only time would free."""
    pause = handlers.pause()
    with deployment.probe.losing_replies(UpdateItem=Killed()), pytest.raises(Killed):
        handlers.post("/resume", pause.resume())
    again = handlers.post("/resume", pause.resume())
    assert (again.status, again.document["replayed"]) == (200, True)
    assert again.document["turn"]["messages"] == pause.request["messages"]
    assert handlers.post("/resume", pause.resume(response=pause.response("Reject"))).said == (409, "already-answered")


@pytest.mark.parametrize("stage", ["failing", "losing_replies"])
def test_a_mint_that_was_ended_half_way_is_completed_by_the_same_mint(
    deployment: Deployment, handlers: Handlers, stage: str
) -> None:
    request = a_mint(checkpoint_id="cp-1")
    with getattr(deployment.probe, stage)(PutItem=Killed()), pytest.raises(Killed):
        handlers.post("/pauses", request)
    minted = handlers.post("/pauses", request)
    assert minted.status == 201
    assert handlers.redeems(Pause(request=request, minted=minted.document))

"""What tests ask with: interactions that only they register, and the claims of one pause."""

from typing import Any

from pydantic import BaseModel, ConfigDict

from askback.domain.interactions.registry import InteractionRegistration, InteractionRegistry, PausePlace
from askback.domain.pause.claims import Audience, PauseClaims
from askback.interactions import ASK_USER_REGISTRATION
from tests.support.memory_deployment import InMemoryDeployment

PLACE = PausePlace(thread_id="thread-1", checkpoint_id="checkpoint-1", tool_call_id="call-1")


CLAIMS = PauseClaims(
    run_id="run-1",
    session_id="sess-1",
    scope_hash="ab" * 32,
    thread_id="acme:eu:sess-1",
    checkpoint_id="checkpoint-1",
    tool_call_id="call_Cc03Ask",
    request_hash="cd" * 32,
    exp=1_790_003_600,
    jti="0" * 32,
    name="approval_required",
    interrupt_id="i-0123456789ab",
    issued_at=1_790_000_000,
    audience=Audience.ANSWER,
)


class AnyRequest(BaseModel):
    """A request that takes whatever JSON object it is given, and keeps it."""

    model_config = ConfigDict(extra="allow")


class Approval(BaseModel):
    """An answer that is yes or no and nothing in between."""

    model_config = ConfigDict(extra="forbid")

    approved: bool


def approval(**over: Any) -> InteractionRegistration:
    """Return the registration of `approval_required`, with parts of it replaced."""
    return InteractionRegistration(
        **{"name": "approval_required", "payload_schema": AnyRequest, "response_schema": Approval, **over}
    )


def a_registry(*registrations: InteractionRegistration) -> InteractionRegistry:
    """Return a registry of the built-in interaction and these, or `approval_required` when none is given."""
    return InteractionRegistry([ASK_USER_REGISTRATION, *(registrations or (approval(),))])


def a_deployment(*registrations: InteractionRegistration, **over: Any) -> InMemoryDeployment:
    """Return a deployment in memory that can ask these."""
    return InMemoryDeployment(registry=a_registry(*registrations), **over)

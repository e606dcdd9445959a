"""An agent's run that asks: its calls, its round, and its way to pause."""

from typing import Any

from askback.domain.agent.capability import HumanInteractionCapability
from askback.domain.agent.turn import AgentTurn, ReservedCall
from tests.support.memory_deployment import NOW, REFUND, InMemoryDeployment

ASK = ReservedCall(call_id="call_Cc03Ask", name="ask_user", arguments=REFUND)
APPROVE = ReservedCall(call_id="call_X", name="approval_required", arguments={"amount": 136.0})
TRANSCRIPT = ({"role": "user", "content": "Refund order A-1009"},)


def a_turn(*calls: ReservedCall, **over: Any) -> AgentTurn:
    """Return the round of a run that made these calls."""
    return AgentTurn(**{"run": None, "transcript": TRANSCRIPT, "text": "Let me ask.", "requests": calls, **over})


def a_capability(deployment: InMemoryDeployment, **over: Any) -> HumanInteractionCapability:
    """Return the capability of an agent that lives in a deployment."""
    return HumanInteractionCapability(
        **{
            "registry": deployment.registry,
            "mint": deployment.minting,
            "clock": lambda: NOW,
            "ttl_seconds": 3600,
            **over,
        }
    )

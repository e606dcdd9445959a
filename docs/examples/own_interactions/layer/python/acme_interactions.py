"""The interactions of Acme's deployment: a refund that a person grants, and two changes to the built-in interactions.

askback loads this module because the parameter `InteractionsModule` names it, and reads `INTERACTIONS`. An agent mints
with the name of an interaction: `{"name": "acme_refund", "payload": {"order": "A-1009", "amount": 49.9}, ...}`.
"""

import dataclasses
from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field

from askback.interactions import APPROVAL_REGISTRATION, FieldError, InteractionRegistration, WithoutBuiltIn


class Refund(BaseModel):
    """What a person is asked about."""

    model_config = ConfigDict(extra="forbid")

    order: str = Field(min_length=1, max_length=40)
    amount: float = Field(gt=0, le=10_000)
    reason: str = Field(default="", max_length=500)


class Granted(StrEnum):
    """How much of the amount is refunded."""

    ALL = "all"
    PART = "part"
    NOTHING = "nothing"


class Decision(BaseModel):
    """The answer. The page draws a field for each attribute; titles and descriptions are labels and hints."""

    model_config = ConfigDict(extra="forbid")

    granted: Granted = Field(title="Refund", description="The customer is informed at once.")
    amount: float | None = Field(default=None, title="Amount", description="For a part only.")
    note: str = Field(default="", max_length=500, title="Note for the books")


def check_decision(refund: Refund, decision: Decision) -> list[FieldError]:
    """Return what is wrong with this decision on this refund; an empty list when it is legal."""
    if decision.granted is not Granted.PART:
        return [] if decision.amount is None else [FieldError("response.amount", "goes with a part only")]
    if decision.amount is None or not 0 < decision.amount < refund.amount:
        return [FieldError("response.amount", f"must be more than 0 and less than {refund.amount}")]
    return []


def complete_decision(refund: Refund, decision: Decision) -> dict[str, object]:
    """Return what is recorded, and what the agent gets: the amount to pay, whatever was chosen."""
    amounts = {Granted.ALL: refund.amount, Granted.PART: decision.amount, Granted.NOTHING: 0.0}
    return {"granted": decision.granted.value, "pay": amounts[decision.granted], "note": decision.note}


INTERACTIONS = [
    InteractionRegistration(
        name="acme_refund",
        payload_schema=Refund,
        response_schema=Decision,
        validate_response=check_decision,
        complete_response=complete_decision,
        allow_link=True,
    ),
    # In place of the built-in one: here only people who sign in can approve.
    dataclasses.replace(APPROVAL_REGISTRATION, allow_link=False),
    # Not offered here.
    WithoutBuiltIn("form"),
]

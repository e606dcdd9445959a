"""Interactions that an adopter might register: the page draws their forms from their JSON Schema alone."""

from datetime import date
from enum import StrEnum
from typing import Annotated, Final

from pydantic import BaseModel, Field

from askback.domain.interactions.registry import InteractionRegistration, InteractionRegistry
from askback.interactions import APPROVAL_REGISTRATION, ASK_USER_REGISTRATION, FORM_REGISTRATION


class Incident(BaseModel):
    service: str
    symptoms: list[str]
    since: str
    affected: dict[str, int]


class Severity(StrEnum):
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


class Contact(BaseModel):
    """Whom we may call about it."""

    name: str = Field(title="Full name", min_length=1, max_length=80)
    phone: str | None = Field(default=None, description="With the country code.")


class Assessment(BaseModel):
    severity: Severity = Field(description="As the customers see it.")
    cause: str | None = Field(default=None, title="Probable cause", max_length=500)
    minutes_lost: Annotated[int, Field(ge=0, le=1440)]
    tell_customers: bool
    contact: Contact
    follow_up: date | None = None
    labels: list[str] = Field(default_factory=list, max_length=5)


REGISTRY: Final = InteractionRegistry(
    [
        ASK_USER_REGISTRATION,
        APPROVAL_REGISTRATION,
        FORM_REGISTRATION,
        InteractionRegistration(
            name="assess_incident", payload_schema=Incident, response_schema=Assessment, allow_link=True
        ),
        InteractionRegistration(name="one_number", payload_schema=Incident, response_schema=float, allow_link=True),
        InteractionRegistration(name="signed_in_only", payload_schema=Incident, response_schema=bool),
    ]
)

"""Interactions that an adopter might register: the page draws their forms from their JSON Schema alone."""

from datetime import date
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Final, Literal

from pydantic import BaseModel, Field

from askback.domain.errors import FieldError
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


class Position(BaseModel):
    article: str
    pieces: Annotated[int, Field(ge=1)]


class Way(StrEnum):
    ROAD = "road"
    RAIL = "rail"


class Pickup(BaseModel):
    kind: Literal["pickup"]
    shop: str


class Parcel(BaseModel):
    kind: Literal["parcel"]
    street: str
    express: bool = False


class Place(BaseModel):
    street: str
    country: str = "IT"


class Order(BaseModel):
    """Every shape that adopters write and that needs more than one control."""

    price: Annotated[Decimal, Field(gt=0)]
    discount: Decimal | None = None
    way: Literal["air"] | Way
    limit: int | str
    positions: Annotated[list[Position], Field(min_length=1, max_length=3)]
    stock: dict[str, int]
    handover: Annotated[Pickup | Parcel, Field(discriminator="kind")]
    sender: Place | None = None
    receiver: Place | None = None
    pair: tuple[int, str] | None = None


def not_too_many(question: Incident, order: Order) -> list[FieldError]:
    pieces = sum(position.pieces for position in order.positions)
    return [FieldError("response.positions[0].pieces", "Only 9 are there.")] if pieces > 9 else []


REGISTRY: Final = InteractionRegistry(
    [
        ASK_USER_REGISTRATION,
        APPROVAL_REGISTRATION,
        FORM_REGISTRATION,
        InteractionRegistration(
            name="assess_incident", payload_schema=Incident, response_schema=Assessment, allow_link=True
        ),
        InteractionRegistration(
            name="place_order",
            payload_schema=Incident,
            response_schema=Order,
            validate_response=not_too_many,
            allow_link=True,
        ),
        InteractionRegistration(name="one_number", payload_schema=Incident, response_schema=float, allow_link=True),
        InteractionRegistration(name="signed_in_only", payload_schema=Incident, response_schema=bool),
    ]
)

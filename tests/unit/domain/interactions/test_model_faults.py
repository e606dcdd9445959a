"""An adopter's models are tried when they are registered: what they read is what is recorded (D-35)."""

from dataclasses import dataclass
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, ConfigDict, Field, SecretStr, computed_field, field_serializer

from askback.domain.errors import InteractionConfigurationError
from askback.domain.interactions.registry import InteractionRegistration, PausePlace, RegistrationInvalid
from askback.interactions import REGISTRY

PLACE = PausePlace(thread_id="t", checkpoint_id="c", tool_call_id="call")


class Plain(BaseModel):
    text: str = ""


class Aliased(BaseModel):
    model_config = ConfigDict(extra="forbid")
    order_id: str = Field(alias="orderId")


class TwoNames(BaseModel):
    order_id: str = Field(validation_alias="orderId")


class Excluded(BaseModel):
    note: str = Field(default="", exclude=True)


class Computed(BaseModel):
    model_config = ConfigDict(extra="forbid")
    net: float

    @computed_field  # type: ignore[prop-decorator]
    @property
    def gross(self) -> float:
        return self.net * 1.2


class Kept(BaseModel):
    password: SecretStr


@dataclass
class Nested:
    inside: list[Kept]


class Deep(BaseModel):
    items: dict[str, Annotated[Nested | None, Field()]]


class Serialized(BaseModel):
    amount: int

    @field_serializer("amount")
    def as_text(self, amount: int) -> str:
        return f"{amount} EUR"


def registered(payload: Any = Plain, response: Any = bool) -> InteractionRegistration:
    own = InteractionRegistration(name="own", payload_schema=payload, response_schema=response)
    return REGISTRY.extended([own]).named("own")


@pytest.mark.parametrize(
    ("schema", "why"),
    [
        (Excluded, "Excluded.note is excluded"),
        (TwoNames, "TwoNames.order_id is read under another name"),
        (Kept, "SecretStr is written as asterisks"),
        (Deep, "SecretStr is written as asterisks"),
    ],
    ids=["excluded", "two names", "secret", "nested secret"],
)
def test_a_model_that_would_lose_what_it_reads_is_refused_with_the_reason(schema: Any, why: str) -> None:
    for wrong in ({"payload": schema}, {"response": schema}, {"response": list[schema]}):
        with pytest.raises(RegistrationInvalid, match=why):
            registered(**wrong)


def test_a_payload_that_would_not_read_its_computed_fields_is_refused_and_an_answer_with_them_is_not() -> None:
    with pytest.raises(RegistrationInvalid, match="Computed forbids extra fields"):
        registered(payload=Computed)
    assert registered(response=Computed).response_schema is Computed


def test_a_secret_alone_is_refused_as_an_answer() -> None:
    with pytest.raises(RegistrationInvalid, match="asterisks"):
        registered(response=SecretStr)


def test_a_payload_and_an_answer_with_an_alias_are_recorded_as_they_were_given() -> None:
    own, given = registered(payload=Aliased, response=Aliased), {"orderId": "A-1009"}
    new = own.read_new_payload(given, PLACE)
    assert new.shown == given
    asked = own.read_recorded_payload(dict(new.shown))
    assert own.read_response(given, asked) == given


def test_a_payload_that_its_own_model_cannot_read_again_is_refused_at_the_mint() -> None:
    with pytest.raises(InteractionConfigurationError) as refused:
        registered(payload=Serialized).read_new_payload({"amount": 5}, PLACE)
    assert "payload.amount" in refused.value.reason

"""The condition for a stronger sign-in, which a JWT fulfils or not."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_DEMAND = re.compile(r"(?P<claim>[^=<,\s]+)(?P<sign>[=<])(?P<value>[^=<,\s]+)")


class StepUpInvalid(ValueError):
    """A condition cannot be read. The text does not contain the condition."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Demand:
    """One demand: the claim has the value, or the claim is a time that is younger than so many seconds."""

    claim: str
    value: str = ""
    younger_than_seconds: int | None = None

    def is_met(self, claims: Mapping[str, Any], *, at: int) -> bool:
        """Return whether the claims meet the demand at `at` (epoch seconds)."""
        given = claims.get(self.claim)
        # The gateway gives every claim as a text, and a list as its items between brackets.
        text = given if isinstance(given, str) else ""
        if self.younger_than_seconds is not None:
            return text.isascii() and text.isdigit() and 0 <= at - int(text) < self.younger_than_seconds
        items = text[1:-1].split() if text.startswith("[") and text.endswith("]") else [text]
        return self.value in items


def read_step_up(text: str) -> tuple[Demand, ...]:
    """Read demands such as `amr=mfa,auth_time<900`; all of them must be met. Raises StepUpInvalid."""
    demands = []
    for part in filter(None, text.split(",")):
        found = _DEMAND.fullmatch(part.strip())
        if found is None:
            raise StepUpInvalid("must be a list such as amr=mfa,auth_time<900")
        claim, sign, value = found.group("claim", "sign", "value")
        if sign == "=":
            demands.append(Demand(claim=claim, value=value))
        elif value.isascii() and value.isdigit():
            demands.append(Demand(claim=claim, younger_than_seconds=int(value)))
        else:
            raise StepUpInvalid("must have a number of seconds after <")
    return tuple(demands)


def is_stepped_up(claims: Mapping[str, Any], demands: Sequence[Demand], *, at: int) -> bool:
    """Return whether the claims meet every demand; without a demand, no JWT counts as stepped up."""
    return bool(demands) and all(demand.is_met(claims, at=at) for demand in demands)

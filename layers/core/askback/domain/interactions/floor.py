"""The floor: the least that every pause must demand, whatever its mint asks for.

The agent that asks also chooses who may answer, how long, and what happens without an answer. A floor takes that choice
away where a deployment or a registration does not want to leave it to the agent. Every floor of a pause holds: that of
the deployment, that of the deployment for the interaction, and that of the registration.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Self

from askback.domain.errors import InteractionConfigurationError, InvalidRequest
from askback.domain.limits import NAME_PATTERN, TTL_MAX_SECONDS, TTL_MIN_SECONDS
from askback.domain.pause.answerers import Answerers
from askback.domain.pause.assurance import Assurance
from askback.domain.pause.person_names import matches

DEFAULT_ANSWER_TTL_MIN_SECONDS = 300
"""The least time to answer a question with a default answer, where a deployment does not say it: in less time, a
person hardly reads the question."""
OPEN_PAUSES_PER_RECIPIENT_MAX = 100
"""How many open pauses of a scope a recipient may have, where a deployment does not say it."""
EVERY_INTERACTION = "*"
_LARGEST = {"open_pauses_per_recipient_max": 100, "open_pauses_max": 10_000}
"""The largest value of each limit on open pauses: with a larger one, a mint would cost more, and one write would not be
able to remove all pauses of a person that have ended."""


class FloorInvalid(ValueError):
    """A floor cannot be used. The text has the name of the field, but no value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Floor:
    """What every mint must at least demand; each field that is left out demands nothing further."""

    least_assurance: Assurance = Assurance.STATED
    """How well an answerer must be known."""
    approvers_required: bool = False
    """Whether a mint must name approvers."""
    ttl_min_seconds: int = TTL_MIN_SECONDS
    ttl_max_seconds: int = TTL_MAX_SECONDS
    default_answers: bool = True
    """Whether a mint may give a default answer."""
    default_answer_ttl_min_seconds: int = TTL_MIN_SECONDS
    """The least `ttl_seconds` of a mint with a default answer."""
    recipients: tuple[str, ...] = ("*",)
    """Patterns such as `*@example.com`. Every approver and recipient must match one of them."""
    open_pauses_per_recipient_max: int | None = None
    """How many open pauses of a scope a recipient may have, with the new one; None for no limit."""
    open_pauses_max: int | None = None
    """How many open pauses a scope may have, with the new one; None for no limit."""

    def require(
        self, *, ttl_seconds: int, has_default: bool, answerers: Answerers, max_ttl_seconds: int | None = None
    ) -> None:
        """Raise InvalidRequest, with the name of the field, for a mint that demands less than this floor."""
        if not self.ttl_min_seconds <= ttl_seconds <= self.ttl_max_seconds:
            raise InvalidRequest.of_field(
                "ttl_seconds", f"must be from {self.ttl_min_seconds} to {self.ttl_max_seconds} in this deployment"
            )
        if max_ttl_seconds is not None and max_ttl_seconds > self.ttl_max_seconds:
            raise InvalidRequest.of_field("max_ttl_seconds", f"must be at most {self.ttl_max_seconds} here")
        if has_default and not self.default_answers:
            raise InvalidRequest.of_field("on_expiry", "must not give a default answer in this deployment")
        if has_default and ttl_seconds < self.default_answer_ttl_min_seconds:
            raise InvalidRequest.of_field(
                "ttl_seconds", f"must be at least {self.default_answer_ttl_min_seconds} with a default answer"
            )
        if self.approvers_required and not answerers.approvers:
            raise InvalidRequest.of_field("approvers", "must be given in this deployment")
        for field, people in (("approvers", answerers.approvers), ("recipients", answerers.recipients)):
            for index, person in enumerate(people):
                self.require_person(person, field=f"{field}[{index}]")

    def require_person(self, person: str, *, field: str) -> None:
        """Raise InvalidRequest with the field for a person who matches none of the patterns."""
        if not matches(person, self.recipients):
            raise InvalidRequest.of_field(field, "is not a person whom this deployment may ask")

    def with_demands(self, demands: object) -> Self:
        """Return this floor with fields read from JSON; raises FloorInvalid."""
        if not isinstance(demands, Mapping):
            raise FloorInvalid("a floor must be an object")
        known = {field.name for field in fields(self)}
        if unknown := sorted(map(str, demands.keys() - known)):
            raise FloorInvalid(f"{len(unknown)} fields are unknown; known are: {', '.join(sorted(known))}")
        return replace(self, **{name: _read(name, value) for name, value in demands.items()})


NO_FLOOR = Floor()
DEFAULT_FLOORS: Mapping[str, Floor] = {
    EVERY_INTERACTION: Floor(
        default_answer_ttl_min_seconds=DEFAULT_ANSWER_TTL_MIN_SECONDS,
        open_pauses_per_recipient_max=OPEN_PAUSES_PER_RECIPIENT_MAX,
    )
}
"""The floors of a deployment that sets none."""


def _read(name: str, value: Any) -> Any:
    if name == "least_assurance":
        if value not in {each.value for each in Assurance if each.reaches(Assurance.STATED)}:
            raise FloorInvalid(f"{name} is not an assurance")
        return Assurance(value)
    if name in ("approvers_required", "default_answers"):
        if not isinstance(value, bool):
            raise FloorInvalid(f"{name} must be true or false")
        return value
    if name == "recipients":
        if not isinstance(value, list) or not value or not all(isinstance(each, str) and each for each in value):
            raise FloorInvalid(f"{name} must be a list of patterns")
        return tuple(value)
    if name in _LARGEST:
        if value is not None and not (type(value) is int and 1 <= value <= _LARGEST[name]):
            raise FloorInvalid(f"{name} must be a whole number from 1 to {_LARGEST[name]}, or null for no limit")
        return value
    if isinstance(value, bool) or not isinstance(value, int) or not TTL_MIN_SECONDS <= value <= TTL_MAX_SECONDS:
        raise FloorInvalid(f"{name} must be a whole number of seconds from {TTL_MIN_SECONDS} to {TTL_MAX_SECONDS}")
    return value


def read_floors(text: str) -> Mapping[str, Floor]:
    """Return the floors of a deployment by the name of the interaction; the name `*` stands for every interaction.

    Raises:
        InteractionConfigurationError: the text is not a JSON object of floors.
    """
    try:
        demands = json.loads(text or "{}")
        if not isinstance(demands, Mapping):
            raise FloorInvalid("must be an object of floors")
        if not all(name == EVERY_INTERACTION or NAME_PATTERN.fullmatch(name) for name in demands):
            raise FloorInvalid("has a name that is not the name of an interaction")
        read = {name: DEFAULT_FLOORS.get(name, NO_FLOOR).with_demands(each) for name, each in demands.items()}
    except ValueError as error:
        why = str(error) if isinstance(error, FloorInvalid) else "is not JSON"
        raise InteractionConfigurationError(
            "the deployment is not configured", reason=f"ASKBACK_MINT_FLOOR: {why}"
        ) from None
    return {**DEFAULT_FLOORS, **read}


def floors_of(floors: Mapping[str, Floor], name: str, registered: Floor) -> Sequence[Floor]:
    """Return every floor that holds for an interaction."""
    return [*(floors[key] for key in (EVERY_INTERACTION, name) if key in floors), registered]

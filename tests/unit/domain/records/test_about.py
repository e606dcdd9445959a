"""The name under which it is recorded is no payload's, and what a newer version records besides is left out."""

from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict

from askback.domain.errors import InvalidRequest
from askback.domain.interactions.registry import InteractionRegistration, PausePlace
from askback.domain.mint.about import recorded_with
from askback.domain.records.about import ABOUT_KEY, NO_ABOUT, About, Risk, split_request

PLACE = PausePlace(thread_id="thread", checkpoint_id="checkpoint", tool_call_id="call")


class Anything(BaseModel):
    model_config = ConfigDict(extra="allow")


OWN = InteractionRegistration(name="own", payload_schema=Anything, response_schema=bool)


@pytest.mark.parametrize("about", [NO_ABOUT, About(asker="Ops")])
def test_no_payload_can_say_it_of_itself(about: About) -> None:
    new = OWN.read_new_payload({ABOUT_KEY: {"asker": "The board"}}, PLACE)
    with pytest.raises(InvalidRequest, match=ABOUT_KEY):
        recorded_with(about, new, OWN)


def test_an_own_interaction_names_its_texts_that_are_markdown() -> None:
    new = OWN.read_new_payload({"text": "**So** it is.", "count": 3}, PLACE)
    recorded_with(About(markdown=("text",)), new, OWN)
    with pytest.raises(InvalidRequest):
        recorded_with(About(markdown=("count",)), new, OWN)


@pytest.mark.parametrize(
    ("recorded", "read"),
    [
        ({"asker": "Ops", "risk": "high", "tone": "kind"}, About(asker="Ops", risk=Risk.HIGH)),
        ({"asker": 3, "markdown": ["text", 4]}, About(markdown=("text",))),
        ({"risk": "extreme", "markdown": "text"}, NO_ABOUT),
        ("Ops", NO_ABOUT),
    ],
)
def test_what_is_not_known_of_a_record_is_left_out(recorded: Any, read: About) -> None:
    assert split_request({"text": "T", ABOUT_KEY: recorded}) == ({"text": "T"}, read)

"""What the builders write is what the built-in interactions read."""

import pytest

from askback import Asked, approval, approve, ask_user, choose, form, question, reject
from askback.domain.interactions.registry import PausePlace
from askback.interactions import REGISTRY
from askback.testing.deployment import InProcessDeployment

PLACE = PausePlace(thread_id="thread-1", checkpoint_id="checkpoint-1", tool_call_id="call-1")
ASKED = {
    "ask_user, one question": ask_user(question("Refund?", ["Approve", "Reject"])),
    "ask_user, everything": ask_user(
        question("Refund?", [{"label": "Yes", "description": "pay it out", "preview": "49.90"}, "No"], header="Refund"),
        question("Why?", ["Broken", "Late"], multi_select=True, allow_other=True),
    ),
    "approval, bare": approval("Refund?", action="refund", arguments={"amount": 49.9}),
    "approval, everything": approval(
        "Refund?",
        action="refund",
        arguments={"amount": 49.9, "note": None},
        summary="Order A-1009",
        editable={"amount": {"type": "number", "minimum": 0}},
        comment="required",
    ),
    "form, bare": form("Address", {"city": {"type": "string"}}),
    "form, everything": form(
        "Address",
        {"zip": {"type": "string", "maxLength": 5}, "city": {"type": "string", "enum": ["Ulm", "Bonn"]}},
        description="Where to?",
        required=["city"],
    ),
}


@pytest.mark.parametrize("asked", ASKED.values(), ids=ASKED)
def test_a_payload_fits_its_interaction(asked: Asked) -> None:
    registration = REGISTRY.named(asked.name)
    registration.read_new_payload(asked.payload, PLACE)


def test_the_order_of_a_forms_fields_is_kept() -> None:
    assert ASKED["form, everything"].payload["order"] == ["zip", "city"]


def asking(asked: Asked) -> InProcessDeployment:
    """Return a deployment with one pause."""
    deployment = InProcessDeployment()
    deployment.client().pause(*asked, run_id="run-1", scope="acme", ttl_seconds=60, tool_call_id="call-1", messages=[])
    return deployment


@pytest.mark.parametrize(
    "choices",
    [
        ("Yes", "Late"),
        ("No", ["Late", "Broken"]),
        ("No", {"selections": ["Late"], "other": "It was a gift."}),
        ("No", {"other": "It was a gift."}),
    ],
)
def test_a_choice_for_each_question_is_an_answer(choices: tuple[str, ...]) -> None:
    deployment = asking(ASKED["ask_user, everything"])
    (pause,) = deployment.pauses
    assert deployment.answer(pause, choose(pause, *choices)).replayed is False


def test_a_shown_question_takes_choices_too() -> None:
    deployment = asking(ASKED["ask_user, one question"])
    (pause,) = deployment.pauses
    shown = deployment.client().question(pause)
    assert choose(shown, "Approve") == choose(pause, "Approve")


@pytest.mark.parametrize("choices", [(), ("Approve", "Approve")])
def test_there_is_one_choice_for_each_question(choices: tuple[str, ...]) -> None:
    deployment = asking(ASKED["ask_user, one question"])
    with pytest.raises(ValueError, match="one choice for each question: 1, not"):
        choose(deployment.pauses[0], *choices)


@pytest.mark.parametrize("response", [approve(comment="Fine.", edits={"amount": 40}), reject(comment="No.")])
def test_a_decision_is_an_answer(response: dict[str, object]) -> None:
    deployment = asking(ASKED["approval, everything"])
    assert deployment.answer(deployment.pauses[0], response).response["decision"] == response["decision"]

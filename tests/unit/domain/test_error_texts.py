"""What an error says when it is printed: its detail, and what is wrong with each field."""

import pytest

from askback.domain.errors import NAMES_SHOWN, AnswerInvalid, FieldError, InvalidRequest, UnknownInteraction
from tests.support.memory_deployment import InMemoryDeployment


@pytest.mark.parametrize("refusal", [AnswerInvalid, InvalidRequest])
def test_the_text_names_each_wrong_field(refusal: type[AnswerInvalid | InvalidRequest]) -> None:
    error = refusal("it does not fit", errors=(FieldError("a[0]", "must be given"), FieldError("b", "is wrong")))
    assert str(error) == "it does not fit; a[0]: must be given; b: is wrong"
    assert error.detail == "it does not fit"


def test_the_fault_of_one_field_is_said_once() -> None:
    assert str(InvalidRequest.of_field("run_id", "must not be empty")) == "run_id: must not be empty"


def test_the_text_of_a_refused_answer_names_what_is_allowed_and_not_the_answer() -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint()
    answer = {
        "answers": [{"question_id": minted.payload["questions"][0]["id"], "selections": ["SECRET"]}],
    }
    with pytest.raises(AnswerInvalid) as refused:
        deployment.resume(minted, response=answer)
    text = str(refused.value)
    assert text.endswith("response.answers[0].selections: must be among the labels 'Approve', 'Reject'")
    assert "SECRET" not in text
    assert minted.tokens.pause not in text


def test_an_unknown_interaction_lists_the_registered_ones() -> None:
    with pytest.raises(UnknownInteraction, match=r"no interaction named 'poll' .*; it knows ask_user, approval, form$"):
        InMemoryDeployment().mint(name="poll")


def test_the_list_of_registered_names_is_bounded() -> None:
    names = [f"n{number}" for number in range(NAMES_SHOWN + 2)]
    assert str(UnknownInteraction("poll", names)).endswith(f"n{NAMES_SHOWN - 1} and 2 more")

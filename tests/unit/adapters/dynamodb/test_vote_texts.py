"""The votes in a row as rows in flight have them: a later version must read these texts."""

import json

import pytest

from askback.adapters.dynamodb.vote_items import read_votes, vote_attributes
from tests.support.memory_deployment import NOW
from tests.support.voting import a_vote

PLAIN = ["ada", False, "", "{}", "h", NOW, "x", "link", "personal_link", 1]
VOTE = a_vote("ada", False, response_text="{}", response_hash="h", at=NOW, attempt_id="x")


def test_a_vote_has_ten_places_and_that_of_another_persons_seat_has_one_more() -> None:
    seat = a_vote("ada", False, response_text="{}", response_hash="h", at=NOW, attempt_id="x", delegated_for="zoë")
    written = vote_attributes((VOTE, seat))
    assert json.loads(written["votes"]["S"]) == [PLAIN, [*PLAIN, "zoë"]]
    assert read_votes(written) == (VOTE, seat)


@pytest.mark.parametrize("wrong", [PLAIN[:-1], [*PLAIN, "zoë", ""]], ids=["too few", "too many"])
def test_a_vote_with_another_number_of_places_is_not_read(wrong: list[object]) -> None:
    with pytest.raises(ValueError, match="zip"):
        read_votes({"votes": {"S": json.dumps([wrong])}, "vote_count": {"N": "1"}})

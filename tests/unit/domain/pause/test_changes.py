"""The changes of an open pause as they are written, and the hash of what people know."""

import pytest

from askback.domain.json_text import sha256_hex
from askback.domain.pause.changes import (
    ChangeKind,
    PauseChange,
    changes_text,
    clarifications,
    known_hash,
    read_changes,
    void_votes,
)


def asked(text: str = "Why?", **over: object) -> PauseChange:
    fields = {"kind": ChangeKind.QUESTIONED, "at": 5, "approvers": ("ada",), "places": 1, "by": "ada", **over}
    return PauseChange(**fields, text=text, text_hash=sha256_hex(text))  # type: ignore[arg-type]


def replied(number: int, text: str = "So.", *, votes: int = 0) -> PauseChange:
    return asked(text, kind=ChangeKind.CLARIFIED, by="asker", number=number, votes=votes)


MOVED = PauseChange(kind=ChangeKind.ESCALATED, at=7, approvers=("ada",), places=1)


def test_a_change_of_the_people_is_written_as_versions_before_wrote_it() -> None:
    assert changes_text((MOVED,)) == '[["escalated",7,1,["ada"],""]]'


def test_a_question_and_its_reply_are_written_as_rows_in_flight_have_them() -> None:
    assert changes_text((asked(), replied(1, votes=2))) == (
        f'[["questioned",5,1,["ada"],"ada","Why?","{sha256_hex("Why?")}",0,0],'
        f'["clarified",5,1,["ada"],"asker","So.","{sha256_hex("So.")}",1,2]]'
    )
    assert known_hash("request", (asked(), replied(1))) == (
        sha256_hex(f'["request",[["{sha256_hex("Why?")}","{sha256_hex("So.")}"]]]')
    )


def test_questions_and_replies_come_back_as_they_were_written() -> None:
    changes = (asked("Zoë \u202e?"), MOVED, replied(1, votes=2), asked("And?"))
    assert read_changes(changes_text(changes)) == changes
    erased = tuple(each.erased() for each in changes)
    assert read_changes(changes_text(erased)) == erased
    assert "Zo" not in changes_text(erased)


@pytest.mark.parametrize(
    "text", ['[["escalated",7,1,["ada"],"","So.","hash",1,0]]', '[["clarified",7,1,["ada"],"asker"]]']
)
def test_a_change_with_too_much_or_too_little_is_damaged(text: str) -> None:
    with pytest.raises(ValueError, match=r"a change|not enough"):
        read_changes(text)


def test_each_question_has_its_number_and_its_reply() -> None:
    first, second = clarifications((asked("One?"), MOVED, asked("Two?"), replied(2, "Second.")))
    assert (first.number, first.asked.text, first.reply) == (1, "One?", None)
    assert second.reply is not None
    assert (second.number, second.asked.text, second.reply.text) == (2, "Two?", "Second.")


def test_only_a_reply_changes_what_people_know() -> None:
    only = (asked("One?"), asked("Two?"), MOVED)
    assert known_hash("request", only) == "request"
    hashes = {
        known_hash("request", (*only, replied(1))),
        known_hash("request", (*only, replied(2))),
        known_hash("request", (*only, replied(1, "Other."))),
        known_hash("other", (*only, replied(1))),
    }
    assert len(hashes) == 4
    assert "request" not in hashes


def test_the_hash_stays_when_the_texts_are_erased() -> None:
    changes = (asked(), replied(1))
    assert known_hash("request", [each.erased() for each in changes]) == known_hash("request", changes)


def test_the_last_reply_says_how_many_votes_are_void() -> None:
    assert void_votes((asked(), replied(1, votes=2), asked(), replied(2, votes=5))) == 5
    assert void_votes((asked(), MOVED)) == 0

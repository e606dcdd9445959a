"""Ids that follow from where a pause lives."""

import itertools

from askback.domain.pause import ids

AWKWARD = ("", "a", "b", "ab", ",", '"', '","', "\\", "[", "\u00fc", "\ud83d", "a\x00b")


def test_no_two_choices_of_parts_share_a_digest() -> None:
    choices = [parts for size in (1, 2, 3) for parts in itertools.product(AWKWARD, repeat=size)]
    assert len({ids.digest(*parts) for parts in choices}) == len(choices)


def test_an_id_changes_with_each_of_its_parts() -> None:
    base = {"thread_id": "t", "checkpoint_id": "c", "tool_call_id": "k"}
    one_other = [base, *({**base, name: "other"} for name in base)]
    questions = {ids.question_id(**parts, position=position) for parts in one_other for position in (0, 1)}
    interrupts = {ids.interrupt_id(**parts, name=name) for parts in one_other for name in ("a", "b")}
    assert len(questions) == len(interrupts) == 8
    place = {"scope_hash": "s", "thread_id": "t", "checkpoint_id": "c", "key": "k"}
    assert len({ids.pause_id(**parts) for parts in (place, *({**place, name: "other"} for name in place))}) == 5


def test_ids_of_different_kinds_never_meet() -> None:
    kinds = [
        ids.pause_id(scope_hash="s", thread_id="t", checkpoint_id="c", key="k")[:12],
        ids.question_id(thread_id="t", checkpoint_id="c", tool_call_id="k", position=0)[2:],
        ids.interrupt_id(thread_id="t", checkpoint_id="c", name="k", tool_call_id="0")[2:],
    ]
    assert len(set(kinds)) == len(kinds)


def test_the_ids_are_frozen_because_retries_across_releases_must_find_their_pause() -> None:
    assert ids.digest("a", "b") == "3554d2b8a1e34099053865de8576d1460b807430ec8c6b85315c9607ba93d308"
    place = {"thread_id": "acme:eu:sess-1", "checkpoint_id": "checkpoint-1"}
    paused = ids.pause_id(scope_hash="ab" * 32, **place, key="ask_user_request:call_Cc03Ask")
    assert paused == "a7fa5508b8b657a37b6c1accc810ba38"
    keyed = {"scope_hash": "ab" * 32, "idempotency_key": "run-7/call_1"}
    assert ids.keyed_pause_id(**keyed) == "2e2d5e1f7e5e1305796b39a92f4a54a8"
    assert ids.keyed_checkpoint_id(**keyed) == "keyed-ad3b51d613afc243f2d063da52be60ed"
    assert ids.question_id(**place, tool_call_id="call_Cc03Ask", position=0) == "q-f67c49bc6ed9"
    assert ids.interrupt_id(**place, name="approval_required", tool_call_id="call_X") == "i-782ccabc3cda"
    message = ids.message_id(jti="d4e5aa4e55ed906d", occasion="asked", recipient="ada@example.com")
    assert message == "msg_dde7e8b764ee4e666bf6df5fb2a83fdb"

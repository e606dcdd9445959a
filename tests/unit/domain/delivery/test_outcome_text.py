"""What a waiter gets and what is announced, byte for byte: consumers of one build meet outcomes of another."""

import json
from typing import Any

import pytest

from askback.domain.delivery.outcome_text import EXPIRED_ERROR, REVOKED_ERROR, expired_text, outcome_text, revoked_text
from askback.domain.pause.assurance import Assurance
from askback.domain.pause.events import PauseEvent, PauseEventType
from askback.domain.pause.ledger import PauseStatus, Revocation
from tests.support.domain_values import an_acceptance, an_issued_row, some_claims
from tests.support.memory_deployment import NOW
from tests.support.waiting_pauses import TASK

ANSWERED = (
    '{"answered_at":1790000060,"answered_by":"ada","assurance":"unknown","by_policy":false,'
    '"delivery_id":"0123456789abcdef0123456789abcdef","interrupt_id":"","name":"ask_user","outcome":"answered","response":"Approve",'
)
EXPIRED = (
    '{"delivery_id":"0123456789abcdef0123456789abcdef","expired_at":1790003600,"interrupt_id":"","name":"ask_user",'
    '"outcome":"expired",'
)
REVOKED = (
    '{"delivery_id":"0123456789abcdef0123456789abcdef","interrupt_id":"","name":"ask_user","outcome":"revoked",'
    '"revoked_at":1790000060,'
)
REVOCATION = Revocation(by="olga", at=NOW + 60)
PLACE = (
    '"run_id":"run-1","session_id":"sess-1","tool_call_id":"call_Cc03Ask",'
    '"turn_reference":{"checkpoint_id":"cp-1","key":"turn_state:call_Cc03Ask","thread_id":"acme:eu:sess-1"}}'
)


def _outcome(response_text: str = '"Approve"', **over: Any) -> str:
    return outcome_text(
        some_claims(), an_acceptance(response_text, **over), response_text=response_text, turn_recorded=True
    )


def test_an_answered_outcome_is_this_text() -> None:
    assert _outcome() == ANSWERED + PLACE


def test_an_answer_for_another_member_names_both() -> None:
    """`for` comes where the names are sorted, and only there."""
    text = outcome_text(
        some_claims(), an_acceptance(), answered_for="zoë", response_text='"Approve"', turn_recorded=True
    )
    said = '"delivery_id":"0123456789abcdef0123456789abcdef",'
    assert text == (ANSWERED + PLACE).replace(said, said + '"for":"zo\\u00eb",')


def test_an_expired_outcome_is_this_text_under_this_error() -> None:
    assert expired_text(some_claims(), expired_at=some_claims().exp, turn_recorded=True) == EXPIRED + PLACE
    assert EXPIRED_ERROR == "Askback.PauseExpired"


def test_a_revoked_outcome_is_this_text_under_this_error_and_says_nothing_of_who_revoked_it() -> None:
    assert revoked_text(some_claims(), REVOCATION, turn_recorded=True) == REVOKED + PLACE
    assert REVOKED_ERROR == "Askback.PauseRevoked"


def test_without_a_recorded_turn_there_is_nothing_to_refer_to() -> None:
    for text in (
        outcome_text(some_claims(), an_acceptance(), response_text='"x"', turn_recorded=False),
        expired_text(some_claims(), expired_at=some_claims().exp, turn_recorded=False),
        revoked_text(some_claims(), REVOCATION, turn_recorded=False),
    ):
        assert json.loads(text)["turn_reference"] is None


@pytest.mark.parametrize(
    "response",
    ['"yes"', "true", "null", '{"a":1.0}', r'"say \"hi\"\n"', r'"Z\u00fcrich"', r'"\ud83d\ude00"', "1e21", "[1,[2]]"],
)
def test_the_response_stands_in_the_outcome_as_json_and_is_encoded_once(response: str) -> None:
    """A-25."""
    text = _outcome(response)
    assert text.isascii()
    assert repr(json.loads(text)["response"]) == repr(json.loads(response))
    assert f'"response":{response},' in text.replace("1e+21", "1e21")


def test_the_outcome_says_how_well_the_answerer_is_known() -> None:
    for assurance in Assurance:
        assert json.loads(_outcome(assurance=assurance))["assurance"] == assurance.value


def test_a_default_answer_is_marked() -> None:
    assert json.loads(_outcome(by_policy=True, answered_by="policy"))["by_policy"] is True


def test_an_announcement_is_these_fields() -> None:
    row = an_issued_row(status=PauseStatus.ANSWERED, answer=an_acceptance('"THE ANSWER"'), waiter=TASK)
    event = PauseEvent(type=PauseEventType.ANSWERED, row=row, at=NOW + 60)
    assert json.dumps(event.detail()) == (
        '{"version": 1, "jti": "0123456789abcdef0123456789abcdef", "name": "ask_user", '
        '"scope_hash": "a246859cecc362102ba253d47282c7047f5ba9e843b19b62ee49c6a9a0a9584f", "run_id": "run-1", '
        '"session_id": "sess-1", "tool_call_id": "call_Cc03Ask", "interrupt_id": "", "status": "answered", '
        '"issued_at": 1790000000, "expires_at": 1790003600, "answered_at": 1790000060, "by_policy": false, '
        '"assurance": "unknown", "at": 1790000060}'
    )


def test_an_announcement_before_the_answer_says_so() -> None:
    event = PauseEvent(type=PauseEventType.ISSUED, row=an_issued_row(), at=NOW)
    assert (event.detail()["answered_at"], event.detail()["by_policy"]) == (None, False)


def test_the_detail_types_are_these() -> None:
    assert {kind.value for kind in PauseEventType} == {
        "PauseIssued", "PauseVoted", "PauseAnswered", "PauseDelivered", "PauseExpired", "PauseRevoked", "PauseReminder",
        "PauseUndeliverable", "PauseSuperseded", "PauseExtended", "PauseEscalated", "PauseReassigned",
        "PauseQuestioned", "PauseClarified", "PauseDelegated",
    }  # fmt: skip


@pytest.mark.parametrize("kind", PauseEventType)
def test_no_announcement_carries_an_answer_a_default_or_an_address(kind: PauseEventType) -> None:
    row = an_issued_row(
        status=PauseStatus.ANSWERED,
        answer=an_acceptance('"THE ANSWER"', answered_by="SOMEBODY"),
        waiter=TASK,
        default_response_text='"THE DEFAULT"',
        pin="THE PIN",
    )
    said = json.dumps(PauseEvent(type=kind, row=row, at=NOW).detail())
    for secret in ("THE ANSWER", "THE DEFAULT", "SOMEBODY", "THE PIN", TASK.address, "step_functions"):
        assert secret not in said

"""What the client says of a decision by several people: a vote that leaves it open is no outcome."""

from collections.abc import Mapping
from typing import Any

import pytest

from askback import (
    AlreadyVoted,
    AnswererNotAllowed,
    AskbackClient,
    Delegation,
    InvalidRequest,
    IssuedPause,
    NotAnswered,
    QuorumState,
    RecipientLink,
    RecordedVote,
    approval,
    approve,
    reject,
)
from askback.testing.deployment import InProcessDeployment

BOARD = ["ada", "bob", "cyd", "dan", "eve"]
PAYMENT = approval("Pay?", action="pay", arguments={"amount": 10})


@pytest.fixture
def client() -> AskbackClient:
    return InProcessDeployment().client()


def asked(
    client: AskbackClient, quorum: Mapping[str, Any], **over: Any
) -> tuple[IssuedPause, Mapping[str, RecipientLink]]:
    fields = {"run_id": "run-1", "scope": "acme", "ttl_seconds": 3600, "idempotency_key": "pay", **over}
    fields |= {"tool_call_id": "call_1", "messages": [{"role": "user", "content": "Pay"}]}
    pause = client.pause(*PAYMENT, approvers=BOARD, recipients=BOARD, quorum=quorum, **fields)
    return pause, {each.recipient: each for each in client.links(pause).recipients}


def test_a_receipt_has_the_votes_and_says_whether_more_are_needed(client: AskbackClient) -> None:
    _, links = asked(client, {"needed": 2})
    first = client.answer(links["ada"], approve(comment="Fine"))
    assert first.still_open
    assert first.quorum == QuorumState(needed=2, members=5, veto=True, round=1, voted=1, approved=1, rejected=0)
    assert first.votes == (
        RecordedVote(
            by="ada", decision="approve", assurance="personal_link", answered_via="link", at=first.answered_at,
            comment="Fine", round=1, counts=True,
        ),
    )  # fmt: skip
    last = client.answer(links["bob"], approve())
    assert (last.still_open, [vote.by for vote in last.votes]) == (False, ["ada", "bob"])
    assert "Fine" not in repr(last)


def test_an_outcome_is_not_there_before_the_end_and_has_the_votes_then(client: AskbackClient) -> None:
    pause, links = asked(client, {"needed": 2})
    client.answer(links["ada"], approve())
    with pytest.raises(NotAnswered):
        client.outcome(pause)
    client.answer(links["bob"], reject())
    outcome = client.wait(pause)
    assert outcome.response["decision"] == "reject"
    assert [(vote.by, vote.decision) for vote in outcome.votes] == [("ada", "approve"), ("bob", "reject")]
    assert (outcome.still_open, outcome.turn is None) == (False, False)


@pytest.mark.parametrize(("hidden", "said"), [(False, "1 approved so far"), (True, "1 voted so far")])
def test_a_resume_that_is_only_a_vote_says_so_and_gives_no_turn(client: AskbackClient, hidden: bool, said: str) -> None:
    pause, _ = asked(client, {"needed": 2, "hidden": hidden})
    with pytest.raises(NotAnswered) as open_still:
        client.resume(pause, approve(), answerer="ada")
    assert str(open_still.value) == f"the vote is recorded, and the pause is still open: 2 must approve, and {said}"
    resumed = client.resume(pause, approve(), answerer="bob")
    assert (resumed.still_open, resumed.turn is None, len(resumed.votes)) == (False, False, 2)


def test_a_resume_of_a_vote_that_was_outvoted_has_what_was_decided(client: AskbackClient) -> None:
    pause, links = asked(client, {"needed": 2})
    with pytest.raises(NotAnswered):
        client.resume(pause, approve(), answerer="ada")
    client.answer(links["bob"], reject())
    again = client.resume(pause, approve(), answerer="ada")
    assert (again.replayed, again.response["decision"], again.response["arguments"]) == (True, "reject", None)


def test_another_vote_of_one_person_is_an_error_of_its_own(client: AskbackClient) -> None:
    _, links = asked(client, {"needed": 2})
    first = client.answer(links["ada"], approve())
    with pytest.raises(AlreadyVoted) as refused:
        client.answer(links["ada"], reject())
    assert refused.value.voted_at == first.answered_at


def test_an_ordinary_receipt_has_no_votes(client: AskbackClient) -> None:
    pause = client.pause(*PAYMENT, run_id="run-2", scope="acme", ttl_seconds=3600, idempotency_key="one")
    receipt = client.answer(client.links(pause), approve())
    assert (receipt.still_open, receipt.quorum, receipt.votes) == (False, None, ())


def test_a_quorum_that_nobody_can_reach_is_refused(client: AskbackClient) -> None:
    with pytest.raises(InvalidRequest, match=r"quorum\.needed"):
        asked(client, {"needed": 6})
    with pytest.raises(InvalidRequest, match="max_ttl_seconds"):
        asked(client, {"needed": 2}, max_ttl_seconds=60)


def test_a_member_passes_a_pause_on_and_the_vote_names_both(client: AskbackClient) -> None:
    pause, links = asked(client, {"needed": 2}, delegates=["z*"])
    shown = client.question(links["ada"])
    assert (shown.may_delegate, shown.delegated_by) == (True, "")
    passed = client.delegate(links["ada"], to="zoe", request_hash=shown.request_hash)
    assert passed == Delegation(jti=pause.jti, by="ada", to="zoe", status="issued", replayed=False)
    assert client.delegate(links["ada"], to="zoe").replayed
    (zoe,) = client.links(pause, recipients=["zoe"]).recipients
    assert client.question(zoe).delegated_by == "ada"
    receipt = client.answer(zoe, approve())
    assert (receipt.answered_by, receipt.delegated_for) == ("zoe", "ada")
    client.answer(links["bob"], approve())
    assert [(vote.by, vote.delegated_for) for vote in client.outcome(pause).votes] == [("zoe", "ada"), ("bob", None)]


@pytest.mark.parametrize(("by", "to", "refusal"), [("bob", "zoe", AlreadyVoted), ("ada", "eve", InvalidRequest)])
def test_a_member_who_may_not_pass_it_on_gets_the_reason(
    client: AskbackClient, by: str, to: str, refusal: type[Exception]
) -> None:
    _, links = asked(client, {"needed": 2}, delegates=["z*"])
    client.answer(links["bob"], approve())
    with pytest.raises(refusal):
        client.delegate(links[by], to=to)


def test_a_member_can_need_a_better_sign_in_than_the_others(client: AskbackClient) -> None:
    strict = {"name": "zoe", "least_assurance": "signed_in"}
    fields: dict[str, Any] = {"run_id": "run-1", "scope": "acme", "ttl_seconds": 3600, "idempotency_key": "strict"}
    fields |= {"tool_call_id": "call_1", "messages": [{"role": "user", "content": "Pay"}]}
    people = ["zoe", "ada"]
    pause = client.pause(*PAYMENT, approvers=[strict, "ada"], recipients=people, **fields)
    links = {each.recipient: each for each in client.links(pause).recipients}
    with pytest.raises(AnswererNotAllowed):
        client.answer(links["zoe"], approve())
    assert client.answer(links["ada"], approve()).answered_by == "ada"

"""Every call of the client, over HTTP, by invocation and in the process of a test: the same results."""

from dataclasses import replace

import pytest

from askback.client.calls import Answer
from askback.client.client import AskbackClient
from askback.client.results import AnswerReceipt
from askback.domain.errors import (
    AlreadyAnswered,
    AnswerInvalid,
    DuplicatePause,
    InvalidRequest,
    NotAnswered,
    PauseRevoked,
    PauseSuperseded,
    QuestionChanged,
    UnknownPause,
)
from askback.domain.records.turns import TurnReference
from askback.testing.deployment import InProcessDeployment
from tests.unit.client.deployed import REGISTRY, SCOPE, Deployed, a_choice, a_request


@pytest.fixture(params=["http", "invocation", "in process"])
def client(request: pytest.FixtureRequest) -> AskbackClient:
    """The client of the deployed functions, and that of the fixture `askback`: adopters' tests must not differ."""
    if request.param == "in process":
        return InProcessDeployment(REGISTRY).client()
    deployed: Deployed = request.getfixturevalue("deployed")
    return deployed.client(getattr(deployed, request.param)())


def test_a_pause_comes_back_with_its_tokens_and_says_what_is_written(client: AskbackClient) -> None:
    request = a_request()
    pause = client.pause(**request)
    assert (pause.name, pause.status, pause.tool_call_id) == ("ask_user", "issued", request["tool_call_id"])
    assert (pause.run_id, pause.session_id) == (request["run_id"], request["session_id"])
    assert (pause.recorded, pause.resumable, pause.recipients) == (True, True, ())
    assert pause.expires_at - pause.issued_at == 3600
    assert pause.pause_token


def test_the_links_of_a_pause_are_got_by_a_call_of_their_own(client: AskbackClient) -> None:
    pause = client.pause(**a_request(), recipients=["ada", "bob"])
    links = client.links(pause)
    assert client.links(pause.jti) == replace(links, scope=None)
    assert (links.jti, links.status, links.expires_at, links.scope) == (pause.jti, "issued", pause.expires_at, SCOPE)
    assert [each.recipient for each in links.recipients] == ["ada", "bob"]
    pairs = [(each.answer_link, each.answer_token) for each in links.recipients]
    for link, token in [(links.answer_link, links.answer_token), *pairs]:
        assert link is not None
        assert link.endswith(f"/answer#{token}")
    assert len({pause.pause_token, links.answer_token, *(each.answer_token for each in links.recipients)}) == 4
    assert client.answer(links, a_choice(pause)).jti == pause.jti
    with pytest.raises(AlreadyAnswered):
        client.links(pause)


def test_links_are_got_for_the_named_recipients_alone(client: AskbackClient) -> None:
    pause = client.pause(**a_request(), recipients=["ada", "bob"])
    links = client.links(pause, recipients=["bob"])
    assert (links.answer_token, links.answer_link, [each.recipient for each in links.recipients]) == ("", None, ["bob"])
    with pytest.raises(InvalidRequest, match="answer_token"):
        client.answer(links, a_choice(pause))
    with pytest.raises(InvalidRequest, match=r"recipients\[1\]: is not a recipient"):
        client.links(pause, recipients=["bob", "eve"])
    with pytest.raises(UnknownPause):
        client.links("no-such/pause?x")


def test_each_recipient_answers_with_a_token_of_their_own_and_the_receipt_names_them(client: AskbackClient) -> None:
    pause = client.pause(**a_request(), approvers=["ada", "bob"], recipients=["ada", "bob"])
    receipt = client.answer(
        client.links(pause).recipients[1].answer_token, a_choice(pause), scope=SCOPE, answerer="bob"
    )
    assert receipt.answered_by == "bob"
    assert receipt.answered_via in ("link", "direct")


def test_the_program_that_asked_revokes_its_question_and_a_repetition_changes_nothing(client: AskbackClient) -> None:
    pause = client.pause(**a_request())
    revoked = client.revoke(pause, reason="Not needed.")
    assert (revoked.jti, revoked.status, revoked.reason, revoked.replayed) == (
        pause.jti,
        "revoked",
        "Not needed.",
        False,
    )
    assert client.revoke(pause.jti, reason="Another.") == replace(revoked, replayed=True)
    with pytest.raises(PauseRevoked):
        client.outcome(pause)
    with pytest.raises(UnknownPause):
        client.revoke("no-such/pause?x")
    answered = client.pause(**a_request())
    client.answer(client.links(answered), a_choice(answered))
    with pytest.raises(AlreadyAnswered):
        client.revoke(answered)


def test_a_question_is_replaced_by_a_newer_one_and_the_old_links_lead_on(client: AskbackClient) -> None:
    old = client.pause(**a_request(), recipients=["ada"])
    links = client.links(old)
    newer = client.pause(**a_request(), recipients=["ada"], supersedes=old)
    for call in (client.outcome, client.links, client.revoke):
        with pytest.raises(PauseSuperseded) as raised:
            call(old)
        assert raised.value.superseded_by == newer.jti
    (adas,) = links.recipients
    shown = client.question(adas)
    assert (shown.status, shown.superseded_by) == ("superseded", newer.jti)
    assert shown.next_answer_token == client.links(newer).recipients[0].answer_token
    assert shown.next_answer_token not in repr(shown)
    assert client.question(links).next_answer_token == ""
    with pytest.raises(PauseSuperseded):
        client.pause(**a_request(), supersedes=old.jti)


def test_a_question_is_shown_to_every_holder_of_a_token(client: AskbackClient) -> None:
    pause = client.pause(**a_request())
    for token in (pause, pause.pause_token, client.links(pause).answer_token):
        shown = client.question(token)
        assert (shown.jti, shown.payload, shown.status) == (pause.jti, pause.payload, "issued")
        assert (shown.expires_at, shown.answered_at) == (pause.expires_at, None)


def test_a_resume_gives_the_answer_and_the_turn(client: AskbackClient) -> None:
    request = a_request()
    pause = client.pause(**request)
    resumed = client.resume(
        pause.pause_token,
        a_choice(pause),
        scope=SCOPE,
        answerer="ada",
        session_id=pause.session_id,
        run_id=pause.run_id,
        tool_call_id=pause.tool_call_id,
    )
    assert resumed.turn is not None
    assert list(resumed.turn.messages) == request["messages"]
    assert (resumed.turn.prompt, resumed.turn.open_tool_call_ids) == (request["prompt"], ("other",))
    assert resumed.response["answers"][0]["selections"] == ["Approve"]
    assert (resumed.answered_by, resumed.replayed, resumed.delivery, resumed.cross_scope) == (
        "ada",
        False,
        "none",
        False,
    )
    assert (resumed.tool_call_id, resumed.payload, resumed.turn_reference) == (pause.tool_call_id, pause.payload, None)
    assert resumed.time_to_resolve_seconds >= 0


def test_a_person_answers_and_the_backend_fetches_the_outcome(client: AskbackClient) -> None:
    pause = client.pause(**a_request())
    with pytest.raises(NotAnswered):
        client.outcome(pause.pause_token, scope=SCOPE)

    receipt = client.answer(client.links(pause).answer_token, a_choice(pause, "Reject"), scope=SCOPE)
    outcome = client.outcome(pause.pause_token, scope=SCOPE, run_id=pause.run_id)

    assert (receipt.jti, receipt.replayed) == (pause.jti, False)
    assert outcome.response == receipt.response
    assert (outcome.answered_at, outcome.answered_by) == (receipt.answered_at, receipt.answered_by)
    assert outcome.turn is not None


def test_who_answered_is_the_link_over_http_and_the_one_named_by_an_invocation(deployed: Deployed) -> None:
    named = []
    for transport in (deployed.http(), deployed.invocation()):
        client = deployed.client(transport)
        pause = client.pause(**a_request())
        named.append(
            client.answer(client.links(pause).answer_token, a_choice(pause), scope=SCOPE, answerer="ada").answered_by
        )
    assert named == ["link", "ada"]


def test_the_same_answer_again_is_the_first_receipt(client: AskbackClient) -> None:
    pause = client.pause(**a_request())
    first, again = (client.resume(pause.pause_token, a_choice(pause), scope=SCOPE) for _ in range(2))
    assert (first.replayed, again.replayed) == (False, True)
    assert first.answered_at == again.answered_at


def test_many_answers_have_a_receipt_or_a_refusal_each_in_their_order(client: AskbackClient) -> None:
    pauses = [client.pause(**a_request()) for _ in range(3)]
    tokens = [client.links(pause) for pause in pauses]
    shown = client.question(tokens[2]).request_hash
    answers: list[Answer] = [
        (tokens[0], a_choice(pauses[0])),
        (tokens[1], a_choice(pauses[1], "None of them")),
        (tokens[2].answer_token, a_choice(pauses[2]), shown),
        (tokens[0], a_choice(pauses[0])),
    ]
    first, second, third, fourth = client.answer_many(answers, scope=SCOPE)
    assert isinstance(first, AnswerReceipt)
    assert isinstance(third, AnswerReceipt)
    assert [(each.jti, each.replayed) for each in (first, third)] == [(pauses[0].jti, False), (pauses[2].jti, False)]
    assert (type(second), type(fourth)) == (AnswerInvalid, DuplicatePause)
    again = client.answer_many(answers[:1], scope=SCOPE)
    assert again == [replace(first, replayed=True)]
    (changed,) = client.answer_many([(tokens[1], a_choice(pauses[1]), shown)], scope=SCOPE)
    assert isinstance(changed, QuestionChanged)


def test_more_answers_than_a_batch_has_room_for_are_refused(client: AskbackClient) -> None:
    with pytest.raises(InvalidRequest, match="items: must be a list of 1 to 25 objects"):
        client.answer_many([("x.y.z", 1)] * 26, scope=SCOPE)


def test_falsy_answers_are_sent(client: AskbackClient) -> None:
    """A-04: false is an answer, and a field that was not given is none."""
    pause = client.pause(**a_request(name="signed_in", payload={"text": "Sure?"}))
    assert client.resume(pause.pause_token, False, scope=SCOPE).response is False


def test_a_turn_too_large_for_a_reply_comes_as_a_reference(deployed: Deployed) -> None:
    client = deployed.client(deployed.invocation())
    pause = client.pause(**a_request(messages=[{"role": "user", "content": '"' * 2_200_000}]))
    resumed = client.resume(pause.pause_token, a_choice(pause), scope=SCOPE)
    assert resumed.turn is None
    assert resumed.turn_reference == TurnReference(
        thread_id=pause.thread_id,
        checkpoint_id=pause.checkpoint_id,
        key=f"turn_state:{pause.tool_call_id}",
        scope_hash=SCOPE.digest(),
    )


def test_signed_routes_are_signed_for_the_gateway_and_a_token_holders_are_not(deployed: Deployed) -> None:
    client = deployed.client(deployed.http())
    pause = client.pause(**a_request())
    client.question(client.links(pause).answer_token)
    client.answer(client.links(pause).answer_token, a_choice(pause))
    client.outcome(pause.pause_token, scope=SCOPE)
    signed = {sent.path: sent.headers.get("authorization", "") for sent in deployed.front.sent}
    links = f"/pauses/{pause.jti}/links"
    assert {path for path, header in signed.items() if header} == {"/pauses", links, "/outcomes"}
    assert all("/eu-west-1/execute-api/aws4_request" in header for header in signed.values() if header)

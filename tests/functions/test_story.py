"""A pause from its mint to its answer, over HTTP and by direct invocation."""

import json

from tests.functions.reply_fields import MINTED, RECEIPT, RESUMED, SHOWN
from tests.support.function_deployment import Deployment, Handlers
from tests.support.request_bodies import Pause, a_mint


def test_a_pause_is_minted_shown_answered_and_resumed_over_http(handlers: Handlers) -> None:
    pause = handlers.pause(prompt="Refund it")
    minted = pause.minted
    assert set(minted) == MINTED
    assert (minted["status"], minted["resumable"], minted["recorded"]) == ("issued", True, True)
    assert minted["answer_link"] == f"https://answers.example.com/a#{minted['answer_token']}"

    shown = handlers.post("/questions", {"answer_token": minted["answer_token"]})
    assert (shown.status, set(shown.document)) == (200, SHOWN)
    assert shown.document["payload"] == minted["payload"]
    assert (shown.document["status"], shown.document["answered_at"]) == ("issued", None)

    resumed = handlers.post("/resume", pause.resume())
    assert (resumed.status, set(resumed.document)) == (200, RESUMED)
    assert resumed.document["response"] == {
        **pause.response(),
        "answers": [pause.response()["answers"][0] | {"other": None}],
    }
    assert resumed.document["turn"]["prompt"] == "Refund it"
    assert json.dumps(resumed.document["turn"]["messages"], sort_keys=True) == json.dumps(
        pause.request["messages"], sort_keys=True
    )
    assert resumed.document["turn"]["open_tool_call_ids"] == []

    shown = handlers.post("/questions", {"pause_token": minted["pause_token"]})
    assert shown.document["status"] == "answered"
    assert shown.document["answered_at"] == resumed.document["answered_at"]


def test_the_same_story_goes_by_direct_invocation_with_the_same_bodies(handlers: Handlers) -> None:
    request = a_mint()
    pause = Pause(request=request, minted=handlers.invoke("mint", request))
    assert set(pause.minted) == MINTED

    shown = handlers.invoke("resume", {"action": "question", "pause_token": pause.minted["pause_token"]})
    assert set(shown) == SHOWN
    wrong = handlers.refused("resume", pause.resume(response=pause.response("Perhaps")))
    assert (wrong["code"], wrong["status"]) == ("answer-invalid", 422)
    resumed = handlers.invoke("resume", pause.resume())
    assert (set(resumed), resumed["replayed"], resumed["answered_by"]) == (RESUMED, False, "direct")
    assert resumed["turn"]["messages"] == request["messages"]
    again = handlers.invoke("resume", pause.resume(action="resume"))
    assert again == {**resumed, "replayed": True}
    other = handlers.refused("resume", pause.resume(response=pause.response("Reject")))
    assert (other["code"], other["answered_at"]) == ("already-answered", resumed["answered_at"])


def test_the_answer_action_of_a_direct_invocation_returns_the_receipt_alone(handlers: Handlers) -> None:
    pause = handlers.pause()
    body = pause.answer(action="answer", scope=pause.request["scope"], answerer="ada")
    receipt = handlers.invoke("resume", body)
    assert (set(receipt), receipt["answered_by"]) == (RECEIPT, "ada")


def test_a_wrong_answer_names_the_labels_and_leaves_the_token_redeemable(handlers: Handlers) -> None:
    pause = handlers.pause()
    wrong = handlers.post("/resume", pause.resume(response=pause.response("approve")))
    assert wrong.said == (422, "answer-invalid")
    assert wrong.document["errors"] == [
        {"field": "response.answers[0].selections", "message": "must be among the labels 'Approve', 'Reject'"}
    ]
    assert handlers.redeems(pause)


def test_the_same_answer_again_is_the_first_receipt_marked_as_replayed(handlers: Handlers) -> None:
    pause = handlers.pause()
    first = handlers.post("/resume", pause.resume())
    again = handlers.post("/resume", pause.resume())
    assert (first.document["replayed"], again.status) == (False, 200)
    assert again.document == {**first.document, "replayed": True}


def test_another_answer_is_a_conflict_that_says_when_the_first_was_accepted(handlers: Handlers) -> None:
    pause = handlers.pause()
    first = handlers.post("/resume", pause.resume())
    other = handlers.post("/resume", pause.resume(response=pause.response("Reject")))
    assert other.said == (409, "already-answered")
    assert other.document["answered_at"] == first.document["answered_at"]


def test_a_repeated_mint_gives_the_same_pause_and_tokens_that_both_work(
    handlers: Handlers, deployment: Deployment
) -> None:
    request = a_mint(checkpoint_id="cp-1")
    first, again = (handlers.post("/pauses", request).document for _ in range(2))
    assert (again["jti"], again["payload"]) == (first["jti"], first["payload"])
    assert deployment.claims(again["pause_token"])["jti"] == first["jti"]
    assert handlers.redeems(Pause(request=request, minted=again))
    assert handlers.post("/pauses", request).document["status"] == "answered"


def test_a_second_question_of_the_same_run_has_its_own_pause(handlers: Handlers) -> None:
    """A-05: the token of the answered pause is used up, the new one resumes the new pause."""
    first = handlers.pause()
    assert handlers.redeems(first)
    second = handlers.pause(run_id=first.request["run_id"], session_id=first.request["session_id"])
    assert second.minted["jti"] != first.minted["jti"]
    resumed = handlers.post("/resume", second.resume())
    assert (resumed.status, resumed.document["jti"]) == (200, second.minted["jti"])

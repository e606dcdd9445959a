"""`askback.mcp` with the real SDK: a person answers inside a call, and the server and client of each round are new."""

import asyncio
import time
from types import SimpleNamespace
from typing import Any

import pytest
from mcp import Client, MCPError
from mcp.client._input_required import InputRequiredRoundsExceededError
from mcp.server.mcpserver import Context, MCPServer
from mcp.types import (
    ClientCapabilities,
    ElicitationCapability,
    ElicitRequestFormParams,
    ElicitRequestURLParams,
    ElicitResult,
    FormElicitationCapability,
    InputRequiredResult,
    UrlElicitationCapability,
)

from askback import Scope, approval, approve, ask_user, form, question, reject
from askback.mcp.people import People
from askback.mcp.sdk import declares, state_security
from askback.testing.deployment import InProcessDeployment
from tests.built.mcp.asking_server import SIGN_IN, RefundServer, text_of, unused

pytestmark = pytest.mark.mcp

ADA = "ada@example.com"
YES = ElicitResult(action="accept", content={"decision": "approve"})
NO = ElicitResult(action="accept", content={"decision": "reject", "comment": ""})


def _begun(server: RefundServer) -> tuple[str, Any]:
    """Return the state and the parameters of the request of a first round."""
    first = server.round(elicit=unused)
    assert isinstance(first, InputRequiredResult)
    assert first.request_state is not None
    assert first.input_requests is not None
    return first.request_state, first.input_requests["person"].params


class TestTheUserOfTheClientDecides:
    def test_a_form_of_the_client_answers_the_question(self, askback: InProcessDeployment) -> None:
        server = RefundServer(askback=askback, answerer=ADA)

        async def says_yes(context: Any, params: Any) -> ElicitResult:
            assert isinstance(params, ElicitRequestFormParams)
            assert "A-1009" in params.message
            return YES

        assert text_of(server.call(elicit=says_yes)) == "paid"
        [answer] = server.answers
        assert (answer.answered_by, answer.assurance, answer.by_policy) == (ADA, "stated", False)

    def test_a_client_of_an_older_revision_takes_the_form_in_the_middle_of_the_call(
        self, askback: InProcessDeployment
    ) -> None:
        server = RefundServer(askback=askback, answerer=ADA)

        async def says_yes(context: Any, params: Any) -> ElicitResult:
            return YES

        assert text_of(server.call(elicit=says_yes, mode="legacy")) == "paid"

    def test_a_rejection_runs_nothing(self, askback: InProcessDeployment) -> None:
        server = RefundServer(askback=askback, answerer=ADA)
        state, _ = _begun(server)

        assert text_of(server.round(elicit=unused, state=state, reply=NO)) == "not paid"

    def test_the_same_state_twice_gives_one_effect(self, askback: InProcessDeployment) -> None:
        server = RefundServer(askback=askback, answerer=ADA)
        state, _ = _begun(server)

        results = [text_of(server.round(elicit=unused, state=state, reply=YES)) for _ in range(2)]

        assert results == ["paid", "paid"]
        assert [answer.replayed for answer in server.answers] == [False, True]
        assert list(server.paid.values()) == ["A-1009"]

    def test_another_answer_with_the_same_state_changes_nothing(self, askback: InProcessDeployment) -> None:
        server = RefundServer(askback=askback, answerer=ADA)
        state, _ = _begun(server)

        results = [text_of(server.round(elicit=unused, state=state, reply=reply)) for reply in (NO, YES)]

        assert results == ["not paid", "not paid"]
        assert server.runs == []

    @pytest.mark.parametrize("action", ["decline", "cancel"])
    def test_a_closed_form_is_no_answer(self, askback: InProcessDeployment, action: Any) -> None:
        server = RefundServer(askback=askback, answerer=ADA)
        state, _ = _begun(server)

        result = server.round(elicit=unused, state=state, reply=ElicitResult(action=action))

        assert "no person has answered yet" in text_of(result)
        assert text_of(server.round(elicit=unused, state=state, reply=YES)) == "paid"

    def test_values_that_do_not_fit_show_the_form_again_with_what_is_wrong(self, askback: InProcessDeployment) -> None:
        server = RefundServer(askback=askback, answerer=ADA)
        state, _ = _begun(server)
        wrong = ElicitResult(action="accept", content={"decision": "perhaps"})

        again = server.round(elicit=unused, state=state, reply=wrong)

        assert isinstance(again, InputRequiredResult)
        assert again.input_requests is not None
        params: Any = again.input_requests["person"].params
        assert "response.decision" in params.message
        assert text_of(server.round(elicit=unused, state=again.request_state, reply=YES)) == "paid"

    @pytest.mark.parametrize("mode", ["auto", "legacy"])
    def test_a_client_that_never_fits_ends_its_rounds_and_the_question_stays_open(
        self, askback: InProcessDeployment, mode: str
    ) -> None:
        server, shown = RefundServer(askback=askback, answerer=ADA), []

        async def never_fits(context: Any, params: Any) -> ElicitResult:
            shown.append(params)
            return ElicitResult(action="accept", content={"decision": "perhaps"})

        if mode == "auto":
            with pytest.raises(InputRequiredRoundsExceededError):
                server.call(elicit=never_fits)
        else:
            assert "no person has answered yet" in text_of(server.call(elicit=never_fits, mode=mode))
        assert len(shown) == 10
        assert len(askback.pauses) == 1
        state, _ = _begun(server)
        assert text_of(server.round(elicit=unused, state=state, reply=YES)) == "paid"

    def test_a_client_without_forms_gets_none(self, askback: InProcessDeployment) -> None:
        server = RefundServer(askback=askback, answerer=ADA)

        assert "no person has answered yet" in text_of(server.round())


class TestAnotherPersonDecides:
    def test_the_same_call_gets_the_answer_in_another_process_a_day_later(self, askback: InProcessDeployment) -> None:
        server = RefundServer(askback=askback)

        first = server.round()
        askback.clock.advance(82_800)
        askback.answer(askback.pauses[0], approve())

        assert "no person has answered yet" in text_of(first)
        assert askback.pauses[0].jti in text_of(first)
        assert text_of(server.round()) == "paid"
        assert text_of(server.round()) == "paid"
        assert list(server.paid.values()) == ["A-1009"]
        assert len(askback.pauses) == 1

    def test_a_client_that_takes_addresses_shows_the_sign_in_page_with_the_id_alone(
        self, askback: InProcessDeployment
    ) -> None:
        server = RefundServer(askback=askback)

        state, params = _begun(server)

        assert isinstance(params, ElicitRequestURLParams)
        assert params.url == f"{SIGN_IN}&pause={askback.pauses[0].jti}"
        assert askback.pauses[0].pause_token not in state

    def test_the_state_gets_the_answer_after_a_restart(self, askback: InProcessDeployment) -> None:
        server = RefundServer(askback=askback)
        state, _ = _begun(server)
        seen = ElicitResult(action="accept")

        assert "no person has answered yet" in text_of(server.round(elicit=unused, state=state, reply=seen))
        askback.answer(askback.pauses[0], approve(), by="grace@example.com")

        assert text_of(server.round(elicit=unused, state=state)) == "paid"
        assert server.answers[0].assurance == "signed_in"

    @pytest.mark.parametrize("mode", ["auto", "legacy"])
    def test_the_address_is_shown_once_and_the_call_ends_before_the_clients_last_round(
        self, askback: InProcessDeployment, mode: str
    ) -> None:
        server, shown = RefundServer(askback=askback), []

        async def opens(context: Any, params: Any) -> ElicitResult:
            shown.append(params.url)
            return ElicitResult(action="accept")

        assert "no person has answered yet" in text_of(server.call(elicit=opens, mode=mode, rounds=1))
        assert len(shown) == 1

    def test_a_call_can_wait_for_the_answer(self, askback: InProcessDeployment) -> None:
        server = RefundServer(askback=askback, options={"wait_seconds": 20})
        askback.answer_each(lambda _: approve())

        assert text_of(server.round()) == "paid"

    def test_a_form_is_not_shown_to_a_user_who_does_not_decide(self, askback: InProcessDeployment) -> None:
        server = RefundServer(askback=askback)
        state, _ = _begun(server)

        server.round(elicit=unused, state=state, reply=YES)

        assert server.answers == []


class TestNoAnswerIsNeverAnApproval:
    def test_an_expired_question(self, askback: InProcessDeployment) -> None:
        server = RefundServer(askback=askback)
        state, _ = _begun(server)

        askback.expire(askback.pauses[0])

        for result in (server.round(), server.round(elicit=unused, state=state)):
            assert "(expired)" in text_of(result)
            assert "This is not an approval" in text_of(result)
        assert server.runs == []

    def test_a_revoked_question(self, askback: InProcessDeployment) -> None:
        server = RefundServer(askback=askback, answerer=ADA)
        state, _ = _begun(server)

        askback.revoke(askback.pauses[0])

        result = server.round(elicit=unused, state=state, reply=YES)
        assert "(revoked)" in text_of(result)
        assert server.runs == []

    def test_a_user_who_may_not_answer(self, askback: InProcessDeployment) -> None:
        server = RefundServer(askback=askback, answerer=ADA, options={"approvers": ["grace@example.com"]})
        state, _ = _begun(server)

        assert "(answerer-not-allowed)" in text_of(server.round(elicit=unused, state=state, reply=YES))
        assert server.runs == []

    def test_a_question_that_demands_a_sign_in_takes_no_form(self, askback: InProcessDeployment) -> None:
        server = RefundServer(askback=askback, answerer=ADA, options={"least_assurance": "signed_in"})
        state, _ = _begun(server)

        assert "(answerer-not-allowed)" in text_of(server.round(elicit=unused, state=state, reply=YES))
        assert server.runs == []

    def test_a_state_of_another_scope(self, askback: InProcessDeployment) -> None:
        state, _ = _begun(RefundServer(askback=askback, answerer=ADA))
        other = RefundServer(askback=askback, answerer=ADA, scope=Scope(tenant_id="other"))

        assert "(scope-mismatch)" in text_of(other.round(elicit=unused, state=state, reply=YES))
        assert other.runs == []

    def test_another_question_under_the_same_key(self, askback: InProcessDeployment) -> None:
        RefundServer(askback=askback).round()
        askback.answer(askback.pauses[0], approve())
        other = RefundServer(
            askback=askback, question=lambda order: approval("Refund it twice?", action="refund", arguments={})
        )

        assert "(pause-conflict)" in text_of(other.round())
        assert other.runs == []

    def test_a_changed_state(self, askback: InProcessDeployment) -> None:
        server = RefundServer(askback=askback, answerer=ADA)
        state, _ = _begun(server)

        with pytest.raises(MCPError, match="requestState"):
            server.round(elicit=unused, state=state[:-1] + ("A" if state[-1] != "A" else "B"), reply=YES)
        assert server.runs == []

    def test_a_state_with_other_arguments(self, askback: InProcessDeployment) -> None:
        server = RefundServer(askback=askback, answerer=ADA)
        state, _ = _begun(server)

        with pytest.raises(MCPError, match="requestState"):
            server.round(elicit=unused, state=state, reply=YES, arguments={"order": "A-2000"})
        assert server.runs == []


FIELDS: dict[str, dict[str, Any]] = {
    "amount": {"type": "number", "title": "Amount", "minimum": 0},
    "reason": {"type": "string", "enum": ["box", "late"], "enumNames": ["Crushed box", "Too late"]},
    "parts": {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}, "uniqueItems": True},
    "mail": {"type": "boolean"},
}


class TestEachBuiltInInteractionHasAForm:
    def test_a_form(self, askback: InProcessDeployment) -> None:
        server = RefundServer(
            askback=askback, answerer=ADA, question=lambda _: form("Refund", FIELDS, required=["amount"])
        )
        state, params = _begun(server)
        content: dict[str, Any] = {"amount": 49.9, "reason": "box", "parts": ["a"], "mail": True}

        server.round(elicit=unused, state=state, reply=ElicitResult(action="accept", content=content))

        assert list(params.requested_schema["properties"]) == list(FIELDS)
        assert params.requested_schema["properties"]["reason"]["oneOf"][0] == {"const": "box", "title": "Crushed box"}
        assert server.answers[0].response == content

    def test_questions_with_one_choice_several_choices_and_free_text(self, askback: InProcessDeployment) -> None:
        asked = ask_user(
            question("Pay?", ["Approve", {"label": "Reject", "description": "Do nothing"}]),
            question("Which?", ["A", "B"], multi_select=True),
            question("Why?", ["Box", "Late"], allow_other=True),
        )
        server = RefundServer(askback=askback, answerer=ADA, question=lambda _: asked)
        state, params = _begun(server)
        pay, which, why, other = params.requested_schema["properties"]
        content: dict[str, Any] = {pay: "Approve", which: ["A", "B"], why: None, other: "Lost"}

        server.round(elicit=unused, state=state, reply=ElicitResult(action="accept", content=content))

        assert params.requested_schema["required"] == [pay, which]
        answers = server.answers[0].response["answers"]
        assert [(answer["selections"], answer.get("other")) for answer in answers] == [
            (["Approve"], None),
            (["A", "B"], None),
            ([], "Lost"),
        ]

    def test_an_approval_with_an_edited_argument(self, askback: InProcessDeployment) -> None:
        server = RefundServer(
            askback=askback,
            answerer=ADA,
            question=lambda order: approval(
                "Refund?",
                action="refund",
                arguments={"order": order, "amount": 50},
                editable={"amount": {"type": "integer", "maximum": 100}},
            ),
        )
        state, params = _begun(server)
        content: dict[str, Any] = {"decision": "approve", "edit-amount": 40, "comment": "Less"}

        server.round(elicit=unused, state=state, reply=ElicitResult(action="accept", content=content))

        assert "default" not in params.requested_schema["properties"]["decision"]
        assert list(params.requested_schema["properties"]) == ["decision", "edit-amount", "comment"]
        assert server.answers[0].response["arguments"] == {"order": "A-1009", "amount": 40}

    def test_a_rejection_takes_no_edits_though_a_client_sends_every_field(self, askback: InProcessDeployment) -> None:
        server = RefundServer(
            askback=askback,
            answerer=ADA,
            question=lambda order: approval(
                "Refund?", action="refund", arguments={"amount": 50}, editable={"amount": {"type": "integer"}}
            ),
        )
        state, _ = _begun(server)
        content: dict[str, Any] = {"decision": "reject", "edit-amount": 50, "comment": ""}

        result = server.round(elicit=unused, state=state, reply=ElicitResult(action="accept", content=content))

        assert text_of(result) == "not paid"

    def test_the_schemas_are_those_of_the_sdk(self, askback: InProcessDeployment) -> None:
        """The client checks what a server asks against the revision of the connection, so a wrong schema fails here."""
        for asked in (form("Refund", FIELDS), ask_user(question("Pay?", ["Yes", "No"], multi_select=True))):
            server = RefundServer(askback=askback, answerer=ADA, question=lambda order, asked=asked: asked)  # type: ignore[misc]
            seen: list[Any] = []

            async def closes(context: Any, params: Any, seen: list[Any] = seen) -> ElicitResult:
                seen.append(params)
                return ElicitResult(action="cancel")

            async def call(server: RefundServer = server, closes: Any = closes) -> None:
                async with Client(server.build(), elicitation_callback=closes, mode="legacy") as client:
                    await client.call_tool("refund", {"order": f"A-{len(askback.pauses)}"})

            asyncio.run(call())
            assert len(seen) == 1


class TestTheRequestState:
    def test_it_lasts_as_long_as_a_question(
        self, askback: InProcessDeployment, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        month = 29 * 86_400
        server = RefundServer(askback=askback, answerer=ADA, options={"ttl_seconds": 30 * 86_400})
        state, _ = _begun(server)
        askback.clock.advance(month)
        real = time.time
        monkeypatch.setattr(time, "time", lambda: real() + month)

        assert text_of(server.round(elicit=unused, state=state, reply=YES)) == "paid"

    def test_each_question_of_a_call_has_its_own(self, askback: InProcessDeployment) -> None:
        """An answer to the second question is none to the first, and the first is not asked again."""
        people = People(client=askback.async_client(), backend=askback.async_client(), scope="acme")
        server = MCPServer("refunds", request_state_security=state_security([b"k" * 32]))

        @server.tool()
        async def refund(ctx: Context) -> str | InputRequiredResult:
            """Ask twice."""
            said = []
            for amount in ("49.90", "50.10"):
                asked = ask_user(question(f"Refund {amount} EUR?", ["Yes", "No"]))
                answer = await people.ask(ctx, asked, key=f"refund/{amount}", ttl_seconds=3600, answerer=ADA)
                if isinstance(answer, InputRequiredResult):
                    return answer
                said.append(answer.response["answers"][0]["selections"][0])
            return " ".join(said)

        shown: list[str] = []

        async def chooses(context: Any, params: Any) -> ElicitResult:
            shown.append(params.message)
            [field] = params.requested_schema["properties"]
            return ElicitResult(action="accept", content={field: "Yes" if len(shown) == 1 else "No"})

        async def call() -> str:
            async with Client(server, elicitation_callback=chooses) as client:
                return text_of(await client.call_tool("refund", {}))

        assert asyncio.run(call()) == "Yes No"
        assert shown == ["Refund 49.90 EUR?", "Refund 50.10 EUR?"]
        assert len(askback.pauses) == 2


FORM, URL = FormElicitationCapability(), UrlElicitationCapability()


@pytest.mark.parametrize(
    ("declared", "form", "url"),
    [
        (None, False, False),
        (ElicitationCapability(), True, False),
        (ElicitationCapability(form=FORM), True, False),
        (ElicitationCapability(url=URL), False, True),
        (ElicitationCapability(form=FORM, url=URL), True, True),
    ],
)
def test_a_client_is_asked_only_for_what_it_declares(
    declared: ElicitationCapability | None, form: bool, url: bool
) -> None:
    context = SimpleNamespace(client_capabilities=ClientCapabilities(elicitation=declared))

    assert (declares(context, url=False), declares(context, url=True)) == (form, url)


def test_without_a_backend_no_user_answers(askback: InProcessDeployment) -> None:
    people = People(client=askback.async_client(), scope="acme")
    asked = ask_user(question("Pay?", ["Yes", "No"]))

    with pytest.raises(ValueError, match="backend"):
        asyncio.run(people.ask(None, asked, key="k", ttl_seconds=60, answerer=ADA))
    assert askback.pauses == []


def test_a_rejection_by_another_person_runs_nothing(askback: InProcessDeployment) -> None:
    server = RefundServer(askback=askback)
    server.round()
    askback.answer(askback.pauses[0], reject(comment="No"))

    assert text_of(server.round()) == "not paid"


def test_a_default_answer_runs_nothing(askback: InProcessDeployment) -> None:
    expiry = {"policy": "default", "response": {"decision": "reject", "comment": "late", "edits": {}}}
    server = RefundServer(askback=askback, options={"on_expiry": expiry})
    server.round()
    askback.expire(askback.pauses[0])

    assert text_of(server.round()) == "not paid"
    assert server.answers[0].by_policy

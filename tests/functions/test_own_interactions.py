"""The functions with an adopter's module: its interactions are asked and answered; a module that fails is reported.

The module is the one of docs/examples/own_interactions, loaded from a layer's folder as Lambda has it on the path.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from askback.edge.lambda_events import HTTP_ALIAS
from local.emulated.cloud import ROOT
from local.emulated.functions import Function, LambdaContext
from tests.support.adopter_module import adopter_module, on_the_path
from tests.support.function_deployment import Deployment, Handlers
from tests.support.problems import require_problem
from tests.support.request_bodies import Pause, a_mint

EXAMPLE = ROOT / "docs" / "examples" / "own_interactions" / "layer" / "python"
REFUND: dict[str, Any] = {"name": "acme_refund", "payload": {"order": "A-1009", "amount": 49.9}}
FORM = {
    "name": "form",
    "payload": {"title": "?", "schema": {"type": "object", "properties": {"note": {"type": "string"}}}},
}
APPROVAL = {"name": "approval", "payload": {"title": "Pay?", "action": {"name": "pay", "arguments": {}}}}

Load = Callable[[], Handlers]


@pytest.fixture
def acme(deployment: Deployment) -> Iterator[Load]:
    """Return what loads the functions of a deployment that names the example's module."""
    with on_the_path(EXAMPLE, "acme_interactions"):
        yield lambda: deployment.load(ASKBACK_INTERACTIONS="acme_interactions")


def test_an_own_interaction_is_minted_shown_answered_and_its_outcome_is_fetched(acme: Load) -> None:
    handlers = acme()
    pause = handlers.pause(**REFUND)

    question = handlers.post("/questions", {"answer_token": pause.minted["answer_token"]}).document
    assert question["payload"] == {**REFUND["payload"], "reason": ""}
    assert question["answer_schema"]["required"] == ["granted"]

    wrong = handlers.post("/answers", answer_to(pause, granted="part", amount=60))
    require_problem(wrong, 422, "answer-invalid")
    assert wrong.document["errors"] == [
        {"field": "response.amount", "message": "must be more than 0 and less than 49.9"}
    ]

    answered = handlers.post("/answers", answer_to(pause, granted="part", amount=20))
    assert answered.status == 200
    outcome = handlers.post("/outcomes", {"pause_token": pause.minted["pause_token"], "scope": pause.request["scope"]})
    assert outcome.document["response"] == {"granted": "part", "pay": 20.0, "note": ""}


def test_the_built_in_interactions_are_there_unless_the_module_leaves_one_out(acme: Load) -> None:
    handlers = acme()
    assert handlers.redeems(handlers.pause())
    refused = handlers.post("/pauses", a_mint(**FORM))
    require_problem(refused, 422, "unknown-interaction")
    assert refused.document["detail"].endswith("; it knows ask_user, acme_refund, approval")


def test_a_built_in_interaction_can_be_replaced(acme: Load, handlers: Handlers) -> None:
    ours, theirs = handlers.pause(**APPROVAL), acme().pause(**APPROVAL)
    assert handlers.post("/answers", answer_to(ours, decision="approve")).status == 200
    assert acme().post("/answers", answer_to(theirs, decision="approve")).status == 403


@pytest.mark.parametrize(
    "source",
    [
        "import no_such_module",
        "raise RuntimeError('sk-live-4711')",
        "INTERACTION = []",
        "INTERACTIONS = ['sk-live-4711']",
        None,
    ],
)
def test_a_module_that_cannot_be_used_makes_every_request_misconfigured(
    deployment: Deployment, handlers: Handlers, tmp_path: Path, source: str | None
) -> None:
    pause = handlers.pause()
    with adopter_module(tmp_path, source or "") as name:
        broken = deployment.load(ASKBACK_INTERACTIONS=name if source else "no_such_module")
        start = len(deployment.output.getvalue())
        with deployment.probe.counting() as calls:
            for answer in (
                broken.post("/pauses", a_mint()),
                broken.post("/resume", pause.resume()),
                broken.post("/questions", {"answer_token": pause.minted["answer_token"]}),
                broken.post("/outcomes", {"pause_token": pause.minted["pause_token"], "scope": pause.request["scope"]}),
            ):
                require_problem(answer, 500, "misconfigured")
                assert "module" not in json.dumps(answer.document)
            assert set(calls) == set()
        swept = broken.invoke("sweep", {})
    assert swept["cut_off"] is False

    lines = [json.loads(line) for line in deployment.output.getvalue()[start:].splitlines() if line.startswith("{")]
    reasons = [line["reason"] for line in lines if line.get("message") == "refused"]
    assert len(reasons) == 4
    assert all(f"the module {name if source else 'no_such_module'} " in reason for reason in reasons)
    assert "sk-live-4711" not in deployment.output.getvalue()[start:]
    assert handlers.redeems(pause)


def test_the_functions_that_ask_nothing_never_load_the_module(deployment: Deployment) -> None:
    with on_the_path(EXAMPLE, "acme_interactions"):
        deployment.load(ASKBACK_INTERACTIONS="acme_interactions", only=frozenset({"sweep", "inbox", "rotate", "page"}))
        assert "acme_interactions" not in sys.modules
        deployment.load(ASKBACK_INTERACTIONS="acme_interactions", only=frozenset({"mint"}))
        assert "acme_interactions" in sys.modules


def test_a_pause_whose_name_is_gone_says_what_is_registered_and_is_answered_when_the_name_is_back(
    acme: Load, handlers: Handlers
) -> None:
    pause = acme().pause(**REFUND)
    answer = answer_to(pause, granted="all")

    refused = handlers.post("/answers", answer)
    require_problem(refused, 422, "unknown-interaction")
    assert "'acme_refund'" in refused.document["detail"]
    assert refused.document["detail"].endswith("; it knows ask_user, approval, form")
    assert acme().post("/answers", answer).status == 200


def test_own_names_survive_an_upgrade_of_the_core_layer(
    deployment: Deployment, handlers: Handlers, acme: Load, tmp_path: Path
) -> None:
    """The next version replaces every file of ours, and brings a built-in interaction of the adopter's very name."""
    pause = acme().pause(**REFUND)
    next_version = tmp_path / "core"
    shutil.copytree(ROOT / "layers" / "core" / "askback", next_version / "askback")
    file = next_version / "askback" / "interactions.py"
    released = file.read_text(encoding="utf-8")
    registered = "[ASK_USER_REGISTRATION, APPROVAL_REGISTRATION, FORM_REGISTRATION]"
    assert registered in released
    clashing = 'InteractionRegistration(name="acme_refund", payload_schema=FormRequest, response_schema=FormResponse)'
    file.write_text(released.replace(registered, f"{registered[:-1]}, {clashing}]"), encoding="utf-8")

    functions = {function.code.name: function for function in deployment.cloud.functions}
    minted = invoked(functions["mint"], next_version, handlers.event("/pauses", a_mint(**REFUND)))
    answered = invoked(functions["resume"], next_version, handlers.event("/answers", answer_to(pause, granted="all")))
    assert (minted["statusCode"], answered["statusCode"]) == (201, 200), (minted, answered)


def invoked(function: Function, core: Path, event: object) -> dict[str, Any]:
    """Send an event as the gateway does, in a process of its own, with another core layer than this process has."""
    arn = LambdaContext(function_name=function.name, alias=HTTP_ALIAS).invoked_function_arn
    program = "import json, sys, types; sys.path[:0] = sys.argv[1:]; import app, askback; "
    program += "assert askback.__file__.startswith("
    program += f"{str(core)!r}); context = types.SimpleNamespace(aws_request_id='', invoked_function_arn={arn!r}); "
    program += "print(json.dumps(app.handler(json.load(sys.stdin), context)))"
    done = subprocess.run(
        [sys.executable, "-c", program, str(function.code), str(core), str(EXAMPLE)],
        env={**os.environ, **function.environment, "ASKBACK_INTERACTIONS": "acme_interactions"},
        input=json.dumps(event),
        capture_output=True,
        text=True,
        check=True,
    )
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def answer_to(pause: Pause, **response: object) -> dict[str, Any]:
    """Return the body by which the holder of the link answers."""
    return {"answer_token": pause.minted["answer_token"], "response": response}

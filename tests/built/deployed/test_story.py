"""The whole story through the deployed API, by functions that run as their own roles."""

import json

import jwt
import pytest
from botocore.credentials import Credentials

from local.demo.checks import until
from local.emulated.template import ACCOUNT
from tests.built.deployed.deployment import OF_TASK_TOKENS
from tests.built.deployed.policies import Permission
from tests.built.deployed.principals import DENIED
from tests.built.deployed.runs import FUNCTION, PATIENCE_SECONDS
from tests.built.deployed.world import World
from tests.support.request_bodies import a_mint, a_scope

pytestmark = pytest.mark.deployed


def test_a_pause_is_asked_mistyped_answered_replayed_and_fetched(world: World) -> None:
    pause = world.mint()
    post = world.deployment.post
    question = post("/questions", {"answer_token": pause.minted["answer_token"]}, signed_by=None)
    assert (question.status, question.document["payload"]) == (200, pause.minted["payload"])
    outcome = {"pause_token": pause.minted["pause_token"], "scope": pause.request["scope"]}
    assert post("/outcomes", outcome).code == "not-answered"
    mistyped = world.answer(pause, response=pause.response("Perhaps"))
    assert (mistyped.status, mistyped.code) == (422, "answer-invalid")
    right = world.answer(pause)
    assert (right.status, right.document["replayed"]) == (200, False)
    again = world.answer(pause)
    assert (again.status, again.document["replayed"]) == (200, True)
    assert again.document["answered_at"] == right.document["answered_at"]
    other = world.answer(pause, response=pause.response("Reject"))
    assert (other.status, other.code) == (409, "already-answered")
    fetched = post("/outcomes", outcome)
    assert (fetched.status, fetched.document["response"]) == (200, right.document["response"])
    assert fetched.document["turn"]["messages"] == pause.request["messages"]
    assert world.heard(pause) == ["PauseIssued", "PauseAnswered"]


def test_the_backends_resume_gives_the_turn_back(world: World) -> None:
    pause = world.mint()
    resumed = world.resume(pause)
    assert (resumed.status, resumed.document["turn"]["messages"]) == (200, pause.request["messages"])


def test_the_example_workflow_waits_and_goes_on_with_the_answer(world: World) -> None:
    scope = a_scope()
    execution = world.runs.workflow(scope)
    status, output = world.runs.approved(scope, lambda: world.runs.workflow_status(execution))
    assert (status, json.loads(output)["decision"]) == ("SUCCEEDED", "approved")


def test_the_end_of_an_execution_comes_through_the_rule_and_the_queue_and_revokes_its_question(world: World) -> None:
    """MiniStack says that the execution has ended, in its own words; the task waits where executions run."""
    waiter = world.runs.task_of_an_execution()
    execution = OF_TASK_TOKENS.replace(":stateMachine:", ":execution:") + ":run-1"
    pause = world.mint(waiter={**waiter, "execution": execution})
    world.runs.stop(waiter["execution"])
    world.deployment.hand_over_at_once("EndedQueue")
    end = {"StartAt": "End", "States": {"End": {"Type": "Succeed"}}}
    machines, role = world.deployment.cloud.client("stepfunctions"), f"arn:aws:iam::{ACCOUNT}:role/waits"
    machines.create_state_machine(name="of-the-task-token", definition=json.dumps(end), roleArn=role)

    machines.start_execution(stateMachineArn=OF_TASK_TOKENS, name="run-1", input='{"amount": 10}')

    def revoked() -> bool | None:
        shown = world.deployment.invoke("InboxFunction", {"action": "show", "jti": pause.minted["jti"]})
        return shown["status"] == "revoked" or None

    until(revoked, "the end of the question", seconds=PATIENCE_SECONDS)


def test_the_example_durable_function_waits_and_goes_on_with_the_answer(world: World) -> None:
    scope = a_scope()
    execution = world.runs.durable_example(scope)
    status, result = world.runs.approved(scope, lambda: world.runs.durable_status(execution))
    assert (status, json.loads(result)["decision"]) == ("SUCCEEDED", "approved")


def test_the_sweep_ends_what_nobody_answered_and_tells_the_workflow(world: World) -> None:
    world.forget_everything()
    pause = world.mint(waiter=world.runs.task())
    world.let_time_run_out(pause)
    assert world.sweep() == {"Expired": 1, "ExpirySettled": 1}
    assert (world.status(pause), world.answer(pause).code) == ("expired", "expired")
    assert world.heard(pause) == ["PauseIssued", "PauseExpired"]


def test_the_sweep_delivers_what_a_dead_process_had_accepted(world: World) -> None:
    world.forget_everything()
    pause = world.mint(waiter=FUNCTION)
    assert world.answer(pause).status == 200
    world.forget_delivery(pause)
    assert world.sweep() == {"Delivered": 1}
    assert world.status(pause) == "delivered"


def test_a_token_in_flight_is_answered_after_a_rotation_and_the_next_is_signed_with_the_new_key(world: World) -> None:
    before = world.mint()
    assert world.rotate() == "rotated"
    assert world.answer(before).status == 200
    world.deployment.start_afresh("MintFunction")
    after = world.mint()
    assert world.answer(after).status == 200
    tokens = [pause.minted["answer_token"] for pause in (before, after)]
    assert len({jwt.get_unverified_header(token)["kid"] for token in tokens}) == 2


def test_an_operator_revokes_a_pause_and_the_sweep_tells_the_workflow(world: World) -> None:
    world.forget_everything()
    pause = world.mint(waiter=world.runs.task())
    path = f"/pauses/{pause.minted['jti']}"
    revoked = world.deployment.call("DELETE", path)
    assert (revoked.status, revoked.document["status"]) == (200, "revoked")
    assert world.sweep() == {"RevocationSettled": 1}
    assert world.deployment.call("GET", path).document["due_at"] is None


def test_a_route_for_signed_callers_refuses_others(world: World) -> None:
    """Nobody, and somebody of this account whom no policy allows to call the API."""
    iam = world.deployment.cloud.client("iam")
    iam.create_user(UserName="stranger")
    key = iam.create_access_key(UserName="stranger")["AccessKey"]
    routes = [("POST", "/pauses"), ("POST", "/resume"), ("POST", "/outcomes")]
    routes += [("GET", "/pauses"), ("GET", "/pauses/x"), ("DELETE", "/pauses/x"), ("POST", "/pauses/x/redrive")]
    for method, path in routes:
        for caller in (None, Credentials(key["AccessKeyId"], key["SecretAccessKey"])):
            assert world.deployment.call(method, path, a_mint(), signed_by=caller).status == 403, (method, path)


def test_a_direct_caller_reaches_the_function_and_not_the_entry_of_the_api(world: World) -> None:
    """The policy of a backend names the function; a forged HTTP event is then refused by the function itself."""
    backend, function = world.principals["BackendPolicy"], world.deployment.outputs["ResumeFunctionArn"]
    forged = {"routeKey": "POST /user/answers", "requestContext": {"http": {}, "authorizer": {"jwt": {"claims": {}}}}}
    assert backend.invoke(f"{function}:http", forged)["code"] == DENIED
    assert backend.invoke(function, forged)["code"] == "bad-request"


@pytest.mark.parametrize(
    ("function", "method", "path"),
    [
        ("MintFunction", "POST", "/pauses"),
        ("ResumeFunction", "POST", "/answers"),
        ("InboxFunction", "GET", "/pauses/x"),
    ],
)
def test_the_api_invokes_a_function_only_by_the_functions_own_leave(
    world: World, function: str, method: str, path: str
) -> None:
    functions, name = world.deployment.functions, world.deployment.resources[function]
    (leave,) = json.loads(functions.get_policy(FunctionName=name, Qualifier="http")["Policy"])["Statement"]
    assert world.deployment.call(method, path, {}).status == 400
    functions.remove_permission(FunctionName=name, Qualifier="http", StatementId=leave["Sid"])
    try:
        assert world.deployment.call(method, path, {}).status == 500
    finally:
        functions.add_permission(
            FunctionName=name,
            Qualifier="http",
            StatementId=leave["Sid"],
            Action=leave["Action"],
            Principal=leave["Principal"]["Service"],
            SourceArn=leave["Condition"]["ArnLike"]["AWS:SourceArn"],
        )
    assert world.deployment.call(method, path, {}).status == 400


def test_a_decision_that_could_not_be_written_has_its_line_once_it_can(world: World) -> None:
    """The stream keeps it, and Lambda sends it again."""
    put = Permission(role="AuditRole", statement="WriteDecisions", action="logs:PutLogEvents")
    with world.deployment.roles.without(put):
        pause = world.mint()
        assert world.audited(pause) == "unwritten"
    until(lambda: world.audited(pause) == "written", "the line", seconds=PATIENCE_SECONDS)
    (line,) = [json.loads(line) for line in world.messages("DecisionLogGroup") if pause.minted["jti"] in line]
    assert line["decision"] == "issued"

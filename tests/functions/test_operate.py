"""The operator's command against a deployed stack: what is typed, what is seen, and how it exits."""

import io
import json
from typing import Any

import boto3
import pytest

from askback.adapters.dynamodb import listed_rows
from askback.operate.__main__ import main
from askback.operate.stack import connected
from local.emulated.workflows.lambda_functions import serving
from tests.functions.inbox import given_up
from tests.support.operator_terminal import Terminal, row_of
from tests.support.request_bodies import a_scope
from tests.support.waiting_world import body_of


def test_keys_are_a_table_of_what_signs_and_what_is_still_open(terminal: Terminal) -> None:
    pause = terminal.world.handlers.pause()
    ran = terminal.run("keys")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines()[0].split("  ")[0] == "KEY"
    assert row_of(ran, "new") == ["new", "signs", "1", pause.minted["expires_at"], "-"]
    assert row_of(ran, "old") == ["old", "verifies", "0", "-", "2026-09-21T14:13:20Z"]
    assert "The ring has a legacy key." in ran.out
    assert terminal.run("--json", "keys").document == terminal.world.handlers.get("/keys").document


def test_a_scopes_pauses_are_listed_page_by_page(terminal: Terminal) -> None:
    scope = a_scope()
    named = ("--tenant", scope["tenant_id"], "--namespace", scope["namespace"])
    assert terminal.run("list", *named).out == "No pauses.\n"
    jtis = {terminal.world.handlers.pause(scope=scope).minted["jti"] for _ in range(3)}
    first = terminal.run("list", *named, "--limit", "2")
    assert first.out.splitlines()[0].split() == [
        "JTI", "NAME", "STATUS", "AGE", "EXPIRES", "RUN", "REQUESTER", "RECIPIENTS",
    ]  # fmt: skip
    more = first.out.splitlines()[-1]
    assert more.startswith("More: --next ")
    second = terminal.run("--json", "list", *named, "--next", more.split()[-1]).document
    shown = {line.split()[0] for line in first.out.splitlines()[1:3]} | {pause["jti"] for pause in second["pauses"]}
    assert (shown, second["next"]) == (jtis, None)


def test_a_tenant_as_a_whole_is_listed_with_filters(terminal: Terminal) -> None:
    ours, asked = a_scope()["tenant_id"], terminal.world.handlers
    scopes = [{"tenant_id": ours, "sub_tenant_id": sub} for sub in ("eu", "us")]
    first, second = (asked.pause(scope=scope, recipients=["ada@example.com", "bob"]) for scope in scopes)
    named = ("list", "--tenant", ours, "--whole")
    ran = terminal.run(*named, "--recipient", "bob")
    assert ran.out.splitlines()[0].split()[-2:] == ["RECIPIENTS", "SCOPE"]
    assert {line.split()[0] for line in ran.out.splitlines()[1:]} == {each.minted["jti"] for each in (first, second)}
    assert row_of(ran, first.minted["jti"])[-5:] == ["ada@example.com,", "bob", ours, "/", "eu"]
    one = ("--run", first.request["run_id"], "--interaction", "ask_user", "--status", "issued")
    found = terminal.run("--json", *named, *one).document
    assert [pause["jti"] for pause in found["pauses"]] == [first.minted["jti"]]
    assert terminal.run(*named, "--older-than", "3d").out == "No pauses.\n"
    assert terminal.run(*named, "--titles").err.startswith("Refused: bad-request: titles: ")


def test_a_list_asks_again_until_it_has_what_it_shows(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    ours, asked = a_scope()["tenant_id"], terminal.world.handlers
    runs = {asked.pause(scope={"tenant_id": ours}, run_id=f"run-{number % 3}").minted["jti"] for number in range(6)}
    assert len(runs) == 6
    monkeypatch.setattr(listed_rows, "LOOK_MAX", 1)
    page = terminal.run("--json", "list", "--tenant", ours, "--run", "run-2").document
    assert (len(page["pauses"]), page["next"], page["looked_at"]) == (2, None, 6)


@pytest.mark.parametrize("time", ["", "3", "0h", "1.5h", "3w", "-1d"])
def test_a_time_span_is_a_number_and_a_unit(terminal: Terminal, time: str) -> None:
    with pytest.raises(SystemExit) as raised:
        terminal.run("list", "--tenant", "a", f"--older-than={time}")
    assert raised.value.code == 2


def test_one_pause_is_a_list_of_facts_and_nothing_in_it_can_command_a_terminal(terminal: Terminal) -> None:
    pause = terminal.world.handlers.pause(run_id="run\u202e-x")
    ran = terminal.run("show", pause.minted["jti"])
    assert ran.code == 0
    facts = dict(line.split(maxsplit=1) for line in ran.out.splitlines())
    assert (facts["jti"], facts["status"], facts["waiter"]) == (pause.minted["jti"], "issued", "-")
    assert facts["run_id"] == "run\\u202e-x"


def test_links_are_shown_and_the_log_says_to_whom(terminal: Terminal) -> None:
    handlers = terminal.world.handlers
    minted = handlers.pause(recipients=["ada@example.com", "bob@example.com"]).minted
    start = len(terminal.world.deployment.output.getvalue())
    ran = terminal.run("link", minted["jti"])
    ada, bob = (each["answer_link"] for each in minted["recipients"])
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines() == [
        f"ada@example.com: {ada}",
        f"bob@example.com: {bob}",
        f"any person: {minted['answer_link']}",
        f"Until {minted['expires_at']}. Who has a link can answer.",
    ]
    one = terminal.run("link", minted["jti"], "--recipient", "ada@example.com")
    assert one.out.splitlines()[:-1] == [f"ada@example.com: {ada}"]
    (line, *_) = [
        json.loads(each)
        for each in terminal.world.deployment.output.getvalue()[start:].splitlines()
        if "LinksIssued" in each
    ]
    assert line["operator"] == boto3.client("sts").get_caller_identity()["Arn"]
    assert (
        handlers.post(f"/pauses/{minted['jti']}/links", {}).document
        == terminal.run("--json", "link", minted["jti"]).document
    )


def test_links_of_a_pause_that_ended_are_refused(terminal: Terminal) -> None:
    jti = terminal.world.handlers.pause().minted["jti"]
    terminal.world.handlers.revoke(jti)
    ran = terminal.run("link", jti)
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("Refused: revoked: ")


def test_a_pause_is_revoked_in_the_name_of_whoever_runs_the_command(terminal: Terminal) -> None:
    waiter = terminal.world.tasks.start()
    jti = terminal.world.handlers.pause(waiter=body_of(waiter)).minted["jti"]
    ran = terminal.run("revoke", jti)
    assert ran.code == 0
    assert "revoked_by" in ran.out
    assert boto3.client("sts").get_caller_identity()["Arn"] in ran.out
    assert ran.out.splitlines()[-1] == "The sweep fails the run that waits within a minute."
    terminal.world.sweep()
    assert "The sweep" not in terminal.run("revoke", jti).out
    assert waiter.address not in ran.out


def test_the_link_of_one_recipient_is_revoked(terminal: Terminal) -> None:
    handlers = terminal.world.handlers
    minted = handlers.pause(recipients=["ada@example.com", "bob@example.com"]).minted
    ran = terminal.run("revoke-link", minted["jti"], "ada@example.com")
    assert (ran.code, ran.err, row_of(ran, "revoked_links")) == (0, "", ["revoked_links", "ada@example.com"])
    token = minted["recipients"][0]["answer_token"]
    assert handlers.post("/questions", {"answer_token": token}).code == "link-revoked"
    assert terminal.run("link", minted["jti"]).out.count("ada@example.com") == 0
    refused = terminal.run("revoke-link", minted["jti"], "eve@example.com")
    assert (refused.code, refused.err.startswith("Refused: bad-request: recipient: ")) == (1, True)


def test_an_undeliverable_answer_is_delivered_once_more(terminal: Terminal) -> None:
    _, pause = given_up(terminal.world, "tasks")
    ran = terminal.run("redrive", pause.minted["jti"])
    assert (ran.code, ran.out.splitlines()[-1]) == (0, "The sweep delivers the answer within a minute.")
    assert terminal.world.sweep()["done"] == {"Delivered": 1}


def test_rows_that_the_sweep_cannot_see_are_a_table_and_are_repaired_on_request(terminal: Terminal) -> None:
    """D-54."""
    world, pause = terminal.world, terminal.world.handlers.pause(ttl_seconds=60)
    key, jti = world.deployment.row_key(pause), pause.minted["jti"]
    world.deployment.put({name: value for name, value in world.deployment.item(key).items() if name != "due_shard"})
    world.now += 61
    ran = terminal.run("audit-due")
    assert (ran.code, ran.out.splitlines()[0].split()) == (0, ["JTI", "STATUS", "REPAIRED", "DAMAGE"])
    assert row_of(ran, jti) == [jti, "issued", "false", "due_shard", "is", "missing"]
    assert "within a minute" not in ran.out
    repaired = terminal.run("audit-due", "--repair")
    assert row_of(repaired, jti)[2] == "true"
    assert repaired.out.splitlines()[-1] == "The sweep works on the repaired rows within a minute."
    after = terminal.run("--json", "audit-due").document
    assert jti not in [row["jti"] for row in after["rows"]]
    assert after["scanned"] > 0
    world.sweep()
    assert world.row(pause)["status"] == "expired"


def test_what_the_deployment_refuses_is_said_with_its_code_and_exits_with_1(terminal: Terminal) -> None:
    ran = terminal.run("show", "nobody")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == "Refused: unknown-pause: no such pause is recorded; the agent must ask again\n"
    refused = terminal.run("--json", "redrive", terminal.world.handlers.pause().minted["jti"])
    assert (refused.code, refused.document["code"], refused.document["status"]) == (1, "not-redrivable", 409)
    assert terminal.run("list", "--tenant", "a:b").err.startswith("Refused: bad-request: scope.tenant_id: ")


def test_what_aws_refuses_is_said_in_its_words_and_exits_with_1(terminal: Terminal) -> None:
    terminal.stack = "nobody-s"
    assert terminal.run("keys").err.startswith("Refused: ValidationError: Stack ")
    gone = terminal.run("--function", "no-such-function", "keys")
    assert (gone.code, gone.err.split(":")[1].strip()) == (1, "ResourceNotFoundException")
    boto3.client("cloudformation").create_stack(
        StackName="other", TemplateBody=json.dumps({"Resources": {"Nothing": {"Type": "AWS::SQS::Queue"}}})
    )
    terminal.stack = "other"
    assert terminal.run("keys").err == "Refused: not-askback: the stack other has no output InboxFunctionArn\n"


def test_a_profile_that_is_not_there_is_a_refusal_and_no_trace() -> None:
    err = io.StringIO()
    assert main(["--profile", "no-such-profile", "keys"], connect=connected, err=err) == 1
    assert "no-such-profile" in err.getvalue()


def test_a_function_that_did_not_get_as_far_as_a_problem_is_said_to_have_failed(terminal: Terminal) -> None:
    def fails(event: Any) -> Any:
        raise RuntimeError("what nobody foresaw")

    with serving({"broken": fails}):
        ran = terminal.run("--function", "broken", "keys")
    assert (ran.code, ran.err) == (1, "Refused: RuntimeError: the function failed; read its log\n")


@pytest.mark.parametrize(
    "arguments", [(), ("dance",), ("list",), ("show",), ("list", "--tenant", "a", "--limit", "many"), ("retire",)]
)
def test_what_is_no_command_exits_with_2(terminal: Terminal, arguments: tuple[str, ...]) -> None:
    with pytest.raises(SystemExit) as left:
        terminal.run(*arguments)
    assert left.value.code == 2

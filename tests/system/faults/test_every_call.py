"""Every AWS call of mint, resume, sweep and ended, of a revocation and of a replacement, hurt in every way, in turn.

The calls are not listed anywhere: an undisturbed run is counted first, and each of its calls is then hurt in a run of
its own. So a call that is added to the product is covered by itself. `make test` hurts every third call, each in
another way; where all tests are run, every call is hurt in every way. After recovery, that is after the same caller has
sent the same request again and the sweep has come by, this must hold:

- nothing that was accepted is lost: whoever was told 200 finds their answer in the row and in the run
- nothing is delivered twice with different content
- no pause is stuck: nothing stays due
- exactly one terminal state is reached, and the run went on once, the way the row says
- the row names the task that waits, also after a retry of the workflow's task; a mint that fails can be sent again
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import boto3
import pytest

from askback.adapters.dynamodb.keys import ledger_key, record_key
from askback.domain.json_text import sha256_hex
from askback.domain.pause.scope import Scope
from local.emulated.cloud import Cloud
from local.emulated.workflows.interpreter import executing
from tests.support.memory_deployment import NOW
from tests.support.request_bodies import SCOPE, a_mint
from tests.support.template import OPTED_IN
from tests.support.waiting_tasks import Tasks
from tests.support.wire_faults import Fault, Wire
from tests.system.faults.story import Story, everything_due

TTL = 3600
SEVERAL = {
    "name": "approval",
    "payload": {"title": "Pay?", "action": {"name": "pay", "arguments": {"amount": 10}}},
    "approvers": ["ada", "bob", "cyd"],
    "quorum": {"needed": 2},
}
PARAMETERS = {"EventBusName": "default", "InlineLimitBytes": "1024", "ReturnLinks": "true", **OPTED_IN}


@dataclass(frozen=True)
class Ground:
    """What all stories share: the cloud, the executions, and a client to look with that no wire touches."""

    cloud: Cloud
    tasks: Tasks
    dynamodb: Any
    wire: Wire

    def row(self, jti: str) -> dict[str, Any]:
        table = self.cloud.functions[0].environment["ASKBACK_TABLE_NAME"]
        key = {"pk": {"S": f"pause#{jti}"}, "sk": {"S": "pause"}}
        item: dict[str, Any] = self.dynamodb.get_item(TableName=table, Key=key, ConsistentRead=True)["Item"]
        return item

    def forget(self, minted: dict[str, Any]) -> None:
        """Remove what a story stored: the emulator reads its whole table for every query."""
        place = {name: minted[name] for name in ("thread_id", "checkpoint_id")}
        place["scope_hash"] = Scope(**SCOPE).digest()
        call = minted["tool_call_id"]
        keys = [record_key(**place, key=f"{kind}:{call}") for kind in ("ask_user_request", "turn_state")]
        keys.append(record_key(**place, key=f"interrupt_payload:{minted['interrupt_id']}"))
        for key in (ledger_key(minted["jti"]), *keys):
            self.dynamodb.delete_item(TableName=self.cloud.functions[0].environment["ASKBACK_TABLE_NAME"], Key=key)


@pytest.fixture(scope="module")
def ground() -> Iterator[Ground]:
    with Cloud(parameters=PARAMETERS) as cloud, executing():
        yield Ground(cloud, Tasks(), boto3.session.Session().client("dynamodb"), Wire())


def answered(story: Story) -> str:
    """A person answers in time."""
    story.mint()
    story.answer(the_answer(story))
    return "answered"


def answered_at_length(story: Story) -> str:
    """A person answers with a text that is kept in the bucket."""
    story.mint()
    question = story.minted["payload"]["questions"][0]["id"]
    story.answer({"answers": [{"question_id": question, "selections": [], "other": "long " * 200}]})
    return "answered"


def expired(story: Story) -> str:
    """Nobody answers."""
    story.mint()
    return "expired"


def answered_by_policy(story: Story) -> str:
    """Nobody answers, and the default stands in; a reminder went out before."""
    story.request |= {
        "on_expiry": {"policy": "default", "response": {"answers": [{"selections": ["Reject"]}]}},
        "remind_after_seconds": 60,
    }
    story.mint()
    return "answered"


def asked_again_by_the_workflow(story: Story) -> str:
    """The workflow's own retry mints again, and somebody answers."""
    story.mint()
    story.mint()
    story.answer(the_answer(story))
    return "answered"


def asked_again_for_another_task(story: Story) -> str:
    """The workflow gives up its task and retries it: the retry mints with another task token."""
    story.mint()
    story.retry_task()
    story.mint()
    story.answer(the_answer(story))
    return "answered"


def revoked(story: Story) -> str:
    """An operator revokes the question."""
    story.mint()
    story.revoke()
    return "revoked"


def decided_by_two(story: Story) -> str:
    """Two of three people say yes; the second yes lets the run go on."""
    story.request |= SEVERAL
    story.mint()
    story.answer({"decision": "approve"}, by="ada")
    story.answer({"decision": "approve"}, by="bob")
    return "answered"


def vetoed(story: Story) -> str:
    """One says yes, and another one vetoes."""
    story.request |= SEVERAL
    story.mint()
    story.answer({"decision": "approve"}, by="ada")
    story.answer({"decision": "reject"}, by="bob")
    story.told = story.told[1:]
    return "answered"


def expired_among_votes(story: Story) -> str:
    """One of two votes comes, and then the time is over."""
    story.request |= SEVERAL
    story.mint()
    story.answer({"decision": "approve"}, by="ada")
    story.told = []
    return "expired"


def revoked_by_the_program_that_asked(story: Story) -> str:
    """The program that asked revokes its question."""
    story.mint()
    story.take_back()
    return "revoked"


def replaced(story: Story) -> str:
    """The program that asked replaces its question by a newer one, for which no run waits."""
    story.mint()
    story.replace()
    return "superseded"


def extended(story: Story) -> str:
    """The deadline moves, and a person answers after the first one."""
    story.request["max_ttl_seconds"] = 2 * TTL
    story.mint()
    story.extend(2 * TTL)
    story.clock = NOW + TTL + 60
    story.answer(the_answer(story))
    return "answered"


def asked_of_further_people(story: Story) -> str:
    """The sweep asks a second person, an operator passes that on to a third, and the third answers."""
    # Other people in every round: no person may have a hundred open pauses.
    bob, eve = (f"{name} {sha256_hex(story.request['idempotency_key'])[:16]}" for name in ("bob", "eve"))
    story.request |= {
        "recipients": [bob],
        "escalation": [{"after_seconds": 600, "to": [eve], "mode": "replace"}],
    }
    story.mint()
    story.escalate(NOW + 600)
    story.reassign(eve, "ada")
    story.answer(the_answer(story))
    return "answered"


def answered_after_a_question_back(story: Story) -> str:
    """One votes, another asks back, the program replies, and two vote on what they now know."""
    story.request |= SEVERAL | {"about": {"takes_questions": True}}
    story.mint()
    story.answer({"decision": "approve"}, by="bob")
    story.ask_back("For which invoice?")
    story.clarify("For the one of May.")
    seen = story.see()
    story.answer({"decision": "approve"}, by="ada", request_hash=seen)
    story.answer({"decision": "approve"}, by="bob", request_hash=seen)
    return "answered"


def left_by_a_run_that_was_stopped(story: Story) -> str:
    """The execution is stopped while its question is open, and the ended function revokes the question."""
    execution = story.request["idempotency_key"]
    story.request["waiter"]["execution"] = execution
    story.mint()
    story.stop_run()
    story.end_run(execution)
    return "revoked"


def answered_after_a_delegation(story: Story) -> str:
    """A member votes, another one passes the pause on, and the third person completes the quorum."""
    # Other people in every round: no person may have a hundred open pauses.
    member = f"eve {sha256_hex(story.request['idempotency_key'])[:16]}"
    people = {"approvers": ["ada", member], "recipients": [member], "delegates": ["b*"]}
    story.request |= SEVERAL | people
    story.mint()
    story.answer({"decision": "approve"}, by="ada")
    story.delegate(member, "bob")
    story.answer({"decision": "approve"}, by="bob")
    assert story.told[-1]["for"] == member
    return "answered"


STORIES: tuple[Callable[[Story], str], ...] = (
    answered,
    answered_at_length,
    expired,
    answered_by_policy,
    asked_again_by_the_workflow,
    asked_again_for_another_task,
    revoked,
    decided_by_two,
    vetoed,
    expired_among_votes,
    revoked_by_the_program_that_asked,
    replaced,
    extended,
    asked_of_further_people,
    answered_after_a_question_back,
    left_by_a_run_that_was_stopped,
    answered_after_a_delegation,
)
CHANGES: dict[Callable[[Story], str], list[str]] = {
    asked_of_further_people: ["escalated", "reassigned"],
    answered_after_a_question_back: ["questioned", "clarified"],
    answered_after_a_delegation: ["delegated"],
}
"""The changes of the pause in each story that has some."""


def the_answer(story: Story) -> dict[str, Any]:
    question = story.minted["payload"]["questions"][0]["id"]
    return {"answers": [{"question_id": question, "selections": ["Approve"], "other": None}]}


def run(ground: Ground, tell: Callable[[Story], str]) -> None:
    """Tell one story over the wire and hold its end to the promises."""
    wire = ground.wire
    execution, token = ground.tasks.start()
    given_up: list[str] = []
    question = {
        "question": "Refund 49.90 EUR?",
        "allow_other": True,
        "options": [{"label": "Approve"}, {"label": "Reject"}],
    }
    request = a_mint(
        ttl_seconds=TTL,
        payload={"questions": [question]},
        prompt="".join(map(str, range(2000))),
        idempotency_key=execution,
        waiter={"kind": "step_functions", "task_token": token},
    )

    def retry_task() -> None:
        nonlocal execution, token
        ground.tasks.sfn.stop_execution(executionArn=execution)
        given_up.append(token)
        execution, token = ground.tasks.start()
        story.request["waiter"] = {"kind": "step_functions", "task_token": token}

    def stop_run() -> None:
        ground.tasks.sfn.stop_execution(executionArn=execution)

    with wire.connected():
        story = Story(ground.cloud, request, retry_task, stop_run)
        how = tell(story)
        story.sweep_until_quiet(lambda: everything_due(ground.cloud, ground.dynamodb, story.minted["jti"]))
        outcome = story.read_outcome() if how == "answered" else None
    row = ground.row(story.minted["jti"])
    assert "due_at" not in row
    if tell is left_by_a_run_that_was_stopped:
        assert (row["status"]["S"], row["revoked_by"]["S"]) == ("revoked", "run ended")
        assert ground.tasks.sfn.describe_execution(executionArn=execution)["status"] == "ABORTED"
        ground.forget(story.minted)
        return
    ended = ground.tasks.ended(execution)
    assert row["status"]["S"] == ("delivered" if how == "answered" else how)
    assert ended["how"] == how
    assert ended["outcome"]["delivery_id"] == story.minted["jti"]
    assert row["waiter_address"]["S"] == token
    assert len(set(wire.outcomes_of(token))) == 1
    assert not any(map(wire.outcomes_of, given_up))
    if "quorum" in row:
        # Each vote that was accepted is there once, whatever happened to its request.
        voted = [vote["by"] for vote in ended["outcome"]["votes"] if tell not in CHANGES or vote["counts"]]
        assert voted == ["ada", "bob"][: int(row["vote_count"]["N"])]
        assert len(voted) == (1 if how == "expired" else 2)
    if outcome is not None:
        assert ended["outcome"]["response"] == outcome["response"]
        assert ended["outcome"]["answered_at"] == int(row["answered_at"]["N"]) >= NOW
    # Each change was made once.
    kinds = [kind for kind, *_ in json.loads(row.get("changes", {"S": "[]"})["S"])]
    assert kinds == CHANGES.get(tell, [])
    for told in story.told:
        assert told["response"] == ended["outcome"]["response"]
    for minted in filter(None, (story.minted, story.newer)):
        ground.forget(minted)


def faults() -> list[Any]:
    return [pytest.param(tell, fault, id=f"{tell.__name__}-{fault.name}") for tell in STORIES for fault in Fault]


@pytest.mark.parametrize(("number", "tell"), list(enumerate(STORIES)), ids=[tell.__name__ for tell in STORIES])
def test_a_call_may_be_hurt_in_one_way(ground: Ground, number: int, tell: Callable[[Story], str]) -> None:
    """The stories begin with another call and another way each, so that what several do is hurt in several ways."""
    kinds = tuple(Fault)
    hurt_calls(ground, tell, lambda call: None if (number + call) % 3 else kinds[(number + call) % len(kinds)])


@pytest.mark.slow
@pytest.mark.parametrize(("tell", "fault"), faults())
def test_every_call_may_be_hurt_in_every_way(ground: Ground, tell: Callable[[Story], str], fault: Fault) -> None:
    hurt_calls(ground, tell, lambda _: fault)


def hurt_calls(ground: Ground, tell: Callable[[Story], str], fault_of: Callable[[int], Fault | None]) -> None:
    """Tell the story once undisturbed, and once for each of its calls that has a fault, with that call hurt."""
    ground.wire.rearm()
    run(ground, tell)
    for target, operation in enumerate(ground.wire.calls):
        if (fault := fault_of(target)) is None:
            continue
        ground.wire.rearm(fault, target)
        try:
            run(ground, tell)
        except BaseException as error:
            error.add_note(json.dumps({"call": target, "operation": operation, "hurt": ground.wire.hurt}))
            raise
        assert ground.wire.hurt, (target, operation)

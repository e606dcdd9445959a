"""Each role allows exactly the AWS calls that its function makes: none is missing, and none is spare."""

import json
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

import boto3
import pytest

from askback.interactions import REGISTRY
from tests.support.answer_kinds import ANSWER_KINDS
from tests.support.aws_probe import aws_error
from tests.support.domain_values import BUCKET_SIZED, incompressible
from tests.support.ended_executions import ends_of
from tests.support.function_deployment import Handlers
from tests.support.legacy_token import legacy_token
from tests.support.memory_deployment import KEY_RING
from tests.support.request_bodies import Pause, a_mint
from tests.support.template import CHANNELS, granted
from tests.support.waiting_world import KINDS, World, body_of

SERVICES = {
    "SendTask": "states:",
    "SendDurable": "lambda:",
    "PutEvents": "events:",
    "SendEmail": "ses:",
    "Publish": "sns:",
    "GetSecretValue": "secretsmanager:",
    "DescribeSecret": "secretsmanager:",
}
ACTIONS = {"PutObject": "s3:PutObject", "GetObject": "s3:GetObject", "Invoke": "lambda:InvokeFunction"}
UNSEEN = {"logs", "xray", "sqs"}
"""Services that the platform calls with the function's role; no client of ours does."""
LARGE = "a" * 100_000


def action_of(operation: str) -> str:
    for prefix, service in SERVICES.items():
        if operation.startswith(prefix):
            return service + operation
    return ACTIONS.get(operation, f"dynamodb:{operation}")


def allowed(function: str) -> set[str]:
    conditions = (None, "HasEventBus", "HasWaiterFunctions", "HasDurableFunctions", *CHANNELS)
    actions = {action for condition in conditions for action, _ in granted(function, condition)}
    return {action for action in actions if action.split(":")[0] not in UNSEEN}


@dataclass
class Stories:
    """Calls handlers and notes which AWS calls each function made."""

    world: World
    used: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    def __post_init__(self) -> None:
        # Loaded afresh, so that the keys are fetched.
        self.handlers = self.world.load(registry=ANSWER_KINDS)

    def call(self, kind: str, event: dict[str, Any], handlers: Handlers | None = None) -> Any:
        with self.world.deployment.probe.counting() as calls:
            try:
                result = (handlers or self.handlers).invoke(kind, event)
            finally:
                self.used[kind] |= set(map(action_of, calls))
        return result

    def mint(self, **over: Any) -> Pause:
        request = a_mint(name="free_text", payload={"text": "?"}, **over)
        return Pause(request=request, minted=self.call("mint", request))

    def of_runs(self, kind: str) -> None:
        """Answered at once, answered and delivered by the sweep, expired; asked again before and after the end."""

        def waiter() -> dict[str, str]:
            return body_of(self.world.runs(kind).start())

        first = self.world.runs(kind).start()
        answered = self.mint(waiter=body_of(first), prompt=BUCKET_SIZED, idempotency_key=f"answered-{kind}")
        expired = self.mint(waiter=waiter(), idempotency_key=f"expired-{kind}")
        delayed = self.mint(waiter=waiter())
        if kind != "functions":
            self.world.ending_runs(kind).end(first)
        self.call("mint", {**answered.request, "waiter": waiter()})
        self.call("resume", answered.resume(response=LARGE))
        failing = ("SendTaskSuccess", "SendDurableExecutionCallbackSuccess", "Invoke")
        with self.world.deployment.probe.failing(**dict.fromkeys(failing, aws_error("ThrottlingException"))):
            self.call("resume", delayed.resume(response=LARGE))
        self.world.now += 3600
        self.call("sweep", {})
        for ended in (answered, expired):
            self.call("mint", {**ended.request, "waiter": waiter()})

    def of_the_same_question_in_another_order(self) -> None:
        """D-16: it is the same pause, and the order of the first mint stays."""
        handlers = self.world.load(REGISTRY)
        request = a_mint(name="approval", idempotency_key="another-order")
        for arguments in ({"a": 1, "b": 2}, {"b": 2, "a": 1}):
            payload = {"title": "Pay?", "action": {"name": "pay", "arguments": arguments}}
            minted = self.call("mint", {**request, "payload": payload}, handlers)
            shown = handlers.invoke("resume", {"action": "question", "pause_token": minted["pause_token"]})
            assert list(shown["payload"]["action"]["arguments"]) == ["a", "b"]

    def of_an_operator(self) -> None:
        """Who lists a scope's pauses, looks at one, and revokes it."""
        pause = self.mint()
        self.call("inbox", {"action": "list", **pause.request["scope"]})
        self.call("inbox", {"action": "keys"})
        self.call("links", {"jti": pause.minted["jti"]})
        self.call("inbox", {"action": "audit-due"})
        for action in ("show", "revoke"):
            self.call("inbox", {"action": action, "jti": pause.minted["jti"]})

    def of_people_who_are_told(self) -> None:
        """By every channel, of a question that is in the bucket; that nobody takes a message changes no call."""
        topic = boto3.client("sns").create_topic(Name="permissions")["TopicArn"]
        key = "k" * 64
        secret = boto3.client("secretsmanager").create_secret(
            Name="permissions", SecretString=json.dumps({"url": "https://127.0.0.1:1", "key": key})
        )
        handlers = self.world.load(
            ANSWER_KINDS,
            ASKBACK_MINT_FLOOR='{"*": {"open_pauses_max": 10000}}',
            ASKBACK_NOTIFY_FROM_ADDRESS="nobody@unverified.example",
            ASKBACK_NOTIFY_TOPIC_ARN=topic,
            ASKBACK_NOTIFY_WEBHOOK_SECRET_ID=secret["ARN"],
        )
        asked = a_mint(name="free_text", payload={"text": incompressible(20_000)}, recipients=["ada@example.com"])
        minted = self.call("mint", asked, handlers)
        event = {"detail-type": "PauseIssued", "detail": self.world.deployment.claims(minted["pause_token"])}
        with pytest.raises(Exception, match="2 of 3 messages failed"):
            self.call("notify", event, handlers)

    def of_a_run_that_was_stopped(self) -> None:
        """Its open pause is found by its execution, and revoked."""
        task = self.world.tasks.start()
        execution = self.world.tasks.execution_of(task)
        self.mint(waiter={**body_of(task), "execution": execution})
        self.world.tasks.end(task)
        assert self.call("ended", ends_of(execution)) == {"batchItemFailures": []}

    def of_a_function_that_comes_late(self) -> None:
        """It waits for a pause that somebody else waited for before."""
        pause = self.mint(waiter=body_of(self.world.tasks.start()), idempotency_key="late")
        self.call("resume", pause.resume(response="x"))
        self.call("mint", {**pause.request, "waiter": body_of(self.world.functions.start())})

    def of_a_legacy_token(self) -> None:
        """Its claim writes the row."""
        handlers = self.world.load(ANSWER_KINDS, ASKBACK_KEY_SECRET_ID="", ASKBACK_LOCAL_KEY_RING=KEY_RING)
        request = a_mint(name="free_text", payload={"text": "?"}, messages=..., checkpoint_id="legacy")
        pause = Pause(request=request, minted=handlers.invoke("mint", request))
        self.world.deployment.leave_as_legacy(pause)
        token = legacy_token(pause, KEY_RING)
        self.call("resume", pause.resume(action="answer", pause_token=token, response="x"), handlers)


@pytest.fixture(scope="module")
def used(shared_world: World) -> dict[str, set[str]]:
    shared_world.settle()
    stories = Stories(shared_world)
    for kind in KINDS:
        stories.of_runs(kind)
    stories.of_a_function_that_comes_late()
    stories.of_a_run_that_was_stopped()
    stories.of_a_legacy_token()
    stories.of_the_same_question_in_another_order()
    stories.of_an_operator()
    stories.of_people_who_are_told()
    return stories.used


@pytest.mark.parametrize("kind", ["mint", "resume", "sweep", "ended", "inbox", "links", "notify"])
def test_every_call_that_a_function_makes_is_allowed(used: dict[str, set[str]], kind: str) -> None:
    assert used[kind] - allowed(f"{kind.title()}Function") == set()


@pytest.mark.parametrize("kind", ["mint", "resume", "sweep", "ended", "inbox", "links", "notify", "page"])
def test_nothing_is_allowed_that_no_function_does(used: dict[str, set[str]], kind: str) -> None:
    # Listing is never asked for; it makes S3 say which objects are not there.
    spare = allowed(f"{kind.title()}Function") - used[kind] - {"s3:ListBucket"}
    assert spare == set()

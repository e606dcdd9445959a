"""The deployment with everybody who takes part in a story, and with time in the tests' hands."""

import itertools
import json
import time
import uuid
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

import jwt
from botocore.exceptions import ClientError

from askback.adapters.dynamodb.keys import due_shard, ledger_key, record_key
from askback.adapters.dynamodb.ledger_items import KEY_ID, announcing_key
from askback.domain.pause.scope import Scope
from local.demo.api_client import Answer
from local.demo.checks import until
from tests.built.deployed.deployment import BUS, Deployment
from tests.built.deployed.principals import Principal
from tests.built.deployed.runs import PATIENCE_SECONDS, Runs, Waiter
from tests.support.domain_values import incompressible
from tests.support.request_bodies import Pause, a_mint, a_question

LEGACY_KEY = "l" * 64
_numbers = itertools.count(1)


class World:
    """Pauses, seen from outside by callers, and from within by the account's root, as an operator would."""

    def __init__(self, deployment: Deployment) -> None:
        self.deployment = deployment
        self.runs = Runs(deployment)
        cloud = deployment.cloud
        self._dynamodb, self._s3 = cloud.client("dynamodb"), cloud.client("s3")
        self._sqs, self._events = cloud.client("sqs"), cloud.client("events")
        self._secrets = cloud.client("secretsmanager")
        self._table = deployment.resources["Table"]
        self._heard: list[tuple[str, str]] = []
        self._announcements = self._listen()
        self._import_legacy_key()
        policies = deployment.of_kind["AWS::IAM::ManagedPolicy"]
        self.principals = {policy: Principal(deployment, policy) for policy in policies}
        """Who has each managed policy of the stack."""

    # --- Pauses ------------------------------------------------------------------------------------------------------

    def mint(self, **over: Any) -> Pause:
        """Mint a pause, which must succeed."""
        request = a_mint(**over)
        minted = self.deployment.post("/pauses", request)
        assert minted.status == 201, minted.document
        return Pause(request=request, minted=minted.document)

    def mint_again(self, pause: Pause, waiter: Waiter) -> Answer:
        """Repeat a mint as the retry of a workflow's task does, with another waiter."""
        return self.deployment.post("/pauses", {**pause.request, "waiter": waiter})

    def answer(self, pause: Pause, **over: Any) -> Answer:
        """Answer as whoever holds the link."""
        return self.deployment.post("/answers", pause.answer(**over), signed_by=None)

    def resume(self, pause: Pause, **over: Any) -> Answer:
        """Answer as the pause's own backend."""
        return self.deployment.post("/resume", pause.resume(**over))

    def answer_legacy(self, pause: Pause) -> str:
        """Answer with the token that the legacy engine would have issued, which leaves no row, and return how."""
        self._leave_as_legacy(pause)
        claims = jwt.decode(pause.minted["pause_token"], options={"verify_signature": False})
        legacy = {name: value for name, value in claims.items() if name not in ("iat", "aud")}
        legacy["scope_hash"] = legacy["scope_hash"][:16]
        token = jwt.encode(legacy, LEGACY_KEY, algorithm="HS256")
        body = pause.resume(action="answer", pause_token=token)
        reply = self.deployment.invoke("ResumeFunction", body)
        return str(reply["delivery"] if "delivery" in reply else json.loads(reply["errorMessage"])["code"])

    def _leave_as_legacy(self, pause: Pause) -> None:
        self._dynamodb.delete_item(TableName=self._table, Key=ledger_key(pause.minted["jti"]))
        place = {name: pause.minted[name] for name in ("thread_id", "checkpoint_id")}
        key = f"ask_user_request:{pause.minted['tool_call_id']}"
        scoped = record_key(**place, key=key, scope_hash=Scope(**pause.request["scope"]).digest())
        request = self._dynamodb.get_item(TableName=self._table, Key=scoped, ConsistentRead=True)["Item"]
        self._dynamodb.put_item(TableName=self._table, Item={**request, **record_key(**place, key=key)})

    # --- Time, and what happens to stored things ---------------------------------------------------------------------

    def status(self, pause: Pause) -> str:
        """Return the status that the ledger has."""
        return str(self.row(pause)["status"]["S"])

    def row(self, pause: Pause) -> dict[str, Any]:
        """Return the ledger row as it is stored."""
        key = ledger_key(pause.minted["jti"])
        return dict(self._dynamodb.get_item(TableName=self._table, Key=key, ConsistentRead=True)["Item"])

    def let_time_run_out(self, pause: Pause) -> None:
        """Let the pause's time be over: no test waits for the half minute that the shortest pause lasts."""
        self._set(pause, **_due(pause), exp={"N": str(int(time.time()) - 1)})

    def expire(self, pause: Pause) -> None:
        """Let the pause end unanswered."""
        self.let_time_run_out(pause)
        self.sweep()

    def forget_delivery(self, pause: Pause) -> None:
        """Let the row be as if the process had died between the claim and the delivery."""
        self._set(pause, **_due(pause), status={"S": "answered"})

    def let_announce(self, pause: Pause, event_id: str) -> None:
        """Let this event be the one that announces the pause: the bus of the stack carries another one by itself."""
        self._set(pause, announced={"S": announcing_key(self.row(pause)[KEY_ID]["S"]) + event_id})

    def lose_bodies(self) -> None:
        """Delete everything in the bucket."""
        bucket = self.deployment.resources["Bucket"]
        for each in self._s3.list_objects_v2(Bucket=bucket).get("Contents", []):
            self._s3.delete_object(Bucket=bucket, Key=each["Key"])

    def forget_everything(self) -> None:
        """Empty the table, so that nothing is due of what earlier stories left."""
        pages = self._dynamodb.get_paginator("scan").paginate(TableName=self._table)
        for item in [item for page in pages for item in page["Items"]]:
            self._dynamodb.delete_item(TableName=self._table, Key={name: item[name] for name in ("pk", "sk")})

    def sweep(self) -> dict[str, int]:
        """Sweep, and return what was done; a run that failed did `Failed`."""
        report = self.deployment.invoke("SweepFunction", {})
        done: dict[str, int] = report.get("done", {"Failed": 1})
        return done

    def rotate(self) -> str:
        """Rotate the key as Secrets Manager does, step by step, and tell where it ended."""
        secrets, ring, version = self._secrets, self.deployment.resources["KeyRing"], str(uuid.uuid4())
        arn = secrets.rotate_secret(SecretId=ring, ClientRequestToken=version)["ARN"]
        for step in ("createSecret", "setSecret", "testSecret", "finishSecret"):
            event = {"Step": step, "SecretId": arn, "ClientRequestToken": version}
            reply = self.deployment.invoke("RotateFunction", event)
            if "errorMessage" in reply:
                # The last step may have failed after it took the stage away.
                with suppress(ClientError):
                    self.end_rotation(version)
                return f"failed at {step}"
        return "rotated"

    def end_rotation(self, version: str) -> None:
        """Give up a rotation that has begun, as an operator does."""
        ring = self.deployment.resources["KeyRing"]
        self._secrets.update_secret_version_stage(SecretId=ring, VersionStage="AWSPENDING", RemoveFromVersionId=version)

    def _set(self, pause: Pause, **attributes: Any) -> None:
        self._dynamodb.update_item(
            TableName=self._table,
            Key=ledger_key(pause.minted["jti"]),
            UpdateExpression="SET " + ", ".join(f"#{name} = :{name}" for name in attributes),
            ExpressionAttributeNames={f"#{name}": name for name in attributes},
            ExpressionAttributeValues={f":{name}": value for name, value in attributes.items()},
        )

    # --- What can be noticed from outside ----------------------------------------------------------------------------

    def heard(self, pause: Pause) -> list[str]:
        """Return the kinds of event that the bus has carried about a pause."""
        marker = str(uuid.uuid4())
        detail = json.dumps({"jti": marker})
        entry = {"Source": "askback", "DetailType": "Marker", "Detail": detail, "EventBusName": BUS}
        self._events.put_events(Entries=[entry])
        # Whatever was published before the marker has come when the marker has.
        until(lambda: self._listened(marker), "the marker", seconds=PATIENCE_SECONDS)
        return [kind for jti, kind in self._heard if jti == pause.minted["jti"]]

    def failed_sweep(self) -> str:
        """Sweep without waiting for it, and tell whether the run that fails is kept."""
        return self._kept(lambda: self.deployment.invoke("SweepFunction", {}, InvocationType="Event"))

    def failed_message(self, event: Mapping[str, Any]) -> str:
        """Have people told without waiting for it, and tell whether the announcement that fails is kept."""
        return self._kept(
            lambda: self.deployment.invoke("NotifyFunction", event, InvocationType="Event"), queue="NotifyFailures"
        )

    def missed_sweep(self) -> str:
        """Let the schedule's time come, and tell whether the run that it cannot start is kept."""
        return self._kept(self.deployment.let_a_minute_pass)

    def scheduled_sweep(self) -> str:
        """Let the schedule's time come, and tell whether it swept or kept that it could not."""
        before = self.lines("SweepLogGroup")
        self.deployment.let_a_minute_pass()
        return until(
            lambda: "swept" if self.lines("SweepLogGroup") > before else self._failure(),
            "the schedule",
            seconds=PATIENCE_SECONDS,
        )

    def _kept(self, fail: Callable[[], object], *, queue: str = "SweepFailures") -> str:
        refused = "may not keep its failures"
        before = self.deployment.cloud.log.count(refused)
        fail()

        def look() -> str | None:
            return "lost" if self.deployment.cloud.log.count(refused) > before else self._failure(queue)

        return until(look, "the failure", seconds=PATIENCE_SECONDS)

    def _failure(self, queue: str = "SweepFailures") -> str | None:
        url = self.deployment.resources[queue]
        for message in self._sqs.receive_message(QueueUrl=url).get("Messages", []):
            self._sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
            return "kept"
        return None

    def logs_of(self, group: str, act: Callable[[], object]) -> str:
        """Tell whether a function wrote to its log while something was done."""
        before = self.lines(group)
        act()
        return "logged" if self.lines(group) > before else "silent"

    def lines(self, group: str) -> int:
        """Return how many lines a log group has."""
        return len(self.messages(group))

    def messages(self, group: str) -> list[str]:
        """Return the lines of a log group."""
        logs, name = self.deployment.cloud.client("logs"), self.deployment.resources[group]
        pages = logs.get_paginator("filter_log_events").paginate(logGroupName=name)
        return [event["message"] for page in pages for event in page["events"]]

    def audited(self, pause: Pause) -> str:
        """Tell whether the mint of a pause has its line in the log of decisions, or why it has none."""
        refused, unwritten = "may not read its stream", "decisions were not written"
        before = self.deployment.cloud.log.count(refused), str(self.messages("AuditLogGroup")).count(unwritten)

        def look() -> str | None:
            if any(pause.minted["jti"] in line for line in self.messages("DecisionLogGroup")):
                return "written"
            if self.deployment.cloud.log.count(refused) > before[0]:
                return "unread"
            return "unwritten" if str(self.messages("AuditLogGroup")).count(unwritten) > before[1] else None

        return until(look, "the line", seconds=PATIENCE_SECONDS)

    def begin_a_log_stream(self) -> None:
        """Let the log of decisions have no log stream, as on a new day."""
        logs, name = self.deployment.cloud.client("logs"), self.deployment.resources["DecisionLogGroup"]
        for each in logs.describe_log_streams(logGroupName=name)["logStreams"]:
            logs.delete_log_stream(logGroupName=name, logStreamName=each["logStreamName"])

    def _listened(self, marker: str) -> bool | None:
        found = self._sqs.receive_message(QueueUrl=self._announcements, MaxNumberOfMessages=10).get("Messages", [])
        for message in found:
            event = json.loads(message["Body"])
            self._heard.append((event["detail"]["jti"], event["detail-type"]))
            self._sqs.delete_message(QueueUrl=self._announcements, ReceiptHandle=message["ReceiptHandle"])
        return marker in dict(self._heard) or None

    def _listen(self) -> str:
        queue = self._sqs.create_queue(QueueName="announcements")["QueueUrl"]
        arn = self._sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
        allowed = {"Effect": "Allow", "Principal": {"Service": "events.amazonaws.com"}, "Action": "sqs:SendMessage"}
        policy = {"Version": "2012-10-17", "Statement": [allowed | {"Resource": arn}]}
        self._sqs.set_queue_attributes(QueueUrl=queue, Attributes={"Policy": json.dumps(policy)})
        pattern = json.dumps({"source": ["askback"]})
        self._events.put_rule(Name="askback", EventBusName=BUS, EventPattern=pattern)
        self._events.put_targets(Rule="askback", EventBusName=BUS, Targets=[{"Id": "queue", "Arn": arn}])
        return str(queue)

    def _import_legacy_key(self) -> None:
        """Give the deployment the legacy engine's key, as an operator who cuts over does."""
        ring = self.deployment.resources["KeyRing"]
        keys = json.loads(self._secrets.get_secret_value(SecretId=ring)["SecretString"])
        self._secrets.put_secret_value(SecretId=ring, SecretString=json.dumps(keys | {"legacy": LEGACY_KEY}))


def a_key() -> str:
    """Return an idempotency key that nothing else has."""
    return f"key-{next(_numbers)}"


def noise(length: int) -> str:
    """Return text that stays larger than the inline limit when it is compressed, another one each time."""
    return incompressible(length + 64, seed=f"{next(_numbers)}")


def large_question() -> Mapping[str, Any]:
    """Return a payload whose answer can be too large for the row."""
    return {"questions": [a_question(allow_other=True) for _ in range(4)]}


def large_answer(pause: Pause) -> Mapping[str, Any]:
    """Return an answer that goes to the bucket."""
    questions = pause.minted["payload"]["questions"]
    return {"answers": [{"question_id": each["id"], "selections": [], "other": noise(900)} for each in questions]}


def _due(pause: Pause) -> dict[str, Any]:
    return {"due_shard": {"S": due_shard(pause.minted["jti"])}, "due_at": {"N": str(int(time.time()) - 1)}}

"""Everything that can happen to a pause, through every function: what is written of it, and what is measured.

Each line about a pause names it; nothing that is written, counted or announced carries a secret; and what is counted is
what `tests/support/template_metrics.py` says, which the dashboard and the alarms are held to.
"""

import json
from typing import Any

import boto3
import pytest

from askback.domain.pause.scope import Scope
from tests.functions.inbox import listed
from tests.support.aws_probe import aws_error
from tests.support.domain_values import BUCKET_SIZED
from tests.support.due_unread import part_unread, rows_unread
from tests.support.ended_executions import ends_of
from tests.support.legacy_token import legacy_token
from tests.support.memory_deployment import KEY_RING
from tests.support.recorded_output import LABEL, SAID, Recorded, a_secret_mint
from tests.support.request_bodies import Pause
from tests.support.table_stream import TableStream
from tests.support.template_metrics import BY_CODE, LEGACY, OWN, TOOL_SERVERS
from tests.support.waiting_world import World, body_of

DEFAULT = {"policy": "default", "response": {"answers": [{"selections": [LABEL]}]}}
DAY = 24 * 3600
ADDRESS = "ada@example.com"
BUSY = aws_error("ThrottlingException")


class Story:
    """Pauses and what becomes of them; `pauses` are those that were minted."""

    def __init__(self, world: World, recorded: Recorded) -> None:
        self.world = world
        self.recorded = recorded
        self.pauses: list[Pause] = []
        self.stream = TableStream(world.deployment)

    def tell(self) -> None:
        self.asked_and_answered()
        self.delivered_late()
        self.not_delivered()
        self.not_answered()
        self.seen_to_by_an_operator()
        self.taken_back_by_the_program_that_asked()
        self.left_by_a_run_that_was_stopped()
        self.gone_wrong()
        self.told_to_people()
        self.audited()

    def mint(self, **over: Any) -> Pause:
        waiter = over.get("waiter", {})
        self.recorded.secrets += [value for name, value in waiter.items() if name != "kind"]
        pause = self.world.handlers.pause(**a_secret_mint(**over))
        self.recorded.keep(pause.minted)
        self.pauses.append(pause)
        return pause

    def refuse(self, kind: str, path: str, body: dict[str, Any]) -> None:
        """Have the same request refused over HTTP and directly."""
        assert self.world.handlers.post(path, body).status >= 400
        self.world.handlers.refused(kind, {**body, "action": path[1:].rstrip("s")} if kind == "resume" else body)

    def asked_and_answered(self) -> None:
        handlers, pause = self.world.handlers, self.mint()
        given = pause.response(selections=[], other=SAID)
        outcome = {"pause_token": pause.minted["pause_token"], "scope": pause.request["scope"]}
        shown = handlers.post("/questions", {"answer_token": pause.minted["answer_token"]}).document
        handlers.post("/questions", {"answer_token": pause.minted["answer_token"], "seen": shown["request_hash"]})
        handlers.invoke("resume", {"action": "question", "answer_token": pause.minted["answer_token"]})
        self.refuse("resume", "/outcomes", outcome)
        self.refuse("resume", "/resume", pause.resume(response=pause.response(SAID)))
        self.refuse("resume", "/resume", pause.resume(scope={"tenant_id": SAID}))
        self.world.now += 60
        handlers.post("/resume", pause.resume(response=given, answerer="ada"))
        handlers.invoke("resume", pause.resume(response=given, answerer="ada"))
        self.refuse("resume", "/resume", pause.resume(response=pause.response(LABEL)))
        handlers.post("/outcomes", outcome)
        self.answered_together()
        self.world.handlers.invoke("sweep", {"time": "2026-01-01T00:05:00Z"})

    def answered_together(self) -> None:
        handlers, first, second = self.world.handlers, self.mint(), self.mint()
        items = [pause.answer(response=pause.response(selections=[], other=SAID)) for pause in (first, second)]
        items[1]["response"] = second.response(SAID)
        for _ in range(2):
            handlers.post("/answers/batch", {"items": items})
        stated = [{**item, "scope": first.request["scope"], "answerer": "ada"} for item in items]
        handlers.invoke("resume", {"action": "answers", "items": stated})

    def delivered_late(self) -> None:
        world = self.world
        for kind in ("tasks", "callbacks", "functions"):
            waiting = self.mint(waiter=body_of(getattr(world, kind).start()))
            world.handlers.post("/answers", waiting.answer(response=waiting.response(selections=[], other=SAID)))
        late = self.mint(waiter=body_of(world.tasks.start()), idempotency_key="delivered-late")
        world.now += 1
        world.handlers.post("/pauses", late.request)
        with world.deployment.probe.failing(SendTaskSuccess=BUSY):
            world.handlers.post("/answers", late.answer(response=late.response(selections=[], other=SAID)))
            world.sweep(after=60)
        world.sweep(after=600)

    def not_delivered(self) -> None:
        world = self.world
        lost, standing_in = (world.tasks.start() for _ in range(2))
        pause = self.mint(waiter=body_of(lost))
        with world.deployment.probe.failing(SendTaskSuccess=aws_error("TaskTimedOut")):
            world.handlers.post("/answers", pause.answer(response=pause.response(selections=[], other=SAID)))
        gone = self.mint(waiter=body_of(standing_in), ttl_seconds=600, on_expiry=DEFAULT)
        world.tasks.end(standing_in)
        self.refuse("resume", "/answers", gone.answer())
        world.sweep(after=600)

    def not_answered(self) -> None:
        world = self.world
        expired = self.mint(waiter=body_of(world.tasks.start()), ttl_seconds=600, remind_after_seconds=60)
        damaged = self.mint(ttl_seconds=600)
        self.mint(ttl_seconds=2 * DAY)
        row = world.deployment.item(world.deployment.row_key(damaged))
        world.deployment.put(row | {"waiter_kind": {"S": "pigeon"}, "waiter_address": {"S": SAID}})
        world.sweep(after=60)
        world.sweep(after=600)
        self.refuse("resume", "/answers", expired.answer())
        world.deployment.delete(world.deployment.row_key(damaged))
        world.sweep(after=DAY)

    def seen_to_by_an_operator(self) -> None:
        world, handlers = self.world, self.world.handlers
        lost, unwanted = (self.mint(waiter=body_of(world.tasks.start()), recipients=[SAID]) for _ in range(2))
        for _ in range(2):
            handlers.post(f"/pauses/{unwanted.minted['jti']}/links/revoke", {"recipient": SAID})
        with world.deployment.probe.failing(SendTaskSuccess=aws_error("TaskTimedOut")):
            handlers.post("/answers", lost.answer(response=lost.response(selections=[], other=SAID)))
        listed(handlers, lost.request["scope"])
        for path in (f"/pauses/{each}/links" for each in (unwanted.minted["jti"], lost.minted["jti"])):
            handlers.post(path, {})
        handlers.refused("links", {"jti": lost.minted["jti"]})
        with world.deployment.probe.failing(BatchGetItem=RuntimeError(SAID)):
            handlers.post(f"/pauses/{lost.minted['jti']}/links", {})
        for pause in (lost, unwanted):
            handlers.get(f"/pauses/{pause.minted['jti']}")
            handlers.redrive(pause.minted["jti"])
        for _ in range(2):
            handlers.revoke(unwanted.minted["jti"])
        handlers.refused("inbox", {"action": "redrive", "jti": unwanted.minted["jti"]})
        with world.deployment.probe.failing(BatchGetItem=RuntimeError(SAID)):
            handlers.get(f"/pauses/{lost.minted['jti']}")
        world.sweep(after=600)

    def taken_back_by_the_program_that_asked(self) -> None:
        """The reason is for people, and is in no line."""
        world, handlers = self.world, self.world.handlers
        unwanted, old = (self.mint(waiter=body_of(world.tasks.start())) for _ in range(2))
        for _ in range(2):
            handlers.post(f"/pauses/{unwanted.minted['jti']}/revoke", {"reason": SAID})
        handlers.post(f"/pauses/{unwanted.minted['jti']}/revoke", {"reason": SAID * 500})
        self.mint(scope=old.request["scope"], supersedes=old.minted["jti"])
        world.sweep(after=60)

    def left_by_a_run_that_was_stopped(self) -> None:
        world, task = self.world, self.world.tasks.start()
        execution = world.tasks.execution_of(task)
        self.mint(waiter={**body_of(task), "execution": execution})
        world.tasks.end(task)
        world.handlers.invoke("ended", ends_of(execution))
        world.sweep(after=60)

    def gone_wrong(self) -> None:
        """Stores that are down, errors that nobody foresaw, and requests that name no pause."""
        world, pause = self.world, self.mint()
        with world.deployment.probe.failing(PutObject=aws_error("AccessDenied", status=403)):
            lost = world.handlers.pause(**{**a_secret_mint(), "messages": [{"role": "user", "content": BUCKET_SIZED}]})
        self.recorded.keep(lost.minted)
        self.pauses.append(lost)
        body = pause.resume(response=pause.response(selections=[], other=SAID))
        for error in (BUSY, aws_error("ValidationException"), RuntimeError(SAID)):
            with world.deployment.probe.failing(UpdateItem=error, PutItem=error):
                self.refuse("resume", "/resume", body)
                self.refuse("mint", "/pauses", {**pause.request, "checkpoint_id": "another"})
        with world.deployment.probe.failing(Query=BUSY), pytest.raises(Exception, match="unavailable"):
            world.sweep()
        with part_unread(pause), pytest.raises(Exception, match="unavailable"):
            world.sweep()
        self.mint(ttl_seconds=60)
        with rows_unread(1):
            world.sweep(after=60)
        self.refuse("resume", "/resume", pause.resume(pause_token=SAID))
        self.refuse("mint", "/pauses", {**pause.request, "payload": {SAID: SAID}})

        self.answerable_by_no_person()

    def answerable_by_no_person(self) -> None:
        minted = self.world.load(ASKBACK_SIGN_IN="none").pause(**a_secret_mint(least_assurance="signed_in"))
        self.recorded.keep(minted.minted)
        self.pauses.append(minted)

    def told_to_people(self) -> None:
        """By a topic that there is and by mail that nobody may send, until there is nothing to tell any more."""
        world, pause = self.world, self.mint(recipients=[ADDRESS, "bob"])
        event = {"detail-type": "PauseIssued", "detail": world.deployment.claims(pause.minted["pause_token"])}
        topic = boto3.client("sns").create_topic(Name="whole-story")["TopicArn"]
        by_mail: dict[str, Any] = {"ASKBACK_NOTIFY_FROM_ADDRESS": "nobody@unverified.example"}
        world.load(ASKBACK_NOTIFY_TOPIC_ARN=topic).invoke("notify", event)
        with pytest.raises(Exception, match="1 of 1 messages failed"):
            world.load(**by_mail).invoke("notify", event)
        with world.deployment.probe.failing(GetItem=BUSY), pytest.raises(Exception, match="unavailable"):
            world.load(**by_mail).invoke("notify", event)
        world.handlers.revoke(pause.minted["jti"])
        world.load(**by_mail).invoke("notify", event)

    def audited(self) -> None:
        """With a log that cannot be written at first."""
        event = {"Records": self.stream.records()}
        with self.world.deployment.probe.failing(PutLogEvents=BUSY):
            self.world.handlers.invoke("audit", event)
        self.world.handlers.invoke("audit", event)


def counted(entries: list[dict[str, Any]]) -> dict[str, set[tuple[str, tuple[str, ...]]]]:
    """Return by function each metric that was counted and the dimensions it was counted by."""
    found: dict[str, set[tuple[str, tuple[str, ...]]]] = {}
    for entry in entries:
        for directive in entry.get("_aws", {}).get("CloudWatchMetrics", ()):
            service = entry["service"].rpartition("-")[2]
            found.setdefault(service, set()).update(
                (metric["Name"], tuple(by)) for metric in directive["Metrics"] for by in directive["Dimensions"]
            )
    return found


def test_what_is_written_names_the_pause_and_tells_no_secret_and_all_of_it_is_counted(
    world: World, recorded: Recorded
) -> None:
    story = Story(world, recorded)
    story.tell()

    announced = world.listener.heard()
    assert len(announced) > len(story.pauses)
    assert not [secret for secret in recorded.secrets if secret in json.dumps(announced)]

    entries = recorded.entries()
    lines = [entry for entry in entries if "message" in entry]
    assert all(line.get("request_id") for line in lines)
    claims = [world.deployment.claims(pause.minted["pause_token"]) for pause in story.pauses]
    named = {(each["jti"], each["name"], each["scope_hash"]) for each in claims}
    unnamed = [
        line for line in lines if (line.get("jti"), line.get("interaction"), line.get("scope_hash")) not in named
    ]
    # A mint that failed had signed its pause, so its lines name one that was never issued.
    never_issued = [line for line in unnamed if "jti" in line]
    assert {(line["interaction"], line["scope_hash"]) for line in never_issued} <= {each[1:] for each in named}
    assert len({line["jti"] for line in never_issued}) == 1
    about_none = [(line["message"], line.get("code", "")) for line in unnamed if "jti" not in line]
    assert sorted({*about_none}) == [
        ("BatchAnswered", ""),
        ("PausesListed", ""),
        ("a part of the due index could not be read", "store-unavailable"),
        ("could not sweep", "store-unavailable"),
        ("decisions were not written; Lambda sends them again", "store-unavailable"),
        ("due rows were not returned by the table", ""),
        ("refused", "bad-request"),
        ("refused", "token-rejected"),
        ("swept", ""),
        ("unforeseen", ""),
    ]

    own, by_code = ("service",), ("service", "code")
    assert counted(entries) == {
        function: {(name, own) for name in names} | {(name, by_code) for name in names & BY_CODE}
        for function, names in OWN.items()
        if function not in TOOL_SERVERS
    }


def test_how_long_an_answer_took_is_not_measured_for_a_token_that_does_not_say_when_it_was_issued(
    world: World, recorded: Recorded
) -> None:
    handlers = world.load(ASKBACK_KEY_SECRET_ID="", ASKBACK_LOCAL_KEY_RING=KEY_RING)
    pause = handlers.pause(messages=..., checkpoint_id="legacy")
    recorded.keep(pause.minted)
    world.deployment.leave_as_legacy(pause)
    token = legacy_token(pause, KEY_RING)
    body = pause.resume(action="answer", pause_token=token)
    assert handlers.invoke("resume", body)["replayed"] is False
    (taken,) = [entry for entry in recorded.entries() if "PauseAnswered" in entry]
    assert "TimeToAnswerSeconds" not in taken
    assert [taken[name] for name in sorted(LEGACY)] == [[1.0]]
    (line,) = [entry for entry in recorded.entries() if entry.get("message") == "PauseAnswered"]
    assert (line["jti"], line["legacy"]) == (pause.minted["jti"], "true")
    assert line["scope_hash"] == Scope(**pause.request["scope"]).digest()[:16]
    assert handlers.invoke("resume", body)["replayed"] is True
    assert sum("LegacyRedeemed" in entry for entry in recorded.entries()) == 1


def test_the_line_of_an_answer_has_the_principal_that_states_who_answers_and_a_person_has_none(
    world: World, recorded: Recorded
) -> None:
    handlers = world.load()
    backend = "arn:aws:sts::123456789012:assumed-role/backend/session-1"
    stated, by_link = handlers.pause(), handlers.pause()
    assert handlers.post("/resume", stated.resume(), arn=backend).status == 200
    body = {"answer_token": by_link.minted["answer_token"], "response": by_link.response()}
    assert handlers.post("/answers", body).status == 200
    lines = {entry["jti"]: entry for entry in recorded.entries() if entry.get("message") == "PauseAnswered"}
    assert lines[stated.minted["jti"]]["principal"] == backend
    assert "principal" not in lines[by_link.minted["jti"]]

"""The ended function. A queue hands it the executions that have ended, and it revokes their open pauses.

The queue keeps each message for a minute first: a mint that ran when its execution was stopped has ended by then. A
message whose work is not done comes again, and after five times it is kept among the failures. A message that comes
twice does nothing twice.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import askback.edge.cold_start
from askback.domain.delivery.ended import EndedRun
from askback.domain.errors import HumanInteractionError, InvalidRequest
from askback.edge.log import pause_keys
from askback.edge.serve_event import EventReply, serve_event, time_left
from askback.wiring.ended import EndedServices, build
from askback.wiring.observers import observers

logger, metrics = observers("ended")

SPARE_MILLISECONDS = 15_000
"""The function starts no further pause with less time left: a pause may need services that answer slowly."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A message of the queue: its id, and the ARN of the execution that has ended; empty if it names none."""

    id: str
    execution: str


def messages(event: Any) -> Sequence[Message]:
    """Return the messages of the queue's event; raises InvalidRequest for an event of another kind."""
    match event:
        case {"Records": [*records]}:
            return [_message(record) for record in records]
    raise InvalidRequest("this function takes messages of its queue alone")


def _message(record: Any) -> Message:
    match record:
        case {"messageId": str(message_id), "body": str(body)}:
            return Message(id=message_id, execution=_ended_execution(body))
    raise InvalidRequest("this function takes messages of its queue alone")


def _ended_execution(body: str) -> str:
    """Return the ARN of the execution in an event of Step Functions; empty for any other text."""
    try:
        event = json.loads(body)
    except (ValueError, RecursionError):
        return ""
    match event:
        case {
            "source": "aws.states",
            "detail-type": "Step Functions Execution Status Change",
            "detail": {
                "executionArn": str(execution),
                "status": "SUCCEEDED" | "FAILED" | "TIMED_OUT" | "ABORTED",
            },
        }:
            return execution
    return ""


async def end(asked: Sequence[Message], services: EndedServices, context: Any) -> EventReply:
    """Revoke the open pauses of the executions, and name the messages whose work is not done."""
    may_go_on = time_left(context, spare_milliseconds=SPARE_MILLISECONDS)
    unfinished: list[str] = []
    revoked = failed = 0
    for message in asked:
        try:
            if not message.execution:
                raise InvalidRequest("the message names no execution that has ended")
            run = await services.runs.end(message.execution, at=services.clock(), may_go_on=may_go_on)
        except HumanInteractionError as error:
            logger.error("could not end a run", extra={"message_id": message.id, **_named(error)})  # noqa: TRY400
            unfinished.append(message.id)
            continue
        _log(run)
        revoked += len(run.revoked)
        failed += len(run.failed)
        if not run.is_done:
            unfinished.append(message.id)
    return EventReply(
        body={"batchItemFailures": [{"itemIdentifier": each} for each in unfinished]},
        counts=[("RunEnded", len(asked) - len(unfinished)), ("PauseRevoked", revoked), ("RevocationFailed", failed)],
    )


def _log(run: EndedRun) -> None:
    """Write a line for each pause; no line has the ARN, which can have a name that the run's owner chose."""
    for claims in run.revoked:
        logger.info("revoked, because its run has ended", extra=pause_keys(claims))
    for jti, error in run.failed.items():
        logger.error("could not revoke the pause of an ended run", extra={"jti": jti, **_named(error)})
    if run.cut_off:
        logger.warning("no time was left for every pause of the run; its message comes again")


def _named(error: HumanInteractionError) -> dict[str, str]:
    return {"code": error.code, "reason": error.reason or str(error)}


handler = serve_event(build, task="end runs", read=messages, act=end, logger=logger, metrics=metrics)

askback.edge.cold_start.ended()

"""The audit function: the table's stream invokes it, and it writes one line for each decision about a pause.

Lambda sends a batch again from the first record that the reply names, so a line is written at least once. Only
decisions have lines: most writes of a row change nothing that an auditor asks for.
"""

from collections.abc import Mapping
from typing import Any

import askback.edge.cold_start
from askback.edge.serve_event import EventReply, serve_event
from askback.wiring.audit import AuditServices, build
from askback.wiring.observers import observers

logger, metrics = observers("audit")


def records(event: Any) -> Mapping[str, Any]:
    """Return the event of the stream; raises TypeError or KeyError for one of another kind."""
    return {"Records": list(event["Records"])}


async def audit(event: Mapping[str, Any], services: AuditServices, context: Any) -> EventReply:
    """Write the lines of the event's decisions, and name the records whose lines must be written again."""
    lines = [line for write in services.writes_of(event) for line in write.lines()]
    unwritten, error = await services.log.append(lines)
    if error is not None:
        extra = {"code": error.code, "reason": error.reason or str(error), "lines": len(unwritten)}
        logger.error("decisions were not written; Lambda sends them again", extra=extra)
    return EventReply(
        # A write with two lines is named once.
        body={
            "batchItemFailures": [{"itemIdentifier": each} for each in dict.fromkeys(line.place for line in unwritten)]
        },
        counts=[("DecisionsWritten", len(lines) - len(unwritten)), ("DecisionsUnwritten", len(unwritten))],
    )


handler = serve_event(build, task="audit", read=records, act=audit, logger=logger, metrics=metrics)

askback.edge.cold_start.ended()

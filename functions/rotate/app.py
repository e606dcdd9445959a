"""The rotation function of the key secret: Secrets Manager invokes it for each step of a rotation.

It raises every error, so that Secrets Manager repeats the step.
"""

from typing import Any

import askback.edge.cold_start
from askback.domain.keys.rotation import RotationRequest
from askback.edge.serve_event import EventReply, serve_event
from askback.wiring.observers import observers
from askback.wiring.rotate import RotateServices, build

logger, metrics = observers("rotate")


async def rotate(request: RotationRequest, services: RotateServices, context: Any) -> EventReply:
    """Do one step and report what was done."""
    did = await services.rotation.run(request)
    step = {"step": request.step.value, "version_id": request.version_id}
    logger.info(did, extra=step)
    return EventReply(body={**step, "did": did})


handler = serve_event(
    build,
    task="rotate",
    read=RotationRequest.of_event,
    act=rotate,
    logger=logger,
    metrics=metrics,
)

askback.edge.cold_start.ended()

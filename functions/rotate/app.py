"""The rotation function of the key secret: Secrets Manager invokes it for each step of a rotation."""

from typing import Any

import askback.edge.cold_start
from askback.domain.errors import HumanInteractionError
from askback.domain.keys.rotation import RotationError, RotationRequest
from askback.edge.log import begin
from askback.edge.no_event_loop import run_straight_through
from askback.wiring.rotate import key_rotation
from askback.wiring.services import observers

logger, _ = observers("rotate")
rotation = key_rotation


def handler(event: Any, context: Any) -> dict[str, str]:
    """Do one step and say what was done; what goes wrong is raised, so that Secrets Manager repeats the step."""
    begin(logger, request_id=context.aws_request_id)
    try:
        request = RotationRequest.of_event(event)
        did = run_straight_through(rotation().run(request))
    except (HumanInteractionError, RotationError) as error:
        reason = getattr(error, "reason", "") or str(error)
        logger.error("could not rotate", extra={"code": error.code, "reason": reason})  # noqa: TRY400 - the code says it
        raise
    logger.info(did, extra={"step": request.step.value, "version_id": request.version_id})
    return {"step": request.step.value, "version_id": request.version_id, "did": did}


askback.edge.cold_start.ended()

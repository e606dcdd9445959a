"""The audit trail as structured log lines; the ledger row also keeps the redeeming scope."""

from dataclasses import asdict

from aws_lambda_powertools.logging import Logger

from askback.domain.pause.audit import CrossScopeRedemption


class LoggedAuditTrail:
    """Writes each audited event as one line of the function's structured log."""

    def __init__(self, logger: Logger) -> None:
        self._logger = logger

    async def record(self, event: CrossScopeRedemption) -> None:
        """Write the event."""
        # Level ERROR, although it is not an error: lines of a lower level are left out at some log levels.
        self._logger.error("cross-scope redemption", extra={"audit": asdict(event)})

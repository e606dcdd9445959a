"""The log of decisions: a CloudWatch log group of its own, one JSON line for each decision.

CloudWatch silently drops an event that is too old or too new, and refuses a batch that is too large, too long in time
or out of order. So each line's timestamp is brought within these limits first, and the lines are sent in batches that
fit. Source of the limits: the API reference of PutLogEvents.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from botocore.exceptions import ClientError

from askback.adapters.aws.errors import CLIENT_ERRORS, classify, error_code
from askback.domain.errors import HumanInteractionError, StoreUnavailable
from askback.domain.pause.decisions import AuditLine
from askback.domain.timestamps import rfc3339

BATCH_MAX_BYTES, EVENT_EXTRA_BYTES, BATCH_MAX_EVENTS = 1_048_576, 26, 10_000
BATCH_MAX_SPAN_SECONDS = 24 * 3600
OLDEST_SECONDS = 12 * 24 * 3600
"""The oldest time of a decision that is kept as the timestamp, before the write of the row.

CloudWatch takes 14 days. A write can be a day old when its line is written, because the stream keeps it that long.
"""
NEWEST_SECONDS = 3600
"""The same for a time after the write; CloudWatch takes two hours."""


def timestamp_of(line: AuditLine) -> int:
    """Return the timestamp of a line, in epoch seconds: the time of the decision, or else that of the write.

    It depends on the line alone: a line that is written twice has the same timestamp, so that a reader finds both in
    the same place.
    """
    near = -NEWEST_SECONDS <= line.written_at - line.at <= OLDEST_SECONDS
    return line.at if near else line.written_at


class CloudWatchDecisionLog:
    """Writes audit lines to the log group, into one log stream for each day."""

    def __init__(self, *, client: Callable[[], Any], log_group: str, clock: Callable[[], int]) -> None:
        self._client = client
        self._log_group = log_group
        self._clock = clock

    async def append(self, lines: Sequence[AuditLine]) -> tuple[Sequence[AuditLine], HumanInteractionError | None]:
        """Write the lines; return those that may not have been written, and the error of the first."""
        stream = rfc3339(self._clock()).partition("T")[0]
        batches = list(_batches(lines))
        for number, batch in enumerate(batches):
            try:
                self._put(stream, batch)
            except HumanInteractionError as error:
                return [line for unsent in batches[number:] for line in unsent], error
        return [], None

    def _put(self, stream: str, batch: Sequence[AuditLine]) -> None:
        client = self._client()
        events = [{"timestamp": timestamp_of(line) * 1000, "message": line.text()} for line in batch]
        where = {"logGroupName": self._log_group, "logStreamName": stream}
        try:
            try:
                reply = client.put_log_events(**where, logEvents=events)
            except ClientError as error:
                if error_code(error) != "ResourceNotFoundException":
                    raise
                self._create(stream)
                reply = client.put_log_events(**where, logEvents=events)
        except CLIENT_ERRORS as error:
            raise classify(error, resource=self._resource, endpoint=client.meta.endpoint_url) from error
        if reply.get("rejectedLogEventsInfo"):
            raise StoreUnavailable(reason=f"{self._resource}: events were rejected for their time")

    def _create(self, stream: str) -> None:
        try:
            self._client().create_log_stream(logGroupName=self._log_group, logStreamName=stream)
        except ClientError as error:
            # Another instance of the function has created it.
            if error_code(error) != "ResourceAlreadyExistsException":
                raise

    @property
    def _resource(self) -> str:
        return f"log group {self._log_group}"


def _batches(lines: Sequence[AuditLine]) -> Iterator[list[AuditLine]]:
    """Yield the lines in order of their timestamps, in batches that CloudWatch takes."""
    batch: list[AuditLine] = []
    size = 0
    for line in sorted(lines, key=timestamp_of):
        own = len(line.text().encode()) + EVENT_EXTRA_BYTES
        full = size + own > BATCH_MAX_BYTES or len(batch) == BATCH_MAX_EVENTS
        if batch and (full or timestamp_of(line) - timestamp_of(batch[0]) >= BATCH_MAX_SPAN_SECONDS):
            yield batch
            batch, size = [], 0
        batch.append(line)
        size += own
    if batch:
        yield batch

"""The results of a batch: the receipt of each accepted answer, and the refusal of every other one."""

from collections.abc import Mapping
from typing import Any

from askback.client.refusals import error_in
from askback.client.results import AnswerReceipt
from askback.client.transport import CallFailed, Reply
from askback.domain.errors import HumanInteractionError

Answered = AnswerReceipt | HumanInteractionError | CallFailed
"""What became of one answer; a refusal is returned and not raised, because other answers were accepted."""


def answered_items(reply: Mapping[str, Any], *, asked: int) -> list[Answered]:
    """Read the reply to a batch of `asked` answers; raises LookupError, TypeError or ValueError for another form."""
    items = reply["items"]
    if len(items) != asked:
        raise ValueError("the reply has another number of items than the request")
    return [_answered(item) for item in items]


def _answered(item: Mapping[str, Any]) -> Answered:
    error = error_in(Reply(status=item["status"], document=item.get("problem", {})))
    return AnswerReceipt.from_reply(item["receipt"]) if error is None else error

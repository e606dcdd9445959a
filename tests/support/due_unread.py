"""Parts of the due index, and due rows, that the table does not return to a sweep."""

from contextlib import AbstractContextManager
from typing import Any
from unittest.mock import patch

from askback.adapters.dynamodb import due_index
from askback.adapters.dynamodb.batch_read import read_some_items
from askback.adapters.dynamodb.due_index import DueIndex
from askback.adapters.dynamodb.keys import due_shard
from tests.support.aws_probe import aws_error
from tests.support.request_bodies import Pause


def part_unread(pause: Pause) -> AbstractContextManager[object]:
    """Let the Query of the pause's part of the index fail."""
    failing, whole = due_shard(pause.minted["jti"]), DueIndex._shard  # noqa: SLF001 - the one place that knows the part

    def shard(index: DueIndex, name: str, **request: Any) -> Any:
        if name == failing:
            raise aws_error("ThrottlingException")
        return whole(index, name, **request)

    return patch.object(DueIndex, "_shard", shard)


def rows_unread(count: int) -> AbstractContextManager[object]:
    """Let the table leave this many of the due rows unread."""

    def read(*request: Any, **more: Any) -> Any:
        found, _ = read_some_items(*request, **more)
        return dict(list(found.items())[count:]), count

    return patch.object(due_index, "read_some_items", read)

"""Makes pages of index entries: each entry's row is read from the table, so a line says what the row says now.

A page is bounded: by its lines, and by the entries that it looks through.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from askback.adapters.aws.errors import CLIENT_ERRORS, classify
from askback.adapters.dynamodb.batch_read import MOST_KEYS, identity, read_items
from askback.adapters.dynamodb.keys import PK, SK, jti_of
from askback.adapters.dynamodb.ledger_items import EXP, SCOPE_LABEL, STATUS, read_row
from askback.domain.errors import RowUnreadable
from askback.domain.pause.ledger import PauseStatus
from askback.domain.pause.listing import LOOK_MAX, UNREADABLE, ListedPause, Wanted

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

Item = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Walked:
    """The lines of a page, the entries that were looked through, and whether there are more of them."""

    lines: tuple[ListedPause, ...]
    entries: Sequence[Item]
    more: bool


def queried(client: "DynamoDBClient", table: str, *, size: int, **request: Any) -> Iterator[Item]:
    """Yield the entries of a query, read page by page of `size` as they are needed.

    Raises:
        StoreUnavailable, InteractionConfigurationError: a page could not be read.
    """
    while True:
        try:
            found = client.query(TableName=table, Limit=size, **request)
        except CLIENT_ERRORS as error:
            raise classify(error, resource=f"table {table}", endpoint=client.meta.endpoint_url) from error
        yield from found["Items"]
        last = found.get("LastEvaluatedKey")
        if last is None:
            return
        request["ExclusiveStartKey"] = last


def walk(
    client: "DynamoDBClient",
    table: str,
    entries: Iterator[Item],
    *,
    line: Callable[[Item, Item | None], ListedPause | None],
    wanted: Wanted | None,
    limit: int,
    may_fit: Callable[[Item], bool] = lambda _: True,
) -> Walked:
    """Return up to `limit` wanted lines. The row of an entry that cannot fit is not read.

    `line` makes the line of an entry and of its row, None for no row; it returns None for no line.
    """
    lines: list[ListedPause] = []
    looked: list[Item] = []
    size = limit if wanted is None else MOST_KEYS
    while len(looked) < LOOK_MAX:
        chunk = list(islice(entries, min(size, LOOK_MAX - len(looked))))
        if not chunk:
            return Walked(lines=tuple(lines), entries=looked, more=False)
        keys = [{PK: entry[PK], SK: entry[SK]} for entry in chunk if may_fit(entry)]
        rows = read_items(client, table, keys)
        for place, entry in enumerate(chunk):
            looked.append(entry)
            made = line(entry, rows.get(identity(entry))) if may_fit(entry) else None
            if made is not None and (wanted is None or wanted(made)):
                lines.append(made)
            if len(lines) == limit:
                more = place + 1 < len(chunk) or next(entries, None) is not None
                return Walked(lines=tuple(lines), entries=looked, more=more)
    return Walked(lines=tuple(lines), entries=looked, more=next(entries, None) is not None)


def line_of(item: Item, *, whole: bool, issued_at: int | None, place_is_good: bool = True) -> ListedPause:
    """Return the line of a stored row, or, if it is not `whole`, of an index entry, which has few of its attributes.

    A damaged one, or one of a newer version, has a line and a status of its own.
    """
    row, is_good = None, place_is_good
    if whole:
        try:
            row = read_row(item)
        except RowUnreadable:
            is_good = False
    said = {
        "jti": jti_of(item[PK]["S"]),
        "scope_hash": _text(item, "scope_hash"),
        "scope_label": _text(item, SCOPE_LABEL),
        "name": _text(item, "name"),
    }
    try:
        status, expires_at = PauseStatus(item[STATUS]["S"]).value, int(item[EXP]["N"])
    except (LookupError, ValueError):
        status, expires_at = UNREADABLE, None
    if not is_good or not said["name"]:
        status, row = UNREADABLE, None
    return ListedPause(**said, status=status, issued_at=issued_at, expires_at=expires_at, row=row)


def _text(item: Item, name: str) -> str:
    return str(item.get(name, {}).get("S", ""))

"""The AWS requests of one invocation, as they left the process, and what follows from them.

Sequential round trips are the longest chain of requests in which each starts only after the one before has ended: the
largest set of intervals of which no two overlap. Every request is held back by the same latency before it is sent, far
longer than anything the function does between requests; so requests that are made at the same time do overlap, and
requests of which one waits for the other cannot.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.support.write_units import Item, page_read_units, read_units

_DYNAMODB_WRITES = frozenset({"PutItem", "UpdateItem", "DeleteItem"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One request: when it was made and answered (seconds on one clock), and both bodies where the service speaks JSON.

    `operation` is `dynamodb.PutItem`, or `s3.PUT` for a service that is called by method and path.
    """

    operation: str
    start: float
    end: float
    request: Mapping[str, Any]
    response: Mapping[str, Any]

    @property
    def service(self) -> str:
        return self.operation.partition(".")[0]

    @property
    def written_key(self) -> Mapping[str, Any] | None:
        """The key of the item that the request wrote, or more; None when it wrote none."""
        service, _, name = self.operation.partition(".")
        if service != "dynamodb" or name not in _DYNAMODB_WRITES:
            return None
        key: Mapping[str, Any] = self.request["Item"] if name == "PutItem" else self.request["Key"]
        return key

    @property
    def item_after(self) -> Item | None:
        """The item that the request wrote, where the request or its response has the whole of it."""
        match self.operation, self.request:
            case "dynamodb.PutItem", {"Item": item}:
                return item  # type: ignore[no-any-return]
            case "dynamodb.UpdateItem", {"ReturnValues": "ALL_NEW"}:
                return self.response.get("Attributes")
        return None

    @property
    def items_read(self) -> int:
        """How many items or index entries came back."""
        return len(self._found())

    def read_units(self) -> float:
        """DynamoDB read units of a BatchGetItem or of a Query on an index; zero for anything that reads no items."""
        if self.operation == "dynamodb.Query":
            return page_read_units(self._found())
        if self.operation != "dynamodb.BatchGetItem":
            return 0
        found, asked = self._found(), self._asked()
        if not asked.get("ConsistentRead"):
            raise ValueError("only strongly consistent reads are counted here")
        return sum(read_units(item) for item in found) + (len(asked["Keys"]) - len(found)) * read_units(None)

    def _found(self) -> Sequence[Item]:
        if self.operation == "dynamodb.Query":
            if self.request.get("ConsistentRead") or "FilterExpression" in self.request:
                raise ValueError("only eventually consistent queries without a filter are counted here")
            items: Sequence[Item] = self.response["Items"]
            return items
        if self.operation != "dynamodb.BatchGetItem":
            return ()
        return [item for items in self.response["Responses"].values() for item in items]

    def _asked(self) -> Mapping[str, Any]:
        (asked,) = self.request["RequestItems"].values()
        return asked  # type: ignore[no-any-return]


def read_calls(raw: Iterable[Mapping[str, Any]]) -> tuple[Call, ...]:
    """Read what a probed function reported."""
    return tuple(
        Call(
            operation=call["operation"],
            start=call["start"],
            end=call["end"],
            request=json.loads(call["request"] or "{}"),
            response=json.loads(call["response"] or "{}"),
        )
        for call in raw
    )


def sequential_round_trips(calls: Sequence[Call]) -> int:
    """Return the length of the longest chain of calls that do not overlap in time."""
    chain, free_from = 0, float("-inf")
    # Taking whichever ends first leaves the most room for the rest.
    for call in sorted(calls, key=lambda call: call.end):
        if call.start >= free_from:
            chain, free_from = chain + 1, call.end
    return chain

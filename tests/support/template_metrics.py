"""The metrics there are: those the functions count, and those of AWS that the stack's resources have.

`tests/functions/test_logs_and_metrics.py` holds the first table to what the functions really write.
"""

from collections.abc import Iterable, Mapping
from typing import Final

_TOOLS: Final = frozenset(
    {
        "McpAnswered", "McpRefused", "McpNotAllowed", "McpOriginRefused", "PauseIssued", "MintRepeated",
        "Unanswerable", "OutcomeRead", "AnswerAwaited", "PauseRevoked", "RevocationReplayed", "PausesListed", "Refused",
        "Unforeseen",
    }
)  # fmt: skip
OWN: Final[Mapping[str, frozenset[str]]] = {
    "mint": frozenset(
        {
            "PauseIssued", "MintRepeated", "NotRecorded", "Unanswerable", "PauseRevoked", "RevocationReplayed",
            "Refused", "RefusalRaised", "Unforeseen",
        }
    ),
    "resume": frozenset(
        {
            "PauseAnswered", "AnswerReplayed", "QuestionShown", "QuestionUnchanged", "OutcomeRead", "Refused",
            "RefusalRaised", "Unforeseen", "BatchAnswered",
            "Delivered", "DeliveryPending", "Undeliverable", "TimeToAnswerSeconds", "DeliveryLagSeconds",
        }
    ),
    "sweep": frozenset(
        {
            "Swept", "OldestDueSeconds", "WaitingOutcomeSeconds", "DeliveryLagSeconds", "Delivered", "DeliveryRetried",
            "Undeliverable", "Expired", "ExpirySettled", "RevocationSettled", "SupersessionSettled",
            "AnsweredByPolicy", "Reminded", "OpenTooLong", "OpenPauses", "OldestOpenSeconds", "RowFailed", "RowUnread",
            "DuePartUnread",
        }
    ),
    "ended": frozenset({"RunEnded", "PauseRevoked", "RevocationFailed"}),
    "notify": frozenset({"MessageSent", "MessageFailed", "RecipientUnreached"}),
    "audit": frozenset({"DecisionsWritten", "DecisionsUnwritten"}),
    "mcp": _TOOLS,
    "usermcp": _TOOLS | {"McpMetadataRead", "McpSignInAsked"},
    "links": frozenset({"LinksIssued", "Refused", "RefusalRaised", "Unforeseen"}),
    "inbox": frozenset(
        {
            "PausesListed", "PauseShown", "PauseRevoked", "RevocationReplayed", "LinkRevoked",
            "LinkRevocationReplayed", "PauseRedriven", "Refused", "RefusalRaised", "Unforeseen",
        }
    ),
}  # fmt: skip
"""What each function counts under its own service, in the namespace `askback`."""
TOOL_SERVERS: Final = frozenset({"mcp", "usermcp"})
"""The functions that serve tools; tests/functions/test_mcp_logs.py holds them to the table."""
OF_THE_ACCESS_LOG: Final = frozenset({"ApiThrottled"})
"""What a metric filter counts in the access log, in the namespace `askback/<stack>` and without dimensions."""
LEGACY: Final = frozenset({"LegacyRedeemed"})
"""Counted by the resume function for tokens of the legacy engine; it goes when they are gone."""
BY_CODE: Final = frozenset({"Refused", "RefusalRaised"})
"""Counted once for the service and once more for each code."""

_AWS: Final[Mapping[str, tuple[frozenset[str], tuple[frozenset[str], ...]]]] = {
    "AWS/Lambda": (
        frozenset({"Errors", "Throttles", "Duration", "ConcurrentExecutions", "Invocations", "IteratorAge"}),
        (frozenset({"FunctionName"}),),
    ),
    "AWS/ApiGateway": (frozenset({"Count", "4xx", "5xx", "Latency"}), (frozenset({"ApiId"}),)),
    "AWS/SQS": (frozenset({"ApproximateNumberOfMessagesVisible"}), (frozenset({"QueueName"}),)),
    "AWS/DynamoDB": (
        frozenset(
            {
                "ReadThrottleEvents", "WriteThrottleEvents", "ConsumedReadCapacityUnits", "ConsumedWriteCapacityUnits",
            }
        ),
        (frozenset({"TableName"}), frozenset({"TableName", "GlobalSecondaryIndexName"})),
    ),
}  # fmt: skip
"""Metrics and the sets of dimensions they come with, from the services' own lists of metrics."""


def exists(namespace: str, metric: str, dimensions: Mapping[str, str], *, stack: str) -> bool:
    """Tell whether somebody sends this metric with exactly these dimensions."""
    if namespace == f"askback/{stack}":
        return metric in OF_THE_ACCESS_LOG and not dimensions
    if namespace != "askback":
        metrics, sets = _AWS.get(namespace, (frozenset(), ()))
        return metric in metrics and frozenset(dimensions) in sets
    function = dimensions.get("service", "").removeprefix(f"{stack}-")
    counted = metric in OWN.get(function, ()) or (function == "resume" and metric in LEGACY)
    return counted and (
        set(dimensions) == {"service"} or (set(dimensions) == {"service", "code"} and metric in BY_CODE)
    )


def paired(flat: Iterable[str]) -> dict[str, str]:
    """Return name and value, name and value, as a mapping."""
    names = iter(flat)
    return dict(zip(names, names, strict=True))

"""The permissions that nothing on this machine can enforce, each with its reason and the source that asks for it.

Kept exact: one that is cut from a role, or added to it, is not among these any more and fails the suite.
"""

from collections.abc import Iterator
from typing import Final

from tests.built.deployed.policies import Permission

TRACED_FUNCTIONS: Final = (
    "AuditRole",
    "DurableExampleRole",
    "EndedRole",
    "InboxRole",
    "LinksRole",
    "McpRole",
    "MintRole",
    "NotifyRole",
    "PageRole",
    "ResumeRole",
    "RotateRole",
    "SweepRole",
    "UserMcpRole",
)
SEGMENTS: Final = ("xray:PutTraceSegments", "xray:PutTelemetryRecords")
SAMPLING: Final = ("xray:GetSamplingRules", "xray:GetSamplingTargets")
DELIVERY: Final = (
    "logs:CreateLogDelivery",
    "logs:GetLogDelivery",
    "logs:UpdateLogDelivery",
    "logs:DeleteLogDelivery",
    "logs:ListLogDeliveries",
    "logs:PutResourcePolicy",
    "logs:DescribeResourcePolicies",
    "logs:DescribeLogGroups",
)


_TRACES: Final = (
    "Lambda sends an actively traced function's segments with its role; no emulator has X-Ray."
    " https://docs.aws.amazon.com/lambda/latest/dg/services-xray.html"
)
_FLOW_TRACES: Final = (
    "Step Functions samples and sends segments with the state machine's role; no emulator has X-Ray."
    " https://docs.aws.amazon.com/step-functions/latest/dg/concepts-xray-tracing.html"
)
_FLOW_LOGS: Final = (
    "Step Functions sets its log delivery up with the state machine's role; moto's interpreter delivers no logs."
    " https://docs.aws.amazon.com/step-functions/latest/dg/cw-logs.html"
)
_STATE: Final = (
    "A durable function pages through a state that did not fit into its event; MiniStack always sends all of it."
    " https://docs.aws.amazon.com/lambda/latest/dg/durable-security.html"
)
_ROTATION: Final = (
    "RotateSecret asks whether its caller may invoke the rotation's function; MiniStack does not ask."
    " https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_RotateSecret.html"
)
_QUEUE: Final = (
    "Lambda takes the messages of a queue with the function's role; MiniStack takes them without asking."
    " https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html"
)
_GIVEN_UP: Final = (
    "Lambda keeps what it gave up of a stream with the function's role, which is after 22 hours here."
    " https://docs.aws.amazon.com/lambda/latest/dg/services-dynamodb-errors.html"
)


def _unenforced() -> Iterator[tuple[Permission, str]]:
    for role in TRACED_FUNCTIONS:
        for action in SEGMENTS:
            yield Permission(role=role, statement="WriteTraces", action=action), _TRACES
    for action in (*SEGMENTS, *SAMPLING):
        yield Permission(role="ApprovalFlowRole", statement="WriteTraces", action=action), _FLOW_TRACES
    for action in DELIVERY:
        yield Permission(role="ApprovalFlowRole", statement="DeliverLogs", action=action), _FLOW_LOGS
    yield Permission(role="OperatorPolicy", statement="RunTheRotation", action="lambda:InvokeFunction"), _ROTATION
    for action in ("sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"):
        yield Permission(role="EndedRole", statement="TakeEvents", action=action), _QUEUE
    yield Permission(role="AuditRole", statement="KeepFailures", action="sqs:SendMessage"), _GIVEN_UP
    state = "lambda:GetDurableExecutionState"
    yield Permission(role="DurableExampleRole", statement="keep-its-state", action=state), _STATE


UNENFORCED: Final = dict(_unenforced())
"""Each permission, and why it is there."""

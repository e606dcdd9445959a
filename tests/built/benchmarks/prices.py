"""List prices in US dollars, us-east-1, without free tiers and discounts, as of November 2026.

Each names the page of the provider that states it. Prices of other regions differ by up to a third; what matters here
is that one price list is applied to counted calls, so that two versions of the code can be compared.
"""

from dataclasses import dataclass

REGION = "us-east-1"
AS_OF = "November 2026"
MILLION = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """Dollars for one unit."""

    dollars: float
    unit: str
    source: str


HTTP_API_REQUEST = Price(
    dollars=1.00 / MILLION, unit="request of up to 512 KB", source="https://aws.amazon.com/api-gateway/pricing/"
)
LAMBDA_REQUEST = Price(dollars=0.20 / MILLION, unit="request", source="https://aws.amazon.com/lambda/pricing/")
LAMBDA_ARM_GB_SECOND = Price(
    dollars=0.0000133334, unit="GB-second, arm64, first tier", source="https://aws.amazon.com/lambda/pricing/"
)
DYNAMODB_WRITE_UNIT = Price(
    dollars=0.625 / MILLION,
    unit="write request unit, on demand, standard class",
    source="https://aws.amazon.com/dynamodb/pricing/on-demand/",
)
DYNAMODB_READ_UNIT = Price(
    dollars=0.125 / MILLION,
    unit="read request unit, on demand, standard class",
    source="https://aws.amazon.com/dynamodb/pricing/on-demand/",
)
S3_PUT = Price(dollars=0.005 / 1000, unit="PUT, standard class", source="https://aws.amazon.com/s3/pricing/")
S3_GET = Price(dollars=0.0004 / 1000, unit="GET, standard class", source="https://aws.amazon.com/s3/pricing/")
SECRET_MONTH = Price(dollars=0.40, unit="secret and month", source="https://aws.amazon.com/secrets-manager/pricing/")
SECRET_CALL = Price(dollars=0.05 / 10_000, unit="call", source="https://aws.amazon.com/secrets-manager/pricing/")
LOGS_GB = Price(
    dollars=0.50, unit="GB of Lambda logs taken in, first tier", source="https://aws.amazon.com/cloudwatch/pricing/"
)
TRACE = Price(dollars=5.00 / MILLION, unit="trace recorded", source="https://aws.amazon.com/xray/pricing/")
SEND_TASK = Price(
    dollars=0.0,
    unit="SendTaskHeartbeat, SendTaskSuccess or SendTaskFailure; only transitions are charged",
    source="https://aws.amazon.com/step-functions/pricing/",
)
STATE_TRANSITION = Price(
    dollars=0.025 / 1000,
    unit="state entered by a Standard workflow",
    source="https://aws.amazon.com/step-functions/pricing/",
)
EVENT = Price(
    dollars=1.00 / MILLION,
    unit="event of up to 64 KB, on any bus",
    source="https://aws.amazon.com/eventbridge/pricing/",
)
SCHEDULER_INVOCATION = Price(
    dollars=1.00 / MILLION, unit="invocation", source="https://aws.amazon.com/eventbridge/pricing/"
)

HOURS_A_MONTH = 730
MINUTES_A_MONTH = HOURS_A_MONTH * 60

VCPU_MB = 1769
"""Memory with which a function has one whole processor; below it, a share. Lambda developer guide, "Configure Lambda
function memory"."""
COLD_SHARE = 0.01
"""Share of invocations that are cold starts, whose initialisation is billed too since August 2025; the provider speaks
of under one per cent ("AWS Lambda standardizes billing for INIT phase")."""
TRACED_SHARES = {"arriving at once": 0.05, "spread evenly over a month": 1.0}
"""Share of requests that the default sampling rule records: the first of every second and 5 % of the rest. Two million
requests spread over a month are less than one a second, so nearly all of them are the first of their second."""

# Ours, not the provider's: named so that they can be argued with.
ROUND_TRIP_SECONDS = 0.005
"""A DynamoDB or S3 request from a function in the same region, for the billed duration."""
SLOW_ROUND_TRIP_SECONDS = 0.025
"""A Step Functions or EventBridge request."""
WARM_ENVIRONMENTS = 1
"""Environments of each function alive all month; each reads the secret every five minutes."""

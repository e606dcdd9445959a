"""What each refusal of AWS means, as a real client meets it on the wire.

Two answers only: send the same request again, or an operator must act. The second names what cannot be used and where.
"""

import asyncio
import json
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

import pytest
from botocore.exceptions import NoCredentialsError

from askback.adapters.dynamodb.ledger import DynamoIssuanceLedger
from askback.adapters.dynamodb.paused_state import DynamoPausedState
from askback.adapters.dynamodb.records import DynamoCheckpoints
from askback.adapters.dynamodb.scope_index import ScopeIndex
from askback.adapters.s3_bodies import S3Bodies
from askback.domain.errors import InteractionConfigurationError, StoreUnavailable
from askback.domain.pause.ledger import RowChange
from askback.domain.pause.waiters import Waiter, WaiterKind
from tests.support.aws_faults import break_wire, reply
from tests.support.aws_stores import aws_environment
from tests.support.domain_values import an_acceptance, an_issued_row, some_claims, some_legacy_claims
from tests.support.memory_deployment import NOW
from tests.support.unreachable_aws import ENDPOINT, WIRE, client

A_WAITER = Waiter(kind=WaiterKind.STEP_FUNCTIONS, address="the-task-token")
PLACE = {"thread_id": "t", "checkpoint_id": "c", "key": "k"}

PASSING = [
    ("ProvisionedThroughputExceededException", 400),
    ("ThrottlingException", 400),
    ("RequestLimitExceeded", 400),
    ("LimitExceededException", 400),
    ("TransactionConflictException", 400),
    ("InternalServerError", 500),
    ("ServiceUnavailable", 503),
    ("NobodyKnowsThisError", 500),
    ("NobodyKnowsThisError", 502),
]
OPERATOR = [
    ("AccessDeniedException", 400),
    ("ResourceNotFoundException", 400),
    ("ValidationException", 400),
    ("UnrecognizedClientException", 400),
    ("ExpiredTokenException", 400),
    ("InvalidSignatureException", 403),
    ("NobodyKnowsThisError", 400),
]


@pytest.fixture(autouse=True)
def environment() -> Iterator[None]:
    with aws_environment():
        yield


def dynamo_calls(dynamodb: Any) -> dict[str, tuple[str, Coroutine[Any, Any, Any]]]:
    """Return every call that our adapters make on the table: its operation, and how to make it."""
    bodies = S3Bodies(client=lambda: client("s3"), bucket="turns")
    ledger = DynamoIssuanceLedger(
        client=dynamodb, table="pauses", bodies=bodies, inline_limit=8192, retention_seconds=1
    )
    checkpoints = DynamoCheckpoints(
        client=dynamodb,
        table="pauses",
        bodies=bodies,
        inline_limit=100,
        retention_seconds=1,
        new_checkpoint_id=lambda: "c",
    )
    states = DynamoPausedState(client=dynamodb, table="pauses", bodies=bodies)
    return {
        "issue": ("PutItem", ledger.issue(an_issued_row())),
        "claim": ("UpdateItem", ledger.claim(some_claims(), an_acceptance())),
        "claim legacy": ("PutItem", ledger.claim(some_legacy_claims(), an_acceptance())),
        "find": ("BatchGetItem", ledger.find("jti")),
        "replace waiter": ("UpdateItem", ledger.replace_waiter(an_issued_row(), A_WAITER)),
        "advance": ("UpdateItem", ledger.advance(an_issued_row(due_at=NOW), RowChange(due_at=None))),
        "redrive": ("UpdateItem", ledger.redrive(an_issued_row(), at=NOW)),
        "list": ("Query", ScopeIndex(client=dynamodb, table="pauses").of_scope("ab", limit=1, after=None)),
        "due": ("Query", ledger.due(at=NOW, limit=1)),
        "write": ("PutItem", checkpoints.write(**PLACE, text="x", expires_at=1)),
        "read": ("GetItem", checkpoints.read(**PLACE)),
        "read state": ("BatchGetItem", states.read(some_claims())),
    }


DYNAMO_CALLS = [
    "issue", "claim", "claim legacy", "find", "replace waiter", "advance", "redrive", "list", "due", "write", "read",
    "read state",
]  # fmt: skip


def dynamo_refusal(call: str, *, code: str, status: int) -> Exception:
    """Return what an adapter raises when DynamoDB refuses the call."""
    dynamodb = client("dynamodb")
    body = json.dumps({"__type": f"com.amazonaws.dynamodb.v20120810#{code}", "message": "words of the service"})
    return failure_of(dynamodb, call, lambda operation: reply(dynamodb, operation, status=status, body=body))


def failure_of(dynamodb: Any, call: str, fault: Callable[[str], None]) -> Exception:
    calls = dynamo_calls(dynamodb)
    operation, coroutine = calls.pop(call)
    for _, other in calls.values():
        other.close()
    fault(operation)
    with pytest.raises(Exception) as raised:  # noqa: PT011 - which one is what the tests ask
        asyncio.run(coroutine)
    return raised.value


@pytest.mark.parametrize(("code", "status"), PASSING)
@pytest.mark.parametrize("call", DYNAMO_CALLS)
def test_what_passes_by_itself_on_the_table_can_be_sent_again(call: str, code: str, status: int) -> None:
    """A-36: a conflict with another transaction is neither an answered pause nor a missing one."""
    error = dynamo_refusal(call, code=code, status=status)
    assert type(error) is StoreUnavailable
    assert code in error.reason


@pytest.mark.parametrize(("code", "status"), OPERATOR)
@pytest.mark.parametrize("call", DYNAMO_CALLS)
def test_what_an_operator_must_mend_names_the_table_and_the_endpoint(call: str, code: str, status: int) -> None:
    """A-55: a missing table or a wrong endpoint is told with both names, in the log and to nobody else."""
    error = dynamo_refusal(call, code=code, status=status)
    assert type(error) is InteractionConfigurationError
    assert code in error.reason
    assert "table pauses" in error.reason
    assert ENDPOINT in error.reason
    assert ENDPOINT not in error.detail
    assert "pauses" not in error.detail


@pytest.mark.parametrize("broken", WIRE, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("call", DYNAMO_CALLS)
def test_a_table_that_cannot_be_reached_can_be_asked_again(call: str, broken: Exception) -> None:
    dynamodb = client("dynamodb")
    error = failure_of(dynamodb, call, lambda operation: break_wire(dynamodb, operation, broken))
    assert type(error) is StoreUnavailable
    assert "table pauses" in error.reason
    assert ENDPOINT in error.reason


def test_a_function_without_credentials_needs_an_operator() -> None:
    dynamodb = client("dynamodb")
    error = failure_of(dynamodb, "claim", lambda operation: break_wire(dynamodb, operation, NoCredentialsError()))
    assert type(error) is InteractionConfigurationError
    assert "NoCredentialsError" in error.reason

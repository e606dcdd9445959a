"""What each use of a decision by several people costs: requests and write units of one request of it."""

from collections.abc import Iterator
from typing import Any

from tests.built.benchmarks import budgets
from tests.built.benchmarks.cycle import SCOPE
from tests.built.benchmarks.deployment import Deployment
from tests.built.benchmarks.invocation import Invocation
from tests.built.benchmarks.report import Row

_PEOPLE = ["ada@example.com", "bob@example.com", "cyd@example.com"]
_YES = {"decision": "approve"}


def measure(deployment: Deployment) -> list[Row]:
    """Ask, vote, move the deadline, pass it on, ask back and reply; each request is measured."""
    asked = {
        "name": "approval",
        "payload": {"title": "Pay the supplier?", "action": {"name": "pay", "arguments": {"amount": 4900}}},
        "scope": SCOPE,
        "run_id": deployment.new_id(),
        "idempotency_key": deployment.new_id(),
        "messages": [{"role": "user", "content": "Pay the supplier."}],
        "approvers": _PEOPLE,
        "quorum": {"needed": 2},
        "ttl_seconds": 3600,
        "max_ttl_seconds": 7200,
        "about": {"takes_questions": True},
        "delegates": ["*@example.com"],
    }
    minted, mint = deployment.post("/pauses", asked)
    token, pause = minted["pause_token"], f"/pauses/{minted['jti']}"

    def votes(person: str, **over: Any) -> Invocation:
        body = {"pause_token": token, "scope": SCOPE, "response": _YES, "answerer": person, **over}
        return deployment.post("/resume", body)[1]

    first = votes("ada@example.com")
    _, extension = deployment.post(f"{pause}/extend", {"extend_seconds": 5400})
    by_bob = {"answer_token": token, "scope": SCOPE, "answerer": "bob@example.com"}
    _, delegation = deployment.invoke(
        "resume", {**by_bob, "action": "delegate", "answerer": "cyd@example.com", "to": "dan@example.com"}
    )
    _, question = deployment.invoke(
        "resume", {**by_bob, "action": "ask-back", "question": "Which invoice is this for?"}
    )
    _, reply = deployment.post(f"{pause}/clarifications", {"number": 1, "reply": "Invoice 2026-117 of 3 May."})
    seen = deployment.post("/questions", {"answer_token": token})[0]["request_hash"]
    votes("ada@example.com", request_hash=seen)
    last = votes("bob@example.com", request_hash=seen)
    uses = {
        "a mint with a quorum": mint,
        "a vote": first,
        "the vote that ends it": last,
        "a deadline that moves": extension,
        "a delegation": delegation,
        "a question back": question,
        "the reply to it": reply,
    }
    return list(_rows(uses))


def _rows(uses: dict[str, Invocation]) -> Iterator[Row]:
    group = "a decision by several people: one use of each"
    for what, used in uses.items():
        budget = budgets.VOTE_CALLS if "vote" in what else None
        yield Row(group=group, what=f"{what}: requests", value=len(used.calls), unit="", budget=budget)
        yield Row(group=group, what=f"{what}: write units", value=sum(used.write_units.values()), unit="")

"""What every audit trail promises: a permitted cross-scope redemption can be proven afterwards, in full."""

import asyncio
import io
import itertools
import json
from dataclasses import asdict
from typing import Any

import pytest
from aws_lambda_powertools.logging import Logger

from askback.adapters.audit_log import LoggedAuditTrail
from askback.domain.pause.audit import CrossScopeRedemption
from askback.domain.ports import AuditTrail
from askback.testing.memory_ports import InMemoryAuditTrail
from tests.support.memory_deployment import NOW

EVENT = CrossScopeRedemption(
    jti="0123",
    name="approval",
    issued_scope_hash="ab" * 32,
    redeemed_scope_hash="cd" * 32,
    redeemed_by="ada",
    at=NOW,
)

_numbers = itertools.count(1)


class AuditTrailContract:
    """Subclasses say which trail, and how what it keeps is read back."""

    @pytest.fixture
    def trail(self) -> AuditTrail:
        raise NotImplementedError

    def kept(self, trail: AuditTrail) -> list[dict[str, Any]]:
        raise NotImplementedError

    def test_an_event_is_kept_with_every_field(self, trail: AuditTrail) -> None:
        asyncio.run(trail.record(EVENT))
        assert self.kept(trail) == [asdict(EVENT)]

    def test_the_same_event_twice_is_kept_twice(self, trail: AuditTrail) -> None:
        asyncio.run(trail.record(EVENT))
        asyncio.run(trail.record(EVENT))
        assert self.kept(trail) == [asdict(EVENT)] * 2


class TestInMemoryAuditTrail(AuditTrailContract):
    @pytest.fixture
    def trail(self) -> InMemoryAuditTrail:
        return InMemoryAuditTrail()

    def kept(self, trail: AuditTrail) -> list[dict[str, Any]]:
        assert isinstance(trail, InMemoryAuditTrail)
        return [asdict(event) for event in trail.events]


class TestLoggedAuditTrail(AuditTrailContract):
    """At every level that the template lets an operator choose: a quiet log must not be an unaudited one."""

    @pytest.fixture(params=["DEBUG", "INFO", "WARNING", "ERROR"])
    def trail(self, request: pytest.FixtureRequest) -> LoggedAuditTrail:
        self.stream = io.StringIO()
        # Loggers of one name share their first stream, also when one process runs the same test twice.
        name = f"test-audit-{next(_numbers)}"
        return LoggedAuditTrail(Logger(service=name, level=request.param, stream=self.stream))

    def kept(self, trail: AuditTrail) -> list[dict[str, Any]]:
        return [json.loads(line)["audit"] for line in self.stream.getvalue().splitlines()]

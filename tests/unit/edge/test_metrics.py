"""What is counted is forgotten after each request, whether it is written or not."""

import io
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from aws_lambda_powertools.logging import Logger
from aws_lambda_powertools.metrics import Metrics

from askback.edge.serve import serve


@pytest.fixture
def metrics() -> Iterator[Metrics]:
    counted = Metrics(namespace="askback", service="test-forgotten")
    yield counted
    counted.clear_metrics()


@pytest.mark.parametrize("disabled", ["true", "false"])
def test_refusals_leave_nothing_behind(monkeypatch: pytest.MonkeyPatch, metrics: Metrics, disabled: str) -> None:
    """D-63: with `POWERTOOLS_METRICS_DISABLED`, each refusal added a set of dimensions that was never removed."""
    monkeypatch.setenv("POWERTOOLS_METRICS_DISABLED", disabled)
    services: Any = SimpleNamespace(settings=None)
    handler = serve(
        lambda logger: services,
        http={},
        direct={},
        default_action="none",
        logger=Logger(service="test-forgotten", stream=io.StringIO()),
        metrics=metrics,
    )
    for _ in range(3):
        with pytest.raises(Exception, match="bad-request"):
            handler([], None)
    assert metrics.provider.dimension_sets == []
    assert metrics.provider.metric_set == {}

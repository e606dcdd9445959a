"""Every test here is marked `agents`; those that take `where` run over each real saver."""

import itertools
from importlib.util import find_spec
from pathlib import Path

import pytest

collect_ignore_glob = [] if find_spec("langgraph") else ["test_*.py"]

_numbers = itertools.count(1)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.agents)


@pytest.fixture(params=["sqlite", "dynamodb"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return an empty saver's place: a file, or a table on moto."""
    if request.param == "sqlite":
        return f"sqlite:{tmp_path / 'checkpoints.db'}"
    # Here, because this file is read where no framework is installed, too.
    from tests.support.real_savers import created_dynamodb

    request.getfixturevalue("stores")
    return created_dynamodb(f"graphs-{next(_numbers)}")

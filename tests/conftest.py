"""AWS on moto for the suites that take it: created once for each file, empty for each test."""

from collections.abc import Iterator

import pytest

from tests.support.aws_stores import Aws, Stores, created_stores
from tests.support.botocore_files import read_once

read_once()


@pytest.fixture(scope="module")
def stores() -> Iterator[Stores]:
    with created_stores() as created:
        yield created


@pytest.fixture
def aws(stores: Stores) -> Iterator[Aws]:
    aws = Aws(stores=stores)
    yield aws
    aws.empty()

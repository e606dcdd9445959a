"""The clients that the adapters are given."""

import pytest
from botocore.config import Config
from botocore.exceptions import UnknownServiceError
from moto import mock_aws

from askback.adapters.aws.clients import SERVICES, Clients

CONFIG = Config(region_name="us-east-1")


@pytest.mark.parametrize("service", SERVICES)
def test_every_service_that_is_named_has_a_description(service: str) -> None:
    client = Clients().make(service, CONFIG)
    assert client.meta.endpoint_url.startswith("https://")


def test_a_service_that_is_not_named_is_refused_by_name() -> None:
    with pytest.raises(UnknownServiceError, match=r"'sqs'.*dynamodb, events, lambda"):
        Clients().make("sqs", CONFIG)


def test_a_client_that_is_made_when_needed_is_made_once() -> None:
    client = Clients().when_needed("s3", CONFIG)
    assert client() is client()


@mock_aws
def test_errors_of_a_service_are_still_told_apart_by_name() -> None:
    client = Clients().make("dynamodb", CONFIG)
    with pytest.raises(client.exceptions.ResourceNotFoundException):
        client.describe_table(TableName="none")

"""The template's resources, created: nothing about them is written down a second time."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

import boto3
import pytest

from local.emulated.cloud import Cloud
from local.emulated.routes import Authorizer


def test_the_table_has_the_keys_indexes_and_lifetime_of_the_template() -> None:
    with Cloud() as cloud:
        client: Any = boto3.client("dynamodb")
        name = cloud.functions[0].environment["ASKBACK_TABLE_NAME"]
        table = client.describe_table(TableName=name)["Table"]
        lifetime = client.describe_time_to_live(TableName=name)["TimeToLiveDescription"]

    assert [key["AttributeName"] for key in table["KeySchema"]] == ["pk", "sk"]
    assert {index["IndexName"] for index in table["GlobalSecondaryIndexes"]} == {"due", "scope"}
    assert (lifetime["AttributeName"], lifetime["TimeToLiveStatus"]) == ("ttl", "ENABLED")


def test_every_start_draws_another_key() -> None:
    rings = []
    for _ in range(2):
        with Cloud() as cloud:
            client: Any = boto3.client("secretsmanager")
            secret = client.get_secret_value(SecretId=cloud.functions[0].environment["ASKBACK_KEY_SECRET_ID"])
            rings.append(json.loads(secret["SecretString"]))

    assert [ring["current"] for ring in rings] == ["initial", "initial"]
    assert [len(ring["key:initial"]) for ring in rings] == [64, 64]
    assert rings[0]["key:initial"] != rings[1]["key:initial"]


def test_functions_get_the_environment_of_the_template() -> None:
    with Cloud(parameters={"InlineLimitBytes": "2048"}) as cloud:
        names = {function.code.name for function in cloud.functions}
        environments = [function.environment for function in cloud.functions]
        endpoint = os.environ["AWS_ENDPOINT_URL"]

    assert {"mint", "resume"} <= names
    for environment in environments:
        assert environment["ASKBACK_INLINE_LIMIT_BYTES"] == "2048"
        assert environment["AWS_ENDPOINT_URL"] == endpoint
    assert endpoint.startswith("http://127.0.0.1:")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has all of 127.0.0.0/8 without being told")
def test_containers_and_this_machine_reach_it_on_the_address_that_was_asked_for() -> None:
    with Cloud(host="127.0.0.2") as cloud:
        endpoint = os.environ["AWS_ENDPOINT_URL"]
        client: Any = boto3.client("dynamodb")
        assert client.list_tables()["TableNames"] == [cloud.functions[0].environment["ASKBACK_TABLE_NAME"]]
        past_a_proxy = os.environ["NO_PROXY"].split(",")

    assert endpoint.startswith("http://127.0.0.2:")
    assert "127.0.0.2" in past_a_proxy


def test_routes_have_the_authorizers_of_the_template_and_user_routes_need_an_issuer() -> None:
    with Cloud() as plain:
        closed = {route.key: route.authorizer for route in plain.routes}
    with Cloud(parameters={"JwtIssuer": "https://issuer.example", "JwtAudience": "client"}) as with_issuer:
        opened = {route.key: route.authorizer for route in with_issuer.routes}

    assert closed == {
        "POST /pauses": Authorizer.IAM,
        "GET /pauses": Authorizer.IAM,
        "GET /pauses/{jti}": Authorizer.IAM,
        "DELETE /pauses/{jti}": Authorizer.IAM,
        "POST /pauses/{jti}/redrive": Authorizer.IAM,
        "POST /pauses/{jti}/revoke": Authorizer.IAM,
        "POST /pauses/{jti}/clarifications": Authorizer.IAM,
        "POST /pauses/{jti}/extend": Authorizer.IAM,
        "POST /pauses/{jti}/reassign": Authorizer.IAM,
        "POST /pauses/{jti}/links": Authorizer.IAM,
        "POST /pauses/{jti}/links/revoke": Authorizer.IAM,
        "GET /keys": Authorizer.IAM,
        "POST /resume": Authorizer.IAM,
        "POST /outcomes": Authorizer.IAM,
        "POST /mcp": Authorizer.IAM,
        "GET /mcp": Authorizer.NONE,
        "DELETE /mcp": Authorizer.NONE,
        "POST /answers": Authorizer.NONE,
        "POST /answers/batch": Authorizer.NONE,
        "POST /clarifications": Authorizer.NONE,
        "POST /delegations": Authorizer.NONE,
        "POST /questions": Authorizer.NONE,
        "GET /answer": Authorizer.NONE,
        "HEAD /answer": Authorizer.NONE,
        "GET /answer/page-markdown.js": Authorizer.NONE,
        "HEAD /answer/page-markdown.js": Authorizer.NONE,
        "GET /answer/page.js": Authorizer.NONE,
        "HEAD /answer/page.js": Authorizer.NONE,
        "GET /answer/logo": Authorizer.NONE,
        "HEAD /answer/logo": Authorizer.NONE,
        "GET /{lost+}": Authorizer.NONE,
        "HEAD /{lost+}": Authorizer.NONE,
    }
    assert opened == closed | dict.fromkeys(
        (
            "POST /user/resume",
            "POST /user/answers",
            "POST /user/answers/batch",
            "POST /user/clarifications",
            "POST /user/delegations",
            "POST /user/questions",
        ),
        Authorizer.JWT,
    )


def test_the_developers_own_settings_are_set_aside_and_come_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_PROFILE", "production")
    monkeypatch.setenv("AWS_ENDPOINT_URL_DYNAMODB", "https://dynamodb.eu-west-1.amazonaws.com")
    monkeypatch.setenv("ASKBACK_LOCAL_KEY_RING", "{}")
    before = dict(os.environ)

    with Cloud():
        inside = dict(os.environ)

    assert not {"AWS_PROFILE", "AWS_ENDPOINT_URL_DYNAMODB", "ASKBACK_LOCAL_KEY_RING"} & set(inside)
    assert inside["AWS_ACCESS_KEY_ID"] == "local"
    assert dict(os.environ) == before

"""Attack: an operator, or a fault in what operators call, gets a signing key and makes tokens with it."""

import json

import pytest

from tests.support.function_deployment import Deployment
from tests.support.template import FUNCTIONS, granted

READING = {
    "MintFunction", "ResumeFunction", "LinksFunction", "McpFunction", "UserMcpFunction", "NotifyFunction",
    "RotateFunction",
}  # fmt: skip
"""The functions that sign, verify or rotate."""


@pytest.mark.cannot("read a signing key through the inbox function")
def test_what_shows_the_keys_may_not_read_one() -> None:
    may_read = {name for name in FUNCTIONS if ("secretsmanager:GetSecretValue", "KeyRing") in granted(name)}
    assert may_read == READING


@pytest.mark.cannot("read a signing key through the inbox function")
def test_the_keys_are_shown_to_an_operator_while_no_key_can_be_read(deployment: Deployment) -> None:
    handlers = deployment.load()
    with deployment.probe.failing(GetSecretValue=AssertionError("a key was read")):
        shown = handlers.get("/keys")
    assert [key["signs"] for key in shown.document["keys"]] == [True]
    for name, value in json.loads(deployment.key_ring).items():
        assert name == "current" or value not in json.dumps(shown.document)

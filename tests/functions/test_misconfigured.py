"""A deployment that is set up wrongly: both functions say so, write nothing, and tell the operator why."""

import json
from typing import Any

import pytest

from tests.support.aws_probe import aws_error
from tests.support.function_deployment import Deployment, Handlers
from tests.support.problems import require_problem
from tests.support.request_bodies import a_mint

OTHER = "another key that only tests use, 32 bytes or more"


def a_ring(key: str) -> str:
    return json.dumps({"current": "k1", "key:k1": key})


UNUSABLE: dict[str, dict[str, str]] = {
    "no key": {"ASKBACK_KEY_SECRET_ID": ""},
    "two sources of keys": {"ASKBACK_LOCAL_KEY_RING": a_ring(OTHER)},
    "an empty key": {"ASKBACK_KEY_SECRET_ID": "", "ASKBACK_LOCAL_KEY_RING": a_ring("")},
    "a short key": {"ASKBACK_KEY_SECRET_ID": "", "ASKBACK_LOCAL_KEY_RING": a_ring("secret")},
    "a key of 31 bytes": {"ASKBACK_KEY_SECRET_ID": "", "ASKBACK_LOCAL_KEY_RING": a_ring("z" * 31)},
    "a published default": {
        "ASKBACK_KEY_SECRET_ID": "",
        "ASKBACK_LOCAL_KEY_RING": a_ring("framework-default-secret-change-me"),
    },
    "a published default and a newline": {
        "ASKBACK_KEY_SECRET_ID": "",
        "ASKBACK_LOCAL_KEY_RING": a_ring("framework-default-secret-change-me\n"),
    },
    "a ring that is no JSON": {"ASKBACK_KEY_SECRET_ID": "", "ASKBACK_LOCAL_KEY_RING": OTHER},
    "a ring without its current key": {"ASKBACK_KEY_SECRET_ID": "", "ASKBACK_LOCAL_KEY_RING": '{"current":"k1"}'},
    "a secret that is not there": {"ASKBACK_KEY_SECRET_ID": "no-such-secret"},
    "no table": {"ASKBACK_TABLE_NAME": ""},
    "no bucket": {"ASKBACK_BUCKET_NAME": ""},
    "a limit that is no number": {"ASKBACK_INLINE_LIMIT_BYTES": "8k"},
    "a retention of no days": {"ASKBACK_RETENTION_DAYS": "0"},
}


@pytest.mark.parametrize("what", UNUSABLE)
def test_a_deployment_without_what_it_needs_is_misconfigured_and_writes_nothing(
    deployment: Deployment, handlers: Handlers, what: str
) -> None:
    """A-18: no key, a weak key and the known default are refused by both functions; nothing is minted."""
    pause = handlers.pause()
    broken = deployment.load(**UNUSABLE[what])
    start = len(deployment.output.getvalue())

    with deployment.probe.counting() as calls:
        for answer in (broken.post("/pauses", a_mint()), broken.post("/resume", pause.resume())):
            require_problem(answer, 500, "misconfigured")
            assert not any(name in json.dumps(answer.document) for name in ("ASKBACK", "bytes", "secret", "key:"))
        assert broken.refused("mint", a_mint())["code"] == "misconfigured"
        assert broken.refused("resume", pause.resume())["code"] == "misconfigured"

    log = deployment.output.getvalue()[start:]
    assert log.count('"reason"') == 4
    assert OTHER not in log
    assert "zzzz" not in log
    assert "change-me" not in log
    assert set(calls) <= {"GetSecretValue"}
    assert handlers.redeems(pause)


@pytest.mark.parametrize("key", ["z" * 32, "forty bytes, and at their end a newline\n", "ä" * 16])
def test_a_key_of_32_bytes_or_more_works_alike_in_both_functions(deployment: Deployment, key: str) -> None:
    """A-18: a trailing newline is part of the key on both sides."""
    handlers = deployment.load(ASKBACK_KEY_SECRET_ID="", ASKBACK_LOCAL_KEY_RING=a_ring(key))
    assert handlers.redeems(handlers.pause())


def test_a_table_that_is_not_there_is_named_to_the_operator_and_not_to_the_caller(
    deployment: Deployment, handlers: Handlers
) -> None:
    """A-55: the log names the table and the endpoint."""
    pause = handlers.pause()
    broken = deployment.load(ASKBACK_TABLE_NAME="no-such-table")
    start = len(deployment.output.getvalue())
    for answer in (broken.post("/pauses", a_mint()), broken.post("/resume", pause.resume())):
        require_problem(answer, 500, "misconfigured")
        assert "no-such-table" not in json.dumps(answer.document)
        assert "127.0.0.1" not in json.dumps(answer.document)

    reasons = [entry["reason"] for entry in _entries(deployment, start) if "reason" in entry]
    assert len(reasons) == 2
    for reason in reasons:
        assert "no-such-table" in reason
        assert deployment.dynamodb.meta.endpoint_url in reason
    assert handlers.redeems(pause)


def test_a_missing_permission_is_for_the_operator(deployment: Deployment, handlers: Handlers) -> None:
    pause = handlers.pause()
    with deployment.probe.failing(UpdateItem=aws_error("AccessDeniedException")):
        require_problem(handlers.post("/resume", pause.resume()), 500, "misconfigured")
    assert handlers.redeems(pause)


def test_a_deployment_that_is_put_right_works_without_being_started_again(deployment: Deployment) -> None:
    handlers = deployment.load(ASKBACK_BUCKET_NAME="")
    assert handlers.post("/pauses", a_mint()).code == "misconfigured"
    handlers.environment["ASKBACK_BUCKET_NAME"] = deployment.bucket
    assert handlers.redeems(handlers.pause())


def _entries(deployment: Deployment, start: int) -> list[dict[str, Any]]:
    lines = deployment.output.getvalue()[start:].splitlines()
    return [json.loads(line) for line in lines if line.startswith("{")]

"""Ids as callers choose them: two that differ never meet in a store, and none shapes a path."""

import re
from typing import Any

import pytest

from tests.support.domain_values import BUCKET_SIZED
from tests.support.function_deployment import Deployment, Handlers
from tests.support.problems import require_problem
from tests.support.request_bodies import a_mint

TENANTS = [
    "acme",
    "acme/",
    "/acme",
    "acme/resources",
    "..",
    "a%2Fb",
    "a b",
    "ACME",
    "\U0001f600",
    "a#b",
    "e\u0301",
    "\u00e9",
]
SESSIONS = ["../../other/turn", "", "a/../b", "\U0001f4e6", "a#b", "%00", "\u202e", "sess:1", "null"]


@pytest.mark.parametrize(
    ("tenant", "session"), [*((tenant, "s") for tenant in TENANTS), *(("acme", session) for session in SESSIONS)]
)
def test_any_legal_id_mints_and_resumes(handlers: Handlers, tenant: str, session: str) -> None:
    """A-40."""
    pause = handlers.pause(scope={"tenant_id": tenant}, session_id=session)
    assert (pause.minted["session_id"], pause.minted["status"]) == (session, "issued")
    assert handlers.redeems(pause)


def test_ids_shape_no_object_key_and_no_two_tenants_share_one(deployment: Deployment, handlers: Handlers) -> None:
    """A-40: keys are hashes under one prefix, far below the limit of 1,024 bytes."""

    def keys() -> set[str]:
        pages = deployment.s3.get_paginator("list_objects_v2").paginate(Bucket=deployment.bucket)
        return {found["Key"] for page in pages for found in page.get("Contents", [])}

    before = keys()
    for tenant in TENANTS:
        handlers.pause(
            scope={"tenant_id": tenant}, session_id="../../other/turn", checkpoint_id="cp/..", prompt=BUCKET_SIZED
        )
    written = keys() - before
    assert len(written) == len(TENANTS)
    assert all(re.fullmatch(r"turns/[0-9a-f]{64}/[0-9a-f]{64}", key) for key in written)


ILLEGAL: dict[str, tuple[str, dict[str, Any]]] = {
    "a session of 1,500 characters": ("session_id", {"session_id": "s" * 1500}),
    "a session of 257 bytes in 86 characters": ("session_id", {"session_id": "\u20ac" * 85 + "\u00e9"}),
    "a session with a NUL": ("session_id", {"session_id": "a\u0000"}),
    "a session with a newline": ("session_id", {"session_id": "a\n"}),
    "half a surrogate pair in a run": ("run_id", {"run_id": "\ud83d"}),
    "no run": ("run_id", {"run_id": ""}),
    "a number for a run": ("run_id", {"run_id": 12345}),
    "null for a run": ("run_id", {"run_id": None}),
    "a call of 513 bytes": ("tool_call_id", {"tool_call_id": "c" * 513}),
    "a thread of 1,025 bytes": ("thread_id", {"thread_id": "t" * 1025}),
    "an empty thread": ("thread_id", {"thread_id": ""}),
    "a checkpoint of 257 bytes": ("checkpoint_id", {"checkpoint_id": "c" * 257}),
    "no checkpoint and no messages": ("checkpoint_id", {"messages": ...}),
    "an empty tenant": ("scope.tenant_id", {"scope": {"tenant_id": ""}}),
    "a tenant of 257 bytes": ("scope.tenant_id", {"scope": {"tenant_id": "t" * 257}}),
    "a tenant with a colon": ("scope.tenant_id", {"scope": {"tenant_id": "a:b", "sub_tenant_id": "c"}}),
    "a sub tenant with a colon": ("scope.sub_tenant_id", {"scope": {"tenant_id": "a", "sub_tenant_id": "b:c"}}),
    "the sign for an absent part": ("scope.namespace", {"scope": {"tenant_id": "a", "namespace": "_"}}),
    "a scope of no tenant": ("scope.tenant_id", {"scope": {}}),
    "no scope": ("scope", {"scope": ...}),
    "an unknown part of a scope": ("scope.region", {"scope": {"tenant_id": "a", "region": "eu"}}),
    "a name in capitals": ("name", {"name": "Ask_user"}),
    "a name with a newline": ("name", {"name": "ask_user\n"}),
    "a name of 65 letters": ("name", {"name": "a" * 65}),
    "a message that is no object": ("messages[1]", {"messages": [{}, "hello"]}),
    "messages that are no list": ("messages", {"messages": {}}),
}


@pytest.mark.parametrize("what", ILLEGAL)
def test_an_id_that_could_not_be_kept_is_refused_by_its_name(
    deployment: Deployment, handlers: Handlers, what: str
) -> None:
    """A-17, A-40, A-57: nothing is written for it."""
    field, over = ILLEGAL[what]
    with deployment.probe.counting() as calls:
        refused = handlers.post("/pauses", a_mint(**over))
    require_problem(refused, 400, "bad-request")
    assert [error["field"] for error in refused.document["errors"]] == [field]
    assert set(calls) <= {"GetSecretValue"}


def test_ids_of_exactly_their_limit_mint_and_resume(handlers: Handlers) -> None:
    long = "\u20ac" * 85 + "x"
    pause = handlers.pause(
        run_id=long, session_id=long, checkpoint_id=long, tool_call_id=long * 2, thread_id=long * 4,
        scope={"tenant_id": long, "sub_tenant_id": long, "namespace": long},
    )  # fmt: skip
    assert handlers.redeems(pause)


def test_a_thread_of_the_longest_parts_is_made_of_them(handlers: Handlers) -> None:
    long = "\u20ac" * 85 + "x"
    pause = handlers.pause(session_id=long, scope={"tenant_id": long, "sub_tenant_id": long})
    assert pause.minted["thread_id"] == f"{long}:{long}:{long}"
    assert handlers.redeems(pause)


def test_scopes_that_look_alike_when_joined_are_two(handlers: Handlers) -> None:
    """A-57: neither resumes the other's pause; their threads and pauses differ."""
    shared = {"session_id": "s", "run_id": "r", "tool_call_id": "c", "checkpoint_id": "cp-57"}
    first = handlers.pause(**shared, scope={"tenant_id": "acme", "sub_tenant_id": "eu"})
    second = handlers.pause(**shared | {"session_id": "eu:s"}, scope={"tenant_id": "acme"})
    third = handlers.pause(**shared, scope={"tenant_id": "acme", "namespace": "eu"})
    assert len({each.minted["jti"] for each in (first, second, third)}) == 3
    assert len({each.minted["thread_id"] for each in (first, second, third)}) == 3
    for mine, other in ((first, second), (second, third), (third, first)):
        refused = handlers.post("/resume", mine.resume(scope=other.request["scope"]))
        require_problem(refused, 403, "scope-mismatch")
        assert handlers.redeems(mine)


@pytest.mark.parametrize(
    "scope", [{"tenant_id": "a", "sub_tenant_id": "b:c"}, {"tenant_id": "a:b", "sub_tenant_id": "c"}]
)
def test_a_scope_with_a_separator_in_it_redeems_nothing(handlers: Handlers, scope: dict[str, str]) -> None:
    """A-57: it is refused by name where it would be compared, too."""
    pause = handlers.pause()
    require_problem(handlers.post("/resume", pause.resume(scope=scope)), 400, "bad-request")
    claims = {**scope, "sub": "ada"}
    assert handlers.post("/user/resume", pause.resume(), claims=claims).said == (400, "bad-request")
    assert handlers.redeems(pause)


@pytest.mark.parametrize(
    ("one", "other"), [(("t#c", "p"), ("t", "c#p")), (("t", "#1#p"), ("t#", "1#p")), (("1#t", "p"), ("1", "t#p"))]
)
def test_thread_and_checkpoint_never_run_into_each_other(
    handlers: Handlers, one: tuple[str, str], other: tuple[str, str]
) -> None:
    """A-57: the same call in two places is two pauses, each with its own record."""
    request = a_mint()
    minted = []
    for label, (thread, checkpoint) in (("Pay", one), ("Keep", other)):
        asked = {"questions": [{"question": "?", "options": [{"label": label}, {"label": "Stop"}]}]}
        place = {"thread_id": thread, "checkpoint_id": checkpoint, "payload": asked}
        minted.append(handlers.post("/pauses", request | place))
    assert [each.status for each in minted] == [201, 201]
    assert minted[0].document["jti"] != minted[1].document["jti"]

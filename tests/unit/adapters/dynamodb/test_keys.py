"""Ids of callers: whatever mint takes, resume takes too; and no id shapes a key."""

import uuid
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from askback.adapters.dynamodb.keys import body_key, record_key
from askback.domain.errors import InvalidRequest
from askback.domain.pause.scope import Scope
from askback.domain.tokens.scope_binder import Redeemer
from tests.support.aws_deployment import AwsDeployment
from tests.support.aws_stores import Aws, Stores
from tests.support.domain_values import incompressible
from tests.support.memory_deployment import InMemoryDeployment, a_binding

ODD = "/.:#%+=&?\\\"'<>{}\u00e9e\u0301\u202e\u4e2d\U0001f600 _-~ab1"


def ids(max_bytes: int, *, min_size: int = 1) -> st.SearchStrategy[str]:
    """Any text that can be an id: no control characters, no half surrogate pairs."""
    signs = st.characters(exclude_categories=["Cs", "Cc"]) | st.sampled_from(ODD)
    return st.text(signs, min_size=min_size, max_size=40).filter(lambda text: len(text.encode()) <= max_bytes)


def parts() -> st.SearchStrategy[str]:
    return ids(256).filter(lambda text: ":" not in text and text != "_")


SCOPES = st.builds(Scope, tenant_id=parts(), sub_tenant_id=st.none() | parts(), namespace=st.none() | parts())
PLACES = st.fixed_dictionaries(
    {
        "run_id": ids(256),
        "session_id": ids(256, min_size=0),
        "thread_id": st.none() | ids(1024),
        "checkpoint_id": st.none() | ids(256),
    }
)


def mint_and_resume(deployment: InMemoryDeployment | AwsDeployment, scope: Scope, call: str, place: Any) -> None:
    minted = deployment.mint(binding=a_binding(scope=scope, **place), tool_call_id=call)
    redeemer = Redeemer(scope=scope, session_id=place["session_id"], run_id=place["run_id"], tool_call_id=call)
    outcome = deployment.resume(minted, redeemer=redeemer)
    assert not outcome.replayed
    assert (outcome.run_id, outcome.session_id, outcome.tool_call_id) == (place["run_id"], place["session_id"], call)


@settings(max_examples=100, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(SCOPES, ids(512), PLACES)
def test_every_id_that_mint_takes_resume_takes(scope: Scope, call: str, place: dict[str, Any]) -> None:
    """A-17: a token that decoding refuses would be dead from the start."""
    mint_and_resume(InMemoryDeployment(), scope, call, place)


def test_every_id_that_mint_takes_the_table_takes(stores: Stores) -> None:
    """A-17, A-40: through real keys, and with the turn in the bucket."""
    aws = Aws(stores=stores)

    @settings(max_examples=20, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
    @given(SCOPES, ids(512), PLACES)
    def each(scope: Scope, call: str, place: dict[str, Any]) -> None:
        aws.empty()
        mint_and_resume(AwsDeployment(aws, inline_limit=0), scope, call, place)

    each()
    aws.empty()


@pytest.mark.parametrize("sign", ["x", "é", "中", "😀", '"', "\\"])
def test_the_longest_ids_still_make_a_token_and_keys_that_work(aws: Aws, sign: str) -> None:
    """The limits add up: under the token's own limit, and under DynamoDB's for both keys."""

    def longest(size: int) -> str:
        return sign * (size // len(sign.encode()))

    place = {
        "run_id": longest(256),
        "session_id": longest(256),
        "thread_id": longest(1024),
        "checkpoint_id": longest(256),
    }
    mint_and_resume(AwsDeployment(aws), Scope(tenant_id=longest(256)), longest(512), place)


NOT_TEXT: list[Any] = [12345, uuid.UUID(int=7), 1.5, True, b"bytes", ["x"], {"a": 1}]
FIELDS: dict[str, Callable[[Any], dict[str, Any]]] = {
    "run_id": lambda value: {"binding": a_binding(run_id=value)},
    "session_id": lambda value: {"binding": a_binding(session_id=value)},
    "thread_id": lambda value: {"binding": a_binding(thread_id=value)},
    "checkpoint_id": lambda value: {"binding": a_binding(checkpoint_id=value)},
    "tool_call_id": lambda value: {"tool_call_id": value},
}
NEEDED = ["run_id", "session_id"]


@pytest.mark.parametrize(
    ("field", "value"),
    [(field, value) for field in FIELDS for value in NOT_TEXT] + [(field, None) for field in NEEDED],
)
def test_an_id_that_is_no_text_is_refused_at_mint_by_name(field: str, value: Any) -> None:
    """A-17: PyJWT encodes some of them gladly, and refuses them when the token comes back."""
    deployment = InMemoryDeployment()
    with pytest.raises(InvalidRequest) as refused:
        deployment.mint(**FIELDS[field](value))
    assert [error.field for error in refused.value.errors] == [field]
    assert not deployment.ledger.rows
    assert not deployment.checkpoints.texts


@pytest.mark.parametrize(
    "value", ["x" * 1500, "a\x00b", "a\nb", "\x7f", "\ud83d"], ids=["long", "NUL", "LF", "DEL", "half"]
)
@pytest.mark.parametrize("field", FIELDS)
def test_an_id_that_no_key_could_hold_is_refused_at_mint_by_name(field: str, value: str) -> None:
    """A-40, A-44: told at once, by name, and never by a failure of the store."""
    with pytest.raises(InvalidRequest) as refused:
        InMemoryDeployment().mint(**FIELDS[field](value))
    assert [error.field for error in refused.value.errors] == [field]


HOSTILE = ["acme", "acme/", "/acme", "acme/resources", "..", "../../other/turn", "a%2Fb", "a/b", "😀", "turns/", "."]


def test_hostile_ids_give_objects_of_their_own_with_nothing_of_the_id_in_their_names(aws: Aws) -> None:
    """A-40: no id can climb out of the prefix, or into another tenant's."""
    deployment = AwsDeployment(aws)
    messages = ({"role": "user", "content": incompressible(40_000)},)
    for hostile in HOSTILE:
        deployment.mint(
            binding=a_binding(scope=Scope(tenant_id=hostile), session_id=hostile, run_id=hostile),
            tool_call_id=hostile,
            messages=messages,
        )
    keys = list(aws.objects())
    assert len(keys) == len(HOSTILE)
    assert all(key.startswith("turns/") and len(key.encode()) == 135 for key in keys)
    assert not [key for key in keys if ".." in key or "acme" in key]


AWKWARD = st.text('a#:/.\n\\"1,é\x00', max_size=6)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.sets(st.tuples(AWKWARD, AWKWARD, AWKWARD), min_size=2, max_size=5))
def test_distinct_places_have_distinct_keys_whatever_their_ids_contain(places: set[tuple[str, str, str]]) -> None:
    """A-40, A-57: an id may contain whatever separates ids."""
    objects, items = set(), set()
    for thread_id, checkpoint_id, key in places:
        objects.add(body_key(thread_id=thread_id, checkpoint_id=checkpoint_id, key=key, expires_at=1, sha256="0" * 64))
        item = record_key(thread_id=thread_id, checkpoint_id=checkpoint_id, key=key)
        items.add((item["pk"]["S"], item["sk"]["S"]))
    assert len(objects) == len(items) == len(places)
    assert all(len(key.encode()) <= 1024 for key in objects)

"""Who a pause belongs to, and the hash of it in the token."""

from typing import Any

import pytest

from askback.domain.errors import InvalidRequest, ScopeMismatch
from askback.domain.pause.scope import Scope
from askback.domain.tokens.scope_binder import Redeemer
from tests.support.memory_deployment import InMemoryDeployment, a_binding
from tests.support.recorded_samples import VECTORS


def _scope(tenant: Any, sub: Any = None, namespace: Any = None) -> Scope:
    return Scope(tenant_id=tenant, sub_tenant_id=sub, namespace=namespace)


@pytest.mark.parametrize("vector", VECTORS["scopes"], ids=lambda vector: vector["scope_hash"])
def test_the_first_sixteen_digits_are_the_legacy_hash(vector: dict[str, Any]) -> None:
    scope = _scope(*vector["given"])
    assert len(scope.digest()) == 64
    assert scope.digest()[:16] == vector["scope_hash"]
    assert scope.matches(vector["scope_hash"])
    assert scope.matches(scope.digest())


def test_a_scope_matches_no_other_hash_of_either_length() -> None:
    scope = _scope("acme", "eu")
    digest = scope.digest()
    for other in ("0" * 64, "0" * 16, digest[:15] + "g", digest[:63] + "g", digest[:17], digest[:63], ""):
        assert not scope.matches(other)
    assert not _scope("acme", "us").matches(digest)
    assert not _scope("acme", "us").matches(digest[:16])


def test_scopes_that_differ_in_any_part_differ_in_their_hash() -> None:
    scopes = [_scope("a"), _scope("b"), _scope("a", "b"), _scope("a", None, "b"), _scope("a", "b", "b"), _scope("ab")]
    assert len({scope.digest() for scope in scopes}) == len(scopes)


@pytest.mark.parametrize(
    ("parts", "field"),
    [
        (("a:b", "c"), "scope.tenant_id"),
        (("a", "b:c"), "scope.sub_tenant_id"),
        (("a", "b", "c:d"), "scope.namespace"),
        (("_",), "scope.tenant_id"),
        (("a", "_"), "scope.sub_tenant_id"),
        (("a", None, "_"), "scope.namespace"),
        (("",), "scope.tenant_id"),
        (("a", ""), "scope.sub_tenant_id"),
        ((None,), "scope.tenant_id"),
        ((12345,), "scope.tenant_id"),
        (("a", 5), "scope.sub_tenant_id"),
        (("a\n",), "scope.tenant_id"),
        (("a\x00b",), "scope.tenant_id"),
        (("a", "\x85"), "scope.sub_tenant_id"),
        (("\ud83d",), "scope.tenant_id"),
        (("t" * 257,), "scope.tenant_id"),
        (("\u00fc" * 129,), "scope.tenant_id"),
    ],
    ids=repr,
)
def test_a_part_that_would_make_two_scopes_one_is_refused_by_name(parts: tuple[Any, ...], field: str) -> None:
    """A-57 and A-40: tenant `a:b` with sub `c` would be tenant `a` with sub `b:c`."""
    with pytest.raises(InvalidRequest) as refusal:
        _scope(*parts)
    assert [error.field for error in refusal.value.errors] == [field]


@pytest.mark.parametrize("tenant", ["acme/", "/acme", "acme/resources", "..", "a%2Fb", "a b", "t" * 256, "__", "a_"])
def test_other_ids_are_scopes_of_their_own(tenant: str) -> None:
    """A-40."""
    assert _scope(tenant).digest() != _scope("acme").digest()


def test_the_thread_of_a_scope_names_tenant_sub_tenant_and_session() -> None:
    assert _scope("acme", "eu").thread_id(session_id="sess-1", run_id="run-1") == "acme:eu:sess-1"
    assert _scope("acme").thread_id(session_id="sess-1", run_id="run-1") == "acme:_:sess-1"
    assert _scope("acme").thread_id(session_id="", run_id="run-1") == "acme:_:run-1"


def test_no_session_text_makes_the_threads_of_two_scopes_one() -> None:
    """A-57."""
    sessions = ("x", "eu:x", "_:x", ":x", "_")
    scopes = (_scope("acme"), _scope("acme", "eu"), _scope("eu"))
    threads = [scope.thread_id(session_id=session, run_id="r") for scope in scopes for session in sessions]
    assert len(set(threads)) == len(threads)


@pytest.mark.parametrize("other", [_scope("acme"), _scope("acme", "eu"), _scope("acme", "us", "billing")])
def test_a_token_is_refused_in_every_neighbouring_scope_and_stays_good(other: Scope) -> None:
    deployment = InMemoryDeployment()
    minted = deployment.mint(binding=a_binding(scope=_scope("acme", "eu", "billing")))
    with pytest.raises(ScopeMismatch):
        deployment.resume(minted, redeemer=Redeemer(scope=other))
    assert not deployment.resume(minted).replayed


@pytest.mark.parametrize(
    ("text", "scope"),
    [
        ("acme", Scope(tenant_id="acme")),
        ("acme/eu", Scope(tenant_id="acme", sub_tenant_id="eu")),
        ("acme/eu/tickets", Scope(tenant_id="acme", sub_tenant_id="eu", namespace="tickets")),
        ("acme//tickets", Scope(tenant_id="acme", namespace="tickets")),
        ("Acme GmbH/EU west", Scope(tenant_id="Acme GmbH", sub_tenant_id="EU west")),
    ],
)
def test_a_scope_is_read_from_text(text: str, scope: Scope) -> None:
    assert Scope.parse(text) == scope


@pytest.mark.parametrize(
    "text", ["", "/", "/eu", "acme/", "acme/eu/", "acme//", "acme/eu/tickets/", "a/b/c/d", " acme", "acme / eu"]
)
def test_text_of_another_form_is_no_scope(text: str) -> None:
    with pytest.raises(InvalidRequest, match=r"scope: must be 'tenant', 'tenant/sub' or 'tenant/sub/namespace'"):
        Scope.parse(text)


@pytest.mark.parametrize(("text", "part"), [("a:b", "tenant_id"), ("acme/_", "sub_tenant_id"), ("a/b/\n", "namespace")])
def test_each_part_of_the_text_is_held_to_its_rules(text: str, part: str) -> None:
    with pytest.raises(InvalidRequest, match=rf"scope(\.{part})?: "):
        Scope.parse(text)


LABELLED = [
    Scope(tenant_id="acme"),
    Scope(tenant_id="acme", sub_tenant_id="eu"),
    Scope(tenant_id="acme", namespace="eu"),
    Scope(tenant_id="acme", sub_tenant_id="eu", namespace="billing"),
    Scope(tenant_id="acme / eu"),
    Scope(tenant_id="acme / eu", namespace="billing"),
    Scope(tenant_id="acme", sub_tenant_id="eu / billing"),
    Scope(tenant_id="acme", sub_tenant_id=" / eu / "),
]


@pytest.mark.parametrize("scope", LABELLED, ids=repr)
def test_a_label_and_a_hash_are_one_scope_again(scope: Scope) -> None:
    assert Scope.of_label(scope.label(), scope.digest()) == scope
    assert Scope.of_label(scope.label(), scope.digest()[:16]) == scope


@pytest.mark.parametrize("label", ["", "acme", "acme / eu", "acme/eu", " / ", "a / " * 200])
def test_a_label_of_another_scope_is_none(label: str) -> None:
    assert Scope.of_label(label, Scope(tenant_id="globex").digest()) is None

"""Which scopes each principal may use, where a deployment says so.

Without this, a signed caller states its scope, and a permission on a route is a permission in every scope. A deployment
that keeps its tenants apart gives each principal its scopes: a JSON object by the role, with a list of scopes. A direct
caller is not known to a function, so all of them are one entry, `direct`.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from askback.domain.errors import InteractionConfigurationError, InvalidRequest, PrincipalNotAllowed
from askback.domain.pause.ledger import LedgerRow
from askback.domain.pause.minter import DIRECT
from askback.domain.pause.scope import Scope

EVERY_SCOPE = "*"
_BELOW = "/*"
_ARN_PARTS = 6


Admit = Callable[[LedgerRow], None]
"""Raises for a row that the caller of a request may not use."""


def every_row(_: LedgerRow) -> None:
    """Admit every row."""


class PrincipalScopesInvalid(ValueError):
    """The scopes of principals cannot be used. The text says what is wrong, without a value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AllowedScope:
    """A scope that a principal may use; with `below`, also every narrower scope in it. None is every scope."""

    scope: Scope | None
    below: bool = False

    def admits(self, asked: Scope) -> bool:
        """Return whether this is the scope, or one above it."""
        if self.scope is None or self.scope == asked:
            return True
        own = (self.scope.tenant_id, self.scope.sub_tenant_id)
        is_below = own == (asked.tenant_id, asked.sub_tenant_id) or own == (asked.tenant_id, None)
        return self.below and is_below

    def admits_stored(self, scope_hash: str, scope_label: str) -> bool:
        """Return the same for a pause, whose row has the hash of its scope, and its parts as a text for people."""
        if self.scope is None or self.scope.matches(scope_hash):
            return True
        scope = Scope.of_label(scope_label, scope_hash) if self.below else None
        return scope is not None and self.admits(scope)

    def meets(self, other: "AllowedScope") -> bool:
        """Return whether some scope is in both."""
        if self.scope is None or other.scope is None:
            return True
        return self.admits(other.scope) or other.admits(self.scope)


@dataclass(frozen=True, slots=True, kw_only=True)
class PrincipalScopes:
    """The scopes of each principal; with `entries` of None, every principal may use every scope.

    The key of an entry is `direct`, or the pattern of an ARN. What several entries allow a principal adds up.
    """

    entries: Mapping[str, Sequence[AllowedScope]] | None = None

    def require(self, principal: str, scope: Scope) -> None:
        """Raise PrincipalNotAllowed if the principal may not use the scope."""
        if self.entries is not None and not any(each.admits(scope) for each in self._allowed(principal)):
            raise PrincipalNotAllowed

    def require_row(self, principal: str, row: LedgerRow) -> None:
        """Raise PrincipalNotAllowed if the principal may not use the scope of the pause."""
        if not self.admits(principal, row.claims.scope_hash, row.scope_label):
            raise PrincipalNotAllowed

    def admits(self, principal: str, scope_hash: str, scope_label: str) -> bool:
        """Return whether the principal may use the scope of a stored pause."""
        return self.entries is None or any(
            each.admits_stored(scope_hash, scope_label) for each in self._allowed(principal)
        )

    def require_some_of(self, principal: str, whole: AllowedScope) -> None:
        """Raise PrincipalNotAllowed if the principal may not use any of these scopes."""
        if self.entries is not None and not any(each.meets(whole) for each in self._allowed(principal)):
            raise PrincipalNotAllowed

    def require_every_scope(self, principal: str) -> None:
        """Raise PrincipalNotAllowed if the principal may not use every scope, as what is not of one scope needs."""
        if self.entries is not None and not any(each.scope is None for each in self._allowed(principal)):
            raise PrincipalNotAllowed

    def scope_of(self, principal: str, otherwise: Scope) -> Scope:
        """Return the first scope of a principal, for a caller that states none, or `otherwise` if it has none."""
        own = (each.scope for each in self._allowed(principal) if each.scope is not None)
        return next(own, otherwise)

    def _allowed(self, principal: str) -> list[AllowedScope]:
        entries = self.entries or {}
        return [each for pattern, allowed in entries.items() if _names(pattern, principal) for each in allowed]


EVERY_PRINCIPAL = PrincipalScopes()
"""The scopes of a deployment that sets none."""


def _names(pattern: str, principal: str) -> bool:
    """Return whether a pattern names a principal. It is compared by part, so that no `*` reaches beyond its part."""
    if DIRECT in (pattern, principal):
        return pattern == principal
    said, has = pattern.split(":", _ARN_PARTS - 1), principal.split(":", _ARN_PARTS - 1)
    return len(has) == _ARN_PARTS and all(map(fnmatchcase, has, said))


def read_principal_scopes(text: str) -> PrincipalScopes:
    """Return the scopes of a deployment's principals; an empty text allows every scope.

    Raises:
        InteractionConfigurationError: the text is not a JSON object of lists of scopes.
    """
    if not text:
        return EVERY_PRINCIPAL
    try:
        said = json.loads(text)
        if not isinstance(said, dict):
            raise PrincipalScopesInvalid("must be an object of lists of scopes")
        return PrincipalScopes(entries={_pattern(name): _scopes(scopes) for name, scopes in said.items()})
    except ValueError as error:
        why = str(error) if isinstance(error, PrincipalScopesInvalid) else "is not JSON"
        raise InteractionConfigurationError(
            "the deployment is not configured", reason=f"ASKBACK_PRINCIPAL_SCOPES: {why}"
        ) from None


def _pattern(name: str) -> str:
    if name == DIRECT:
        return name
    parts = name.split(":", _ARN_PARTS - 1)
    if len(parts) != _ARN_PARTS or parts[0] != "arn":
        raise PrincipalScopesInvalid(f"each name must be {DIRECT}, or an ARN of six parts, with * in a part or as one")
    # These are never the ARN of a principal as it is compared, so an entry with one would allow nothing.
    if parts[5].startswith("assumed-role/") or (parts[5].startswith("role/") and parts[5].count("/") > 1):
        raise PrincipalScopesInvalid("a role is named as role/<name>, without its path and without a session")
    return name


def _scopes(scopes: object) -> Sequence[AllowedScope]:
    if not isinstance(scopes, list) or not scopes or not all(isinstance(each, str) for each in scopes):
        raise PrincipalScopesInvalid("each principal must have a list of scopes")
    return tuple(map(_scope, scopes))


def _scope(text: str) -> AllowedScope:
    if text == EVERY_SCOPE:
        return AllowedScope(scope=None)
    try:
        scope = Scope.parse(text.removesuffix(_BELOW))
    except InvalidRequest:
        raise PrincipalScopesInvalid("a scope must be *, tenant, tenant/sub or tenant/sub/namespace") from None
    below = text.endswith(_BELOW)
    if "*" in text.removesuffix(_BELOW) or (below and scope.namespace is not None):
        raise PrincipalScopesInvalid("a scope may have * only as its last part, below a tenant or a sub tenant")
    return AllowedScope(scope=scope, below=below)

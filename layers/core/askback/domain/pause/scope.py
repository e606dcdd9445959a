"""The scope that a pause belongs to, and the hash of the scope in the token.

The hashed text is `tenant:sub tenant:namespace`, with `_` for a missing part. It must not change: tokens of the legacy
engine contain its hash. A part must not be `_` or contain `:`, otherwise two scopes could have the same text (tenant
`a:b` with sub tenant `c`, and tenant `a` with sub tenant `b:c`).
"""

import hashlib
import hmac
from contextlib import suppress
from dataclasses import dataclass

from askback.domain.errors import InvalidRequest
from askback.domain.limits import SCOPE_PART_MAX_BYTES, require_identifier

SCOPE_HASH_LENGTH = 64
LEGACY_SCOPE_HASH_LENGTH = 16
_BETWEEN = " / "
_LABEL_PIECES_MAX = 9
_FORMS = "'tenant', 'tenant/sub' or 'tenant/sub/namespace' (with an empty sub for none)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """A tenant, with an optional sub tenant and an optional namespace.

    Raises:
        InvalidRequest: a part is empty, over 256 bytes, `_`, or contains `:` or control characters.
    """

    tenant_id: str
    sub_tenant_id: str | None = None
    namespace: str | None = None

    def __post_init__(self) -> None:
        for name in ("tenant_id", "sub_tenant_id", "namespace"):
            part = getattr(self, name)
            if part is None and name != "tenant_id":
                continue
            require_identifier(part, field=f"scope.{name}", max_bytes=SCOPE_PART_MAX_BYTES)
            if part == "_" or ":" in part:
                raise InvalidRequest.of_field(f"scope.{name}", "must not be '_' or contain ':'")

    @classmethod
    def parse(cls, text: str) -> "Scope":
        """Return the scope of a text `tenant`, `tenant/sub tenant` or `tenant/sub tenant/namespace`.

        `acme//tickets` has no sub tenant. A part that contains a slash cannot be written in this form.

        Raises:
            InvalidRequest: the text has another form, or a part is refused.
        """
        tenant_id, *narrower = text.split("/")
        sub_tenant_id, namespace = (*narrower, None, None)[:2]
        # White space around a part is refused: a text of `label` has it, and would otherwise be read as another scope.
        if len(narrower) > 2 or not tenant_id or (narrower and not narrower[-1]) or _padded(tenant_id, *narrower):
            raise InvalidRequest.of_field("scope", f"must be {_FORMS}, without spaces around a part")
        return cls(tenant_id=tenant_id, sub_tenant_id=sub_tenant_id or None, namespace=namespace)

    @classmethod
    def of_label(cls, label: str, scope_hash: str) -> "Scope | None":
        """Return the scope with this label and this hash; None for another label, or one that has too many parts.

        A label alone says too little: a part may contain what separates the parts. So each way to read it is tried, and
        the hash decides.
        """
        pieces = label.split(_BETWEEN)
        if len(pieces) > _LABEL_PIECES_MAX:
            return None
        for first in range(1, len(pieces) + 1):
            for second in range(first, len(pieces) + 1):
                parts = (pieces[:first], pieces[first:second], pieces[second:])
                tenant_id, sub_tenant_id, namespace = (_BETWEEN.join(part) or None for part in parts)
                with suppress(InvalidRequest):
                    scope = cls(tenant_id=tenant_id or "", sub_tenant_id=sub_tenant_id, namespace=namespace)
                    if scope.matches(scope_hash):
                        return scope
        return None

    def digest(self) -> str:
        """Return the SHA-256 of this scope: 64 hex digits."""
        text = f"{self.tenant_id}:{self.sub_tenant_id or '_'}:{self.namespace or '_'}"
        return hashlib.sha256(text.encode()).hexdigest()

    def label(self) -> str:
        """Return the scope as a text for people: its parts, separated by slashes."""
        return _BETWEEN.join(filter(None, (self.tenant_id, self.sub_tenant_id, self.namespace)))

    def matches(self, scope_hash: str) -> bool:
        """Return, in constant time, whether a hash of full or legacy length is the hash of this scope."""
        own = self.digest()
        if len(scope_hash) == LEGACY_SCOPE_HASH_LENGTH:
            own = own[:LEGACY_SCOPE_HASH_LENGTH]
        return hmac.compare_digest(own, scope_hash)

    def thread_id(self, *, session_id: str, run_id: str) -> str:
        """Return the thread of a caller that gives none: `<tenant>:<sub tenant or _>:<session, or the run>`.

        The last part may contain `:`. The first two parts cannot, so two scopes never have the same thread.
        """
        return f"{self.tenant_id}:{self.sub_tenant_id or '_'}:{session_id or run_id}"


def _padded(*parts: str) -> bool:
    return any(part != part.strip() for part in parts)

"""The comparison of a token with the place that it is redeemed from: scope, session, run and call, one after the other.

Each part that differs has a refusal of its own, so that a caller knows what to correct.
"""

from dataclasses import dataclass

from askback.domain.errors import CallMismatch, RunMismatch, ScopeMismatch, SessionMismatch
from askback.domain.pause.claims import PauseClaims
from askback.domain.pause.scope import Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class Redeemer:
    """The place from which a token is redeemed: the caller's scope, session, run and call.

    `scope` is None only for the holder of an answer link; every other scope is compared. A session, run or call of None
    was not stated, and is not compared.
    """

    scope: Scope | None
    session_id: str | None = None
    run_id: str | None = None
    tool_call_id: str | None = None


class ScopeBinder:
    """Compares the claims of a token with the place from which it is redeemed."""

    def bind(self, claims: PauseClaims, redeemer: Redeemer, *, allow_cross_scope: bool) -> bool:
        """Return whether this is a permitted cross-scope redemption.

        Raises:
            ScopeMismatch, SessionMismatch, RunMismatch, CallMismatch: the first part that differs, in this order.
        """
        cross_scope = redeemer.scope is not None and not redeemer.scope.matches(claims.scope_hash)
        if cross_scope and not allow_cross_scope:
            raise ScopeMismatch
        for stated, issued, mismatch in (
            (redeemer.session_id, claims.session_id, SessionMismatch),
            (redeemer.run_id, claims.run_id, RunMismatch),
            (redeemer.tool_call_id, claims.tool_call_id, CallMismatch),
        ):
            if stated is not None and stated != issued:
                raise mismatch
        return cross_scope

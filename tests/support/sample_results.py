"""What each sample event of events/ gives in a container, by the longest beginning of its name that fits.

A new sample needs a line here when no beginning fits, or when it gives something else than its neighbours.
"""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """A result that has `members`, or a refusal by its `code`; `status` is what the gateway is told."""

    status: int = 200
    members: frozenset[str] = frozenset()
    code: str = ""


_RECEIPT: Final = frozenset({"jti", "name", "response", "answered_at", "answered_by", "replayed", "delivery"})
_RESUMED: Final = _RECEIPT | {"payload", "turn"}
_MINTED: Final = frozenset({"jti", "pause_token", "answer_token", "expires_at", "payload", "recorded", "resumable"})
_SHOWN: Final = frozenset({"jti", "name", "payload", "request_hash", "expires_at", "status", "answered_at"})

SAMPLES: Final = {
    "answer": Expected(members=_RECEIPT),
    # The sample's pause takes no questions.
    "ask-back": Expected(status=400, code="bad-request"),
    "asker-clarify": Expected(status=400, code="bad-request"),
    "asker-clarify-http": Expected(status=404, code="unknown-pause"),
    "asker-revoke": Expected(members=frozenset({"jti", "status", "revoked_at", "reason", "replayed"})),
    # The sample's pause is minted directly, and the principal of the HTTP sample is another one.
    "asker-revoke-http": Expected(status=404, code="unknown-pause"),
    "batch": Expected(members=frozenset({"items"})),
    # The sample's pause names no delegates.
    "delegate": Expected(status=400, code="bad-request"),
    "ended": Expected(members=frozenset({"batchItemFailures"})),
    "inbox-audit-due": Expected(members=frozenset({"scanned", "rows", "next"})),
    "inbox-keys": Expected(members=frozenset({"keys", "unnamed", "legacy_key"})),
    "inbox-list": Expected(members=frozenset({"pauses", "next"})),
    "inbox-redrive": Expected(status=409, code="not-redrivable"),
    "inbox-revoke": Expected(members=frozenset({"jti", "status"})),
    # The sample's pause has no recipients.
    "inbox-revoke-link": Expected(status=400, code="bad-request"),
    # The sample's pause has no max_ttl_seconds and no recipients.
    "inbox-extend": Expected(status=400, code="bad-request"),
    "inbox-reassign": Expected(status=400, code="bad-request"),
    "inbox-show": Expected(members=frozenset({"jti", "status"})),
    "links": Expected(members=frozenset({"jti", "status", "expires_at", "answer_token", "answer_link", "recipients"})),
    "mcp": Expected(members=frozenset({"jsonrpc", "id", "result"})),
    "mcp-stream": Expected(status=405),
    "mcp-session-end": Expected(status=405),
    "mint": Expected(status=201, members=_MINTED),
    "mint-http-payload-1.0": Expected(status=400, code="bad-request"),
    "notify": Expected(members=frozenset({"sent", "unreached", "skipped"})),
    "outcome": Expected(members=_RESUMED),
    "page": Expected(),
    # The sample's deployment has no logo.
    "page-logo": Expected(status=404),
    "page-lost": Expected(status=302),
    "question": Expected(members=_SHOWN),
    "resume": Expected(members=_RESUMED),
    "rotate": Expected(members=frozenset({"step", "version_id", "did"})),
    "sweep": Expected(members=frozenset({"done", "oldest_due_seconds", "cut_off"})),
    "user-question": Expected(members=_SHOWN),
    # The sample has no token.
    "usermcp": Expected(status=401, code="unauthenticated"),
    "usermcp-stream": Expected(status=405),
    "usermcp-session-end": Expected(status=405),
    "usermcp-metadata": Expected(members=frozenset({"resource", "authorization_servers", "bearer_methods_supported"})),
}


def expected_of(name: str) -> Expected:
    """Return what the sample of this name gives."""
    fitting = [beginning for beginning in SAMPLES if name.startswith(beginning)]
    assert fitting, f"events/{name}.json: say in tests/support/sample_results.py what it gives"
    return SAMPLES[max(fitting, key=len)]

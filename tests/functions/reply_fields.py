"""The names of the fields of each reply."""

MINTED = {
    "jti", "name", "status", "tool_call_id", "interrupt_id", "run_id", "session_id", "thread_id", "checkpoint_id",
    "payload", "pause_token", "answer_token", "answer_link", "recipients", "issued_at", "expires_at", "resumable",
    "recorded",
}  # fmt: skip
RECEIPT = {
    "jti", "name", "response", "answered_at", "answered_by", "answered_via", "assurance", "by_policy", "replayed",
    "delivery",
}  # fmt: skip
RESUMED = RECEIPT | {
    "payload", "thread_id", "checkpoint_id", "run_id", "session_id", "tool_call_id", "interrupt_id", "cross_scope",
    "time_to_resolve_seconds", "turn",
}  # fmt: skip
SHOWN = {
    "jti", "name", "payload", "request_hash", "expires_at", "status", "answered_at", "presentation", "answer_schema",
    "scope_label", "run_id", "requester", "recipient", "waits", "answered_by_you", "by_policy", "link_may_answer",
    "ended_at", "least_assurance", "sign_in_url", "about", "on_expiry", "asked_people",
    "clarifications", "may_delegate",
}  # fmt: skip

"""What the domain demands of the fields of a request, besides the types that the bodies say.

The limits are the constants of the domain. A limit in bytes of UTF-8 stands here as one in characters: a text with more
characters has more bytes too. A shorter text can still be too long.
"""

from typing import Any

from pydantic import BaseModel

from askback.domain.delivery.revoking import REASON_MAX_CHARACTERS
from askback.domain.limits import (
    IDENTIFIER_MAX_BYTES,
    NAME_PATTERN,
    PROMPT_MAX_BYTES,
    REMIND_MIN_SECONDS,
    SCOPE_PART_MAX_BYTES,
    THREAD_ID_MAX_BYTES,
    TOOL_CALL_ID_MAX_BYTES,
    TTL_MAX_SECONDS,
    TTL_MIN_SECONDS,
)
from askback.domain.mint.about import MARKDOWN_MAX
from askback.domain.mint.clarifying import REPLY_MAX_CHARACTERS
from askback.domain.pause.answerers import PEOPLE_MAX
from askback.domain.pause.changes import STEPS_MAX
from askback.domain.pause.delegation import DELEGATES_MAX
from askback.domain.pause.executions import EXECUTION_MAX_CHARACTERS
from askback.domain.pause.list_filter import STATUSES
from askback.domain.pause.listing import LIST_DEFAULT, LIST_MAX
from askback.domain.pause.waiters import ADDRESS_MAX_CHARACTERS, WaiterKind
from askback.domain.records.about import LONGEST
from askback.domain.resume.asking_back import QUESTION_MAX_CHARACTERS
from askback.edge.amendments import ExtensionBody, ReassignmentBody
from askback.edge.answer import UserAnswerBody
from askback.edge.asking_back import QuestionBackBody, UserQuestionBackBody
from askback.edge.body import ScopeBody
from askback.edge.clarifications import ClarificationBody
from askback.edge.delegating import DelegationBody, UserDelegationBody
from askback.edge.inbox import LinkRevocationBody, PauseBody
from askback.edge.links import LinksBody
from askback.edge.mint import AboutBody, ApproverBody, EscalationStepBody, MintBody, QuorumBody, WaiterBody
from askback.edge.pause_list import PauseListBody
from askback.edge.question import UserQuestionBody
from askback.edge.taking_back import AskerRevocationBody


def _text(most: int, *, empty: bool = False) -> dict[str, Any]:
    return {"maxLength": most} if empty else {"minLength": 1, "maxLength": most}


_ID = _text(IDENTIFIER_MAX_BYTES)
_OPTIONAL_ID = _text(IDENTIFIER_MAX_BYTES, empty=True)
_NAME = {"pattern": f"^{NAME_PATTERN.pattern}$"}
_TTL = {"minimum": TTL_MIN_SECONDS, "maximum": TTL_MAX_SECONDS}
_PART = _text(SCOPE_PART_MAX_BYTES)
_SCOPE = {"tenant_id": _PART, "sub_tenant_id": _PART, "namespace": _PART}
_PEOPLE = {"maxItems": PEOPLE_MAX, "items": _ID}
_TIME = {"format": "date-time"}
_FLAG = {"type": "boolean"}

LIMITS: dict[type[BaseModel], dict[str, dict[str, Any]]] = {
    ScopeBody: _SCOPE,
    MintBody: {
        "name": _NAME,
        "run_id": _ID,
        "ttl_seconds": _TTL,
        "tool_call_id": _text(TOOL_CALL_ID_MAX_BYTES, empty=True),
        "interrupt_id": _ID,
        "session_id": _OPTIONAL_ID,
        "root_run_id": _OPTIONAL_ID,
        "thread_id": _text(THREAD_ID_MAX_BYTES),
        "checkpoint_id": _ID,
        "messages": {"items": {"type": "object"}},
        "prompt": _text(PROMPT_MAX_BYTES, empty=True),
        "pin": _OPTIONAL_ID,
        "idempotency_key": _ID,
        "max_ttl_seconds": _TTL,
        "remind_after_seconds": {"minimum": REMIND_MIN_SECONDS, "maximum": TTL_MAX_SECONDS - 1},
        "approvers": {"maxItems": PEOPLE_MAX},
        "requester": _OPTIONAL_ID,
        "recipients": _PEOPLE,
        "escalation": {"maxItems": STEPS_MAX},
        "supersedes": _OPTIONAL_ID,
        "delegates": {"maxItems": DELEGATES_MAX, "items": _ID},
    },
    ApproverBody: {"name": _ID},
    AboutBody: {
        **{name: _text(most, empty=True) for name, most in LONGEST.items()},
        "markdown": {"maxItems": MARKDOWN_MAX},
    },
    QuorumBody: {"needed": {"minimum": 2, "maximum": PEOPLE_MAX}},
    EscalationStepBody: {"to": {"minItems": 1, **_PEOPLE}},
    WaiterBody: {
        "task_token": _text(ADDRESS_MAX_CHARACTERS[WaiterKind.STEP_FUNCTIONS]),
        "callback_id": _text(ADDRESS_MAX_CHARACTERS[WaiterKind.LAMBDA_DURABLE]),
        "function": _text(ADDRESS_MAX_CHARACTERS[WaiterKind.LAMBDA]),
        "execution": _text(EXECUTION_MAX_CHARACTERS),
    },
    PauseBody: {"jti": _ID},
    LinksBody: {"jti": _ID, "recipients": {"minItems": 1, **_PEOPLE}},
    AskerRevocationBody: {"jti": _ID, "reason": _text(REASON_MAX_CHARACTERS)},
    ClarificationBody: {"jti": _ID, "reply": _text(REPLY_MAX_CHARACTERS)},
    LinkRevocationBody: {"recipient": _ID},
    ExtensionBody: {"expires_at": _TIME},
    ReassignmentBody: {"from": _ID, "to": _ID},
    UserAnswerBody: {"jti": _ID},
    UserQuestionBody: {"jti": _ID},
    QuestionBackBody: {"question": _text(QUESTION_MAX_CHARACTERS)},
    UserQuestionBackBody: {"jti": _ID, "question": _text(QUESTION_MAX_CHARACTERS)},
    DelegationBody: {"to": _ID},
    UserDelegationBody: {"jti": _ID, "to": _ID},
    PauseListBody: {
        **_SCOPE,
        "whole": _FLAG,
        "status": {"enum": list(STATUSES)},
        "name": _NAME,
        "run_id": _ID,
        "requester": _ID,
        "recipient": _ID,
        "older_than_seconds": {"type": "integer", "minimum": 1, "maximum": TTL_MAX_SECONDS},
        "expires_before": _TIME,
        "titles": _FLAG,
        "limit": {"type": "integer", "minimum": 1, "maximum": LIST_MAX, "default": LIST_DEFAULT},
    },
}
"""What the domain demands of each field, for each body."""

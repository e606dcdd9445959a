"""Ids that are computed from the place of a pause, so that a retried mint finds its pause again.

Every id is a SHA-256 of a JSON array of its parts: different parts always give different texts. The ids are not
secrets: the signature protects a token, so an id need not be hard to guess.

**The scope is a part of every place.** A caller may choose thread, checkpoint and call. Without the scope, a caller of
another scope could take a place before the pause that belongs there. So the id of a pause and the place of its records
include the hash of the scope.

Versions before this rule wrote records without the scope in their place, and those pauses must stay answerable. A
reader knows the form without a read: a pause token of the new form has the claim `scoped`, and the row of the new form
has the hash of its minter. The mark is not in the id, so the id of a pause with an idempotency key is the same in both
forms: a mint that is repeated after an upgrade finds its pause. The id of a pause without such a key has changed.
"""

import hashlib
import json
from collections.abc import Callable

_INTERRUPT_ID_DIGITS = 12


def digest(*parts: str) -> str:
    """Return the SHA-256 of exactly these parts in this order: 64 lower-case hex digits."""
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def pause_id(*, scope_hash: str, thread_id: str, checkpoint_id: str, key: str) -> str:
    """Return the jti of the pause recorded under a metadata key of a checkpoint of a scope: 32 hex digits."""
    return digest("scoped pause", scope_hash, thread_id, checkpoint_id, key)[:32]


def keyed_pause_id(*, scope_hash: str, idempotency_key: str) -> str:
    """Return the jti of the pause with this idempotency key in this scope: 32 hex digits."""
    return digest("keyed pause", scope_hash, idempotency_key)[:32]


def keyed_checkpoint_id(*, scope_hash: str, idempotency_key: str) -> str:
    """Return the checkpoint of a pause whose caller gives only an idempotency key."""
    return "keyed-" + digest("keyed checkpoint", scope_hash, idempotency_key)[:32]


def question_id(*, thread_id: str, checkpoint_id: str, tool_call_id: str, position: int) -> str:
    """Return the id of a question: `q-` and 12 hex digits."""
    return "q-" + digest("question", thread_id, checkpoint_id, tool_call_id, str(position))[:12]


def interrupt_id(*, thread_id: str, checkpoint_id: str, name: str, tool_call_id: str) -> str:
    """Return the id of a named interrupt: `i-` and 12 hex digits.

    Without a call, `tool_call_id` is the caller's idempotency key.
    """
    return "i-" + digest("interrupt", thread_id, checkpoint_id, name, tool_call_id)[:_INTERRUPT_ID_DIGITS]


def random_interrupt_id(token_hex: Callable[[int], str]) -> str:
    """Return an id of the same form, for a pause without a call and without an idempotency key.

    `token_hex` returns two random hex digits for each byte, as `secrets.token_hex` does.
    """
    return "i-" + token_hex(_INTERRUPT_ID_DIGITS // 2)


def message_id(*, jti: str, occasion: str, recipient: str) -> str:
    """Return the id of a message to one recipient: `msg_` and 32 hex digits.

    The recipient is only a part of the hash, so an id in a log does not show an address.
    """
    return "msg_" + digest("message", jti, occasion, recipient)[:32]

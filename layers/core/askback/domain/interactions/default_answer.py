"""The expiry policy of a pause without an answer: it fails as expired, or a default answer is used."""

from dataclasses import dataclass

from pydantic import BaseModel

from askback.domain.errors import AnswerInvalid, FieldError, InvalidRequest
from askback.domain.interactions.registry import InteractionRegistration
from askback.domain.json_text import Json, canonical_text

DEFAULT_RESPONSE_MAX_BYTES = 8 * 1024
"""A default answer is stored in the ledger row, and its size adds to the cost of every write of the row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DefaultAnswer:
    """The expiry policy `default`: at expiry this answer is recorded, marked as given by policy."""

    response: Json


def default_response_text(
    policy: DefaultAnswer | None,
    *,
    registration: InteractionRegistration,
    request: BaseModel,
    needs_votes: bool = False,
) -> str | None:
    """Return the default answer's text, validated like any answer; None for the policy `fail`.

    In a pause that `needs_votes` it never approves, whatever the registration allows: the end of the time is no vote.

    Raises:
        InvalidRequest: the answer is not valid, or it approves; the fields of the errors begin with
            `on_expiry.response`.
    """
    if policy is None:
        return None
    try:
        response = registration.read_response(registration.prepare_default(policy.response, request), request)
    except AnswerInvalid as error:
        errors = tuple(
            FieldError(f"on_expiry.{item.field}", item.message, f"on_expiry.{item.bare.field}", item.bare.message)
            for item in error.errors
        )
        raise InvalidRequest(
            "the default answer does not fit the question", errors=errors, more_errors=error.more_errors
        ) from None
    if registration.approves(response) and (needs_votes or not registration.allow_default_approval):
        raise InvalidRequest.of_field("on_expiry.response", "must not approve: only a person can approve")
    text = canonical_text(response)
    if len(text) > DEFAULT_RESPONSE_MAX_BYTES:
        raise InvalidRequest.of_field("on_expiry.response", f"must be at most {DEFAULT_RESPONSE_MAX_BYTES} bytes")
    return text

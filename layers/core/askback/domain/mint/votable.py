"""Whether several people can vote on a new question."""

from collections.abc import Mapping
from typing import Any

from askback.domain.errors import InvalidRequest
from askback.domain.interactions.registry import InteractionRegistration, Presentation
from askback.domain.json_text import canonical_text
from askback.domain.pause.answerers import Answerers
from askback.domain.pause.assurance import Assurance
from askback.domain.pause.quorum import VOTE_MAX_BYTES, Quorum, escaped_size, members

_COMMENT_BYTES = 2 * 1024
"""The room of a vote that is kept for its comment."""


def require_votable(quorum: Quorum | None, registration: InteractionRegistration, payload: Mapping[str, Any]) -> None:
    """Require that people can vote on the question of a pause with a quorum.

    Every yes repeats the arguments of its action. If these were too large for a vote, only a no could be given.

    Raises:
        InvalidRequest: with the wrong field.
    """
    if quorum is None:
        return
    if not registration.says_yes_and_no:
        raise InvalidRequest.of_field("quorum", "needs an interaction that says which answers approve")
    if registration.presentation is Presentation.APPROVAL:
        room = VOTE_MAX_BYTES - _COMMENT_BYTES
        if escaped_size(canonical_text(payload["action"]["arguments"])) > room:
            raise InvalidRequest.of_field("payload.action.arguments", f"must be at most {room} bytes with a quorum")


def why_too_few(
    quorum: Quorum | None, answerers: Answerers, *, takes_links: bool, best_sign_in: Assurance | None
) -> str:
    """Return why fewer members than are needed can vote in this deployment; empty if enough can.

    The other arguments are as in `Answerers.why_unanswerable`, which says whether one person can answer.
    """
    if quorum is None:
        return ""
    ways: dict[str, Any] = {"takes_links": takes_links, "best_sign_in": best_sign_in}
    able = sum(answerers.can_answer(person, **ways) for person in members(answerers))
    if able >= quorum.needed:
        return ""
    needed = f"{able} of the {quorum.needed} people needed"
    if answerers.member_floors:
        return f"only {needed} can be known here as well as the question needs of them"
    return f"only the links of recipients can vote, and {needed} have one"

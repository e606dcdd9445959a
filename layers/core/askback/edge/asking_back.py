"""The requests and the reply of `POST /clarifications` and `POST /user/clarifications`: a person asks back."""

from typing import Any

from askback.domain.resume.admission import PersonRequest
from askback.domain.resume.asking_back import AskedBack
from askback.domain.timestamps import rfc3339
from askback.edge.answer import LinkedBody, SignedInBody, person_request
from askback.edge.lambda_events import RouteRequest
from askback.settings import ClaimNames


class QuestionBackBody(LinkedBody):
    """The body of `POST /clarifications`."""

    HALVES_ALLOWED = LinkedBody.HALVES_ALLOWED | {"question"}

    question: str


class UserQuestionBackBody(SignedInBody):
    """The body of `POST /user/clarifications`."""

    HALVES_ALLOWED = SignedInBody.HALVES_ALLOWED | {"question"}

    question: str


def question_back(request: RouteRequest, *, claim_names: ClaimNames, at: int) -> tuple[PersonRequest, str]:
    """Return who asks back, and the question; raises as `person_request` does."""
    person, body = person_request(request, QuestionBackBody, UserQuestionBackBody, claim_names=claim_names, at=at)
    return person, body.question


def question_back_reply(asked: AskedBack) -> dict[str, Any]:
    """Return the receipt of a question back."""
    return {
        "jti": asked.row.claims.jti,
        "status": asked.row.status.value,
        "number": asked.clarification.number,
        "question": asked.clarification.asked.text,
        "asked_at": rfc3339(asked.clarification.asked.at),
        "replayed": asked.replayed,
    }

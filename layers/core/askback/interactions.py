"""What this deployment can ask. Add your own interactions to the registry below.

A registration is all there is to it: a pydantic model of what is asked, a type for the answer, and, where needed, a
check of the answer against the question.
"""

from askback.domain.ask_user import (
    AskUserRequest,
    AskUserResponse,
    check_answers,
    check_new_request,
    stamp_default_answers,
    stamp_question_ids,
)
from askback.domain.claims import ASK_USER
from askback.domain.registry import InteractionRegistration, InteractionRegistry

ASK_USER_REGISTRATION = InteractionRegistration(
    name=ASK_USER,
    payload_schema=AskUserRequest,
    response_schema=AskUserResponse,
    prepare=stamp_question_ids,
    prepare_default=stamp_default_answers,
    validate_new_payload=check_new_request,
    validate_response=check_answers,
    hash_model=True,
    allow_link=True,
)

REGISTRY = InteractionRegistry([ASK_USER_REGISTRATION])

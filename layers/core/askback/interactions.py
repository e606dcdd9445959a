"""What this deployment can ask. Add your own interactions to the registry below.

A registration is all there is to it: a pydantic model of what is asked, a type for the answer, and, where needed, a
check of the answer against the question.
"""

from askback.domain.interactions.approval import ApprovalRequest, ApprovalResponse, check_approval, complete_approval
from askback.domain.interactions.ask_user import (
    AskUserRequest,
    AskUserResponse,
    check_answers,
    check_new_request,
    stamp_default_answers,
    stamp_question_ids,
)
from askback.domain.interactions.form import FormRequest, FormResponse, check_form, check_values, stamp_order
from askback.domain.interactions.registry import InteractionRegistration, InteractionRegistry, Presentation
from askback.domain.pause.claims import ASK_USER

ASK_USER_REGISTRATION = InteractionRegistration(
    name=ASK_USER,
    payload_schema=AskUserRequest,
    response_schema=AskUserResponse,
    prepare=stamp_question_ids,
    prepare_default=stamp_default_answers,
    validate_new_payload=check_new_request,
    validate_response=check_answers,
    presentation=Presentation.ASK_USER,
    hash_model=True,
    allow_link=True,
)

APPROVAL_REGISTRATION = InteractionRegistration(
    name="approval",
    payload_schema=ApprovalRequest,
    response_schema=ApprovalResponse,
    validate_response=check_approval,
    complete_response=complete_approval,
    presentation=Presentation.APPROVAL,
    allow_link=True,
)

FORM_REGISTRATION = InteractionRegistration(
    name="form",
    payload_schema=FormRequest,
    response_schema=FormResponse,
    prepare=stamp_order,
    validate_new_payload=check_form,
    validate_response=check_values,
    presentation=Presentation.FORM,
    allow_link=True,
)

REGISTRY = InteractionRegistry([ASK_USER_REGISTRATION, APPROVAL_REGISTRATION, FORM_REGISTRATION])

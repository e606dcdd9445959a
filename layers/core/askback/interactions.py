"""The interactions of this deployment: the built-in ones, and those of your own module.

To add interactions, write a module with the name `INTERACTIONS` in it, put it into a Lambda layer, and set the
parameter `InteractionsModule` (the variable ASKBACK_INTERACTIONS) to its name. You edit no file of askback, so an
upgrade keeps your interactions:

    from askback.interactions import InteractionRegistration, WithoutBuiltIn

    INTERACTIONS = [
        InteractionRegistration(name="approve_refund", payload_schema=Refund, response_schema=Decision),
        WithoutBuiltIn("form"),
    ]

You need not list the built-in interactions. A registration with the name of a built-in one replaces it.
"""

from importlib import import_module
from traceback import walk_tb

from askback.domain.errors import FieldError, InteractionConfigurationError
from askback.domain.interactions.approval import (
    ApprovalRequest,
    ApprovalResponse,
    arguments_of,
    check_action,
    check_approval,
    complete_approval,
    is_approval,
)
from askback.domain.interactions.ask_user import (
    AskUserRequest,
    AskUserResponse,
    check_answers,
    check_new_request,
    stamp_default_answers,
    stamp_question_ids,
)
from askback.domain.interactions.form import FormRequest, FormResponse, check_form, check_values, stamp_order
from askback.domain.interactions.registry import (
    InteractionRegistration,
    InteractionRegistry,
    PausePlace,
    Presentation,
    RegistrationInvalid,
    WithoutBuiltIn,
)
from askback.domain.pause.claims import ASK_USER

__all__ = [
    "APPROVAL_REGISTRATION",
    "ASK_USER_REGISTRATION",
    "FORM_REGISTRATION",
    "REGISTRY",
    "FieldError",
    "InteractionRegistration",
    "PausePlace",
    "Presentation",
    "WithoutBuiltIn",
    "deployed_interactions",
]

VARIABLE = "ASKBACK_INTERACTIONS"
NAME = "INTERACTIONS"
"""The name of the list of registrations in an adopter's module."""

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
    validate_new_payload=check_action,
    validate_response=check_approval,
    complete_response=complete_approval,
    approves=is_approval,
    runs=arguments_of,
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
"""The built-in interactions."""


def deployed_interactions(module: str) -> InteractionRegistry:
    """Return the built-in interactions and those of the module; only the built-in ones for an empty name.

    Python runs the module once in a process. The reasons below have the module, the line and the error's class, but not
    its text: the text may contain data that the module has read, and the log must not contain secrets.

    Raises:
        InteractionConfigurationError: the module is missing, fails, has no `INTERACTIONS`, or has a registration that
            cannot be used.
    """
    if not module:
        return REGISTRY
    try:
        own = import_module(module)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - an adopter's module can raise any error
        raise _unusable(module, f"cannot be imported: {_cause(error, module)}") from None
    if not hasattr(own, NAME):
        raise _unusable(module, f"has no {NAME}")
    try:
        return REGISTRY.extended(own.INTERACTIONS)
    except RegistrationInvalid as error:
        raise _unusable(module, f"has {NAME} that cannot be used: {error}") from None
    except Exception as error:  # noqa: BLE001 - it is not a list, or its iteration fails
        raise _unusable(module, f"has {NAME} that cannot be used: {type(error).__name__}") from None


def _cause(error: BaseException, module: str) -> str:
    """Return the error's class, the module that was not found, and the last line in the adopter's module."""
    cause = type(error).__name__
    if isinstance(error, ModuleNotFoundError) and error.name:
        cause += f" of {error.name}"
    lines = [line for frame, line in walk_tb(error.__traceback__) if frame.f_globals.get("__name__") == module]
    return f"{cause} in line {lines[-1]}" if lines else cause


def _unusable(module: str, why: str) -> InteractionConfigurationError:
    return InteractionConfigurationError(
        "the deployment is not configured", reason=f"{VARIABLE}: the module {module} {why}"
    )

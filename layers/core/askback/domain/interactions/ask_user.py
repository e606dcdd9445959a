"""The built-in interaction `ask_user`: one to four questions with two to four options each.

A request and an answer are validated strictly: nothing is coerced, unknown fields are refused, and labels match
exactly. The server stamps the id of every question; one supplied by the model is replaced.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from askback.domain.errors import FieldError
from askback.domain.interactions.new_fields import ALIKE
from askback.domain.interactions.registry import PausePlace
from askback.domain.json_text import Json
from askback.domain.pause.ids import question_id
from askback.domain.visible_text import is_blank, look_different

QUESTION_ID_PATTERN = r"^q-[0-9a-f]{12}$"

Label = Annotated[str, StringConstraints(min_length=1, max_length=80)]


class _Strict(BaseModel):
    # Validators are built on first use: models that are only parts of others never need their own.
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, defer_build=True)


class AskUserOption(_Strict):
    """One choice: a label of 1 to 80 characters, a description of up to 400, and a preview of up to 4,000."""

    label: Label
    description: str = Field(default="", max_length=400)
    preview: str | None = Field(default=None, max_length=4000)


class AskUserQuestion(_Strict):
    """One question in its recorded and hashed form. The order of the fields is part of the hash: never change it."""

    id: str = Field(pattern=QUESTION_ID_PATTERN)
    question: str = Field(min_length=1, max_length=500)
    header: str = Field(default="", max_length=12)
    options: list[AskUserOption] = Field(min_length=2, max_length=4)
    multi_select: bool = False
    allow_other: bool = False

    @model_validator(mode="after")
    def _labels_are_distinct(self) -> Self:
        if len({option.label for option in self.options}) != len(self.options):
            raise ValueError("the labels of one question must differ")
        return self


class AskUserRequest(_Strict):
    """The request: 1 to 4 questions."""

    questions: list[AskUserQuestion] = Field(min_length=1, max_length=4)

    @model_validator(mode="after")
    def _ids_are_distinct(self) -> Self:
        if len({question.id for question in self.questions}) != len(self.questions):
            raise ValueError("the ids of the questions must differ")
        return self


class AskUserAnswer(_Strict):
    """The answer to one question: chosen labels, and free text of up to 1,000 characters where it is allowed."""

    question_id: str = Field(pattern=QUESTION_ID_PATTERN)
    selections: list[str] = Field(default_factory=list, max_length=4)
    other: str | None = Field(default=None, max_length=1000)


class AskUserResponse(_Strict):
    """One answer for each question, in any order."""

    answers: list[AskUserAnswer] = Field(min_length=1, max_length=4)


def stamp_question_ids(payload: Mapping[str, Any], place: PausePlace) -> Mapping[str, Any]:
    """Return the payload with every question's id set by the server.

    The id follows from thread, checkpoint, call and position, so a retried mint records the same text. A payload of
    another form is returned without change; validation refuses it later.
    """
    questions = payload.get("questions")
    if not isinstance(questions, list):
        return payload
    stamped = [
        {
            **question,
            "id": question_id(
                thread_id=place.thread_id,
                checkpoint_id=place.checkpoint_id,
                tool_call_id=place.tool_call_id,
                position=position,
            ),
        }
        if isinstance(question, Mapping)
        else question
        for position, question in enumerate(questions)
    ]
    return {**payload, "questions": stamped}


def check_new_request(request: AskUserRequest) -> list[FieldError]:
    """Return an error for a question without a visible text, and for labels that a reader cannot tell apart.

    This is checked for new requests only: the legacy engine issued such labels, and its open questions must stay
    readable.
    """
    errors = []
    for index, question in enumerate(request.questions):
        if is_blank(question.question):
            errors.append(FieldError(f"payload.questions[{index}].question", "must not be blank"))
        if not look_different(option.label for option in question.options):
            errors.append(FieldError(f"payload.questions[{index}].options", ALIKE))
    return errors


def stamp_default_answers(response: Json, request: AskUserRequest) -> Json:
    """Return a default answer with question ids filled in by position; its author cannot know the ids yet."""
    answers = response.get("answers") if isinstance(response, dict) else None
    if not isinstance(answers, list):
        return response
    ids = [question.id for question in request.questions]
    stamped = [
        {"question_id": ids[position], **answer} if isinstance(answer, dict) and position < len(ids) else answer
        for position, answer in enumerate(answers)
    ]
    return {**response, "answers": stamped}


def check_answers(request: AskUserRequest, response: AskUserResponse) -> list[FieldError]:
    """Return the errors of the answers to these questions; an empty list when they are valid.

    Every question has exactly one answer. A single-select answer is either one label or, where allowed, free text. A
    multi-select answer is at least one choice: different labels and, where allowed, free text. Labels match exactly.
    """
    errors = []
    questions = {question.id: question for question in request.questions}
    seen: set[str] = set()
    for index, answer in enumerate(response.answers):
        at = f"response.answers[{index}]"
        question = questions.get(answer.question_id)
        if question is None:
            errors.append(
                FieldError(
                    f"{at}.question_id",
                    f"must be one of {', '.join(sorted(questions))}",
                    bare_message="must be the id of a question",
                )
            )
        elif answer.question_id in seen:
            errors.append(FieldError(f"{at}.question_id", "is answered twice"))
        else:
            errors += _check_answer(question, answer, at)
        seen.add(answer.question_id)
    errors += [
        FieldError("response.answers", f"has no answer to {missing}", bare_message="has no answer to a question")
        for missing in questions
        if missing not in seen
    ]
    return errors


def _check_answer(question: AskUserQuestion, answer: AskUserAnswer, at: str) -> list[FieldError]:
    allowed = [option.label for option in question.options]
    labels = ", ".join(map(repr, allowed))
    if any(label not in allowed for label in answer.selections):
        return [
            FieldError(
                f"{at}.selections",
                f"must be among the labels {labels}",
                bare_message="must be among the labels of the question",
            )
        ]
    if len(set(answer.selections)) != len(answer.selections):
        return [FieldError(f"{at}.selections", "names a label twice")]
    if answer.other is not None and not question.allow_other:
        return [
            FieldError(
                f"{at}.other",
                f"is not offered; choose among {labels}",
                bare_message="is not offered; choose among the labels of the question",
            )
        ]
    if answer.other is not None and is_blank(answer.other):
        return [FieldError(f"{at}.other", "must not be blank; leave it out instead")]
    picks = len(answer.selections) + (answer.other is not None)
    if picks == 0:
        return [
            FieldError(
                f"{at}.selections",
                f"must choose among {labels}",
                bare_message="must choose among the labels of the question",
            )
        ]
    if picks > 1 and not question.multi_select:
        return [FieldError(f"{at}.selections", "must be one choice only: one label, or free text where it is offered")]
    return []

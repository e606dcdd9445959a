"""What each route of the functions is: its name, its body, its replies, and the refusals that its callers can get.

The keys are the routes of the functions' own tables; a test compares the two. A name of an operation is that of the
client's method where there is one, and never changes.
"""

from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from askback.domain import errors
from askback.domain.errors import HumanInteractionError
from askback.edge.amendments import ExtensionBody, ReassignmentBody
from askback.edge.answer import AnswerBody, OutcomeBody, ResumeBody, UserAnswerBody
from askback.edge.asking_back import QuestionBackBody, UserQuestionBackBody
from askback.edge.batch import BatchBody
from askback.edge.clarifications import ClarificationBody
from askback.edge.delegating import DelegationBody, UserDelegationBody
from askback.edge.inbox import LinkRevocationBody, NoBody, PauseBody
from askback.edge.links import LinksBody
from askback.edge.mint import MintBody
from askback.edge.pause_list import PauseListBody
from askback.edge.question import QuestionBody, UserQuestionBody
from askback.edge.taking_back import AskerRevocationBody
from local.openapi import operator_replies, replies

Refusal = type[HumanInteractionError]


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One route.

    `replies` has the form of the reply for each status; several forms mean one of them. `items` is the body of one item
    of a batch.
    """

    id: str
    tag: str
    summary: str
    body: type[BaseModel]
    replies: dict[int, tuple[Any, ...]]
    refusals: tuple[Refusal, ...] = ()
    items: type[BaseModel] | None = None


# Groups of refusals, in the order in which a request meets them.
_EVERY = (errors.InvalidRequest, errors.InteractionConfigurationError, errors.StoreUnavailable)
_SENT = (errors.RequestTooLarge,)
_SIGNED = (errors.Unauthenticated, errors.PrincipalNotAllowed)
_SIGNED_IN = (errors.Unauthenticated,)
_ROW = (errors.UnknownPause, errors.RowUnreadable)
_TOKEN = (*_ROW, errors.TokenRejected, errors.PauseExpired, errors.PauseErased)
_LINKED = (errors.LinkRevoked,)
_PLACE = (errors.SessionMismatch, errors.RunMismatch, errors.CallMismatch)
_SCOPED = (errors.ScopeMismatch,)
_RECORDED = (
    errors.PayloadMissing,
    errors.PayloadUnreadable,
    errors.PayloadBindingError,
    errors.UnknownInteraction,
)
_TURN = (errors.TurnMissing, errors.TurnUnreadable, errors.TurnMismatch)
_ENDED = (errors.AlreadyAnswered, errors.PauseExpired, errors.PauseRevoked, errors.PauseSuperseded)
_PERSON = (*_TOKEN, *_PLACE, *_RECORDED, *_ENDED, errors.AnswererNotAllowed, errors.QuestionChanged)
_ANSWER = (
    *_PERSON,
    *_TURN,
    errors.AnswerInvalid,
    errors.AlreadyVoted,
    errors.WaiterGone,
    errors.OutcomeUnreadable,
)
OF_AN_ITEM = (
    *(*_EVERY, *_SENT, *_SIGNED_IN, *_LINKED, *_SCOPED, *_ANSWER),
    *(errors.DuplicatePause, errors.NotTried),
)
"""What one item of a batch can get."""

_ASKER, _BACKEND, _LINK = "asker", "backend", "answer token"
_USER, _OPERATOR, _MESSENGER = "signed in", "operator", "messenger"

_QUESTION = (replies.Question, replies.EndedQuestion, replies.UnchangedQuestion)

OPERATIONS = {
    "POST /pauses": Operation(
        id="pause",
        tag=_ASKER,
        summary="Record a question and the paused turn",
        body=MintBody,
        replies={201: (replies.Pause,)},
        refusals=(
            *_EVERY,
            *_SENT,
            *_SIGNED,
            *_ROW,
            *_ENDED,
            errors.PauseConflict,
            errors.TooManyOpen,
            errors.UnknownInteraction,
            errors.PayloadUnreadable,
            errors.PayloadBindingError,
            errors.PayloadMissing,
        ),
    ),
    "POST /pauses/{jti}/links": Operation(
        id="links",
        tag=_MESSENGER,
        summary="Return the answer links of an open pause",
        body=LinksBody,
        replies={200: (replies.PauseLinks,)},
        refusals=(*_EVERY, *_SENT, *_SIGNED, *_ROW, *_ENDED),
    ),
    "POST /pauses/{jti}/revoke": Operation(
        id="revoke",
        tag=_ASKER,
        summary="Revoke an open pause of the caller",
        body=AskerRevocationBody,
        replies={200: (replies.RevokedQuestion,)},
        refusals=(*_EVERY, *_SENT, *_SIGNED, *_ROW, *_ENDED),
    ),
    "POST /pauses/{jti}/clarifications": Operation(
        id="clarify",
        tag=_ASKER,
        summary="Return what people ask back, or add a reply",
        body=ClarificationBody,
        replies={200: (replies.Clarifications,)},
        refusals=(*_EVERY, *_SENT, *_SIGNED, *_ROW, *_ENDED),
    ),
    "POST /resume": Operation(
        id="resume",
        tag=_BACKEND,
        summary="Answer, and return the turn to continue from",
        body=ResumeBody,
        replies={200: (replies.Outcome,), 202: (replies.AnswerReceipt,)},
        refusals=(*_EVERY, *_SENT, *_SIGNED, *_SCOPED, *_ANSWER),
    ),
    "POST /outcomes": Operation(
        id="outcome",
        tag=_BACKEND,
        summary="Return how an answered pause ended; consumes nothing",
        body=OutcomeBody,
        replies={200: (replies.Outcome,)},
        refusals=(
            *_EVERY,
            *_SENT,
            *_SIGNED,
            *_SCOPED,
            *_TOKEN,
            *_PLACE,
            *_RECORDED,
            *_TURN,
            errors.PauseRevoked,
            errors.PauseSuperseded,
            errors.NotAnswered,
            errors.OutcomeUnreadable,
        ),
    ),
    "POST /answers": Operation(
        id="answer",
        tag=_LINK,
        summary="Answer",
        body=AnswerBody,
        replies={200: (replies.AnswerReceipt,), 202: (replies.AnswerReceipt,)},
        refusals=(*_EVERY, *_SENT, *_LINKED, *_ANSWER),
    ),
    "POST /answers/batch": Operation(
        id="answer_many",
        tag=_LINK,
        summary="Answer up to 25 pauses, one after another",
        body=BatchBody,
        items=AnswerBody,
        replies={200: (replies.AcceptedItem,)},
        refusals=(*_EVERY, *_SENT),
    ),
    "POST /questions": Operation(
        id="question",
        tag=_LINK,
        summary="Return a question; consumes nothing",
        body=QuestionBody,
        replies={200: _QUESTION},
        refusals=(*_EVERY, *_SENT, *_LINKED, *_TOKEN, *_RECORDED, errors.OutcomeUnreadable),
    ),
    "POST /clarifications": Operation(
        id="ask_back",
        tag=_LINK,
        summary="Ask the agent something instead of answering",
        body=QuestionBackBody,
        replies={201: (replies.QuestionBack,)},
        refusals=(*_EVERY, *_SENT, *_LINKED, *_PERSON),
    ),
    "POST /delegations": Operation(
        id="delegate",
        tag=_LINK,
        summary="Let another person decide",
        body=DelegationBody,
        replies={200: (replies.Delegation,)},
        refusals=(*_EVERY, *_SENT, *_LINKED, *_PERSON, errors.AlreadyVoted),
    ),
    "POST /user/resume": Operation(
        id="user_resume",
        tag=_USER,
        summary="Answer, and return the turn to continue from",
        body=ResumeBody,
        replies={200: (replies.Outcome,), 202: (replies.AnswerReceipt,)},
        refusals=(*_EVERY, *_SENT, *_SIGNED_IN, *_SCOPED, *_ANSWER),
    ),
    "POST /user/answers": Operation(
        id="user_answer",
        tag=_USER,
        summary="Answer, by a token or by the id of the pause",
        body=UserAnswerBody,
        replies={200: (replies.AnswerReceipt,), 202: (replies.AnswerReceipt,)},
        refusals=(*_EVERY, *_SENT, *_SIGNED_IN, *_LINKED, *_SCOPED, *_ANSWER),
    ),
    "POST /user/answers/batch": Operation(
        id="user_answer_many",
        tag=_USER,
        summary="Answer up to 25 pauses, one after another",
        body=BatchBody,
        items=UserAnswerBody,
        replies={200: (replies.AcceptedItem,)},
        refusals=(*_EVERY, *_SENT, *_SIGNED_IN),
    ),
    "POST /user/questions": Operation(
        id="user_question",
        tag=_USER,
        summary="Return the question of a pause by its id; consumes nothing",
        body=UserQuestionBody,
        replies={200: (replies.SignedInQuestion,)},
        refusals=(
            *_EVERY,
            *_SENT,
            *_SIGNED_IN,
            *_ROW,
            *_RECORDED,
            errors.PauseExpired,
            errors.PauseErased,
            errors.AnswererNotAllowed,
            errors.OutcomeUnreadable,
        ),
    ),
    "POST /user/clarifications": Operation(
        id="user_ask_back",
        tag=_USER,
        summary="Ask the agent something instead of answering",
        body=UserQuestionBackBody,
        replies={201: (replies.QuestionBack,)},
        refusals=(*_EVERY, *_SENT, *_SIGNED_IN, *_LINKED, *_SCOPED, *_PERSON),
    ),
    "POST /user/delegations": Operation(
        id="user_delegate",
        tag=_USER,
        summary="Let another person decide",
        body=UserDelegationBody,
        replies={200: (replies.Delegation,)},
        refusals=(*_EVERY, *_SENT, *_SIGNED_IN, *_LINKED, *_SCOPED, *_PERSON, errors.AlreadyVoted),
    ),
    "GET /pauses": Operation(
        id="list_pauses",
        tag=_OPERATOR,
        summary="List the pauses of a scope",
        body=PauseListBody,
        replies={200: (operator_replies.PauseList,)},
        refusals=(*_EVERY, *_SIGNED),
    ),
    "GET /pauses/{jti}": Operation(
        id="show_pause",
        tag=_OPERATOR,
        summary="Show one pause",
        body=PauseBody,
        replies={200: (operator_replies.PauseDetails,)},
        refusals=(*_EVERY, *_SIGNED, *_ROW),
    ),
    "DELETE /pauses/{jti}": Operation(
        id="revoke_pause",
        tag=_OPERATOR,
        summary="Revoke an open pause",
        body=PauseBody,
        replies={200: (operator_replies.PauseDetails,)},
        refusals=(*_EVERY, *_SIGNED, *_ROW, *_ENDED),
    ),
    "POST /pauses/{jti}/links/revoke": Operation(
        id="revoke_link",
        tag=_OPERATOR,
        summary="Revoke the link of one recipient",
        body=LinkRevocationBody,
        replies={200: (operator_replies.PauseDetails,)},
        refusals=(*_EVERY, *_SENT, *_SIGNED, *_ROW, *_ENDED),
    ),
    "POST /pauses/{jti}/extend": Operation(
        id="extend_pause",
        tag=_OPERATOR,
        summary="Move the deadline of an open pause",
        body=ExtensionBody,
        replies={200: (operator_replies.PauseDetails,)},
        refusals=(*_EVERY, *_SENT, *_SIGNED, *_ROW, *_ENDED),
    ),
    "POST /pauses/{jti}/reassign": Operation(
        id="reassign_pause",
        tag=_OPERATOR,
        summary="Ask another person instead of one who is asked",
        body=ReassignmentBody,
        replies={200: (operator_replies.PauseDetails,)},
        refusals=(*_EVERY, *_SENT, *_SIGNED, *_ROW, *_ENDED),
    ),
    "POST /pauses/{jti}/redrive": Operation(
        id="redrive_pause",
        tag=_OPERATOR,
        summary="Make an undeliverable outcome due for delivery again",
        body=PauseBody,
        replies={200: (operator_replies.PauseDetails,)},
        refusals=(*_EVERY, *_SENT, *_SIGNED, *_ROW, errors.NotRedrivable),
    ),
    "GET /keys": Operation(
        id="keys",
        tag=_OPERATOR,
        summary="Count the open pauses of each signing key",
        body=NoBody,
        replies={200: (operator_replies.Keys,)},
        refusals=(*_EVERY, *_SIGNED),
    ),
}

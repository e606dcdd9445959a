"""What is refused only to somebody who was shown a question."""

from askback.domain.errors import HumanInteractionError


class QuestionChanged(HumanInteractionError):
    """The answer is to another question than the recorded one. The person must read that one first."""

    code = "question-changed"

    def __init__(self) -> None:
        super().__init__("the question is not the one that was shown; read it again and answer that")

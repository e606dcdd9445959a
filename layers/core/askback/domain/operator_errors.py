"""What is refused to an operator only."""

from askback.domain.errors import HumanInteractionError


class NotRedrivable(HumanInteractionError):
    """There is no failed delivery to make once more. The operator must look at the pause first."""

    code = "not-redrivable"

    def __init__(self, status: str) -> None:
        super().__init__(f"the pause is {status}; only an undeliverable one is delivered once more")

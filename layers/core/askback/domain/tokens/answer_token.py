"""The claims of an answer token: the id of its pause, its expiry, and the number of its recipient.

Everything else is in the ledger row, so a link is short whatever the ids of the pause are. A mail program can break a
long link. Answer tokens of earlier versions have all claims of the pause; they are still read.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from askback.domain.errors import TokenRejected
from askback.domain.pause.claims import Audience, PauseClaims, read_audience, read_epoch, read_text
from askback.domain.pause.ledger import LedgerRow


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerTokenClaims:
    """The claims of one answer token; `exp` is in epoch seconds.

    `number` is the place of the recipient in the row, from 1. It is 0 for the link without a recipient.
    """

    jti: str
    exp: int
    number: int = 0

    def to_mapping(self) -> dict[str, Any]:
        """Return the claims with their names in the token."""
        recipient = {"n": self.number} if self.number else {}
        return {"jti": self.jti, "exp": self.exp, "aud": Audience.ANSWER.value, **recipient}

    @classmethod
    def from_mapping(cls, raw: Mapping[str, Any]) -> "AnswerTokenClaims | None":
        """Read signed claims; None for a token with all claims of its pause. Raises TokenRejected for a wrong form."""
        if "run_id" in raw:
            return None
        number = raw.get("n", 0)
        if isinstance(number, bool) or not isinstance(number, int) or number < 0:
            raise TokenRejected
        if read_audience(raw) is not Audience.ANSWER:
            raise TokenRejected
        return cls(jti=read_text(raw, "jti"), exp=read_epoch(raw, "exp"), number=number)

    def of_row(self, row: LedgerRow | None) -> PauseClaims:
        """Return the claims of the pause for this token; of two expiries the earlier holds.

        Raises:
            TokenRejected: there is no row, or it has no such recipient.
        """
        if row is None or self.number > len(row.answerers.recipients):
            raise TokenRejected
        recipient = row.answerers.recipients[self.number - 1] if self.number else ""
        exp = min(self.exp, row.claims.exp)
        return replace(row.claims, exp=exp, audience=Audience.ANSWER, recipient=recipient)

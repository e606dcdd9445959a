"""The assurance of an answer: how well askback knows who gave it."""

from collections.abc import Iterable
from enum import StrEnum


class AnsweredVia(StrEnum):
    """The way by which an answer came.

    JWT: the person had signed in. LINK: the person had a link, made for them or without a recipient. IAM, DIRECT: a
    backend states who answered.
    """

    DIRECT = "direct"
    IAM = "iam"
    JWT = "jwt"
    LINK = "link"


class Assurance(StrEnum):
    """How the answerer is known, from weak to strong.

    POLICY: no person answered. STATED: a backend says who answered. LINK: the person had a link without a recipient.
    PERSONAL_LINK: the person had the link that was made for one recipient. SIGNED_IN: a verified JWT has the name.
    STEPPED_UP: that JWT also fulfils the deployment's condition for a stronger sign-in.
    """

    POLICY = "policy"
    STATED = "stated"
    LINK = "link"
    PERSONAL_LINK = "personal_link"
    SIGNED_IN = "signed_in"
    STEPPED_UP = "stepped_up"

    def reaches(self, least: "Assurance") -> bool:
        """Return whether this is at least as strong as `least`."""
        return _ORDER[self] >= _ORDER[least]


_ORDER = {assurance: place for place, assurance in enumerate(Assurance)}

UNKNOWN = "unknown"
"""The assurance of an answer that a version of askback recorded before there was one; it fulfils no demand."""


def strongest(demands: Iterable[Assurance]) -> Assurance:
    """Return the strongest of the demands; STATED without any, because any person may then answer."""
    return max(demands, key=_ORDER.__getitem__, default=Assurance.STATED)


def assurance_of(via: AnsweredVia, *, personal: bool, stepped_up: bool = False) -> Assurance:
    """Return how an answerer is known who came this way; `personal` says whether the link was made for one person."""
    if via is AnsweredVia.LINK:
        return Assurance.PERSONAL_LINK if personal else Assurance.LINK
    if via is AnsweredVia.JWT:
        return Assurance.STEPPED_UP if stepped_up else Assurance.SIGNED_IN
    return Assurance.STATED

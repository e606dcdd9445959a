"""The people of a pause as attributes of its ledger item; lists keep the order in which people were named."""

from typing import Any

from askback.domain.pause.answerers import Answerers

APPROVERS, RECIPIENTS = "approvers", "recipients"
REQUESTER, REQUESTER_EXCLUDED = "requester", "requester_excluded"

Attributes = dict[str, Any]


def answerers_attributes(answerers: Answerers) -> Attributes:
    """Return what is said about the people of a pause; nothing when nothing is."""
    attributes: Attributes = {}
    for name, people in ((APPROVERS, answerers.approvers), (RECIPIENTS, answerers.recipients)):
        if people:
            attributes[name] = {"L": [{"S": person} for person in people]}
    if answerers.requester:
        attributes[REQUESTER] = {"S": answerers.requester}
    if not answerers.requester_may_answer:
        attributes[REQUESTER_EXCLUDED] = {"BOOL": True}
    return attributes


def read_answerers(item: Attributes) -> Answerers:
    """Return the people of an item's pause."""
    return Answerers(
        approvers=_people(item, APPROVERS),
        requester=item[REQUESTER]["S"] if REQUESTER in item else "",
        requester_may_answer=REQUESTER_EXCLUDED not in item,
        recipients=_people(item, RECIPIENTS),
    )


def _people(item: Attributes, name: str) -> tuple[str, ...]:
    return tuple(person["S"] for person in item[name]["L"]) if name in item else ()

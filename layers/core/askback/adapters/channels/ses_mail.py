"""The channel that sends e-mails through SES."""

import re
from collections.abc import Callable
from email.header import Header
from email.utils import formataddr
from typing import TYPE_CHECKING

from askback.adapters.aws.errors import CLIENT_ERRORS, classify
from askback.domain.people.message import Notice

if TYPE_CHECKING:
    from mypy_boto3_sesv2 import SESV2Client
    from mypy_boto3_sesv2.type_defs import ContentTypeDef

# Exactly one plain address: no name, no list, no quotes. SES accepts only ASCII before the `@`.
_ADDRESS = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+")
_ADDRESS_MAX = 254


class SesMail:
    """The channel for recipients whose name is an e-mail address."""

    name = "mail"

    def __init__(self, *, client: "Callable[[], SESV2Client]", from_address: str, sender_name: str = "") -> None:
        """`sender_name` is one line of the deployment; people see it in place of the address."""
        self._client = client
        self._from = sender(sender_name, from_address)

    def takes(self, recipient: str) -> bool:
        """Return whether the recipient is an e-mail address."""
        return len(recipient) <= _ADDRESS_MAX and _ADDRESS.fullmatch(recipient) is not None

    async def send(self, notice: Notice) -> None:
        """Send the message as text and as HTML."""
        client = self._client()
        try:
            client.send_email(
                FromEmailAddress=self._from,
                Destination={"ToAddresses": [notice.recipient]},
                Content={
                    "Simple": {
                        "Subject": _data(notice.subject),
                        "Body": {"Text": _data(notice.text()), "Html": _data(notice.html())},
                    }
                },
            )
        except CLIENT_ERRORS as error:
            raise classify(error, resource="SES", endpoint=client.meta.endpoint_url) from error


def sender(name: str, address: str) -> str:
    """Return the sender of a mail as SES takes it: a name that is not ASCII in the words of RFC 2047.

    Raises:
        ValueError: the name has a line break or another control character, which could begin another header.
    """
    if not name.isprintable():
        raise ValueError("the name of a sender must be one line")
    if name.isascii():
        return formataddr((name, address))
    # No end of line between the words: SES takes a value, not a folded header. A word has at most 75 characters.
    words = Header(name, "utf-8", maxlinelen=75).encode(linesep="")
    return f"{words} <{address}>"


def _data(text: str) -> "ContentTypeDef":
    return {"Data": text, "Charset": "UTF-8"}

"""Messages by e-mail, through SES."""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from askback.adapters.aws.errors import CLIENT_ERRORS, classify
from askback.domain.people.message import Notice

if TYPE_CHECKING:
    from mypy_boto3_sesv2 import SESV2Client
    from mypy_boto3_sesv2.type_defs import ContentTypeDef

# One plain address and nothing else: no name, no list, no quoting. SES takes no other local part than ASCII either.
_ADDRESS = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+")
_ADDRESS_MAX = 254


class SesMail:
    """The channel that writes to recipients who are named by their address."""

    name = "mail"

    def __init__(self, *, client: "Callable[[], SESV2Client]", from_address: str) -> None:
        self._client = client
        self._from = from_address

    def takes(self, recipient: str) -> bool:
        """Tell whether the recipient is an e-mail address."""
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


def _data(text: str) -> "ContentTypeDef":
    return {"Data": text, "Charset": "UTF-8"}

"""The channel to an SNS topic. A reader of the topic can answer for each recipient whose link is in a message."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from askback.adapters.aws.errors import CLIENT_ERRORS, classify
from askback.domain.people.message import Notice

if TYPE_CHECKING:
    from mypy_boto3_sns import SNSClient
    from mypy_boto3_sns.type_defs import MessageAttributeValueTypeDef


class SnsTopic:
    """The channel to a topic; subscribers can filter the messages by their attributes."""

    name = "topic"

    def __init__(self, *, client: "Callable[[], SNSClient]", topic_arn: str) -> None:
        self._client = client
        self._topic_arn = topic_arn

    def takes(self, recipient: str) -> bool:
        """Return True: a topic takes every message."""
        return True

    async def send(self, notice: Notice) -> None:
        """Publish the message as text."""
        client = self._client()
        attributes = {"kind": notice.kind.value, "name": notice.row.claims.name, "recipient": notice.recipient}
        try:
            client.publish(
                TopicArn=self._topic_arn,
                # The subject of a topic is short ASCII, so it contains only askback's own words.
                Subject=notice.heading,
                Message=notice.text(),
                MessageAttributes={name: _attribute(value) for name, value in attributes.items() if value},
            )
        except CLIENT_ERRORS as error:
            raise classify(error, resource="the topic", endpoint=client.meta.endpoint_url) from error


def _attribute(value: str) -> "MessageAttributeValueTypeDef":
    return {"DataType": "String", "StringValue": value}

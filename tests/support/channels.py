"""The channels by which people are told, as the deployment's emulator and this machine have them."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import boto3
from moto.ses.models import Message, ses_backends

from local.emulated.template import ACCOUNT, REGION
from tests.support.function_deployment import Handlers
from tests.support.waiting_world import World
from tests.support.webhook_server import Received, Receiver, a_receiver

FROM = "questions@example.com"
WEBHOOK_KEY = "k" * 64


@dataclass(kw_only=True)
class Channels:
    """A verified sender, a topic with a queue behind it, and a webhook; `environment` names all of them."""

    world: World
    receiver: Receiver
    topic: str
    queue: str
    environment: dict[str, str] = field(default_factory=dict)

    def load(self, *names: str, **environment: str) -> Handlers:
        """Load the functions with these channels, or with all of them."""
        named: dict[str, Any] = {
            name: value for name, value in self.environment.items() if not names or name.endswith(names)
        }
        return self.world.load(**{**named, "SSL_CERT_FILE": str(self.receiver.certificate), **environment})

    def mails(self) -> list[Message]:
        """Return what SES was given since the last time."""
        sent = ses_backends[ACCOUNT][REGION].sent_messages
        mails = [message for message in sent if isinstance(message, Message)]
        sent.clear()
        return mails

    def published(self) -> list[dict[str, Any]]:
        """Return what the topic's subscriber got since the last time."""
        sqs: Any = boto3.client("sqs")
        got: list[dict[str, Any]] = []
        while messages := sqs.receive_message(QueueUrl=self.queue, MaxNumberOfMessages=10).get("Messages"):
            for message in messages:
                got.append(json.loads(message["Body"]))
                sqs.delete_message(QueueUrl=self.queue, ReceiptHandle=message["ReceiptHandle"])
        return got

    def posted(self) -> list[dict[str, Any]]:
        """Return what the webhook got since the last time."""
        return [json.loads(request.body) for request in self.received()]

    def received(self) -> list[Received]:
        """Return the requests that the webhook got since the last time."""
        received = list(self.receiver.received)
        self.receiver.received.clear()
        return received

    def settle(self) -> None:
        """Forget what earlier tests sent."""
        self.receiver.status = 200
        self.mails(), self.published(), self.posted()


@contextmanager
def the_channels(world: World, folder: Path) -> Iterator[Channels]:
    """Let every channel be there, until leaving."""
    sns: Any = boto3.client("sns")
    sqs: Any = boto3.client("sqs")
    boto3.client("sesv2").create_email_identity(EmailIdentity=FROM)
    topic = sns.create_topic(Name="questions")["TopicArn"]
    queue = sqs.create_queue(QueueName="questions")["QueueUrl"]
    arn = sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
    sns.subscribe(TopicArn=topic, Protocol="sqs", Endpoint=arn)
    with a_receiver(folder) as receiver:
        secret: Any = boto3.client("secretsmanager").create_secret(
            Name="webhook", SecretString=json.dumps({"url": receiver.url, "key": WEBHOOK_KEY})
        )
        yield Channels(
            world=world,
            receiver=receiver,
            topic=topic,
            queue=queue,
            environment={
                "ASKBACK_NOTIFY_FROM_ADDRESS": FROM,
                "ASKBACK_NOTIFY_TOPIC_ARN": topic,
                "ASKBACK_NOTIFY_WEBHOOK_SECRET_ID": secret["ARN"],
            },
        )

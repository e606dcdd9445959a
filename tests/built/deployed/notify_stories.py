"""What the role of whoever tells people is for."""

from typing import Any

from tests.built.deployed.needs import needs
from tests.built.deployed.policies import Permission
from tests.built.deployed.world import World
from tests.support.request_bodies import Pause, a_question

# More than the deployment keeps in the table.
LONG = {"label": "Approve", "preview": "".join(chr(0x4E00 + number) for number in range(2000))}
FAILED = "failed"
EVENT_ID = "11111111-2222-3333-4444-555555555555"
READ = Permission(role="NotifyRole", statement="ReadThePauseAndItsQuestion", action="dynamodb:GetItem")


@needs(READ.role, READ.statement, READ.action, whole="told 1", cut=FAILED)
@needs(READ.role, READ.statement, "dynamodb:BatchGetItem", whole="told 1", cut=FAILED)
@needs("NotifyRole", "MarkTheAnnouncement", "dynamodb:UpdateItem", whole="told 1", cut=FAILED)
@needs("NotifyRole", "publish", "sns:Publish", whole="told 1", cut=FAILED)
def somebody_is_told(world: World) -> str:
    return tell(world, world.mint())


@needs("NotifyRole", "ReadLargeQuestions", "s3:GetObject", whole="told 1", cut=FAILED)
def somebody_is_told_of_a_large_question(world: World) -> str:
    question = a_question(options=[LONG, {"label": "Reject"}])
    return tell(world, world.mint(payload={"questions": [question]}))


@needs("NotifyRole", "ReadTheKeys", "secretsmanager:GetSecretValue", whole="told 1", cut=FAILED)
def somebody_is_told_where_nothing_ran_before(world: World) -> str:
    pause = world.mint()
    world.deployment.start_afresh("NotifyFunction")
    return tell(world, pause)


@needs("NotifyRole", "KeepFailures", "sqs:SendMessage", whole="kept", cut="lost")
def an_announcement_that_nobody_was_told_of_is_kept(world: World) -> str:
    with world.deployment.roles.without(READ):
        return world.failed_message(announcement(world.mint()))


@needs("NotifyRole", "WriteLogs", "logs:CreateLogStream", whole="logged", cut="silent")
@needs("NotifyRole", "WriteLogs", "logs:PutLogEvents", whole="logged", cut="silent")
def a_message_is_logged(world: World) -> str:
    pause = world.mint()
    return world.logs_of("NotifyLogGroup", lambda: tell(world, pause))


def tell(world: World, pause: Pause) -> str:
    """Invoke the function as the rule does, and return how many messages it sent."""
    world.let_announce(pause, EVENT_ID)
    reply = world.deployment.invoke("NotifyFunction", announcement(pause))
    return f"told {sum(reply['sent'].values())}" if "sent" in reply else FAILED


def announcement(pause: Pause) -> dict[str, Any]:
    """Return the event of a pause that was issued."""
    detail = {"jti": pause.minted["jti"], "name": pause.minted["name"], "scope_hash": "0" * 64}
    return {"id": EVENT_ID, "detail-type": "PauseIssued", "detail": detail}

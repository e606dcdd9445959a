"""What the role of the links function is for."""

from tests.built.deployed.mint_stories import ended
from tests.built.deployed.needs import FORBIDDEN, needs
from tests.built.deployed.world import World
from tests.support.request_bodies import Pause


def given(world: World, pause: Pause) -> str:
    """Return how a messenger's request for the links of a pause ended."""
    return ended(world.deployment.call("POST", f"/pauses/{pause.minted['jti']}/links"))


@needs("LinksRole", "ReadThePause", "dynamodb:BatchGetItem", whole="200 issued", cut=FORBIDDEN)
@needs("LinksRole", "ReadTheKeys", "secretsmanager:GetSecretValue", whole="200 issued", cut=FORBIDDEN)
def a_messenger_gets_the_links(world: World) -> str:
    pause = world.mint()
    world.deployment.start_afresh("LinksFunction")
    return given(world, pause)


@needs("LinksRole", "WriteLogs", "logs:CreateLogStream", whole="logged", cut="silent")
@needs("LinksRole", "WriteLogs", "logs:PutLogEvents", whole="logged", cut="silent")
def a_messengers_request_is_logged(world: World) -> str:
    pause = world.mint()
    return world.logs_of("LinksLogGroup", lambda: given(world, pause))

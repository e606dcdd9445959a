"""What the page's role is for."""

from tests.built.deployed.needs import needs
from tests.built.deployed.world import World


@needs("PageRole", "WriteLogs", "logs:CreateLogStream", whole="logged", cut="silent")
@needs("PageRole", "WriteLogs", "logs:PutLogEvents", whole="logged", cut="silent")
def the_page_is_logged(world: World) -> str:
    return world.logs_of(
        "PageLogGroup", lambda: world.deployment.invoke("PageFunction", {"routeKey": "GET /answer", "headers": {}})
    )

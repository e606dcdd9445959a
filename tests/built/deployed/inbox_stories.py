"""What the inbox's role is for."""

import json
from urllib.parse import urlencode

from local.demo.api_client import Answer
from tests.built.deployed.mint_stories import ended
from tests.built.deployed.needs import FORBIDDEN, needs
from tests.built.deployed.world import World
from tests.support.request_bodies import Pause, a_scope


def of_pause(world: World, method: str, pause: Pause) -> Answer:
    """Return the answer of a route about one pause."""
    return world.deployment.call(method, f"/pauses/{pause.minted['jti']}")


@needs("InboxRole", "ListAScopesPauses", "dynamodb:Query", whole="200 1", cut=FORBIDDEN)
def an_operator_lists_a_scopes_pauses(world: World) -> str:
    scope = a_scope()
    world.mint(scope=scope)
    listed = world.deployment.call("GET", f"/pauses?{urlencode(scope)}")
    return f"{listed.status} {listed.code or len(listed.document['pauses'])}"


@needs("InboxRole", "AuditTheDueMarks", "dynamodb:Scan", whole="looked through", cut="misconfigured")
def an_operator_looks_for_rows_that_the_sweep_cannot_see(world: World) -> str:
    world.mint()
    audited = world.deployment.invoke("InboxFunction", {"action": "audit-due"})
    return "looked through" if audited.get("scanned") else str(json.loads(audited["errorMessage"])["code"])


@needs("InboxRole", "CountEachKeysPauses", "dynamodb:Query", whole="200 1", cut=FORBIDDEN)
@needs("InboxRole", "ListTheKeys", "secretsmanager:DescribeSecret", whole="200 1", cut=FORBIDDEN)
def an_operator_counts_the_pauses_of_each_key(world: World) -> str:
    world.mint()
    world.deployment.start_afresh("InboxFunction")
    counted = world.deployment.call("GET", "/keys")
    return f"{counted.status} {counted.code or sum(key['outstanding'] for key in counted.document['keys'])}"


@needs("InboxRole", "ShowAndRevokeThem", "dynamodb:BatchGetItem", whole="200 issued", cut=FORBIDDEN)
def an_operator_looks_at_a_pause(world: World) -> str:
    return ended(of_pause(world, "GET", world.mint()))


@needs("InboxRole", "ShowAndRevokeThem", "dynamodb:UpdateItem", whole="200 revoked", cut=FORBIDDEN)
def an_operator_revokes_a_pause(world: World) -> str:
    return ended(of_pause(world, "DELETE", world.mint()))


@needs("InboxRole", "announce", "events:PutEvents", whole="PauseRevoked", cut="nothing")
def a_revocation_is_announced(world: World) -> str:
    pause = world.mint()
    of_pause(world, "DELETE", pause)
    return "PauseRevoked" if "PauseRevoked" in world.heard(pause) else "nothing"


@needs("InboxRole", "WriteLogs", "logs:CreateLogStream", whole="logged", cut="silent")
@needs("InboxRole", "WriteLogs", "logs:PutLogEvents", whole="logged", cut="silent")
def an_operators_look_is_logged(world: World) -> str:
    pause = world.mint()
    return world.logs_of("InboxLogGroup", lambda: of_pause(world, "GET", pause))

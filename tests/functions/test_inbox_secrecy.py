"""Nothing that an operator is shown, and nothing that is logged of it, could answer a pause or go on with a run."""

import json
from typing import Any

import pytest

from tests.functions.inbox import OLGA, listed
from tests.support.aws_probe import aws_error
from tests.support.function_deployment import Answer
from tests.support.recorded_output import SAID, Recorded, a_secret_mint
from tests.support.request_bodies import Pause, a_scope
from tests.support.waiting_world import DAY, World, body_of

DEFAULT = "geheime-vorgabe"
IN_THE_WAY = ("ThrottlingException", "AccessDeniedException")
SENDS = ("SendTaskSuccess", "SendDurableExecutionCallbackSuccess")


class Operator:
    """Looks at everything there is of some pauses, and keeps what was said."""

    def __init__(self, world: World, pauses: list[Pause]) -> None:
        self.said: list[Any] = []
        self._world = world
        self._pauses = pauses

    def look(self, *also: Answer) -> None:
        api = self._world.handlers
        self.said += [answer.document for answer in also]
        self.said.append(listed(api, self._pauses[0].request["scope"]).document)
        self.said += [api.get(f"/pauses/{pause.minted['jti']}").document for pause in self._pauses]

    def revoke(self, *pauses: Pause) -> None:
        self.look(*(self._world.handlers.revoke(pause.minted["jti"]) for pause in pauses))

    def redrive(self, *pauses: Pause) -> None:
        self.look(*(self._world.handlers.redrive(pause.minted["jti"]) for pause in pauses))


@pytest.mark.parametrize("kind", ["tasks", "callbacks"])
def test_the_whole_story_of_an_operator_shows_and_logs_no_secret(world: World, recorded: Recorded, kind: str) -> None:
    scope, pauses = a_scope(), []
    default = {"policy": "default", "response": {"answers": [{"selections": [], "other": DEFAULT}]}}
    for _ in range(3):
        waiter = getattr(world, kind).start()
        recorded.secrets += [waiter.address, DEFAULT]
        request = a_secret_mint(waiter=body_of(waiter), scope=scope, on_expiry=default, ttl_seconds=30 * DAY)
        pauses.append(world.handlers.pause(**request))
        recorded.keep(pauses[-1].minted)
    answered, revoked, given_up = pauses
    operator = Operator(world, pauses)

    for code in IN_THE_WAY:
        with world.deployment.probe.failing(**dict.fromkeys(("Query", "GetItem", "UpdateItem"), aws_error(code))):
            operator.revoke(*pauses)
            operator.redrive(*pauses)
    world.handlers.post("/answers", answered.answer(response=answered.response(selections=[], other=SAID)))
    with world.deployment.probe.failing(**dict.fromkeys(SENDS, aws_error("ThrottlingException"))):
        world.handlers.post("/answers", given_up.answer(response=given_up.response(selections=[], other=SAID)))
        operator.look()
        for _ in range(16):
            world.sweep(after=4000)
    assert world.row(given_up)["status"] == "undeliverable"
    operator.revoke(*pauses)
    operator.redrive(*pauses)
    world.sweep()
    operator.revoke(revoked)
    world.handlers.refused("inbox", {"action": "show", "jti": answered.minted["jti"], "response": SAID})
    said = json.dumps([operator.said, world.listener.heard()], ensure_ascii=False)

    assert {"delivered", "revoked", "undeliverable"} <= {
        pause["status"] for pause in operator.said if "status" in pause
    }
    assert not [secret for secret in recorded.secrets if secret in said]


def test_what_an_operator_did_is_logged_with_the_pause_and_who_did_it(world: World, recorded: Recorded) -> None:
    pause = world.handlers.pause()
    jti = pause.minted["jti"]
    world.handlers.get(f"/pauses/{jti}")
    for _ in range(2):
        world.handlers.revoke(jti)
    world.handlers.redrive(jti)
    lines = {entry["message"]: entry for entry in recorded.entries() if entry.get("jti") == jti}
    assert {"PauseShown", "PauseRevoked", "RevocationReplayed", "refused"} <= set(lines)
    assert lines["PauseRevoked"]["operator"] == lines["RevocationReplayed"]["operator"] == OLGA
    assert lines["refused"]["code"] == "not-redrivable"
    assert any(entry.get("PauseRevoked") == [1.0] for entry in recorded.entries())

"""A plain pause's row stays within one write unit: it is written twice, and each started KiB of it is paid for.

Ids are as long as they are in practice, and the key is one of a rotation, whose id is longer than the first key's.
"""

import hashlib
import uuid

from tests.support.function_deployment import Deployment, Handlers
from tests.support.several import Several
from tests.support.write_units import WRITE_UNIT_BYTES, Index, indexes_of, item_size, write_units

A_ROTATED_KEY = {"S": hashlib.sha256(b"a rotation").hexdigest()[:12]}
SPARE_BYTES = 15


def an_id(number: int) -> str:
    return str(uuid.UUID(int=number, version=4))


def test_a_plain_pause_is_one_unit_of_the_table_at_each_of_its_two_writes(
    deployment: Deployment, handlers: Handlers
) -> None:
    pause = handlers.pause(run_id=an_id(1), session_id=an_id(2), tool_call_id="call_" + "x" * 24)
    key = deployment.row_key(pause)
    minted = {**deployment.item(key), "kid": A_ROTATED_KEY}
    assert handlers.post("/resume", pause.resume(answerer="ada.lovelace@example.com")).status == 200
    answered = {**deployment.item(key), "kid": A_ROTATED_KEY}
    assert item_size(minted) < item_size(answered) <= WRITE_UNIT_BYTES - SPARE_BYTES

    indexes: tuple[Index, ...] = indexes_of(deployment.dynamodb.describe_table(TableName=deployment.table)["Table"])
    assert write_units(None, minted, indexes) == {"table": 1, "due": 1, "scope": 1}
    assert write_units(minted, answered, indexes) == {"table": 1, "due": 1, "scope": 2}


def test_only_a_pause_with_a_quorum_or_a_deadline_that_can_move_has_an_attribute_for_it(
    deployment: Deployment, handlers: Handlers
) -> None:
    plain = handlers.pause(approvers=["ada", "bob"])
    assert handlers.post("/resume", plain.resume(answerer="ada")).status == 200
    new = {"quorum", "votes", "vote_count", "max_exp"}
    assert not new & deployment.item(deployment.row_key(plain)).keys()
    several = Several(handlers, {"needed": 2}, max_ttl_seconds=7200)
    several.vote("ada")
    assert new <= deployment.item(deployment.row_key(several.pause)).keys()


def test_a_vote_adds_its_answer_and_some_350_bytes_to_the_row(deployment: Deployment, handlers: Handlers) -> None:
    several = Several(handlers, {"needed": 5})
    key = deployment.row_key(several.pause)
    minted = item_size(deployment.item(key))
    plain = handlers.post("/pauses", {**several.request, "quorum": None, "idempotency_key": "as before"}).document
    before = deployment.item({**key, "pk": {"S": f"pause#{plain['jti']}"}})
    assert minted - item_size(before) <= 64
    sizes = []
    for person in ("ada", "bob", "cyd"):
        several.vote(person)
        sizes.append(item_size(deployment.item(key)))
    assert sizes[1] - sizes[0] == sizes[2] - sizes[1] <= 350 + 120

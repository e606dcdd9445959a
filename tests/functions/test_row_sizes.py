"""A plain pause's row stays within one write unit: it is written twice, and each started KiB of it is paid for.

Ids are as long as they are in practice, and the key is one of a rotation, whose id is longer than the first key's.
"""

import hashlib
import uuid

from tests.support.function_deployment import Deployment, Handlers
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

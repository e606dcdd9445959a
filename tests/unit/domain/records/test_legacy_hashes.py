"""The legacy engine's recorded requests are read, and hashed to the very hashes in its tokens."""

import json
from dataclasses import replace
from typing import Any

import pytest
from pydantic import BaseModel

from askback.domain.errors import PayloadBindingError
from askback.domain.interactions.ask_user import AskUserRequest
from askback.domain.json_text import sha256_hex
from askback.domain.recorded_text import hashed_text
from askback.interactions import ASK_USER_REGISTRATION
from tests.support.json_difference import difference
from tests.support.own_interactions import CLAIMS
from tests.support.recorded_samples import VECTORS
from tests.support.stored_requests import load_stored

MAPPINGS = VECTORS["interrupts"]
STORED = [vector for vector in MAPPINGS if "stored_body" in vector]
MODELS = [vector for vector in MAPPINGS if "model_body" in vector]


class Wire(BaseModel):
    """The model that the legacy engine's model vectors were made with."""

    action: str
    amount: float
    tags: list[str] = []
    note: str | None = None


def _by_hash(vector: dict[str, Any]) -> str:
    return str(vector["request_hash"])[:12]


@pytest.mark.parametrize("vector", VECTORS["ask_user"], ids=_by_hash)
def test_a_recorded_ask_user_body_has_its_hash_and_is_read(vector: dict[str, Any]) -> None:
    body = vector["body"]
    assert sha256_hex(body) == vector["request_hash"]
    model = AskUserRequest.model_validate_json(body)
    assert model.model_dump_json() == hashed_text(model) == body
    recorded = ASK_USER_REGISTRATION.read_recorded_payload(json.loads(body))
    assert recorded == model


@pytest.mark.parametrize("vector", VECTORS["ask_user"], ids=_by_hash)
def test_a_recorded_ask_user_body_loads_under_its_token(vector: dict[str, Any]) -> None:
    claims = replace(CLAIMS, name="ask_user", request_hash=vector["request_hash"])
    assert difference(load_stored(claims, vector["body"]), json.loads(vector["body"])) is None


@pytest.mark.parametrize("vector", MAPPINGS, ids=_by_hash)
def test_a_mapping_has_the_hash_of_its_sorted_text(vector: dict[str, Any]) -> None:
    assert sha256_hex(hashed_text(vector["payload"])) == vector["request_hash"]


@pytest.mark.parametrize("vector", MAPPINGS, ids=_by_hash)
def test_a_mapping_loads_in_both_of_its_forms(vector: dict[str, Any]) -> None:
    claims = replace(CLAIMS, request_hash=vector["request_hash"])
    unsorted = vector.get("stored_body", json.dumps(vector["payload"]))
    for body in (unsorted, hashed_text(vector["payload"])):
        assert difference(load_stored(claims, body), vector["payload"]) is None


@pytest.mark.parametrize("vector", STORED, ids=_by_hash)
def test_what_the_legacy_engine_stored_is_the_unsorted_text(vector: dict[str, Any]) -> None:
    assert json.dumps(vector["payload"]) == vector["stored_body"]


@pytest.mark.parametrize("vector", STORED[1:], ids=_by_hash)
def test_a_changed_mapping_is_refused(vector: dict[str, Any]) -> None:
    claims = replace(CLAIMS, request_hash=vector["request_hash"])
    for changed in ({**vector["payload"], "more": 1}, dict(list(vector["payload"].items())[1:])):
        with pytest.raises(PayloadBindingError):
            load_stored(claims, json.dumps(changed))


@pytest.mark.parametrize("vector", MODELS, ids=_by_hash)
def test_a_model_has_the_hash_of_its_own_text_and_loads(vector: dict[str, Any]) -> None:
    model = Wire.model_validate(vector["payload"])
    assert hashed_text(model) == vector["model_body"]
    assert sha256_hex(vector["model_body"]) == vector["request_hash_of_model"]
    claims = replace(CLAIMS, request_hash=vector["request_hash_of_model"])
    assert difference(load_stored(claims, vector["model_body"]), vector["payload"]) is None


@pytest.mark.parametrize("vector", MODELS, ids=_by_hash)
def test_a_models_text_is_not_accepted_in_another_form(vector: dict[str, Any]) -> None:
    claims = replace(CLAIMS, request_hash=vector["request_hash_of_model"])
    with pytest.raises(PayloadBindingError):
        load_stored(claims, hashed_text(vector["payload"]))

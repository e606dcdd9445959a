"""The text of a paused request is made once: what a registration returns is what is written, and its hash."""

import hashlib
import json
from typing import Any

import pytest
from pydantic import BaseModel

from askback.domain.recorded_text import RecordedText
from askback.interactions import ASK_USER_REGISTRATION
from tests.support.memory_deployment import REFUND, InMemoryDeployment
from tests.support.own_interactions import PLACE, a_deployment, approval


def test_the_hash_is_the_one_of_the_text_and_cannot_be_given() -> None:
    assert RecordedText("\u00fc").sha256 == hashlib.sha256(b"\xc3\xbc").hexdigest()
    with pytest.raises(TypeError):
        RecordedText("a", sha256="0" * 64)  # type: ignore[call-arg]


def test_a_model_is_recorded_as_its_own_text_and_shown_as_an_object() -> None:
    new = ASK_USER_REGISTRATION.read_new_payload(REFUND, PLACE)
    assert new.recorded.text == new.request.model_dump_json()
    assert new.shown == json.loads(new.recorded.text)


def test_a_mapping_is_recorded_in_the_callers_order_and_hashed_sorted() -> None:
    """D-16."""
    new = approval().read_new_payload({"b": 1, "a": [1.0, None, {"d": 1, "c": 2}], "\u00fc": "\u00e9"}, PLACE)
    assert new.recorded.text == '{"b": 1, "a": [1.0, null, {"d": 1, "c": 2}], "\\u00fc": "\\u00e9"}'
    hashed = '{"a": [1.0, null, {"c": 2, "d": 1}], "b": 1, "\\u00fc": "\\u00e9"}'
    assert new.recorded.sha256 == RecordedText(hashed).sha256


@pytest.mark.parametrize(
    "over", [{}, {"name": "approval_required", "payload": {"amount": 1}}], ids=["a model", "a mapping"]
)
def test_a_mint_makes_the_text_once(monkeypatch: pytest.MonkeyPatch, over: dict[str, Any]) -> None:
    made: list[str] = []
    deployment: InMemoryDeployment = a_deployment()
    of_a_model, of_a_mapping = BaseModel.model_dump_json, json.dumps

    def dump_model(model: BaseModel, **how: Any) -> str:
        made.append(of_a_model(model, **how))
        return made[-1]

    def dump_mapping(value: Any, **how: Any) -> str:
        text = of_a_mapping(value, **how)
        if how == {"default": str}:
            made.append(text)
        return text

    monkeypatch.setattr(BaseModel, "model_dump_json", dump_model)
    monkeypatch.setattr("askback.domain.recorded_text.json.dumps", dump_mapping)
    minted = deployment.mint(**over)
    assert len(made) == 1
    assert made[0] in deployment.checkpoints.texts.values()
    assert minted.claims.request_hash == RecordedText(made[0]).sha256  # one name alone has one order

"""Ids, names and times at the edges of their limits."""

import uuid
from typing import Any

import pytest

from askback.domain.errors import InvalidRequest
from askback.domain.limits import require_identifier, require_name, require_ttl


@pytest.mark.parametrize(
    "value", ["a", "x" * 256, "\u00fc" * 128, "../../other/turn", "\U0001f600", "a:b", " a ", "12345"]
)
def test_an_identifier_within_its_limit_is_taken_as_it_is(value: str) -> None:
    """A-40: what shapes a key is encoded by the key, not by what an id may be."""
    assert require_identifier(value, field="run_id") == value


@pytest.mark.parametrize(
    "value",
    [
        12345,
        None,
        True,
        1.5,
        b"run-1",
        uuid.UUID(int=1),
        ["a"],
        "",
        "x" * 257,
        "\u00fc" * 129,
        "x" * 1500,
        "a\nb",
        "\x00",
        "a\x7f",
        "a\x9f",
        "\ud83d",
    ],
    ids=repr,
)
def test_an_identifier_that_would_make_a_token_dead_is_refused_by_name(value: Any) -> None:
    """A-17 and A-40."""
    with pytest.raises(InvalidRequest) as refusal:
        require_identifier(value, field="run_id")
    assert [error.field for error in refusal.value.errors] == ["run_id"]


def test_only_an_identifier_that_may_be_absent_may_be_empty() -> None:
    assert require_identifier("", field="session_id", empty=True) == ""


@pytest.mark.parametrize("value", ["a", "ask_user", "a" * 64, "a1_"])
def test_an_interaction_name_is_lower_case(value: str) -> None:
    assert require_name(value) == value


@pytest.mark.parametrize("value", ["", "A", "1a", "_a", "a-b", "a b", "a\n", "a" * 65, "\u00fc", None, 5], ids=repr)
def test_another_interaction_name_is_refused(value: Any) -> None:
    with pytest.raises(InvalidRequest, match="name"):
        require_name(value)


@pytest.mark.parametrize("value", [30, 31, 2_592_000])
def test_a_time_to_answer_within_thirty_days_is_taken(value: int) -> None:
    assert require_ttl(value) == value


@pytest.mark.parametrize("value", [29, 0, -1, 2_592_001, True, 3600.0, "3600", None, 10**30], ids=repr)
def test_another_time_to_answer_is_refused_by_name(value: Any) -> None:
    with pytest.raises(InvalidRequest, match="ttl_seconds"):
        require_ttl(value)

"""The comparer of these tests is strict itself."""

from typing import Any

import pytest

from tests.support.json_difference import difference


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (1, 1.0),
        (1, True),
        (0, False),
        (0.0, -0.0),
        ("1", 1),
        (None, ""),
        ({"a": None}, {}),
        ([], {}),
        ([], ""),
        ([1, 2], [2, 1]),
        ([{"a": [1.0]}], [{"a": [1]}]),
        ("Caf\u00e9", "Cafe\u0301"),
    ],
)
def test_values_of_other_types_or_signs_differ(left: Any, right: Any) -> None:
    assert difference(left, right)
    assert difference(right, left)


def test_only_the_order_of_keys_does_not_count() -> None:
    assert difference({"a": [1.0, {"b": None}], "c": -0.0}, {"c": -0.0, "a": [1.0, {"b": None}]}) is None

"""Comparing JSON values as strictly as a provider may: `1.0` is not `1`, `True` is not `1`, `-0.0` keeps its sign."""

import math
from collections.abc import Mapping, Sequence
from typing import Any


def difference(left: Any, right: Any, at: str = "$") -> str | None:
    """Return the path of the first difference, or None. Only the order of an object's keys does not count."""
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        if left.keys() != right.keys():
            return f"{at}: keys {sorted(left)} != {sorted(right)}"
        return _first(difference(left[key], right[key], f"{at}.{key}") for key in left)
    if _is_list(left) and _is_list(right):
        if len(left) != len(right):
            return f"{at}: {len(left)} != {len(right)} items"
        return _first(difference(a, b, f"{at}[{i}]") for i, (a, b) in enumerate(zip(left, right, strict=True)))
    if type(left) is not type(right):
        return f"{at}: {type(left).__name__} != {type(right).__name__}"
    if isinstance(left, float) and math.copysign(1, left) != math.copysign(1, right):
        return f"{at}: the sign of {left!r} != {right!r}"
    return None if left == right else f"{at}: {left!r} != {right!r}"


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes))


def _first(differences: Any) -> str | None:
    return next((found for found in differences if found), None)

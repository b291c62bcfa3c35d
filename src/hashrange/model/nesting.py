"""The nesting levels of lists and maps."""

from collections.abc import Mapping
from typing import Any

from hashrange.limits.requests import NESTING_LEVELS_MAX


def is_too_deep(value: Mapping[str, Any], level: int = 1) -> bool:
    """Whether a value has more nesting levels than an item may have.

    Args:
        value: canonical or as sent; an empty list or map adds no level.
        level: the level of the value; that of an attribute is 1.
    """
    for kind, content in value.items():
        if content and kind in {"L", "M"}:
            if level >= NESTING_LEVELS_MAX:
                return True
            members = content if kind == "L" else content.values()
            if any(is_too_deep(member, level + 1) for member in members):
                return True
    return False

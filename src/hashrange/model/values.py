"""Items and attribute values, in the form of the API's JSON.

An attribute value is a dict with exactly one member, its type. Values are decoded, checked, stored
and returned in this form, without conversion between the socket and the disk. *Canonical* values
(see `canonical`) have normalised numbers, sorted sets and canonical base64, so that equal values
are equal in Python.

Source: texts about attributes of a filter, measured by users in September 2026.
"""

from collections.abc import Iterable, Mapping
from struct import unpack
from typing import Any, Final, Literal, TypeAlias, TypedDict

from hashrange.limits.requests import NESTING_LEVELS_MAX

KeyType: TypeAlias = Literal["S", "N", "B"]
KeyOperator: TypeAlias = Literal["=", "<", "<=", ">", ">=", "BETWEEN", "begins_with"]
"""An operator of key conditions; a partition key is compared with `=` only."""


class AttributeValue(TypedDict, total=False):
    """One value; a checked value has exactly one member."""

    S: str
    N: str
    B: str
    SS: list[str]
    NS: list[str]
    BS: list[str]
    BOOL: bool
    NULL: bool
    L: list["AttributeValue"]
    M: dict[str, "AttributeValue"]


Item: TypeAlias = dict[str, AttributeValue]
"""Attributes by name."""


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


_TABLE_MIN: Final = 16
_LOAD: Final = 0.75
_INT_BITS: Final = 32
_INT_MASK: Final = 2**_INT_BITS - 1


def in_hash_order(names: Iterable[str]) -> list[str]:
    """The names, each once; those of one bucket in the order given."""
    distinct = [*dict.fromkeys(names)]
    size = _TABLE_MIN
    while len(distinct) > size * _LOAD:
        size *= 2
    return sorted(distinct, key=lambda name: _spread(name) % size)


def _spread(name: str) -> int:
    """The hash of a string, with its upper half mixed into the lower."""
    encoded = name.encode("utf-16-le", "surrogatepass")
    code = 0
    for unit in unpack(f"<{len(encoded) // 2}H", encoded):
        code = (code * 31 + unit) & _INT_MASK
    return code ^ (code >> _INT_BITS // 2)

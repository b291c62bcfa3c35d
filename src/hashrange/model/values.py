"""Items and attribute values, in the shape in which they travel.

An attribute value is a dict with exactly one member, its type, as in the JSON of the API. The same
shape is decoded, checked, stored and answered, so no conversion stands between the socket and the
disk. *Canonical* values (see `model.canonical`) have normalised numbers, sorted sets and canonical
base64, so equality of canonical values is Python's `==`.
"""

from typing import Literal, TypeAlias, TypedDict

KeyType: TypeAlias = Literal["S", "N", "B"]


class AttributeValue(TypedDict, total=False):
    """One value: exactly one member is present once checked."""

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

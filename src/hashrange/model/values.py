"""Items and attribute values, in the form of the API's JSON.

An attribute value is a dict with exactly one member, its type. Values are decoded, checked, stored
and returned in this form, without conversion between the socket and the disk. *Canonical* values
(see `canonical`) have normalised numbers, sorted sets and canonical base64, so that equal values
are equal in Python.
"""

from typing import Literal, TypeAlias, TypedDict

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

"""Placeholders of names and values: checks of their definitions, and of their use."""

import re
from collections.abc import Iterable, Mapping
from itertools import count
from typing import Final

from hashrange.errors import invalid
from hashrange.expressions.syntax import Constant, Undefined
from hashrange.limits.requests import ATTRIBUTE_NAME_BYTES_MAX, PLACEHOLDER_BYTES_MAX
from hashrange.messages import expressions as messages
from hashrange.model.sizes import text_bytes

_is_name: Final = re.compile(rf"#[A-Za-z0-9_]{{1,{PLACEHOLDER_BYTES_MAX - 1}}}").fullmatch
_is_value: Final = re.compile(rf":[A-Za-z0-9_]{{1,{PLACEHOLDER_BYTES_MAX - 1}}}").fullmatch


def check_names(names: Mapping[str, str]) -> None:
    """Check ExpressionAttributeNames.

    Raises:
        DynamoError: the map is empty; else the first key that is too long or no placeholder; else
            the first name that is empty or too long.
    """
    if not names:
        raise invalid(messages.names_empty())
    for placeholder in names:
        if not _is_name(placeholder):
            size = text_bytes(placeholder)
            if size > PLACEHOLDER_BYTES_MAX:
                raise invalid(messages.name_key_too_long(size))
            raise invalid(messages.name_key_invalid(placeholder))
    for placeholder, name in names.items():
        if not name:
            raise invalid(messages.name_value_empty(placeholder))
        if text_bytes(name) > ATTRIBUTE_NAME_BYTES_MAX:
            raise invalid(messages.name_value_too_large(placeholder))


def check_values(placeholders: Iterable[str]) -> None:
    """Check the keys of ExpressionAttributeValues.

    Raises:
        DynamoError: there are none; else the first key that is too long or no placeholder.
    """
    keys = list(placeholders)
    if not keys:
        raise invalid(messages.values_empty())
    for placeholder in keys:
        if not _is_value(placeholder):
            if text_bytes(placeholder) > PLACEHOLDER_BYTES_MAX:
                raise invalid(messages.value_key_too_long())
            raise invalid(messages.value_key_invalid(placeholder))


class Scope:
    """The placeholders of one request, shared by all its expressions.

    Attributes:
        names: names by placeholder.
        constants: constants by placeholder.
        used: the placeholders in the expressions that were read.

    Args:
        names: as the attribute.
        values: the placeholders of values; their order is that of the constants.
    """

    def __init__(self, names: Mapping[str, str], values: Iterable[str]) -> None:
        self.names = names
        self.constants = dict(zip(values, map(Constant, count()), strict=False))
        self.used: set[str] = set()

    def check_all_used(self) -> None:
        """Raises DynamoError: a placeholder that no expression used."""
        if self.used.issuperset(self.names) and self.used.issuperset(self.constants):
            return
        names = [name for name in self.names if name not in self.used]
        if names:
            raise invalid(messages.names_unused(names))
        raise invalid(messages.values_unused([p for p in self.constants if p not in self.used]))


def undefined(operand: Undefined) -> str:
    """The error text for an expression with this operand."""
    if operand.placeholder.startswith("#"):
        return messages.name_undefined(operand.placeholder)
    return messages.value_undefined(operand.placeholder)

"""ION: a line of Ion text for each item, as exports write them. Pure.

Needs the package amazon-ion, which is imported only for this format.
"""

from base64 import b64encode
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, Final, cast

from hashrange.backups.imports.item_formats import Line
from hashrange.backups.imports.lines import Refused
from hashrange.limits.requests import NESTING_LEVELS_MAX
from hashrange.messages.tables import backups as messages
from hashrange.model.data_types import MEMBER_OF_SET
from hashrange.model.values import AttributeValue
from hashrange.optional_packages import imported

_SETS: Final = {f"$dynamodb_{code}": code for code in MEMBER_OF_SET}
_TYPED_NULL: Final = "IonPyNull"
"""The class of `null.string` and the like, whose type is that of a string."""
_DEEP_MAX: Final = 4 * NESTING_LEVELS_MAX
"""Brackets within each other; the parser of Ion is not asked about more."""


class IonReader:
    """Makes items of lines of Ion text. Raises MissingPackageError: there is no parser."""

    def __init__(self) -> None:
        purpose = "The format ION needs the package amazon-ion"
        self._loads: Callable[..., Any] = imported(
            "amazon.ion.simpleion", "amazon-ion", purpose
        ).loads

    def line_of(self, data: bytes) -> Line:
        """The members of a line. Raises Refused."""
        if _depth(data) > _DEEP_MAX:
            raise Refused(messages.unreadable_record(), ends_object=True)
        try:
            found = self._loads(data.decode(), single_value=False)
        except Exception as error:
            raise Refused(messages.unreadable_record(), ends_object=True) from error
        if len(found) != 1 or not isinstance(found[0], Mapping) or "Item" not in found[0]:
            raise Refused(messages.record_without_item(), ends_object=True)
        members = found[0]
        return Line(
            item=_members(members["Item"]),
            condition_expression=_text(members, "ConditionExpression"),
            expression_attribute_names=_names(members.get("ExpressionAttributeNames")),
            expression_attribute_values=None
            if members.get("ExpressionAttributeValues") is None
            else _members(members["ExpressionAttributeValues"]),
        )


def _depth(data: bytes) -> int:
    """At least the depth of brackets: those within strings count too, and none are closed."""
    deepest = depth = 0
    for bracket in data.translate(None, _NO_BRACKETS):
        depth += 1 if bracket in _OPENING else -1
        deepest = max(deepest, depth)
    return deepest


_OPENING: Final = frozenset(b"{[(")
_NO_BRACKETS: Final = bytes(set(range(256)) - set(b"{}[]()"))


def _text(members: Mapping[str, Any], name: str) -> str | None:
    text = members.get(name)
    if text is not None and not isinstance(text, str):
        raise Refused(messages.value_not_of_dynamodb(name))
    return None if text is None else str(text)


def _names(names: Any) -> dict[str, str] | None:
    if names is None:
        return None
    if not isinstance(names, Mapping):
        raise Refused(messages.value_not_of_dynamodb("ExpressionAttributeNames"))
    return {str(name): str(value) for name, value in names.items()}


def _members(members: Any) -> dict[str, AttributeValue]:
    if not isinstance(members, Mapping):
        raise Refused(messages.record_without_item(), ends_object=True)
    return {str(name): _value(str(name), value) for name, value in members.items()}


def _value(name: str, value: Any) -> AttributeValue:
    """The value of an attribute. Raises Refused."""
    is_null = value is None or type(value).__name__ == _TYPED_NULL
    kind = "NULL" if is_null else getattr(value, "ion_type", None)
    notes = [str(note.text) for note in getattr(value, "ion_annotations", ())]
    of_set = _SETS.get(notes[0]) if notes else None
    if of_set is not None:
        return _set(name, of_set, value)
    make = _KINDS.get(str(getattr(kind, "name", kind)))
    if make is None:
        raise Refused(messages.value_not_of_dynamodb(name))
    return make(name, value)


def _set(name: str, kind: str, value: Any) -> AttributeValue:
    if not isinstance(value, list):
        raise Refused(messages.value_not_of_dynamodb(name))
    members = [next(iter(_value(name, member).items())) for member in value]
    if any(found != MEMBER_OF_SET[kind] for found, _ in members):
        raise Refused(messages.value_not_of_dynamodb(name))
    return cast("AttributeValue", {kind: [text for _, text in members]})


_KINDS: Final[Mapping[str, Callable[[str, Any], AttributeValue]]] = {
    "NULL": lambda _name, _value: {"NULL": True},
    "BOOL": lambda _, value: {"BOOL": bool(value)},
    "STRING": lambda _, value: {"S": str(value)},
    "INT": lambda _, value: {"N": str(int(value))},
    "DECIMAL": lambda _, value: {"N": str(Decimal(value))},
    "BLOB": lambda _, value: {"B": b64encode(value).decode()},
    "LIST": lambda name, value: {"L": [_value(name, each) for each in value]},
    "STRUCT": lambda _, value: {"M": _members(value)},
}
"""The conversions of the types of Ion; others are none of DynamoDB."""

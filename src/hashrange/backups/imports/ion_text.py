"""ION: a line of Ion text for each item, as exports write them. Pure."""

from base64 import b64encode
from collections.abc import Callable, Mapping
from typing import Final, cast

from hashrange.backups.imports.ion_parser import Node, values_of
from hashrange.backups.imports.item_formats import Line
from hashrange.backups.imports.lines import Refused
from hashrange.limits.requests import NESTING_LEVELS_MAX
from hashrange.messages.tables import backups as messages
from hashrange.model.data_types import MEMBER_OF_SET
from hashrange.model.values import AttributeValue

_SETS: Final = {f"$dynamodb_{code}": code for code in MEMBER_OF_SET}
_DEEP_MAX: Final = 4 * NESTING_LEVELS_MAX
"""Containers within each other."""


def ion_line_of(data: bytes) -> Line:
    """The members of a line. Raises Refused."""
    try:
        found = values_of(data.decode(), _DEEP_MAX)
    except (ValueError, ArithmeticError) as error:
        raise Refused(messages.unreadable_record(), ends_object=True) from error
    if len(found) != 1 or found[0].kind != "STRUCT" or "Item" not in found[0].content:
        raise Refused(messages.record_without_item(), ends_object=True)
    members = found[0].content
    values = members.get("ExpressionAttributeValues")
    return Line(
        item=_members(members["Item"]),
        condition_expression=_text(members, "ConditionExpression"),
        expression_attribute_names=_names(members.get("ExpressionAttributeNames")),
        expression_attribute_values=None if values is None else _members(values),
    )


def _text(members: Mapping[str, Node], name: str) -> str | None:
    node = members.get(name)
    if node is None or node.kind == "NULL":
        return None
    if node.kind != "STRING":
        raise Refused(messages.value_not_of_dynamodb(name))
    return str(node.content)


def _names(names: Node | None) -> dict[str, str] | None:
    if names is None or names.kind == "NULL":
        return None
    if names.kind != "STRUCT" or any(each.kind != "STRING" for each in names.content.values()):
        raise Refused(messages.value_not_of_dynamodb("ExpressionAttributeNames"))
    return {name: value.content for name, value in names.content.items()}


def _members(members: Node) -> dict[str, AttributeValue]:
    if members.kind != "STRUCT":
        raise Refused(messages.record_without_item(), ends_object=True)
    return {name: _value(name, value) for name, value in members.content.items()}


def _value(name: str, node: Node) -> AttributeValue:
    """The value of an attribute. Raises Refused."""
    of_set = _SETS.get(node.note or "")
    if of_set is not None:
        return _set(name, of_set, node)
    make = _KINDS.get(node.kind)
    if make is None:
        raise Refused(messages.value_not_of_dynamodb(name))
    return make(name, node)


def _set(name: str, kind: str, node: Node) -> AttributeValue:
    if node.kind != "LIST":
        raise Refused(messages.value_not_of_dynamodb(name))
    members = [next(iter(_value(name, member).items())) for member in node.content]
    if any(found != MEMBER_OF_SET[kind] for found, _ in members):
        raise Refused(messages.value_not_of_dynamodb(name))
    return cast("AttributeValue", {kind: [text for _, text in members]})


_KINDS: Final[Mapping[str, Callable[[str, Node], AttributeValue]]] = {
    "NULL": lambda _name, _node: {"NULL": True},
    "BOOL": lambda _, node: {"BOOL": node.content},
    "STRING": lambda _, node: {"S": node.content},
    "INT": lambda _, node: {"N": node.content},
    "DECIMAL": lambda _, node: {"N": node.content},
    "BLOB": lambda _, node: {"B": b64encode(node.content).decode()},
    "LIST": lambda name, node: {"L": [_value(name, each) for each in node.content]},
    "STRUCT": lambda _, node: {"M": _members(node)},
}
"""The conversions of the types of Ion; others are none of DynamoDB."""

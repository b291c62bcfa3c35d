"""Compiles the actions of updates: functions of the item as it was and of the constants.

Each function returns the new value of its target, or None to remove it. Source of the rules:
Developer Guide, "Update expressions"; error texts as measured against the service by users.
"""

from bisect import bisect_left
from collections.abc import Callable
from typing import Any, Final, TypeAlias, assert_never

from hashrange.errors import DynamoError, invalid
from hashrange.expressions.operands import Constants
from hashrange.expressions.readers import Document, Read, read, read_path
from hashrange.expressions.syntax import (
    Action,
    Add,
    Arithmetic,
    Call,
    Constant,
    Delete,
    Operand,
    Path,
    Remove,
    Set,
    Undefined,
)
from hashrange.limits.requests import NUMBER_DIGITS_MAX
from hashrange.messages import expressions as messages
from hashrange.messages.items import values as value_messages
from hashrange.model import numbers
from hashrange.model.data_types import ORDER_KEYS
from hashrange.model.values import is_too_deep

Compute: TypeAlias = Callable[[Document, Constants], Any]
"""The value that an action leaves at its target; None removes it. Raises DynamoError."""


def computation(action: Action) -> Compute:
    """Compile an action that `check_update` has accepted."""
    match action:
        case Remove():
            return lambda _, __: None
        case Set(Path(elements), value):
            computed = _sum(value) if isinstance(value, Arithmetic) else _value(value)
            return computed if len(elements) == 1 else _within_levels(computed, len(elements))
        case Add(Path(elements), Constant(position), legacy):
            return _addition(read_path(elements), position, legacy=legacy)
        case Delete(Path(elements), Constant(position), legacy):
            return _difference(read_path(elements), position, legacy=legacy)
        case _:
            raise AssertionError("undefined placeholders are refused before")


def _value(operand: Operand) -> Read:
    """Read an operand; a path to a missing attribute is refused."""
    match operand:
        case Constant():
            return read(operand)
        case Path(elements):
            return _required(read_path(elements))
        case Call("if_not_exists", (Path(elements), default)):
            return _if_not_exists(read_path(elements), _value(default))
        case Call("list_append", (first, second)):
            return _list_append(_content(first, "L"), _content(second, "L"))
        case Call("+" | "-" as operator, (left, right)):
            return _sum(Arithmetic(operator, left, right))
        case Call() | Undefined():
            raise AssertionError("refused by the checks")
        case _:
            assert_never(operand)


def _required(reads: Read) -> Read:
    def required(item: Document, constants: Constants) -> Any:
        value = reads(item, constants)
        if value is None:
            raise invalid(messages.attribute_missing(), bare=True)
        return value

    return required


def _if_not_exists(reads: Read, default: Read) -> Read:
    def if_not_exists(item: Document, constants: Constants) -> Any:
        value = reads(item, constants)
        return default(item, constants) if value is None else value

    return if_not_exists


def _list_append(first: Read, second: Read) -> Read:
    def list_append(item: Document, constants: Constants) -> Any:
        return {"L": first(item, constants) + second(item, constants)}

    return list_append


def _sum(arithmetic: Arithmetic) -> Read:
    combine = _add if arithmetic.operator == "+" else _subtract
    left, right = _content(arithmetic.left, "N"), _content(arithmetic.right, "N")

    def computed(item: Document, constants: Constants) -> Any:
        return {"N": combine(left(item, constants), right(item, constants))}

    return computed


def _content(operand: Operand, kind: str) -> Read:
    """The content of an operand that must have a value of a type."""
    if isinstance(operand, Constant):
        position = operand.position
        return lambda _, constants: constants[position][kind]
    reads = read_path(operand.elements) if isinstance(operand, Path) else _value(operand)

    def content(item: Document, constants: Constants) -> Any:
        value = reads(item, constants)
        if value is None:
            raise invalid(messages.attribute_missing(), bare=True)
        found = value.get(kind)
        if found is None:
            raise _stored_type()
        return found

    return content


def _add(left: str, right: str) -> str:
    if len(left) < NUMBER_DIGITS_MAX and len(right) < NUMBER_DIGITS_MAX:
        try:
            # The sum of two such integers cannot have too many digits. Costs a quarter of `add`.
            return str(int(left) + int(right))
        except ValueError:
            pass
    return _exactly(numbers.add, left, right)


def _subtract(left: str, right: str) -> str:
    return _exactly(numbers.subtract, left, right)


def _exactly(combine: Callable[[str, str], str], left: str, right: str) -> str:
    try:
        return combine(left, right)
    except DynamoError as error:
        # The service does not wrap errors that depend on the stored item in an envelope.
        raise invalid(value_messages.number_overflow(), bare=True) from error


def _addition(stored: Read, position: int, *, legacy: bool) -> Compute:
    def added(item: Document, constants: Constants) -> Any:
        value, operand = stored(item, constants), constants[position]
        if value is None:
            return operand
        ((kind, content),) = operand.items()
        old = value.get(kind)
        if old is None:
            raise _stored_type(legacy=legacy)
        if kind == "N":
            return {"N": _add(old, content)}
        if kind == "L":
            return {"L": old + content}
        union = {*old, *content}
        return value if len(union) == len(old) else {kind: sorted(union, key=_SET_KEYS[kind])}

    return added


def _difference(stored: Read, position: int, *, legacy: bool) -> Compute:
    def remaining(item: Document, constants: Constants) -> Any:
        value, operand = stored(item, constants), constants[position]
        if value is None:
            return None
        ((kind, content),) = operand.items()
        old = value.get(kind)
        if old is None:
            raise _stored_type(legacy=legacy)
        members = _without(old, content, _SET_KEYS[kind])
        return {kind: members} if members else None

    return remaining


_SET_KEYS: Final = {kind + "S": key for kind, key in ORDER_KEYS.items()}
_MANY_TIMES: Final = 20
"""A set this many times larger than the other is searched by bisection rather than hashed."""


def _without(members: list[str], removed: list[str], key: Callable[[str], Any]) -> list[str]:
    """The members of one canonical set that are not in another.

    One update may remove the same 2 MB from hundreds of small sets; hashing the 2 MB each time
    would be too slow.
    """
    if len(removed) > _MANY_TIMES * len(members):
        return [member for member in members if not _holds(removed, member, key)]
    hashed = set(removed)
    return [member for member in members if member not in hashed]


def _holds(members: list[str], member: str, key: Callable[[str], Any]) -> bool:
    position = bisect_left(members, key(member), key=key)
    return position < len(members) and members[position] == member


def _stored_type(*, legacy: bool = False) -> DynamoError:
    text = messages.type_mismatch() if legacy else messages.operand_type_stored()
    return invalid(text, bare=True)


def _within_levels(computed: Read, level: int) -> Read:
    """`computed`, but refuses a value that would exceed the nesting levels of an item."""

    def shallow(item: Document, constants: Constants) -> Any:
        value = computed(item, constants)
        if is_too_deep(value, level):
            raise invalid(value_messages.nesting_too_deep(), bare=True)
        return value

    return shallow

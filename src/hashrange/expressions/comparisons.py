"""Compiles comparisons and functions of conditions into predicates of an item.

Canonical values are compared with `==`. Only strings, numbers and binaries are ordered; a
comparison of other types, or with a missing operand, is false, except `<>`. Most comparisons have
a constant operand: its sort key is computed once for each request.
"""

import operator
from collections.abc import Callable
from typing import Any, Final, TypeAlias, assert_never

from hashrange.expressions.operands import Constants
from hashrange.expressions.readers import Derivations, Document, Read, read
from hashrange.expressions.syntax import (
    Between,
    Comparison,
    Constant,
    In,
    Operand,
    Path,
)
from hashrange.model.binary import decoded
from hashrange.model.data_types import MEMBER_OF_SET, ORDER_KEYS

Test: TypeAlias = Callable[[Document, Constants], bool]
"""Whether a condition holds for an item."""

Operands: TypeAlias = tuple[Operand, ...]
Predicate: TypeAlias = Callable[[Operands, Derivations], Test]
"""Compiles a function that is a condition by itself."""

_Order: TypeAlias = Callable[[Any, Any], bool]

_ORDERS: Final[dict[str, tuple[_Order, _Order]]] = {
    "<": (operator.lt, operator.gt),
    "<=": (operator.le, operator.ge),
    ">": (operator.gt, operator.lt),
    ">=": (operator.ge, operator.le),
}
"""Each ordering, and the one that replaces it when the operands are exchanged."""


def comparison(compared: Comparison, derivations: Derivations) -> Test:
    """The predicate of `=`, `<>`, `<`, `<=`, `>` or `>=`."""
    left, right = compared.left, compared.right
    comparator = compared.comparator
    match comparator:
        case "=":
            return _equal(compared)
        case "<>":
            equal = _equal(compared)
            return lambda item, constants: not equal(item, constants)
        case "<" | "<=" | ">" | ">=":
            order, mirrored = _ORDERS[comparator]
            if isinstance(right, Constant):
                return _ordered_to_constant(read(left), order, right, derivations)
            if isinstance(left, Constant):
                return _ordered_to_constant(read(right), mirrored, left, derivations)
            return _ordered(read(left), order, read(right))
        case _:
            assert_never(comparator)


def _equal(compared: Comparison) -> Test:
    match compared:
        case Comparison(_, Path((str() as name,)), Constant(position)):
            return lambda item, constants: item.get(name) == constants[position]
        case _:
            left, right = read(compared.left), read(compared.right)

    def equal(item: Document, constants: Constants) -> bool:
        value = left(item, constants)
        return value is not None and value == right(item, constants)

    return equal


def _ordered_to_constant(
    left: Read, order: _Order, constant: Constant, derivations: Derivations
) -> Test:
    kind = derivations.kinds[constant.position]
    if kind == "S":
        bound = derivations.position(constant.position, _itself)

        def ordered_text(item: Document, constants: Constants) -> bool:
            value = left(item, constants)
            content = None if value is None else value.get("S")
            return content is not None and order(content, constants[bound])

        return ordered_text
    key = ORDER_KEYS[kind]
    bound = derivations.position(constant.position, key)

    def ordered(item: Document, constants: Constants) -> bool:
        value = left(item, constants)
        content = None if value is None else value.get(kind)
        return content is not None and order(key(content), constants[bound])

    return ordered


def _itself(content: object) -> object:
    return content


def _ordered(left: Read, order: _Order, right: Read) -> Test:
    def ordered(item: Document, constants: Constants) -> bool:
        value, other = left(item, constants), right(item, constants)
        if value is None or other is None:
            return False
        ((kind, content),) = value.items()
        key, bound = ORDER_KEYS.get(kind), other.get(kind)
        return key is not None and bound is not None and order(key(content), key(bound))

    return ordered


def between(bounded: Between, derivations: Derivations) -> Test:
    """The predicate of BETWEEN; both bounds are inclusive."""
    lower = comparison(Comparison(">=", bounded.operand, bounded.lower), derivations)
    upper = comparison(Comparison("<=", bounded.operand, bounded.upper), derivations)
    return lambda item, constants: lower(item, constants) and upper(item, constants)


def membership(contained: In) -> Test:
    """The predicate of IN; a member that is listed several times is compared once."""
    operand = read(contained.operand)
    distinct = tuple(dict.fromkeys(contained.members))
    positions = [member.position for member in distinct if isinstance(member, Constant)]
    if len(positions) == len(distinct):

        def among_constants(item: Document, constants: Constants) -> bool:
            value = operand(item, constants)
            for position in positions:  # noqa: SIM110 - a generator costs more than the loop
                if value == constants[position]:
                    return True
            return False

        return among_constants
    members = list(map(read, distinct))

    def among(item: Document, constants: Constants) -> bool:
        value = operand(item, constants)
        return value is not None and any(value == member(item, constants) for member in members)

    return among


def exists(operands: Operands, _: Derivations) -> Test:
    """The predicate of attribute_exists."""
    (operand,) = operands
    match operand:
        case Path((str() as name,)):
            return lambda item, _: name in item
        case _:
            reads = read(operand)
            return lambda item, constants: reads(item, constants) is not None


def missing(operands: Operands, _: Derivations) -> Test:
    """The predicate of attribute_not_exists."""
    (operand,) = operands
    match operand:
        case Path((str() as name,)):
            return lambda item, _: name not in item
        case _:
            reads = read(operand)
            return lambda item, constants: reads(item, constants) is None


def of_type(operands: Operands, derivations: Derivations) -> Test:
    """The predicate of attribute_type."""
    operand, name = operands
    assert isinstance(name, Constant), "refused by the checks"
    typed, named = read(operand), derivations.position(name.position, _itself)

    def of_type(item: Document, constants: Constants) -> bool:
        value = typed(item, constants)
        return value is not None and constants[named] in value

    return of_type


def begins_with(operands: Operands, _: Derivations) -> Test:
    """The predicate of begins_with."""
    whole, prefix = map(read, operands)

    def begins(item: Document, constants: Constants) -> bool:
        value, start = whole(item, constants), prefix(item, constants)
        if value is None or start is None:
            return False
        if "S" in value and "S" in start:
            return bool(value["S"].startswith(start["S"]))
        return "B" in value and "B" in start and decoded(value["B"]).startswith(decoded(start["B"]))

    return begins


def contains(operands: Operands, _: Derivations) -> Test:
    """The predicate of contains."""
    whole, part = map(read, operands)

    def contains(item: Document, constants: Constants) -> bool:
        value, member = whole(item, constants), part(item, constants)
        if value is None or member is None:
            return False
        ((kind, content),) = value.items()
        match kind:
            case "S":
                return "S" in member and member["S"] in content
            case "L":
                return member in content
            case "B":
                return "B" in member and decoded(member["B"]) in decoded(content)
            case _:
                of_set = MEMBER_OF_SET.get(kind)
                return of_set is not None and of_set in member and member[of_set] in content

    return contains

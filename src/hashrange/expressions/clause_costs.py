"""The bytes that the clauses of an UpdateItem count towards the largest size of its item.

    3 + for each clause:
    SET    19 + target + operand          ADD     19 + target + value
    REMOVE  1 + target                    DELETE   1 + target
    target    first name + (4 + name or digits of the index) for each later element
    operand   value: its size             path: 1 + (14 + name or digits) for each element
              a + b: 34 + both            a - b: 37 + both
              if_not_exists: 39 + both    list_append: 37 + both

Source: measured against the service by users, August and October 2026.
"""

from collections.abc import Callable, Iterable
from typing import Final

from hashrange.expressions.functions import UPDATE_FUNCTIONS
from hashrange.expressions.operands import Constants
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
from hashrange.model.sizes import text_bytes, value_bytes

_UPDATE: Final = 3
_WRITE: Final = 19
_REMOVE: Final = 1
_TARGET_ELEMENT: Final = 4
_PATH: Final = 1
_PATH_ELEMENT: Final = 14


def clause_cost(actions: Iterable[Action]) -> Callable[[Constants], int]:
    """The bytes of an update's clauses, a function of the request's constants."""
    fixed = _UPDATE
    operands: list[Operand] = []
    for action in actions:
        fixed += _target_bytes(action.target)
        match action:
            case Set(_, Arithmetic(operator, left, right)):
                fixed += _WRITE + UPDATE_FUNCTIONS[operator].clause_bytes
                operands += (left, right)
            case Set(_, (Path() | Constant() | Call()) as operand) | Add(_, operand):
                fixed += _WRITE
                operands.append(operand)
            case _:
                assert isinstance(action, Remove | Delete), "the others are above"
                fixed += _REMOVE
    return _with_values(fixed, operands)


def _target_bytes(target: Path | Undefined) -> int:
    assert isinstance(target, Path), "undefined placeholders are refused before"
    return _elements_bytes(target) + _TARGET_ELEMENT * (len(target.elements) - 1)


def _with_values(fixed: int, operands: list[Operand]) -> Callable[[Constants], int]:
    uses: dict[int, int] = {}
    rest = operands.copy()
    while rest:
        operand = rest.pop()
        match operand:
            case Constant(position):
                uses[position] = uses.get(position, 0) + 1
            case Path(elements):
                fixed += _PATH + _PATH_ELEMENT * len(elements) + _elements_bytes(operand)
            case Call(function, inner):
                fixed += UPDATE_FUNCTIONS[function].clause_bytes
                rest += inner
            case _:
                raise AssertionError("undefined placeholders are refused before")

    def cost(constants: Constants) -> int:
        # Each value is measured once, however often it is used: it may be of 2 MB.
        total = fixed
        for position, count in uses.items():
            total += count * value_bytes(constants[position])
        return total

    return cost


def _elements_bytes(path: Path) -> int:
    return text_bytes("".join(map(str, path.elements)))
